//! The ticks of a scene, of the engine or of recorded files, as columns for a page.
//!
//! Per tick: each box as nine `f32` (min, max, delta), whether it moves, the union pairs, the swept pairs and
//! their first times. `captured.rs` produces the same for whole ticks, and more. Columns are base64 of
//! little-endian numbers, which a browser reads as typed arrays without parsing.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use swath::broadphase::PairInput;
use swath::{MovingBox, MovingBoxColumns, MovingBoxStore, PairFinder};

use super::args::Args;
use super::captured::Captured;
use super::mesh::Mesh;
use super::stop::Stop;
use engine::{Engine, Row};
use examples::progress::bar;

use engine::range::{Plan, Range};
use examples::limits::pairs_max;
use scenes::trace::Trace;
use scenes::{Scene, World};

/// Limit of the bytes of numbers in a page, before base64.
const BYTES_MAX: usize = 64 << 20;
const MEGABYTE: usize = 1 << 20;

/// The data of the page of ticks.
#[derive(Debug, Serialize)]
pub(crate) struct Recording {
    pub(crate) name: String,
    /// What the page shows first; without it, all of the first tick.
    pub(crate) view: Option<View>,
    pub(crate) ticks: Vec<Tick>,
    /// Meshes of the shapes in captured ticks.
    pub(crate) meshes: Vec<Mesh>,
}

/// What a page shows first.
#[derive(Debug, Serialize)]
pub(crate) struct View {
    /// The corners of what fills the picture.
    pub(crate) low: [f32; 3],
    pub(crate) high: [f32; 3],
    /// Direction of the camera: about the vertical axis, and above the horizon, in radians.
    pub(crate) yaw: f32,
    pub(crate) pitch: f32,
    pub(crate) tick: usize,
    pub(crate) t: f32,
    /// What is not drawn at first: names of switches, separated by commas.
    pub(crate) hide: &'static str,
}

/// One tick; columns are base64.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Tick {
    pub(crate) name: String,
    /// What happens in this tick, in a sentence; may be empty.
    pub(crate) caption: &'static str,
    pub(crate) boxes: usize,
    /// Nine `f32` per box.
    pub(crate) rows: String,
    /// One byte per box.
    pub(crate) moves: String,
    /// Two `u32` per pair.
    pub(crate) union: String,
    pub(crate) swept: String,
    /// One `f32` per swept pair.
    pub(crate) first: String,
    /// Data of captured ticks; empty for others.
    #[serde(flatten)]
    pub(crate) captured: Option<Captured>,
}

/// Computes ticks of scenes, and counts the bytes of their columns.
pub(crate) struct Recorder {
    pub(crate) finder: PairFinder,
    bytes: usize,
}

impl Recording {
    pub(crate) fn of_scene(args: &Args, scene: Scene) -> Result<Self, Stop> {
        let name = format!("scene {scene}, seed {}", args.seed);
        let mut world = World::new(scene, args.boxes as usize, args.seed);
        let mut recorder = Recorder::new();
        let mut ticks = Vec::new();
        let bar = bar(&name, args.ticks, false);
        for tick in 0..args.ticks {
            if tick > 0 {
                world.step();
            }
            let name = format!("tick {tick}");
            ticks.push(recorder.tick(name, columns(&world)?, Some(&world.moves))?);
            bar.inc(1);
        }
        Ok(Self { name, view: None, ticks, meshes: Vec::new() })
    }

    /// The ticks of the engine on its range, from the first shot on.
    pub(crate) fn of_engine(args: &Args) -> Result<Self, Stop> {
        let ccd = !args.no_ccd;
        let (bullets, seed) = (args.boxes, args.seed);
        let plan = Plan { bullets, seed, space: false, ccd };
        let mut range = Range::new(&plan)?;
        let mut recorder = Recorder::new();
        let mut ticks = Vec::new();
        let bar = bar("engine", args.ticks, false);
        for tick in 0..args.ticks {
            range.shoot()?;
            ticks.push(recorder.engine_tick(format!("tick {tick}"), &range.engine)?);
            range.engine.step()?;
            range.remove_escaped()?;
            bar.inc(1);
        }
        let how = if ccd { "with" } else { "without" };
        let name = format!("engine, {bullets} bullets, {how} CCD, seed {seed}");
        // The room is much larger than the wall.
        let view = View {
            low: [-1.6, 0.0, -2.6],
            high: [0.4, 2.1, 2.6],
            yaw: -0.95,
            pitch: 0.3,
            tick: ticks.len().min(3) - 1,
            t: 0.6,
            hide: "bounds,union",
        };
        Ok(Self { name, view: Some(view), ticks, meshes: Vec::new() })
    }

