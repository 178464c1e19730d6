//! Compares the pairs of a tick with a reference.
//!
//! The reference of a scene is `spec`, which compares every pair of boxes in `f64` and shares no code with
//! the finder. The reference of a recorded tick is the list of pairs recorded beside it (`lists.rs`).
//!
//! Union pairs of a scene must be equal. No swept pair may be missing. An additional one is correct only if
//! the boxes miss each other by a few units in the last place; it is counted as a near tie. No first time may
//! be late, or earlier than the library guarantees.

use swath::{Level, MovingBox, MovingBoxColumns, Pair, SweptPair};

use super::lists;
use scenes::trace::PairLists;

/// Number of compared pairs of boxes in a run above which only the first and the last tick are compared.
const TESTS_MAX: u64 = 2_000_000_000;
/// Margins of a near tie, in ticks: a miss by at most a millionth, or what `f64` may round to a hit.
const NEAR_TIE: std::ops::RangeInclusive<f64> = -1e-6..=1e-12;
/// How early a first time may be: this part of itself, plus 2⁻¹²⁶.
const EARLY: f64 = 1.0 / (1 << 21) as f64;
/// Upper bound of the relative rounding error of a time in `f64`.
const SLACK: f64 = 1e-12;

/// The reference for a run.
pub(crate) enum Reference {
    Spec,
    Lists(PairLists),
}

/// Result of the finder for one tick, sorted.
pub(crate) struct Answer<'a> {
    pub(crate) union: &'a [Pair],
    pub(crate) swept: &'a [SweptPair],
}

/// Summary of the comparison: the greatest numbers of one tick.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) ticks: usize,
    /// Swept pairs that miss each other by less than the rounding error.
    pub(crate) near_ties: usize,
    /// Union pairs that are not recorded and are explained by rounding the ends of paths outwards.
    pub(crate) rounded: usize,
    /// Pairs that overlap at the start, if those are recorded.
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
        let tests = ((boxes as u64).pow(2) / 2).saturating_mul(u64::from(ticks));
        let every_tick = tests <= TESTS_MAX || matches!(reference, Reference::Lists(_));
        Self { reference, level, ticks, every_tick, verdict: Verdict::default() }
    }

    /// Whether this tick is compared.
    pub(crate) fn is_due(&self, tick: u32) -> bool {
        self.every_tick || tick == 0 || tick + 1 == self.ticks
    }

    /// Compares the results of a tick. The error describes the first difference.
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

/// Checks that each pair occurs once, sorted, lower row first, and that both rows exist.
fn in_order(kind: &str, pairs: &[Pair], rows: usize) -> Result<(), String> {
    let bad = |pair: &&Pair| pair.a >= pair.b || pair.b as usize >= rows;
    if let Some(pair) = pairs.iter().find(bad) {
        return Err(format!("{kind} pair {} is not a < b < {rows}", show(pair)));
    }
    if !pairs.is_sorted_by(|one, next| one < next) {
        return Err(format!("a {kind} pair occurs twice or out of order"));
    }
    Ok(())
}

/// Returns the pairs that are in one sorted list only: those in `wanted`, and those in `found`.
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

/// Checks that no pair is missing and that there are no additional pairs.
pub(super) fn equal(kind: &str, wanted: &[Pair], found: &[Pair]) -> Result<(), String> {
    let (missing, extra) = differences(wanted, found);
    none_missing(kind, &missing)?;
    extra.first().map_or(Ok(()), |pair| {
        Err(format!("{} {kind} pairs are wrong, the first is {}", extra.len(), show(pair)))
    })
}

pub(super) fn none_missing(kind: &str, missing: &[Pair]) -> Result<(), String> {
    missing.first().map_or(Ok(()), |pair| {
        Err(format!("{} {kind} pairs are missing, the first is {}", missing.len(), show(pair)))
    })
}

/// Checks that no swept pair is missing, and that additional ones are near ties and union pairs. Returns
/// their number.
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
            return Err(format!("swept pair {} is not a union pair", show(pair)));
        }
        let margin = sweep(rows, pair)?.margin;
        if !NEAR_TIE.contains(&margin) {
            let pair = show(pair);
            return Err(format!("swept pair {pair} is wrong: it misses by {:e}", -margin));
        }
    }
    Ok(extra.len())
}

/// Checks that the first time is neither late nor earlier than guaranteed.
fn in_time(rows: &[MovingBox], pair: &SweptPair) -> Result<(), String> {
    let exact = sweep(rows, &Pair::from(*pair))?.first;
    let first = f64::from(pair.first);
    let early = exact * (1.0 - EARLY - SLACK) - f64::from(f32::MIN_POSITIVE);
    let late = exact * (1.0 + SLACK);
    // The exact time of a near tie may be infinite; then any time in the tick is correct.
    if (0.0..=1.0).contains(&first) && (exact.is_infinite() || (early..=late).contains(&first)) {
        return Ok(());
    }
    let pair = show(&Pair::from(*pair));
    Err(format!("swept pair {pair} first touches at {first:e}, in f64 at {exact:e}"))
}

fn sweep(rows: &[MovingBox], pair: &Pair) -> Result<spec::Sweep, String> {
    spec::sweep(&rows[pair.a as usize], &rows[pair.b as usize])
        .map_err(|reason| format!("pair {} has an invalid box: {reason}", show(pair)))
}

pub(super) fn show(pair: &Pair) -> String {
    format!("({}, {})", pair.a, pair.b)
}
