//! Ticks that `Pipeline::capture` wrote, as columns for a page.
//!
//! Each file is one tick, which is read and run again. A body without a shape is drawn as its box. A body
//! that has a shape or parts, or is accelerated, is drawn as a mesh that moves as the body does, and as the box that
//! contains it and moves on a straight line. The candidates are the pairs of these boxes that touch; the
//! pairs with a time are the impacts of the pipeline. Invalid rows are left out. Notes state what the picture
//! does not show.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::Serialize;
use swath::broadphase::PairInput;
use swath::mesh::Geometry;
use swath::pipeline::{BodyFlags, Capture, Config, GeometryBody, ImpactKind, TickStats};
use swath::{ConvexBody, Impact, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};

use super::mesh::{self, Mesh};
use super::recording::{Recorder, Recording, Tick, bytes, floats, whole};
use super::stop::Stop;
use examples::limits::pairs_max;

/// The most bodies of a tick that are drawn as meshes, and the most meshes of a page.
const BODIES_MAX: usize = 2000;
const MESHES_MAX: usize = 400;
/// Two shapes share a mesh if their corners are equal after rounding to this part of their size.
const FINENESS: f32 = 4096.0;
/// The bit of a sensor, above the kinds of impacts.
const SENSED: u8 = 4;

/// Additional data of a captured tick; columns are base64.
#[derive(Debug, Serialize)]
pub(crate) struct Captured {
    /// One byte per impact: its kind, and whether one body is a sensor.
    kinds: String,
    /// Six `f32` per impact: the point of the first body, and the normal.
    contacts: String,
    /// One `u32` per box: its row; empty if boxes and rows are the same.
    ids: String,
    bodies: Vec<Body>,
    notes: Vec<String>,
}

/// A body that is drawn as a mesh.
#[derive(Debug, Serialize)]
pub(crate) struct Body {
    /// Index of its box in the tick.
    at: u32,
    /// Index of its mesh in the recording, and the scale of the mesh.
    mesh: usize,
    size: f32,
    position: [f32; 3],
    rotation: [f32; 4],
    delta: [f32; 3],
    accel: [f32; 3],
    spin: [f32; 3],
}

/// The meshes of a page. Shapes of one form and different size share one.
#[derive(Default)]
struct Meshes {
    drawn: Vec<Mesh>,
    by_corners: HashMap<Vec<[i32; 3]>, usize>,
    /// The geometries of the current file, by address.
    by_address: HashMap<usize, usize>,
}

impl Recording {
    pub(crate) fn of_captures(paths: &[PathBuf]) -> Result<Self, Stop> {
        let (mut recorder, mut meshes) = (Recorder::new(), Meshes::default());
        let ticks = paths
            .iter()
            .map(|path| captured(path, &mut recorder, &mut meshes))
            .collect::<Result<_, _>>()?;
        Ok(Self { name: "captured ticks".to_owned(), view: None, ticks, meshes: meshes.drawn })
    }
}

