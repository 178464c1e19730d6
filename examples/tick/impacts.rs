//! Times whole ticks, from bodies to impacts, of a scene or of a file.
//!
//! With `--shapes` some boxes of a scene become rotating convex shapes: balls, boxes and capsules that fill
//! most of their box. Each tick is timed, and so is the pair finder alone on the same boxes. With `--replay`
//! a tick that was written to a file is run instead.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use swath::broadphase::PairInput;
use swath::pipeline::{BodyFlags, Capture, Config, TickStats};
use swath::{ConvexBody, Level, Motion, PairFinder, Pipeline, Pose, Scene, Shape};

use super::args::Args;
use super::report::ms;
use super::run::columns;
use super::stop::Stop;
use examples::fnv::Fnv;
use examples::limits::pairs_max;
use examples::measure::{each, median, ns_each};
use examples::progress::{bar, count};
use scenes::World;
use serde_json::json;

/// Times of a run, a row for each tick.
#[derive(Default)]
struct Measured {
    stages: Vec<TickStats>,
    total: Vec<Duration>,
    finder: Vec<Duration>,
    hash: Fnv,
}

/// Runs the scene with shapes.
pub(crate) fn scene(args: &Args, pool: &ThreadPool, percent: u8) -> Result<(), Stop> {
    let name = format!("scene {}, {percent} % convex shapes, seed {}", args.scene, args.seed);
    let mut world = World::new(args.scene, args.boxes as usize, args.seed);
    let mut pipeline = Pipeline::with_exec(Config::default(), args.level);
    let mut finder = PairFinder::with_exec(args.level);
    pipeline.exec.pairs_max = pairs_max(world.len());
    finder.exec.pairs_max = pairs_max(world.len());
    let mut measured = Measured::default();
    let (mut convex, mut flags) = (Vec::new(), Vec::new());
    let bar = bar(&name, args.ticks, args.json);
    // One more tick than is timed, to warm up.
    for tick in 0..=args.ticks {
        shapes(&world, percent, &mut convex);
        flags.clear();
        let flag = |&moves: &bool| if moves { BodyFlags::MOVES } else { BodyFlags::STILL };
        flags.extend(world.moves.iter().map(flag));
        let boxes = columns(&world)?;
        let scene = Scene::new(boxes).convex(&convex).flagged(&flags);
        pool.install(|| {
            let clock = Instant::now();
            finder.swept_pairs(PairInput::new(boxes).moving(&world.moves))?;
            let alone = clock.elapsed();
            let clock = Instant::now();
            let ticked = pipeline.tick(&scene)?;
            let total = clock.elapsed();
            if tick > 0 {
                measured.stages.push(*ticked.stats());
                measured.total.push(total);
                measured.finder.push(alone);
                let hash = ticked.hash();
                measured.hash.write(hash as u32);
                measured.hash.write((hash >> 32) as u32);
            }
            Ok::<_, Stop>(())
        })
        .map_err(|stop| stop.of_run(&name))?;
        if tick == args.ticks
            && let Some(path) = &args.capture
        {
            let bytes = pipeline.capture(&scene)?;
            fs::write(path, bytes).map_err(|error| file(path, error))?;
        }
        world.step();
        bar.inc(u64::from(tick > 0));
    }
    bar.finish_and_clear();
    measured.print(args, &name, world.len(), pool.current_num_threads())
}

