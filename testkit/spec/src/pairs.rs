//! Which of many boxes might touch, and which do?
//!
//! All pairs are tried: n² / 2 tests.

use super::sweep;
use swath::geom::{MovingBox, Pair};

/// Whether row `i` moves: every row does where no flags are given.
fn moves(flags: Option<&[bool]>, i: usize) -> bool {
    flags.is_none_or(|flags| flags[i])
}

/// Every pair of rows, in order, that are boxes, of which at least one moves, and for which
/// `meet` holds.
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

/// The pairs whose boxes around the whole path ([`MovingBox::bounds`]) share a point, sorted.
///
/// Rows that are no boxes make no pair, and neither do two rows that do not move.
#[must_use]
pub fn union_pairs(boxes: &[MovingBox], moves: Option<&[bool]>) -> Vec<Pair> {
    let bounds: Vec<_> = boxes.iter().map(MovingBox::bounds).collect();
    pairs(boxes, moves, |i, j| bounds[i].overlaps(&bounds[j]))
}

/// The pairs that [`sweep`] calls a hit, sorted.
///
/// Rows that are no boxes make no pair, and neither do two rows that do not move.
#[must_use]
pub fn swept_pairs(boxes: &[MovingBox], moves: Option<&[bool]>) -> Vec<Pair> {
    let bounds: Vec<_> = boxes.iter().map(MovingBox::bounds).collect();
    // A path stays in its bounds, so the cheap test first loses nothing.
    pairs(boxes, moves, |i, j| {
        bounds[i].overlaps(&bounds[j])
            && sweep(&boxes[i], &boxes[j]).is_ok_and(|sweep| sweep.contact.is_hit())
    })
}
