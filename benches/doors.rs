//! CPU time of one tick through each door of the library, on the same boxes.
//!
//! ```text
//! cargo run --release --example doors
//! cargo run --release --example doors -- 20000 > doors.csv
//! ```
//!
//! The boxes are the scene `uniform`; the argument is their number, 100,000 by default. In each round every door runs one tick on the
//! calling thread, one after the other, so that other load of the machine affects all alike. A row of the output is the median
//! of the rounds: CPU nanoseconds of the thread for a box of the scene, copying into the broadphase included, and the pairs of a tick.
//! Before the first time is taken, the doors are compared: those with the same input find the same number of pairs.

#![allow(missing_docs, reason = "an example has no documentation of its own")]

use cpu_time::ThreadTime;
use scenes::{Scene, World};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;
use swath::broadphase::{MovingBoxInput, PairInput, Proxies};
use swath::pipeline::{BodyFlags, Config};
use swath::{
    Aabb, Broadphase, FixedBoxes, MovingBox, MovingBoxStore, PairFinder, Pipeline, Proxy, ProxyId,
    Scene as Bodies, Threads,
};

type Failure = Box<dyn std::error::Error>;

const BODIES: usize = 100_000;
const ROUNDS: usize = 15;
/// Ticks before the first one that is timed. They allocate, and movers settle.
const WARM: usize = 4;
/// One of this many boxes moves in the scenes in which few do.
const FEW: usize = 100;
/// Margin of proxies, in lengths of the average box.
const MARGIN: f32 = 0.1;

/// The boxes of a tick: all of them moving, and the same with few that move.
struct Input {
    world: World,
    /// The rows that do not move are where they were in the first tick.
    with_few: MovingBoxStore,
    /// Of the rows that move in `with_few`.
    few: Vec<MovingBox>,
    moves: Vec<bool>,
    flags: Vec<BodyFlags>,
}

impl Input {
    fn new(world: World, first: &World) -> Self {
        let moves: Vec<bool> = (0..world.len()).map(moves_if_few).collect();
        let still = |row: usize| MovingBox::from(first.columns().get(row).aabb);
        let row = |row: usize| if moves[row] { world.columns().get(row) } else { still(row) };
        let with_few: MovingBoxStore = (0..world.len()).map(row).collect();
        let few = (0..world.len()).step_by(FEW).map(|row| with_few.get(row)).collect();
        let flag = |&moves: &bool| if moves { BodyFlags::MOVES } else { BodyFlags::STILL };
        let flags = moves.iter().map(flag).collect();
        Self { world, with_few, few, moves, flags }
    }
}

/// Whether a row moves in the scenes in which few do.
fn moves_if_few(row: usize) -> bool {
    row.is_multiple_of(FEW)
}

/// A door: what it is called, and its tick, which returns the number of pairs.
struct Door<'a> {
    name: &'static str,
    moving: &'static str,
    tick: Box<dyn FnMut(usize) -> Result<usize, Failure> + 'a>,
    times: Vec<Duration>,
    pairs: usize,
}

fn door<'a>(
    name: &'static str,
    moving: &'static str,
    tick: impl FnMut(usize) -> Result<usize, Failure> + 'a,
) -> Door<'a> {
    Door { name, moving, tick: Box::new(tick), times: Vec::new(), pairs: 0 }
}

/// A broadphase with a proxy for each box.
fn filled<'a>(
    boxes: impl Into<MovingBoxInput<'a>>,
    proxies: impl Into<Proxies<'a>>,
) -> Result<(Broadphase, Vec<ProxyId>), Failure> {
    let (mut broadphase, mut ids) = (Broadphase::with_exec(Threads::one()), Vec::new());
    broadphase.insert_many(boxes, proxies, &mut ids)?;
    Ok((broadphase, ids))
}