/// Runs a tick from a file `args.ticks` times.
pub(crate) fn replay(args: &Args, pool: &ThreadPool, path: &Path) -> Result<(), Stop> {
    let bytes = scenes::read_file(path).map_err(|error| file(path, error))?;
    let capture =
        Capture::read(&bytes).map_err(|reason| Stop::Capture { path: path.to_owned(), reason })?;
    let (convex, geometries) = (capture.convex(), capture.geometries());
    let scene = capture.scene(&convex, &geometries);
    let mut pipeline = Pipeline::with_exec(*capture.config(), args.level);
    pipeline.exec.pairs_max = pairs_max(scene.len());
    let name = format!("replay of {}", path.display());
    let mut measured = Measured::default();
    let mut hash = 0;
    let bar = bar(&name, args.ticks, args.json);
    for _ in 0..args.ticks {
        pool.install(|| {
            let clock = Instant::now();
            let ticked = pipeline.tick(&scene)?;
            measured.total.push(clock.elapsed());
            measured.stages.push(*ticked.stats());
            hash = ticked.hash();
            Ok::<_, Stop>(())
        })
        .map_err(|stop| stop.of_run(&name))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    measured.hash.write(hash as u32);
    measured.hash.write((hash >> 32) as u32);
    measured.print(args, &name, scene.len(), pool.current_num_threads())
}

fn file(path: &Path, error: io::Error) -> Stop {
    Stop::File { path: path.to_owned(), error }
}

/// Replaces this percentage of the boxes by convex shapes.
fn shapes(world: &World, percent: u8, convex: &mut Vec<ConvexBody<'static>>) {
    convex.clear();
    let percent = usize::from(percent);
    for row in (0..world.len()).filter(|row| row * percent % 100 < percent) {
        let vector = |of: &[Vec<f32>; 3]| of.each_ref().map(|column| column[row]);
        let (min, max, delta) = (vector(&world.min), vector(&world.max), vector(&world.delta));
        let position = std::array::from_fn(|axis| 0.5 * (min[axis] + max[axis]));
        let half: [f32; 3] = std::array::from_fn(|axis| 0.5 * (max[axis] - min[axis]));
        let least = half[0].min(half[1]).min(half[2]);
        let shape = match row % 3 {
            0 => Shape::sphere(least),
            1 => Shape::cuboid(half.map(|half| 0.6 * half)),
            _ => Shape::capsule(0.5 * least, 0.5 * least),
        };
        // Half of them rotate, by up to one radian per axis and tick.
        let turns = if world.moves[row] && row % 2 == 0 { 1.0 } else { 0.0 };
        let spin = [turns * (row % 7) as f32 / 7.0, turns * (row % 5) as f32 / 5.0, 0.0];
        let pose = Pose { position, ..Pose::IDENTITY };
        let motion = Motion { pose, delta, spin, ..Motion::default() };
        let shape = shape.unwrap_or_else(|_| Shape::point());
        convex.push(ConvexBody { row: row as u32, shape, motion });
    }
}

impl Measured {
    /// Prints the result as a table of at most one screen, or as one JSON object on one line.
    fn print(self, args: &Args, name: &str, boxes: usize, threads: usize) -> Result<(), Stop> {
        let text = if args.json {
            self.json(args, name, boxes, threads)
        } else {
            self.table(args.level, name, boxes, threads)
        };
        io::stdout().write_all(text.as_bytes()).map_err(Stop::Output)
    }

    /// The median times of the stages in milliseconds, and their names.
    fn stages(&self) -> [(&'static str, f64); 5] {
        let median_of = |of: &dyn Fn(&TickStats) -> Duration| {
            let times: Vec<_> = self.stages.iter().map(of).collect();
            ms(median(&times))
        };
        [
            ("bounds", median_of(&|stages| stages.bounds_time)),
            ("pairs", median_of(&|stages| stages.pairs_time)),
            ("windows", median_of(&|stages| stages.windows_time)),
            ("convex", median_of(&|stages| stages.convex_time)),
            ("sort", median_of(&|stages| stages.sort_time)),
        ]
    }

    /// The median time of the pair finder alone in milliseconds, if it was run.
    fn finder_ms(&self) -> Option<f64> {
        (!self.finder.is_empty()).then(|| ms(median(&self.finder)))
    }

    fn json(&self, args: &Args, name: &str, bodies: usize, threads: usize) -> String {
        let total = ms(median(&self.total));
        let last = self.stages.last().copied().unwrap_or_default();
        let stages = self.stages().map(|(stage, ms)| (format!("{stage}_ms"), json!(ms)));
        let stages: serde_json::Map<_, _> = stages.into_iter().collect();
        let object = json!({
            "input": name,
            "bodies": bodies,
            "ticks": self.stages.len(),
            "threads": threads,
            "level": args.level.name(),
            "ms_median": total,
            "ns_per_body": ns_each(total, bodies),
            "stages": stages,
            "finder_ms": self.finder_ms(),
            "candidates": last.candidates,
            "dropped_slow": last.slow,
            "hits_by_boxes": last.boxes,
            "misses_by_boxes": last.apart,
            "tests_of_shapes": last.convex,
            "misses_by_shapes": last.separated,
            "unresolved": last.unresolved,
            "rounds": last.rounds,
            "impacts": last.impacts,
            "sensed": last.sensed,
            "hash": format!("{:016x}", self.hash.finish()),
        });
        format!("{object}\n")
    }

    fn table(&self, level: Level, name: &str, boxes: usize, threads: usize) -> String {
        let total = ms(median(&self.total));
        let mut lines = vec![
            format!(
                "{name}: {}, {}, level {level}, threads {threads}",
                count(boxes, "body"),
                count(self.stages.len(), "tick")
            ),
            String::new(),
            format!("{:<10}{:>12}{:>12}", "medians", "ms", "ns/body"),
        ];
        for (stage, ms) in self.stages().into_iter().chain([("total", total)]) {
            lines.push(format!("{stage:<10}{ms:>12.3}{:>12}", each(ms, boxes)));
        }
        if let Some(alone) = self.finder_ms() {
            let ratio = total / alone;
            lines.push(format!(
                "{:<10}{alone:>12.3}   pair finder alone; whole tick {ratio:.2} times that",
                "finder"
            ));
        }
        let last = self.stages.last().copied().unwrap_or_default();
        lines.extend([
            String::new(),
            format!("candidates    {}", last.candidates),
            format!("dropped slow  {}", last.slow),
            format!("by boxes      {}, {}", count(last.boxes, "hit"), count(last.apart, "miss")),
            format!(
                "by shapes     {}: {}, {} unresolved, {:.2} rounds each",
                last.convex,
                count(last.separated, "miss"),
                last.unresolved,
                last.rounds as f64 / last.convex.max(1) as f64
            ),
            format!("impacts       {}, and {} with sensors", last.impacts, last.sensed),
            format!("hash          {:016x}", self.hash.finish()),
        ]);
        lines.join("\n") + "\n"
    }
}
