//! First times of contact of the pairs that were found, and the earliest of all.
//!
//! Pairs are searched in batches, so the memory for results does not depend on their number.

use std::time::{Duration, Instant};

use cpu_time::ProcessTime;
use swath::batch::{ElementSettings, ElementToi, MovingPoints, edge_edge, vertex_face};
use swath::{Level, Pair, Threads};

use super::Stop;
use super::elements::Elements;
use super::pairs::{Kind, Kinds};

/// Number of pairs of a batch.
const BATCH: usize = 1 << 16;

/// First times of both kinds of pairs.
pub(crate) struct Times {
    pub(crate) settings: ElementSettings,
    pub(crate) vertex_face: KindTimes,
    pub(crate) edge_edge: KindTimes,
}

/// First times of one kind of pairs.
#[derive(Default)]
pub(crate) struct KindTimes {
    pub(crate) hits: usize,
    pub(crate) unresolved: usize,
    /// The earliest first time and its pair of element numbers; the first such pair of several.
    pub(crate) first: Option<(f64, Pair)>,
    /// The time of all batches, once for each run.
    pub(crate) searching: Vec<Duration>,
    /// The same in CPU time of the whole process.
    pub(crate) cpu: Vec<Duration>,
}

/// Searches all pairs `runs` times on the threads of the current pool. Calls `step` after each batch.
pub(crate) fn search(
    elements: &Elements,
    found: &Kinds,
    level: Level,
    settings: ElementSettings,
    runs: u32,
    step: impl Fn(),
) -> Result<Times, Stop> {
    let mut rejected = Vec::new();
    let [start, end] = &elements.positions;
    let points = MovingPoints::check(&start[..], &end[..], &mut rejected)?;
    let threads = Threads::current();
    let [edge, face] = elements.borders().map(|border| border as u32);

    let vertex_face = search_kind(&found.vertex_face, [0, face], runs, &step, |pairs, out| {
        let faces = &elements.faces;
        vertex_face::pairs(level, &threads, &points, faces, pairs, &settings, out)
    })?;
    let edge_edge = search_kind(&found.edge_edge, [edge, edge], runs, &step, |pairs, out| {
        let edges = &elements.edges;
        edge_edge::pairs(level, &threads, &points, edges, pairs, &settings, out)
    })?;
    Ok(Times { settings, vertex_face, edge_edge })
}

/// Number of batches of a run.
pub(crate) fn batches(found: &Kinds) -> usize {
    [&found.vertex_face, &found.edge_edge].map(|kind| kind.pairs.len().div_ceil(BATCH)).iter().sum()
}

/// Searches the pairs of one kind, whose element numbers begin at `from`.
fn search_kind(
    kind: &Kind,
    from: [u32; 2],
    runs: u32,
    step: impl Fn(),
    search: impl Fn(&[Pair], &mut [ElementToi]) -> Result<(), swath::batch::ElementError>,
) -> Result<KindTimes, Stop> {
    let mut times = KindTimes::default();
    let mut rows = Vec::with_capacity(BATCH);
    let mut out = vec![ElementToi::Miss; BATCH.min(kind.pairs.len())];
    for _ in 0..runs {
        (times.hits, times.unresolved, times.first) = (0, 0, None);
        let (mut searching, mut on_cpu) = (Duration::ZERO, Duration::ZERO);
        for batch in kind.pairs.chunks(BATCH) {
            rows.clear();
            rows.extend(batch.iter().map(|pair| Pair { a: pair.a - from[0], b: pair.b - from[1] }));
            let out = &mut out[..batch.len()];
            let (cpu, clock) = (ProcessTime::now(), Instant::now());
            search(&rows, out)?;
            searching += clock.elapsed();
            on_cpu += cpu.elapsed();
            for (toi, &pair) in out.iter().zip(batch) {
                times.unresolved += usize::from(matches!(toi, ElementToi::Unresolved { .. }));
                if let ElementToi::Hit { t, .. } = *toi {
                    times.hits += 1;
                    if times.first.is_none_or(|(first, _)| t < first) {
                        times.first = Some((t, pair));
                    }
                }
            }
            step();
        }
        times.searching.push(searching);
        times.cpu.push(on_cpu);
    }
    Ok(times)
}

impl Times {
    /// The earliest first time of all pairs, and its pair.
    pub(crate) fn first(&self) -> Option<(f64, Pair)> {
        let firsts = [self.vertex_face.first, self.edge_edge.first];
        firsts.into_iter().flatten().min_by(|a, b| a.0.total_cmp(&b.0))
    }
}