    pub(crate) fn of_traces(paths: &[PathBuf]) -> Result<Self, Stop> {
        let mut recorder = Recorder::new();
        let mut ticks = Vec::new();
        for path in paths {
            let trace = Trace::read(path)?;
            let file = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
            let name = format!("{file}, tick {}", trace.tick);
            // Kind 0 is fixed and 2 is sleeping: they are drawn as still, but paired as all others.
            let moves: Vec<_> =
                trace.kind.iter().map(|kind| u8::from(!matches!(kind, 0 | 2))).collect();
            let mut tick = recorder.tick(name, columns(&trace.into_world())?, None)?;
            tick.moves = bytes(&moves);
            ticks.push(tick);
        }
        Ok(Self { name: "recorded ticks".to_owned(), view: None, ticks, meshes: Vec::new() })
    }
}

impl Recorder {
    pub(crate) fn new() -> Self {
        Self { finder: PairFinder::new(), bytes: 0 }
    }

    /// The tick that the engine is about to compute. A box moves as its body would without impacts.
    pub(crate) fn engine_tick(&mut self, name: String, engine: &Engine) -> Result<Tick, Stop> {
        let mut boxes = MovingBoxStore::new();
        for row in &engine.rows {
            let at = row.shape.bounds(&row.motion.pose)?;
            boxes.push(MovingBox::new(at, row.motion.delta)?)?;
        }
        let moves: Vec<_> = engine.rows.iter().map(Row::is_awake).collect();
        self.tick(name, boxes.columns(), Some(&moves))
    }

    /// Which boxes can pair: those that move, or all without `moves`.
    fn tick(
        &mut self,
        name: String,
        boxes: MovingBoxColumns<'_>,
        moves: Option<&[bool]>,
    ) -> Result<Tick, Stop> {
        let set = PairInput::new(boxes);
        let set = moves.map_or(set, |moves| set.moving(moves));

        self.weigh(boxes.len() * 37)?;
        self.finder.exec.pairs_max = pairs_max(boxes.len());
        let found = self.finder.union_pairs(set)?;
        if let Some(first) = found.rejected().first() {
            let (row, reason, rejected) = (first.row, first.reason, found.rejected().len());
            return Err(Stop::NoBox { name, row, reason, rejected });
        }
        let union: Vec<_> = found.sorted().iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let swept = self.finder.swept_pairs(set)?.sorted();
        let pairs: Vec<_> = swept.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let first: Vec<_> = swept.iter().map(|pair| pair.first).collect();
        self.weigh(4 * (union.len() + pairs.len() + first.len()))?;

        let columns = boxes.columns();
        let rows: Vec<_> = (0..boxes.len())
            .flat_map(|row| columns.iter().map(move |column| column[row]))
            .collect();
        let moves: Vec<_> =
            (0..boxes.len()).map(|row| u8::from(moves.is_none_or(|moves| moves[row]))).collect();
        Ok(Tick {
            name,
            caption: "",
            boxes: boxes.len(),
            rows: floats(&rows),
            moves: bytes(&moves),
            union: whole(&union),
            swept: whole(&pairs),
            first: floats(&first),
            captured: None,
        })
    }

    pub(crate) fn weigh(&mut self, bytes: usize) -> Result<(), Stop> {
        self.bytes += bytes;
        if self.bytes > BYTES_MAX {
            let (megabytes, most) = (self.bytes.div_ceil(MEGABYTE), BYTES_MAX / MEGABYTE);
            return Err(Stop::TooLarge { megabytes, most });
        }
        Ok(())
    }
}

/// The columns of a scene, borrowed by the finder.
fn columns(world: &World) -> Result<MovingBoxColumns<'_>, Stop> {
    let World { min, max, delta, .. } = world;
    let [min, max, delta] = [min, max, delta].map(|of| of.each_ref().map(Vec::as_slice));
    Ok(MovingBoxColumns::new(min, max, delta)?)
}

pub(crate) fn floats(numbers: &[f32]) -> String {
    bytes(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

pub(crate) fn whole(numbers: &[u32]) -> String {
    bytes(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
}

pub(crate) fn bytes(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}