fn captured(path: &Path, recorder: &mut Recorder, meshes: &mut Meshes) -> Result<Tick, Stop> {
    let of = || path.to_owned();
    // Addresses of geometries may be used again for those of another file.
    meshes.by_address.clear();
    let read = scenes::read_file(path).map_err(|error| Stop::File { path: of(), error })?;
    let capture = Capture::read(&read).map_err(|reason| Stop::Capture { path: of(), reason })?;
    let (convex, geometries) = (capture.convex(), capture.geometries());
    let scene = capture.scene(&convex, &geometries);
    recorder.weigh(scene.len() * 37)?;
    let mut pipeline = Pipeline::new(*capture.config());
    pipeline.exec.pairs_max = pairs_max(scene.len());
    recorder.finder.exec.pairs_max = pairs_max(scene.len());
    let failed = |error| Stop::Tick { path: path.to_owned(), error };
    let ticked = pipeline.tick(&scene).map_err(failed)?;
    let (impacts, sensed, stages) =
        (ticked.impacts().to_vec(), ticked.sensed().to_vec(), *ticked.stats());
    let rejected: BTreeSet<_> = ticked.rejected().iter().map(|row| row.row).collect();

    let reported = || impacts.iter().chain(&sensed);
    // Index of each row among the drawn bodies.
    let rows: Vec<_> = (0..scene.len() as u32).filter(|row| !rejected.contains(row)).collect();
    let mut place = vec![u32::MAX; scene.len()];
    (0..).zip(&rows).for_each(|(at, &row)| place[row as usize] = at);
    let mut curved = curved_bodies(&scene, &convex, &geometries);
    curved.retain(|body| !rejected.contains(&body.row));
    let met: BTreeSet<_> = reported().flat_map(|of| [of.pair.a, of.pair.b]).collect();
    let (first, rest): (Vec<_>, Vec<_>) = curved.iter().partition(|body| met.contains(&body.row));
    // Bodies that are in impacts are drawn before others.
    let mut bodies = Vec::new();
    for &&GeometryBody { row, geometry, motion } in first.iter().chain(&rest).take(BODIES_MAX) {
        if let Some((mesh, size)) = meshes.of_geometry(&geometry, recorder)? {
            let Motion { pose: Pose { position, rotation }, delta, accel, spin } = motion;
            let at = place[row as usize];
            bodies.push(Body { at, mesh, size, position, rotation, delta, accel, spin });
        }
    }

    let moves: Option<Vec<_>> =
        scene.flags().map(|flags| flags.iter().map(|flags| flags.has(BodyFlags::MOVES)).collect());
    let held = pipeline.bounds(&scene).map_err(failed)?;
    let mut set = PairInput::new(held);
    if let Some(moves) = &moves {
        set = set.moving(moves);
    }
    if let Some(filters) = scene.filters() {
        set = set.filtered(filters);
    }
    let candidates = recorder.finder.swept_pairs(set)?.sorted();
    let placed = |a: u32, b: u32| [a, b].map(|row| place[row as usize]);
    let candidates: Vec<_> = candidates.iter().flat_map(|pair| placed(pair.a, pair.b)).collect();
    recorder.weigh(4 * candidates.len() + 37 * (impacts.len() + sensed.len()))?;

    let numbers =
        |boxes: MovingBoxColumns<'_>, row: u32| boxes.columns().map(|column| column[row as usize]);
    let shaped: BTreeSet<_> = curved.iter().map(|body| body.row).collect();
    // The box of a body on a straight path is drawn without the skin.
    let boxes: Vec<_> = rows
        .iter()
        .flat_map(|&row| numbers(if shaped.contains(&row) { held } else { scene.boxes() }, row))
        .collect();
    let kinds = impacts.iter().map(kind).chain(sensed.iter().map(|impact| kind(impact) | SENSED));
    let drawn = bodies.len();
    Ok(Tick {
        name: path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        caption: "",
        boxes: rows.len(),
        rows: floats(&boxes),
        moves: bytes(
            &rows
                .iter()
                .map(|&row| u8::from(moves.as_ref().is_none_or(|moves| moves[row as usize])))
                .collect::<Vec<_>>(),
        ),
        union: whole(&candidates),
        swept: whole(&reported().flat_map(|of| placed(of.pair.a, of.pair.b)).collect::<Vec<_>>()),
        first: floats(&reported().map(|impact| impact.toi).collect::<Vec<_>>()),
        captured: Some(Captured {
            kinds: bytes(&kinds.collect::<Vec<_>>()),
            contacts: floats(
                &reported().flat_map(|of| [of.on_a, of.normal]).flatten().collect::<Vec<_>>(),
            ),
            ids: if rejected.is_empty() { String::new() } else { whole(&rows) },
            bodies,
            notes: notes(capture.config(), &stages, [rejected.len(), drawn, curved.len()]),
        }),
    })
}

fn kind(impact: &Impact) -> u8 {
    match impact.kind {
        ImpactKind::Overlapping => 1,
        ImpactKind::Unresolved => 2,
        // Includes kinds that a later version may add.
        _ => 0,
    }
}