/// Runs the doors, and writes a row for each.
fn run(bodies: usize) -> Result<String, Failure> {
    let first = World::new(Scene::Uniform, bodies, 1);
    let mut second = first.clone();
    second.step();
    let ticks = [Input::new(first.clone(), &first), Input::new(second, &first)];
    let tick_of = |round: usize| &ticks[round % 2];
    let still: Vec<Aabb> = (0..bodies).map(|row| first.columns().get(row).aabb).collect();
    let fixed_rows: Vec<u32> =
        (0..bodies as u32).filter(|&row| !moves_if_few(row as usize)).collect();
    let fixed_boxes: Vec<Aabb> = fixed_rows.iter().map(|&row| still[row as usize]).collect();
    let width = still.iter().map(|aabb| aabb.size()[0]).sum::<f32>() / bodies as f32;

    let mut union = PairFinder::with_exec(Threads::one());
    let mut swept = PairFinder::with_exec(Threads::one());
    let mut flagged = PairFinder::with_exec(Threads::one());
    let mut movers = PairFinder::with_exec(Threads::one());
    let mut fixed = FixedBoxes::with_exec(Threads::one());
    fixed.put(&fixed_rows, &fixed_boxes)?;
    let (mut all, all_ids) = filled(first.columns(), Proxy::dynamic())?;
    let of_few = |row: usize| if moves_if_few(row) { Proxy::dynamic() } else { Proxy::fixed() };
    let of_few: Vec<Proxy> = (0..bodies).map(of_few).collect();
    let (mut few, few_ids) = filled(&ticks[0].with_few, &of_few)?;
    let few_ids: Vec<ProxyId> = few_ids.into_iter().step_by(FEW).collect();
    let fat = Proxy::dynamic().with_margin(MARGIN * width);
    let (mut settled, settled_ids) = filled(&still, fat)?;
    let (mut unchanged, _) = filled(&still, fat)?;
    let leaving: Vec<ProxyId> = settled_ids.into_iter().step_by(FEW).collect();
    // Boxes that leave their fat AABBs, and return in the next tick.
    let away = |aabb: Aabb| aabb.translated([3.0 * MARGIN * width, 0.0, 0.0]);
    let away: Result<Vec<Aabb>, _> = still.iter().copied().step_by(FEW).map(away).collect();
    let places = [away?, still.iter().copied().step_by(FEW).collect()];
    let mut pipeline = Pipeline::with_exec(Config::default(), Threads::one());
    let mut flagged_pipeline = Pipeline::with_exec(Config::default(), Threads::one());

    let mut doors = [
        door("PairFinder, bounds", "all", |round| {
            Ok(union.union_pairs(tick_of(round).world.columns())?.len())
        }),
        door("PairFinder, first times", "all", |round| {
            Ok(swept.swept_pairs(tick_of(round).world.columns())?.len())
        }),
        door("Broadphase", "all", |round| {
            all.set_many(&all_ids, tick_of(round).world.columns())?;
            Ok(all.update()?.touching().len())
        }),
        door("Pipeline, boxes", "all", |round| {
            Ok(pipeline.tick(&Bodies::new(tick_of(round).world.columns()))?.impacts().len())
        }),
        door("PairFinder with flags, first times", "1 %", |round| {
            let Input { with_few, moves, .. } = tick_of(round);
            Ok(flagged.swept_pairs(PairInput::new(with_few).moving(moves))?.len())
        }),
        door("FixedBoxes and PairFinder, first times", "1 %", |round| {
            let few = &tick_of(round).few;
            Ok(movers.swept_pairs(few)?.len() + fixed.swept_pairs(few)?.len())
        }),
        door("Broadphase with fixed proxies", "1 %", |round| {
            few.set_many(&few_ids, &tick_of(round).few)?;
            Ok(few.update()?.touching().len())
        }),
        door("Pipeline with flags, boxes", "1 %", |round| {
            let Input { with_few, flags, .. } = tick_of(round);
            let bodies = Bodies::new(with_few.columns()).flagged(flags);
            Ok(flagged_pipeline.tick(&bodies)?.impacts().len())
        }),
        door("Broadphase with margins", "1 % leave their fat AABBs", |round| {
            settled.set_many(&leaving, &places[round % 2])?;
            Ok(settled.update()?.touching().len())
        }),
        door("Broadphase with margins", "none", |_| Ok(unchanged.update()?.touching().len())),
    ];
    for round in 0..WARM + ROUNDS {
        for Door { tick, times, pairs, .. } in &mut doors {
            let clock = ThreadTime::now();
            *pairs = tick(round)?;
            times.push(clock.elapsed());
        }
        if round < WARM {
            let pairs = doors.each_ref().map(|door| door.pairs);
            assert_eq!(pairs[1], pairs[2], "all move: PairFinder and Broadphase");
            assert_eq!(pairs[4], pairs[5], "few move: PairFinder and FixedBoxes");
            assert_eq!(pairs[4], pairs[6], "few move: PairFinder and Broadphase");
        }
    }
    let mut text = "door,moving,boxes,cpu_ns_per_box,pairs\n".to_owned();
    for Door { name, moving, times, pairs, .. } in &mut doors {
        let times = &mut times[WARM..];
        times.sort_unstable();
        let ns = times[times.len() / 2].as_nanos() as f64 / bodies as f64;
        text += &format!("\"{name}\",{moving},{bodies},{ns:.2},{pairs}\n");
    }
    Ok(text)
}

fn main() -> ExitCode {
    let bodies = std::env::args().nth(1).map_or(Ok(BODIES), |bodies| bodies.parse());
    let text = bodies.map_err(Failure::from).and_then(run);
    match text.and_then(|text| Ok(io::stdout().write_all(text.as_bytes())?)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => examples::usage::end("doors", examples::usage::REFUSED, &error),
    }
}
