//! Are these the pairs?
//!
//! A scene is compared with `spec`, which tries every pair of boxes in `f64` and knows nothing of
//! the finder; a recorded tick with the pairs recorded beside it (`lists.rs`).
//!
//! Union pairs of a scene must be equal. Of the swept pairs none may be missing; one more than
//! wanted is right only where the boxes miss each other by a few units in the last place, and is
//! counted as a near tie. No first time may be late, nor earlier than the crate promises.

use swath::{Level, MovingBox, MovingBoxColumns, Pair, SweptPair};

use super::lists;
use scenes::trace::PairLists;

/// Pairs of boxes tried in a run before only the first and the last tick are compared.
const TESTS_MAX: u64 = 2_000_000_000;
/// By how much of the tick a near tie may miss, and what `f64` may call a hit although it is a miss.
const NEAR_TIE: std::ops::RangeInclusive<f64> = -1e-6..=1e-12;
/// How early a first time may be: this much of itself, and 2⁻¹²⁶.
const EARLY: f64 = 1.0 / (1 << 21) as f64;
/// What the rounding of `f64` may make of a time, as a part of it.
const SLACK: f64 = 1e-12;

/// What the answers are compared with.
pub(crate) enum Reference {
    Spec,
    Lists(PairLists),
}

/// What the finder answered for one tick, sorted.
pub(crate) struct Answer<'a> {
    pub(crate) union: &'a [Pair],
    pub(crate) swept: &'a [SweptPair],
}

/// What was compared, and what was right but not equal: the most in one tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) ticks: usize,
    /// Swept pairs that miss by less than rounding can tell.
    pub(crate) near_ties: usize,
    /// Union pairs not recorded, where rounding the ends of paths outwards explains them.
    pub(crate) rounded: usize,
    /// Pairs that overlap at the start, where the recorded ones were compared.
    pub(crate) start: Option<usize>,
}

pub(crate) struct Check {
    reference: Reference,
    level: Level,
    ticks: u32,
    every_tick: bool,
    verdict: Verdict,
}

impl Check {
    pub(crate) fn new(reference: Reference, level: Level, boxes: usize, ticks: u32) -> Self {
        let tests = (boxes as u64).pow(2) / 2 * u64::from(ticks);
        let every_tick = tests <= TESTS_MAX || matches!(reference, Reference::Lists(_));
        Self { reference, level, ticks, every_tick, verdict: Verdict::default() }
    }

    /// Whether this tick is compared.
    pub(crate) fn is_due(&self, tick: u32) -> bool {
        self.every_tick || tick == 0 || tick + 1 == self.ticks
    }

    /// Compares the answer of a tick; the error says how it differs.
    pub(crate) fn tick(
        &mut self,
        boxes: MovingBoxColumns<'_>,
        moves: Option<&[bool]>,
        answer: &Answer<'_>,
    ) -> Result<(), String> {
        let rows: Vec<_> = (0..boxes.len()).map(|row| boxes.get(row)).collect();
        let swept: Vec<_> = answer.swept.iter().map(|&pair| Pair::from(pair)).collect();
        in_order("union", answer.union, rows.len())?;
        in_order("swept", &swept, rows.len())?;
        let verdict = &mut self.verdict;
        let wanted = match &self.reference {
            Reference::Spec => {
                equal("union", &spec::union_pairs(&rows, moves), answer.union)?;
                spec::swept_pairs(&rows, moves)
            }
            Reference::Lists(wanted) => {
                if verdict.start.is_none() {
                    verdict.start = Some(lists::start(boxes, wanted, self.level)?);
                }
                let rounded = lists::union(&rows, wanted, answer.union)?;
                verdict.rounded = verdict.rounded.max(rounded);
                lists::pairs(&wanted.swept)
            }
        };
        let near_ties = near_ties(&rows, &wanted, &swept, answer.union)?;
        verdict.near_ties = verdict.near_ties.max(near_ties);
        verdict.ticks += 1;
        answer.swept.iter().try_for_each(|pair| in_time(&rows, pair))
    }

