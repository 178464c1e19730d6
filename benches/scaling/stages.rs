//! Runs the stages, and computes how many bytes each moves.
//!
//! | stage | what runs |
//! |---|---|
//! | choose | `PairFinder::union_pairs`: choose the grid from a sample, on one thread |
//! | scatter | the same: compute bounds, check the boxes, copy them to the strips |
//! | sort and sweep | the same: sort the records of each strip, compare them, write the pairs |
//! | order | `Pairs::sorted`: copy the pairs and sort them |
//! | update | `Broadphase::update` after `set_many` of all boxes: swept pairs, compared with those of the last update |
//! | bounds | `Pipeline::tick` of boxes of which one in 20 is a rotating convex shape: a box around each path |
//! | windows | the same: sweep the boxes of the candidates, report the impacts of plain boxes |
//! | convex | the same: first times of the shapes |
//! | sort | the same: sort the impacts |
//!
//! Bytes are computed from the data structures. A value that is read for the first time counts once; a value that is written counts
//! twice, because its cache line is read before; what a stage writes and reads again while it is in the cache of the core counts
//! nothing. A sort of `n` bytes halves its parts in place until they fit into [`CACHE`], and each halving reads and writes all.

use crate::Failure;
use examples::fnv::Fnv;
use rayon::{ThreadPool, ThreadPoolBuilder};
use scenes::{Scene, World};
use std::time::{Duration, Instant};
use swath::broadphase::PairInput;
use swath::pipeline::{BodyFlags, Config};
use swath::{
    Broadphase, ConvexBody, Impact, Motion, Pair, PairFinder, Pipeline, Pose, Proxy,
    Scene as Bodies, Shape, Threads,
};

/// One body in this many has a shape.
const SHAPED_ONE_OF: usize = 20;
/// Bytes of a box in columns: corners and displacement.
const BOX: f64 = 36.0;
/// Bytes of the copy of a box in a strip: bounds, id and filter; for swept pairs also the displacement and the lower end.
const RECORD: f64 = 32.0;
const SWEPT_RECORD: f64 = 48.0;
/// Bytes of a pair, and of a pair with its first time.
const PAIR: f64 = 8.0;
const SWEPT_PAIR: f64 = 12.0;
/// Bytes of the key by which an impact is sorted.
const KEY: f64 = 16.0;
/// Bytes that stay in the cache of a core.
const CACHE: f64 = (2 << 20) as f64;

/// The least time of a stage on this many threads.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) stage: &'static str,
    pub(crate) boxes: usize,
    pub(crate) threads: usize,
    pub(crate) milliseconds: f64,
    /// Bytes that are moved, for each box.
    pub(crate) bytes: f64,
    pub(crate) hash: u64,
}

