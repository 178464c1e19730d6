//! First times of contact of the pairs that were found, and the earliest of all.
//!
//! Pairs are searched in batches, so the memory for results does not depend on their number.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use swath::batch::{ElementSettings, ElementToi, MovingPoints, Rejected, edge_edge, vertex_face};
use swath::{Level, Pair, Threads};

use super::Stop;
use super::elements::Elements;
use super::pairs::PairKind;

/// Number of pairs of a search.
const SEARCH: usize = 1 << 16;

/// First times of one kind of pairs.
#[derive(Default)]
pub(crate) struct KindTimes {
    pub(crate) hits: usize,
    pub(crate) unresolved: usize,
    /// The earliest first time and its pair of element numbers; the least such pair of several.
    pub(crate) first: Option<(f64, Pair)>,
    /// The time of all searches, once for each run.
    pub(crate) searching: Vec<Duration>,
    /// The same in CPU time of the whole process.
    pub(crate) cpu: Vec<Duration>,
}

/// Searches the first times of pairs of one mesh.
pub(crate) struct Searcher<'a> {
    elements: &'a Elements,
    points: MovingPoints<'a>,
    level: Level,
    settings: ElementSettings,
    rows: Vec<Pair>,
    out: Vec<ElementToi>,
}

impl<'a> Searcher<'a> {
    pub(crate) fn new(
        elements: &'a Elements,
        rejected: &'a mut Vec<Rejected>,
        level: Level,
        settings: ElementSettings,
    ) -> Result<Self, Stop> {
        let [start, end] = &elements.positions;
        let points = MovingPoints::check(&start[..], &end[..], rejected)?;
        Ok(Self { elements, points, level, settings, rows: Vec::new(), out: Vec::new() })
    }

    /// Searches the pairs of a batch on the threads of the current pool, and adds the results to the last run of `times`. Calls
    /// `step` after each search.
    pub(crate) fn search(
        &mut self,
        kind: PairKind,
        batch: &[Pair],
        times: &mut KindTimes,
        step: impl Fn(),
    ) -> Result<(), Stop> {
        let Self { elements, points, level, settings, rows, out } = self;
        let threads = Threads::current();
        let [edge, face] = elements.borders().map(|border| border as u32);
        for pairs in batch.chunks(SEARCH) {
            let [a, b] = match kind {
                PairKind::VertexFace => [0, face],
                PairKind::EdgeEdge => [edge, edge],
            };
            rows.clear();
            rows.extend(pairs.iter().map(|pair| Pair { a: pair.a - a, b: pair.b - b }));
            out.resize(pairs.len(), ElementToi::Miss);
            let (cpu, clock) = (ProcessTime::now(), Instant::now());
            match kind {
                PairKind::VertexFace => {
                    let faces = &elements.faces;
                    vertex_face::pairs(*level, &threads, points, faces, rows, settings, out)?;
                }
                PairKind::EdgeEdge => {
                    let edges = &elements.edges;
                    edge_edge::pairs(*level, &threads, points, edges, rows, settings, out)?;
                }
            }
            times.add(clock.elapsed(), cpu.elapsed());
            for (toi, &pair) in out.iter().zip(pairs) {
                times.unresolved += usize::from(matches!(toi, ElementToi::Unresolved { .. }));
                if let ElementToi::Hit { t, .. } = *toi {
                    times.hits += 1;
                    // The least pair of equal times, so that batches and their order do not matter.
                    if times.first.is_none_or(|first| (t, pair) < first) {
                        times.first = Some((t, pair));
                    }
                }
            }
            step();
        }
        Ok(())
    }
}

impl KindTimes {
    /// Starts a new run.
    pub(crate) fn start(&mut self) {
        (self.hits, self.unresolved, self.first) = (0, 0, None);
        self.searching.push(Duration::ZERO);
        self.cpu.push(Duration::ZERO);
    }

    fn add(&mut self, searching: Duration, cpu: Duration) {
        if let (Some(all), Some(all_cpu)) = (self.searching.last_mut(), self.cpu.last_mut()) {
            *all += searching;
            *all_cpu += cpu;
        }
    }
}

/// The number of searches of a batch.
pub(crate) fn searches(batch: &[Pair]) -> u64 {
    batch.len().div_ceil(SEARCH) as u64
}

/// The earliest first time of both kinds of pairs, and its pair.
pub(crate) fn earliest(times: &[KindTimes; 2]) -> Option<(f64, Pair)> {
    let firsts = times.iter().filter_map(|times| times.first);
    firsts.min_by(|a, b| a.0.total_cmp(&b.0))
}
