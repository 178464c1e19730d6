//! Reference pair search by brute force: all n² / 2 pairs are tested.

use super::sweep;
use swath::{MovingBox, Pair};

/// Returns whether row `i` moves. Without flags every row moves.
fn moves(flags: Option<&[bool]>, i: usize) -> bool {
    flags.is_none_or(|flags| flags[i])
}

/// Returns every pair of valid rows, in order, of which at least one moves and for which `meet` is
/// true.
fn pairs(
    boxes: &[MovingBox],
    flags: Option<&[bool]>,
    meet: impl Fn(usize, usize) -> bool,
) -> Vec<Pair> {
    let valid: Vec<usize> = (0..boxes.len()).filter(|&i| boxes[i].validate().is_ok()).collect();
    let mut found = Vec::new();
    for (k, &i) in valid.iter().enumerate() {
        for &j in &valid[k + 1..] {
            if (moves(flags, i) || moves(flags, j)) && meet(i, j) {
                found.push(Pair { a: i as u32, b: j as u32 });
            }
        }
    }
    found
}

/// Returns the pairs whose swept AABBs ([`MovingBox::bounds`]) share a point, sorted.
///
/// Invalid rows form no pairs, and neither do two rows that do not move.
#[must_use]
pub fn union_pairs(boxes: &[MovingBox], moves: Option<&[bool]>) -> Vec<Pair> {
    let bounds: Vec<_> = boxes.iter().map(MovingBox::bounds).collect();
    pairs(boxes, moves, |i, j| bounds[i].overlaps(&bounds[j]))
}

/// Returns the pairs for which [`sweep`] is a hit, sorted.
///
/// Invalid rows form no pairs, and neither do two rows that do not move.
#[must_use]
pub fn swept_pairs(boxes: &[MovingBox], moves: Option<&[bool]>) -> Vec<Pair> {
    let bounds: Vec<_> = boxes.iter().map(MovingBox::bounds).collect();
    // A path stays within its bounds, so testing the bounds first loses no pair.
    pairs(boxes, moves, |i, j| {
        bounds[i].overlaps(&bounds[j])
            && sweep(&boxes[i], &boxes[j]).is_ok_and(|sweep| sweep.contact.is_hit())
    })
}