/// The hash of a result, and the times of its stages.
type Run = (u64, Vec<(&'static str, Duration)>);

/// The hash of both ticks, and for each number of threads the stages and their least milliseconds.
type Measured = (u64, Vec<Vec<(&'static str, f64)>>);

/// Runs `run` on each number of threads in turn, with the ticks alternating, and returns the least times. Fails if two hashes of
/// a tick differ.
fn alternate(
    pools: &[(usize, ThreadPool)],
    rounds: usize,
    mut run: impl FnMut(usize, usize) -> Result<Run, Failure> + Send,
) -> Result<Measured, Failure> {
    let mut hashes: [Option<u64>; 2] = [None; 2];
    let mut best: Vec<Vec<(&'static str, f64)>> = vec![Vec::new(); pools.len()];
    // Two rounds more than are timed, to allocate memory and for the first update of each tick.
    for round in 0..rounds + 2 {
        for (which, (threads, pool)) in pools.iter().enumerate() {
            let tick = round % 2;
            let (hash, times) = pool.install(|| run(which, tick))?;
            let first = *hashes[tick].get_or_insert(hash);
            if first != hash {
                return Err(format!("{threads} threads: hash {hash:016x}, not {first:016x}").into());
            }
            if round < 2 {
                best[which] = times.iter().map(|&(stage, _)| (stage, f64::INFINITY)).collect();
                continue;
            }
            for (best, (_, time)) in best[which].iter_mut().zip(times) {
                best.1 = best.1.min(time.as_secs_f64() * 1e3);
            }
        }
    }
    Ok((hashes.iter().flatten().fold(0, |sum, hash| sum ^ hash), best))
}

fn threads_of(threads: usize) -> Threads {
    if threads == 1 { Threads::one() } else { Threads::default() }
}

/// How often a sort reads and writes all of this many bytes.
fn sort_passes(bytes: f64) -> f64 {
    (bytes / CACHE).log2().ceil().max(1.0)
}

/// Measures all stages for this many boxes.
pub(crate) fn measure(boxes: usize, counts: &[usize], rounds: usize) -> Result<Vec<Row>, Failure> {
    let mut pools = Vec::new();
    for &threads in counts {
        pools.push((threads, ThreadPoolBuilder::new().num_threads(threads).build()?));
    }
    let first = World::new(Scene::Uniform, boxes, 1);
    let mut second = first.clone();
    second.step();
    let ticks = [first, second];
    let mut rows = Vec::new();
    find(&ticks, &pools, rounds, &mut rows)?;
    update(&ticks, &pools, rounds, &mut rows)?;
    whole_tick(&ticks, &pools, rounds, &mut rows)?;
    Ok(rows)
}

/// Appends the rows of some stages, with their bytes for a box.
fn add(
    rows: &mut Vec<Row>,
    boxes: usize,
    pools: &[(usize, ThreadPool)],
    (hash, best): Measured,
    bytes: impl Fn(&str) -> f64,
) {
    for ((threads, _), stages) in pools.iter().zip(best) {
        for (stage, milliseconds) in stages {
            let bytes = bytes(stage);
            rows.push(Row { stage, boxes, threads: *threads, milliseconds, bytes, hash });
        }
    }
}

/// The stages of the pair finder, and the order of its pairs.
fn find(
    ticks: &[World; 2],
    pools: &[(usize, ThreadPool)],
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let boxes = ticks[0].len();
    let mut finders: Vec<_> =
        pools.iter().map(|(threads, _)| PairFinder::with_exec(threads_of(*threads))).collect();
    let (mut pairs, mut memory) = (0, 0);
    let measured = alternate(pools, rounds, |which, tick| {
        let finder = &mut finders[which];
        let found = finder.union_pairs(PairInput::new(ticks[tick].columns()))?;
        let stages = found.timings();
        pairs = found.len();
        let clock = Instant::now();
        let sorted = found.sorted();
        let order = clock.elapsed();
        let hash = hash_of(sorted);
        memory = finder.memory_usage();
        Ok((
            hash,
            vec![
                ("choose", stages.choose),
                ("scatter", stages.scatter),
                ("sort and sweep", stages.sweep),
                ("order", order),
            ],
        ))
    })?;
    let pairs = pairs as f64 / boxes as f64;
    // All memory of the finder but that of the pairs, as found and sorted, is records.
    let records = memory as f64 / boxes as f64 - 2.0 * PAIR * pairs;
    let passes = sort_passes(PAIR * pairs * boxes as f64);
    add(rows, boxes, pools, measured, |stage| match stage {
        "scatter" => BOX + 2.0 * records,
        "sort and sweep" => records + 2.0 * PAIR * pairs,
        "order" => PAIR * pairs * (3.0 + 2.0 * passes),
        _ => 0.0,
    });
    Ok(())
}

fn hash_of(pairs: &[Pair]) -> u64 {
    let mut hash = Fnv::default();
    for pair in pairs {
        hash.write(pair.a);
        hash.write(pair.b);
    }
    hash.finish()
}

/// An update of a broadphase.
fn update(
    ticks: &[World; 2],
    pools: &[(usize, ThreadPool)],
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let boxes = ticks[0].len();
    let mut broadphases = Vec::new();
    for (threads, _) in pools {
        let mut broadphase = Broadphase::with_exec(threads_of(*threads));
        let mut ids = Vec::new();
        broadphase.insert_many(ticks[0].columns(), Proxy::dynamic(), &mut ids)?;
        broadphases.push((broadphase, ids));
    }
    let (mut touching, mut events) = (0, 0);
    let measured = alternate(pools, rounds, |which, tick| {
        let (broadphase, ids) = &mut broadphases[which];
        let clock = Instant::now();
        broadphase.set_many(ids, ticks[tick].columns())?;
        let set = clock.elapsed();
        let clock = Instant::now();
        let changes = broadphase.update()?;
        let update = clock.elapsed();
        (touching, events) =
            (changes.touching().len(), changes.begun().len() + changes.ended().len());
        let mut hash = Fnv::default();
        for pair in changes.touching() {
            hash.write(pair.a.to_bits() as u32);
            hash.write(pair.b.to_bits() as u32);
            hash.write(pair.first.to_bits());
        }
        Ok((hash.finish(), vec![("set boxes", set), ("update", update)]))
    })?;
    let [touching, events] = [touching, events].map(|count| count as f64 / boxes as f64);
    // As many records as of union pairs.
    let records = rows
        .iter()
        .find(|row| row.stage == "scatter" && row.boxes == boxes)
        .map_or(0.0, |row| (row.bytes - BOX) / 2.0 / RECORD * SWEPT_RECORD);
    add(rows, boxes, pools, measured, |stage| match stage {
        // Boxes are read, compared with those that are stored, and written there.
        "set boxes" => 3.0 * BOX,
        // The two passes of the finder; its pairs written, read and partitioned; the last table read and the next one written.
        _ => {
            BOX + 3.0 * records
                + SWEPT_PAIR * (2.0 + 3.0 + 3.0) * touching
                + 2.0 * SWEPT_PAIR * events
        }
    });
    Ok(())
}

/// The stages of a whole tick that follow the search for pairs, and its bounds.
fn whole_tick(
    ticks: &[World; 2],
    pools: &[(usize, ThreadPool)],
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let boxes = ticks[0].len();
    let convex = ticks.each_ref().map(shapes);
    let flags = vec![BodyFlags::MOVES; boxes];
    let pipeline = |threads| {
        let mut pipeline = Pipeline::new(Config::default());
        pipeline.exec.threads = threads_of(threads);
        pipeline
    };
    let mut pipelines: Vec<_> = pools.iter().map(|(threads, _)| pipeline(*threads)).collect();
    let (mut candidates, mut tests, mut impacts) = (0, 0, 0);
    let measured = alternate(pools, rounds, |which, tick| {
        let scene = Bodies::new(ticks[tick].columns()).convex(&convex[tick]).flagged(&flags);
        let ticked = pipelines[which].tick(&scene)?;
        let stats = ticked.stats();
        (candidates, tests, impacts) = (stats.candidates, stats.convex, stats.impacts);
        let stages = vec![
            ("bounds", stats.bounds_time),
            ("windows", stats.windows_time),
            ("convex", stats.convex_time),
            ("sort", stats.sort_time),
        ];
        Ok((ticked.hash(), stages))
    })?;
    let [candidates, tests, impacts] =
        [candidates, tests, impacts].map(|count| count as f64 / boxes as f64);
    let impact = size_of::<Impact>() as f64;
    let body = size_of::<ConvexBody<'_>>() as f64;
    let passes = sort_passes(KEY * impacts * boxes as f64);
    add(rows, boxes, pools, measured, |stage| match stage {
        // Columns, a flag and a word for each box are read or written; shapes are read.
        "bounds" => 3.0 * BOX + 4.0 * 3.0 + body / SHAPED_ONE_OF as f64,
        // A pair and two rows of a cache line each; an impact and its key.
        "windows" => candidates * (SWEPT_PAIR + 2.0 * 64.0) + 2.0 * impacts * (impact + KEY),
        "convex" => tests * 2.0 * body,
        // The keys are sorted, and each impact is moved to its place.
        _ => impacts * (2.0 * KEY * passes + KEY + 3.0 * impact),
    });
    Ok(())
}

/// Shapes that fill most of the boxes of some rows, half of them rotating.
fn shapes(world: &World) -> Vec<ConvexBody<'static>> {
    let rows = (0..world.len()).step_by(SHAPED_ONE_OF);
    rows.map(|row| {
        let vector = |of: &[Vec<f32>; 3]| of.each_ref().map(|column| column[row]);
        let (min, max, delta) = (vector(&world.min), vector(&world.max), vector(&world.delta));
        let position = std::array::from_fn(|axis| 0.5 * (min[axis] + max[axis]));
        let half: [f32; 3] = std::array::from_fn(|axis| 0.5 * (max[axis] - min[axis]));
        let least = half[0].min(half[1]).min(half[2]);
        let number = row / SHAPED_ONE_OF;
        let shape = match number % 3 {
            0 => Shape::sphere(least),
            1 => Shape::cuboid(half.map(|half| 0.6 * half)),
            _ => Shape::capsule(0.5 * least, 0.5 * least),
        };
        let spin = if number.is_multiple_of(2) { [0.5, 0.2, 0.0] } else { [0.0; 3] };
        let motion =
            Motion { pose: Pose { position, ..Pose::IDENTITY }, delta, spin, ..Motion::default() };
        ConvexBody { row: row as u32, shape: shape.expect("sides are lengths"), motion }
    })
    .collect()
}

/// Goal: a number of threads that changes a result is reported. Method: a run whose hash depends on it.
#[test]
fn different_hashes_are_an_error() {
    let pool = || ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let pools = [(1, pool()), (2, pool())];
    let same = alternate(&pools, 1, |_, tick| Ok((tick as u64, vec![("stage", Duration::ZERO)])));
    assert!(same.is_ok());
    let different = alternate(&pools, 1, |which, _| Ok((which as u64, Vec::new())));
    assert!(different.is_err());
}