/// Bodies that are not boxes on a straight path: those with a shape or parts, and accelerated boxes, whose shape is the box.
fn curved_bodies<'s>(
    scene: &Scene<'_, '_>,
    convex: &[ConvexBody<'s>],
    geometries: &[GeometryBody<'s>],
) -> Vec<GeometryBody<'s>> {
    let of_shape = |body: &ConvexBody<'s>| GeometryBody {
        row: body.row,
        geometry: body.shape.into(),
        motion: body.motion,
    };
    let mut bodies: Vec<_> = convex.iter().map(of_shape).collect();
    let (boxes, accel) = (scene.boxes(), scene.accelerations());
    let rows_of_parts = geometries.iter().map(|body| body.row);
    let shaped: BTreeSet<_> = convex.iter().map(|body| body.row).chain(rows_of_parts).collect();
    let is_accelerated = accel.iter().any(|column| !column.is_empty());
    let rows = if is_accelerated { scene.len() } else { 0 };
    for row in (0..rows).filter(|&row| !shaped.contains(&(row as u32))) {
        let (of, accel) = (boxes.get(row), accel.map(|column| column[row]));
        if accel == [0.0; 3] {
            continue;
        }
        let pose = Pose { position: of.aabb.center(), ..Pose::IDENTITY };
        let motion = Motion { pose, delta: of.delta, accel, ..Motion::default() };
        // An invalid row may have no shape; it is not drawn.
        if let Ok(shape) = Shape::cuboid(of.aabb.half_extents()) {
            bodies.push(GeometryBody { row: row as u32, geometry: shape.into(), motion });
        }
    }
    bodies.extend_from_slice(geometries);
    bodies
}

impl Meshes {
    /// The mesh of a geometry and its scale; `None` if there are too many meshes, or it is too large to be drawn.
    fn of_geometry(
        &mut self,
        geometry: &Geometry<'_>,
        recorder: &mut Recorder,
    ) -> Result<Option<(usize, f32)>, Stop> {
        let address = match geometry {
            Geometry::Convex(shape) => return Ok(self.of(shape)),
            Geometry::Compound(compound) => std::ptr::from_ref(*compound).addr(),
            Geometry::Mesh(mesh) => std::ptr::from_ref(*mesh).addr(),
            Geometry::HeightField(field) => std::ptr::from_ref(*field).addr(),
            _ => return Ok(None),
        };
        if let Some(&at) = self.by_address.get(&address) {
            return Ok(Some((at, 1.0)));
        }
        if self.drawn.len() == MESHES_MAX {
            return Ok(None);
        }
        let Some(mesh) = mesh::of_geometry(geometry) else { return Ok(None) };
        recorder.weigh(mesh.bytes())?;
        self.drawn.push(mesh);
        self.by_address.insert(address, self.drawn.len() - 1);
        Ok(Some((self.drawn.len() - 1, 1.0)))
    }

    /// The mesh of a shape and its scale; `None` if there are too many meshes, or the shape has no extent.
    fn of(&mut self, shape: &Shape<'_>) -> Option<(usize, f32)> {
        let (corners, size) = mesh::corners_of(shape)?;
        let key = corners.iter().map(|corner| corner.map(|x| (x * FINENESS).round() as i32));
        let key: Vec<_> = key.collect();
        if let Some(&at) = self.by_corners.get(&key) {
            return Some((at, size));
        }
        if self.drawn.len() == MESHES_MAX {
            return None;
        }
        self.drawn.push(mesh::of_corners(&corners));
        self.by_corners.insert(key, self.drawn.len() - 1);
        Some((self.drawn.len() - 1, size))
    }
}

/// Notes of a page on what the picture does not show.
fn notes(
    config: &Config,
    stages: &TickStats,
    [rejected, drawn, bodies]: [usize; 3],
) -> Vec<String> {
    let Config { target_distance, fast, impacts_per_body, .. } = *config;
    let mut notes = Vec::new();
    let mut note = |is: bool, message: String| notes.extend(is.then_some(message));
    note(rejected > 0, format!("{rejected} invalid rows are not drawn"));
    note(
        drawn < bodies,
        format!("{drawn} of {bodies} shapes are drawn; the others are drawn as boxes"),
    );
    note(
        target_distance > 0.0,
        format!("bodies touch at a distance of {target_distance}, which is not drawn"),
    );
    note(
        fast > 0.0,
        format!("{} candidates are slower than {fast} and were not tested", stages.slow),
    );
    note(
        impacts_per_body > 0,
        format!(
            "at most {impacts_per_body} impacts per body: {} more are left out",
            stages.limited
        ),
    );
    note(
        stages.unresolved > 0,
        format!("{} pairs are unresolved: no contact until the reported time", stages.unresolved),
    );
    note(stages.sensed > 0, format!("impacts with sensors: {}", stages.sensed));
    notes
}
