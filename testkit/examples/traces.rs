//! Runs recorded ticks through a broadphase and a pipeline, and compares the pairs with those recorded.
//!
//! `cargo run --release --example traces -- FILE...`, each a tick (`.swt`) with its lists of pairs (`.prs`) beside it.
//!
//! A broadphase of dynamic proxies has the recorded displacements in some ticks and none in others, so its pairs are the recorded lists
//! *swept* and *start* in turn, and its events are the differences of the two lists. It is filled and changed by calls about one
//! box, and by calls about many. A pipeline reports the impacts of the boxes: those of all pairs of *swept*, of which
//! those at time 0 are the pairs of *start*; the same from columns, over proxies, and from a capture that is written and read again.
//! With the recorded kinds, the pairs are those of *swept* that the kinds allow.
//!
//! It prints one line for each file, with a hash of the impacts, and fails at the first difference.

use scenes::trace::{PairLists, Trace};
use std::collections::BTreeMap;
use std::path::Path;
use swath::broadphase::{Proxies, ProxyPair, SweptProxyPair};
use swath::convex::toi::Touch;
use swath::pipeline::{BodyInfo, Capture, Config};
use swath::{Broadphase, MovingBoxColumns, Pipeline, Proxy, ProxyId, ProxyKind, Scene, Threads};

type List = Vec<(u32, u32)>;

fn main() {
    let files: Vec<_> = std::env::args().skip(1).collect();
    assert!(!files.is_empty(), "usage: traces FILE..., recorded ticks (.swt)");
    for file in &files {
        let path = Path::new(file);
        let trace = Trace::read(path).unwrap_or_else(|error| panic!("{error}"));
        let lists =
            PairLists::read(&path.with_extension("prs")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(lists.boxes as usize, trace.len(), "{file}: pairs of another tick");
        for threads in [Threads::one(), Threads::current()] {
            broadphase_has_the_recorded_pairs(&trace, &lists, &threads);
            kinds_exclude_pairs(&trace, &lists, &threads);
        }
        let hash = pipeline_reports_the_recorded_pairs(&trace, &lists);
        let [start, swept] = [lists.start.len(), lists.swept.len()];
        println!("{file}: start {start}, swept {swept}, impacts {hash:016x}");
    }
}

/// The boxes of a tick, with their displacements or without.
struct Ticks<'t> {
    trace: &'t Trace,
    zeros: Vec<f32>,
}

impl<'t> Ticks<'t> {
    fn new(trace: &'t Trace) -> Self {
        Self { trace, zeros: vec![0.0; trace.len()] }
    }

    fn boxes(&self, moving: bool) -> MovingBoxColumns<'_> {
        let columns = |columns: &'t [Vec<f32>; 3]| columns.each_ref().map(Vec::as_slice);
        let delta = if moving { columns(&self.trace.delta) } else { [&self.zeros[..]; 3] };
        MovingBoxColumns::new(columns(&self.trace.min), columns(&self.trace.max), delta)
            .expect("the columns are equally long")
    }
}

/// Pairs of ids as sorted pairs of rows.
fn rows<P: Into<ProxyPair>>(
    pairs: impl IntoIterator<Item = P>,
    row_of: &BTreeMap<ProxyId, u32>,
) -> List {
    let pair = |pair: P| {
        let pair: ProxyPair = pair.into();
        let (a, b) = (row_of[&pair.a], row_of[&pair.b]);
        (a.min(b), a.max(b))
    };
    let mut rows: List = pairs.into_iter().map(pair).collect();
    rows.sort_unstable();
    rows
}

/// The pairs of one sorted list that are not in another.
fn without(list: &List, other: &List) -> List {
    list.iter().filter(|pair| other.binary_search(pair).is_err()).copied().collect()
}

/// Compares the pairs and the events of ticks with and without displacements with the recorded lists.
fn broadphase_has_the_recorded_pairs(trace: &Trace, lists: &PairLists, threads: &Threads) {
    let ticks = Ticks::new(trace);
    let mut broadphase = Broadphase::with_exec(threads.clone());
    let mut ids = Vec::new();
    let rejected = broadphase
        .insert_many(ticks.boxes(true), Proxies::All(Proxy::dynamic()), &mut ids)
        .expect("boxes");
    assert!(rejected.is_empty());
    let row_of: BTreeMap<_, _> = ids.iter().copied().zip(0..).collect();
    assert_eq!(row_of.len(), trace.len());
    let mut before = List::new();
    // The second of each two ticks finds what the first found. The third and the fifth change all boxes by one call, the
    // seventh and the ninth one by one.
    for tick in 0..10 {
        let moving = tick / 2 % 2 == 0;
        let boxes = ticks.boxes(moving);
        match tick {
            2 | 4 => assert!(broadphase.set_many(&ids, boxes).expect("ids").is_empty()),
            6 | 8 => {
                for (row, &id) in ids.iter().enumerate() {
                    let moving = boxes.get(row);
                    broadphase.set(id, moving.aabb, moving.delta).expect("a box");
                }
            }
            _ => {}
        }
        let changes = broadphase.update().expect("there is no limit");
        let expected = if moving { &lists.swept } else { &lists.start };
        let touching: Vec<SweptProxyPair> = changes.touching().into_iter().collect();
        assert!(touching.iter().all(|pair| (0.0..=1.0).contains(&pair.first)));
        let at_start = touching.iter().filter(|pair| pair.first == 0.0).copied();
        assert!(rows(at_start, &row_of) == lists.start, "tick {tick}: pairs at time 0");
        assert!(rows(touching, &row_of) == *expected, "tick {tick}: pairs");
        let begun = rows(changes.begun().iter().copied(), &row_of);
        assert!(begun == without(expected, &before), "tick {tick}: pairs that begin");
        let ended = rows(changes.ended().iter().copied(), &row_of);
        assert!(ended == without(&before, expected), "tick {tick}: pairs that end");
        before.clone_from(expected);
    }
}