    pub(crate) fn verdict(self) -> Verdict {
        self.verdict
    }
}

/// Each pair once, by rows, lower row first, and both rows are there.
fn in_order(kind: &str, pairs: &[Pair], rows: usize) -> Result<(), String> {
    let bad = |pair: &&Pair| pair.a >= pair.b || pair.b as usize >= rows;
    if let Some(pair) = pairs.iter().find(bad) {
        return Err(format!("{kind} pair {} is not a < b < {rows}", show(pair)));
    }
    if !pairs.is_sorted_by(|one, next| one < next) {
        return Err(format!("a {kind} pair comes twice or out of order"));
    }
    Ok(())
}

/// The pairs that are in one sorted list only: in `wanted`, and in `found`.
pub(super) fn differences(wanted: &[Pair], found: &[Pair]) -> (Vec<Pair>, Vec<Pair>) {
    let only = |list: &[Pair], other: &[Pair]| {
        let mut other = other.iter().peekable();
        let mut is_only = |pair: &Pair| {
            while other.next_if(|&next| next < pair).is_some() {}
            other.peek() != Some(&pair)
        };
        list.iter().copied().filter(|pair| is_only(pair)).collect()
    };
    (only(wanted, found), only(found, wanted))
}

/// No pair is missing and none is too many.
pub(super) fn equal(kind: &str, wanted: &[Pair], found: &[Pair]) -> Result<(), String> {
    let (missing, extra) = differences(wanted, found);
    none_missing(kind, &missing)?;
    extra.first().map_or(Ok(()), |pair| {
        Err(format!("{} {kind} pairs too many, the first is {}", extra.len(), show(pair)))
    })
}

pub(super) fn none_missing(kind: &str, missing: &[Pair]) -> Result<(), String> {
    missing.first().map_or(Ok(()), |pair| {
        Err(format!("{} {kind} pairs are missing, the first is {}", missing.len(), show(pair)))
    })
}

/// No swept pair is missing; those too many are near ties, and union pairs all the same.
fn near_ties(
    rows: &[MovingBox],
    wanted: &[Pair],
    found: &[Pair],
    union: &[Pair],
) -> Result<usize, String> {
    let (missing, extra) = differences(wanted, found);
    none_missing("swept", &missing)?;
    for pair in &extra {
        if union.binary_search(pair).is_err() {
            return Err(format!("swept pair {} is no union pair", show(pair)));
        }
        let margin = sweep(rows, pair)?.margin;
        if !NEAR_TIE.contains(&margin) {
            let pair = show(pair);
            return Err(format!("swept pair {pair} is too many: it misses by {:e}", -margin));
        }
    }
    Ok(extra.len())
}

/// The first time is not late, and no earlier than promised.
fn in_time(rows: &[MovingBox], pair: &SweptPair) -> Result<(), String> {
    let exact = sweep(rows, &Pair::from(*pair))?.first;
    let first = f64::from(pair.first);
    let early = exact * (1.0 - EARLY - SLACK) - f64::from(f32::MIN_POSITIVE);
    let late = exact * (1.0 + SLACK);
    // Of a near tie the exact time is infinite; it is then only asked for a time of the tick.
    if (0.0..=1.0).contains(&first) && (exact.is_infinite() || (early..=late).contains(&first)) {
        return Ok(());
    }
    let pair = show(&Pair::from(*pair));
    Err(format!("swept pair {pair} first touches at {first:e}, by f64 at {exact:e}"))
}

fn sweep(rows: &[MovingBox], pair: &Pair) -> Result<spec::Sweep, String> {
    spec::sweep(&rows[pair.a as usize], &rows[pair.b as usize])
        .map_err(|reason| format!("pair {} has no box: {reason}", show(pair)))
}

pub(super) fn show(pair: &Pair) -> String {
    format!("({}, {})", pair.a, pair.b)
}
