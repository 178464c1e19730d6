//! Measures the broad phase of avian and that of swath side by side.
//!
//! Both worlds of a scene run step by step, one after the other, in one process. After each step their pairs are compared, and after the last one
//! their poses, bit by bit. The table has medians of the CPU time of the process, in milliseconds, over the measured steps: of
//! the broad phase alone and of the whole step.
//!
//! ```text
//! cargo run --release --example compare -- [--threads N] [--steps N] [SCENE...]
//! ```
//!
//! Without arguments all scenes run on one thread, which takes some minutes. `--steps N` runs N steps of each scene and measures the second half.

use avian3d::collider_tree::{ColliderTreeSystems, MovedProxies};
use avian3d::prelude::*;
use bevy::prelude::*;
use cpu_time::ProcessTime;
use std::process::ExitCode;
use std::time::Duration;
use swath_avian::SwathBroadPhasePlugin;

/// A scene: its name, the function that spawns its bodies, whether they may sleep, and the range of measured steps.
struct SceneOfTable {
    name: &'static str,
    build: fn(&mut World),
    sleeps: bool,
    measured: core::ops::Range<usize>,
}

const SCENES: [SceneOfTable; 5] = [
    SceneOfTable { name: "pile-2000", build: pile_2000, sleeps: true, measured: 150..300 },
    SceneOfTable { name: "pile-2000-awake", build: pile_2000, sleeps: false, measured: 150..300 },
    SceneOfTable { name: "pile-10000", build: pile_10000, sleeps: true, measured: 150..300 },
    SceneOfTable { name: "pile-10000-awake", build: pile_10000, sleeps: false, measured: 150..300 },
    SceneOfTable { name: "spread-50000", build: spread_50000, sleeps: true, measured: 5..25 },
];

fn pile_2000(world: &mut World) {
    worlds::pile(world, 2000);
}

fn pile_10000(world: &mut World) {
    worlds::pile(world, 10_000);
}

fn spread_50000(world: &mut World) {
    worlds::spread(world, 50_000);
}

/// The CPU time of the process when the broad phase starts, and its times.
#[derive(Resource)]
struct BroadPhaseTime {
    moved: usize,
    start: ProcessTime,
    spent: Duration,
}

/// Measures the systems after the update of the AABBs and before `BroadPhaseSystems::Last`. The pairs are sorted after it.
fn measure_broad_phase(app: &mut App) {
    app.insert_resource(BroadPhaseTime {
        moved: 0,
        start: ProcessTime::now(),
        spent: Duration::ZERO,
    });
    app.add_systems(
        PhysicsSchedule,
        (
            (|mut time: ResMut<BroadPhaseTime>, moved: Res<MovedProxies>| {
                time.moved = moved.proxies().len();
                time.start = ProcessTime::now();
            })
            .after(ColliderTreeSystems::UpdateAabbs)
            .before(BroadPhaseSystems::CollectCollisions),
            (|mut time: ResMut<BroadPhaseTime>| time.spent = time.start.elapsed())
                .after(BroadPhaseSystems::CollectCollisions)
                .before(BroadPhaseSystems::Last),
        ),
    );
}

/// A world and the times of its measured steps, in milliseconds.
struct Run {
    app: App,
    broad_phase: Vec<f64>,
    step: Vec<f64>,
    moved: Vec<f64>,
}

impl Run {
    fn new(scene: &SceneOfTable, threads: usize, swath: bool) -> Self {
        let mut plugins = worlds::avian();
        if swath {
            plugins = plugins.disable::<BvhBroadPhasePlugin>();
            plugins = plugins.add(SwathBroadPhasePlugin::<()>::default());
        }
        let mut app = worlds::world(threads, plugins);
        measure_broad_phase(&mut app);
        if !scene.sleeps {
            app.insert_resource(TimeToSleep(f32::MAX));
        }
        (scene.build)(app.world_mut());
        Self { app, broad_phase: Vec::new(), step: Vec::new(), moved: Vec::new() }
    }

    fn step(&mut self, measured: bool) {
        let start = ProcessTime::now();
        self.app.update();
        let step = start.elapsed();
        if measured {
            let broad_phase = self.app.world().resource::<BroadPhaseTime>();
            self.broad_phase.push(broad_phase.spent.as_secs_f64() * 1e3);
            self.moved.push(broad_phase.moved as f64);
            self.step.push(step.as_secs_f64() * 1e3);
        }
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> ExitCode {
    let (mut threads, mut steps) = (1, None);
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|number| number.parse().ok()).unwrap_or(0);
        match &argument[..] {
            "--threads" => threads = number(),
            "--steps" => steps = Some(number()),
            _ => names.push(argument),
        }
    }
    let unknown = names.iter().find(|name| !SCENES.iter().any(|scene| scene.name == **name));
    if threads == 0 || steps == Some(0) || unknown.is_some() {
        eprintln!("compare: use [--threads N] [--steps N] [SCENE...]; scenes are");
        SCENES.iter().for_each(|scene| eprintln!("    {}", scene.name));
        return ExitCode::from(2);
    }
    println!(
        "{:<18}{:>8}{:>8}{:>12}{:>12}{:>8}{:>13}{:>13}",
        "scene", "pairs", "moved", "avian", "swath", "ratio", "step avian", "step swath"
    );
    for scene in &SCENES {
        if !names.is_empty() && !names.iter().any(|name| name == scene.name) {
            continue;
        }
        let mut runs = [false, true].map(|swath| Run::new(scene, threads, swath));
        let range = steps.map_or(scene.measured.clone(), |steps| steps / 2..steps);
        for step in 0..range.end {
            // The first of the two has other contents of the cache: they alternate.
            let measured = range.contains(&step);
            let first = step % 2;
            runs[first].step(measured);
            runs[1 - first].step(measured);
            let [avian, swath] = &mut runs;
            if worlds::pairs(&avian.app) != worlds::pairs(&swath.app) {
                eprintln!("compare: {}: the pairs differ after step {step}", scene.name);
                return ExitCode::FAILURE;
            }
        }
        let [mut avian, mut swath] = runs;
        if worlds::poses(&mut avian.app) != worlds::poses(&mut swath.app) {
            eprintln!("compare: {}: the poses differ", scene.name);
            return ExitCode::FAILURE;
        }
        let pairs = worlds::pairs(&avian.app).len();
        let moved = median(swath.moved.clone());
        let [avian, swath] = [avian, swath].map(|run| (median(run.broad_phase), median(run.step)));
        println!(
            "{:<18}{pairs:>8}{moved:>8}{:>12.3}{:>12.3}{:>8.2}{:>13.2}{:>13.2}",
            scene.name,
            avian.0,
            swath.0,
            swath.0 / avian.0,
            avian.1,
            swath.1
        );
    }
    ExitCode::SUCCESS
}