/// Compares the pairs of proxies of the recorded kinds with the pairs that these kinds allow.
fn kinds_exclude_pairs(trace: &Trace, lists: &PairLists, threads: &Threads) {
    let kind = |row: u32| match trace.kind[row as usize] {
        0 => ProxyKind::Fixed,
        2 => ProxyKind::Sleeping,
        3 => ProxyKind::Kinematic,
        _ => ProxyKind::Dynamic,
    };
    // What rests has no displacement in a broadphase; where it has one in the recording, it is dynamic here.
    let moves = |row: u32| trace.delta.iter().any(|column| column[row as usize] != 0.0);
    let kind = |row: u32| if moves(row) { ProxyKind::Dynamic } else { kind(row) };
    let (ticks, mut proxies) = (Ticks::new(trace), Vec::new());
    for row in 0..lists.boxes {
        let mut proxy = Proxy::dynamic();
        proxy.kind = kind(row);
        // The boxes of a body do not pair with each other.
        proxy.owner = 1 + trace.body[row as usize];
        proxies.push(proxy);
    }
    let (mut broadphase, mut ids) = (Broadphase::with_exec(threads.clone()), Vec::new());
    broadphase.insert_many(ticks.boxes(true), Proxies::Each(&proxies), &mut ids).expect("boxes");
    let row_of: BTreeMap<_, _> = ids.iter().copied().zip(0..).collect();
    broadphase.update().expect("there is no limit");
    let allowed = |&&(a, b): &&(u32, u32)| {
        let pair = [kind(a), kind(b)];
        let has = |kind| pair.contains(&kind);
        let kinds =
            has(ProxyKind::Dynamic) || has(ProxyKind::Kinematic) && has(ProxyKind::Sleeping);
        kinds && trace.body[a as usize] != trace.body[b as usize]
    };
    let expected: List = lists.swept.iter().filter(allowed).copied().collect();
    assert!(rows(broadphase.pairs().iter().copied(), &row_of) == expected, "pairs of kinds");
}

/// Compares the impacts of a pipeline with the recorded pairs. Returns their hash.
fn pipeline_reports_the_recorded_pairs(trace: &Trace, lists: &PairLists) -> u64 {
    let ticks = Ticks::new(trace);
    let mut config = Config::default();
    config.touch = Touch::Hit;
    let mut pipeline = Pipeline::new(config);
    let scene = Scene::new(ticks.boxes(true));
    let ticked = pipeline.tick(&scene).expect("a tick");
    let hash = ticked.hash();
    let pairs = |at_start: bool| -> List {
        let impacts = ticked.impacts().iter().filter(|impact| !at_start || impact.toi == 0.0);
        let mut pairs: List = impacts.map(|impact| (impact.pair.a, impact.pair.b)).collect();
        pairs.sort_unstable();
        pairs
    };
    assert!(ticked.rejected().is_empty() && ticked.slow().next().is_none());
    assert!(pairs(false) == lists.swept, "impacts");
    assert!(pairs(true) == lists.start, "impacts at time 0");
    testkit::finite::assert_finite(&ticked.impacts());
    let times: BTreeMap<_, _> = ticked
        .impacts()
        .iter()
        .map(|impact| ((impact.pair.a, impact.pair.b), impact.toi.to_bits()))
        .collect();

    let bytes = pipeline.capture(&scene).expect("it can be captured");
    let capture = Capture::read(&bytes).expect("it was written by this library");
    let (convex, geometries) = (capture.convex(), capture.geometries());
    let replayed = Pipeline::new(*capture.config())
        .tick(&capture.scene(&convex, &geometries))
        .expect("a tick")
        .hash();
    assert_eq!(replayed, hash, "the tick that was captured and read again");

    let (mut broadphase, mut ids) = (Broadphase::new(), Vec::new());
    broadphase
        .insert_many(ticks.boxes(true), Proxies::All(Proxy::dynamic()), &mut ids)
        .expect("boxes");
    let row_of: BTreeMap<_, _> = ids.iter().copied().zip(0..).collect();
    let body = |_| BodyInfo { shape: None, flags: swath::pipeline::BodyFlags::MOVES };
    let ticked = pipeline.tick_proxies(&mut broadphase, body).expect("a tick");
    let of_proxies: BTreeMap<_, _> = ticked
        .impacts()
        .iter()
        .map(|impact| (rows([impact.pair], &row_of)[0], impact.toi.to_bits()))
        .collect();
    assert!(of_proxies == times, "impacts of proxies");
    hash
}
