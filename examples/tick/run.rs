//! Runs ticks and measures them.
//!
//! The clock covers the work from boxes to pairs; the finder keeps only memory from the previous tick. It
//! does not cover moving the boxes, sorting the pairs for the hash and the comparison, and the progress bar.

use std::time::Duration;

use indicatif::ProgressBar;
use swath::batch::LengthMismatch;
use swath::broadphase::PairInput;
use swath::{Level, MovingBoxColumns, PairFinder};

use super::check::{Answer, Check, Reference, Verdict};
use super::stop::Stop;
use examples::fnv::Fnv;
use examples::limits::pairs_max;
use examples::measure::{Costs, floor};
use scenes::World;

/// The boxes of a run, and the reference for their pairs.
pub(crate) struct Input {
    /// Name of the scene or file.
    pub(crate) name: String,
    /// Seed of the scene, if it is one.
    pub(crate) seed: Option<u64>,
    pub(crate) world: World,
    /// Counts every box as moving, whatever `world.moves` contains.
    pub(crate) all_move: bool,
    pub(crate) reference: Option<Reference>,
}

/// Result of a run. The numbers of pairs are of the last tick.
pub(crate) struct Outcome {
    pub(crate) union: Costs,
    pub(crate) swept: Costs,
    pub(crate) union_pairs: usize,
    pub(crate) swept_pairs: usize,
    pub(crate) rejected: usize,
    pub(crate) floor: Duration,
    /// Hash of the sorted swept pairs of all ticks.
    pub(crate) hash: u64,
    pub(crate) verdict: Option<Verdict>,
}

/// Runs the ticks on the threads of the current pool.
pub(crate) fn run(
    input: &mut Input,
    ticks: u32,
    level: Level,
    bar: &ProgressBar,
) -> Result<Outcome, Stop> {
    let Input { name, world, all_move, reference, .. } = input;
    let mut finder = PairFinder::with_exec(level);
    finder.exec.pairs_max = pairs_max(world.len());
    warm_up(&mut finder, name, world)?;
    let boxes = world.len();
    let mut check = reference.take().map(|reference| Check::new(reference, level, boxes, ticks));
    let (mut union, mut swept) = (Costs::default(), Costs::default());
    let (mut union_pairs, mut swept_pairs, mut rejected) = (0, 0, 0);
    let mut hash = Fnv::default();
    for tick in 0..ticks {
        if tick > 0 {
            world.step();
        }
        let boxes = columns(world)?;
        let moves = (!*all_move).then_some(&world.moves[..]);
        let set = PairInput::new(boxes);
        let set = moves.map_or(set, |moves| set.moving(moves));

        let found = union.time(|| finder.union_pairs(set))?;
        (union_pairs, rejected) = (found.len(), found.rejected().len());
        let due = check.as_mut().filter(|check| check.is_due(tick));
        let union_found = if due.is_some() { found.sorted().to_vec() } else { Vec::new() };

        let swept_found = swept.time(|| finder.swept_pairs(set))?.sorted();
        swept_pairs = swept_found.len();
        for pair in swept_found {
            for word in [pair.a, pair.b, pair.first.to_bits()] {
                hash.write(word);
            }
        }
        if let Some(check) = due {
            let answer = Answer { union: &union_found, swept: swept_found };
            check.tick(boxes, moves, &answer).map_err(|disagreement| {
                let name = name.clone();
                Stop::Wrong { name, tick, disagreement }
            })?;
        }
        bar.inc(1);
    }
    Ok(Outcome {
        union,
        swept,
        union_pairs,
        swept_pairs,
        rejected,
        floor: floor(world, union_pairs),
        hash: hash.finish(),
        verdict: check.map(Check::verdict),
    })
}

/// The columns of a scene, borrowed by the finder.
pub(crate) fn columns(world: &World) -> Result<MovingBoxColumns<'_>, LengthMismatch> {
    let World { min, max, delta, .. } = world;
    let [min, max, delta] = [min, max, delta].map(|of| of.each_ref().map(Vec::as_slice));
    MovingBoxColumns::new(min, max, delta)
}

/// Makes the finder allocate its memory, and returns an error if a row is invalid.
fn warm_up(finder: &mut PairFinder, name: &str, world: &World) -> Result<(), Stop> {
    let boxes = columns(world)?;
    let set = PairInput::new(boxes).moving(&world.moves);
    let rejected = finder.union_pairs(set)?.rejected();
    if let Some(first) = rejected.first() {
        return Err(Stop::NoBox {
            name: name.to_owned(),
            row: first.row,
            reason: first.reason,
            rejected: rejected.len(),
            boxes: boxes.len(),
        });
    }
    finder.swept_pairs(set)?;
    Ok(())
}
