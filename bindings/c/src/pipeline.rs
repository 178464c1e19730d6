//! The impacts of a tick in the order of time: of boxes and shapes in columns or rows of the caller.

use crate::border::{
    Handle, Opaque as _, array, borrow, check_row_count, destroy, opaque, optional, out,
    write_boxed,
};
use crate::boxes::{swath_boxes, swath_vectors};
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::exec::{exec, swath_exec};
use crate::impacts::{ProxyTickLists, TickLists, swath_tick, swath_tick_stats};
use crate::shapes::{swath_motion, swath_shape};
use crate::times::{SWATH_TOUCH_IF_CLOSING, swath_touch, touch};
use crate::values::allocated;
use crate::workers::Workers;
use swath::broadphase::MovingBoxInput;
use swath::mesh::Geometry;
use swath::pipeline::{BodyFlags, Config, GeometryBody, PartImpacts};
use swath::{ConvexBody, Filter, MovingBoxColumns, MovingBoxStore, Scene, Threads};

/// Which impacts of two bodies are reported if one of them has parts.
pub type swath_part_impacts = u32;
/// The first impact of the two bodies.
pub const SWATH_PART_IMPACTS_FIRST: u32 = 0;
/// The first impact of each part of one body and each part of the other, as if no other parts were there. Each counts for `impacts_per_body`.
pub const SWATH_PART_IMPACTS_EACH: u32 = 1;

/// What counts as an impact, and which impacts are reported. `swath_pipeline_defaults` returns the default. A structure of zeros is not valid.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct swath_pipeline_settings {
    /// The distance at which bodies count as touching: a length from 0 to 2 to the power of 120. For shapes it is the distance between them; for two
    /// plain boxes it is the largest of the gaps on the three axes. Default: 0.
    pub target_distance: f32,
    /// Limit of the distance of shapes at an impact above the target, relative to the size of the smaller shape. Default: 1 / 16384.
    pub tolerance: f32,
    /// Whether a touch at the start of the tick is an impact. With a sensor, each touch is. Default: `SWATH_TOUCH_IF_CLOSING`.
    pub touch: swath_touch,
    /// A body is fast if its speed is at least this, in length per tick. A pair is dropped unless one of its bodies is fast, or has the flag
    /// `SWATH_BODY_CCD` or `SWATH_BODY_SENSOR`. Default: 0, with which no pair is dropped.
    pub fast: f32,
    /// With a limit of `k`, an impact is reported if it is among the first `k` impacts of at least one of its two bodies. Default: 0, with which all
    /// are reported.
    pub impacts_per_body: u32,
    /// Which impacts of a pair with a mesh, a height field or a compound are reported. Default: `SWATH_PART_IMPACTS_FIRST`.
    pub part_impacts: swath_part_impacts,
    /// The greatest number of rounds of the search for a pair of shapes, at least 1; of bodies with parts, for each pair of parts. Default: 2048.
    pub rounds_max: u32,
}

/// Returns the default settings.
#[unsafe(no_mangle)]
pub extern "C" fn swath_pipeline_defaults() -> swath_pipeline_settings {
    let Config { target_distance, tolerance, fast, impacts_per_body, rounds_max, .. } =
        Config::default();
    swath_pipeline_settings {
        target_distance,
        tolerance,
        touch: SWATH_TOUCH_IF_CLOSING,
        fast,
        impacts_per_body,
        part_impacts: SWATH_PART_IMPACTS_FIRST,
        rounds_max,
    }
}

impl swath_pipeline_settings {
    fn get(&self) -> Outcome<Config> {
        let mut config = Config::default();
        config.target_distance = self.target_distance;
        config.tolerance = self.tolerance;
        config.touch = touch(self.touch)?;
        config.fast = self.fast;
        config.impacts_per_body = self.impacts_per_body;
        config.part_impacts = match self.part_impacts {
            SWATH_PART_IMPACTS_FIRST => PartImpacts::First,
            SWATH_PART_IMPACTS_EACH => PartImpacts::Each,
            other => {
                return Err(Failure::argument(format!("part_impacts: {other}; expected 0 or 1")));
            }
        };
        config.rounds_max = self.rounds_max;
        config.validate()?;
        Ok(config)
    }
}

/// Reads settings, or the default.
///
/// # Safety
///
/// As the header states for the pointer.
unsafe fn config(settings: *const swath_pipeline_settings) -> Outcome<Config> {
    // SAFETY: the caller promises it.
    unsafe { optional(settings, "settings") }?
        .map_or_else(|| Ok(Config::default()), swath_pipeline_settings::get)
}

/// Properties of a body, as bits.
pub type swath_body_flags = u8;
/// The body moves, even if its displacement in this tick is zero. Two bodies without this flag never pair. For proxies the flag is not used: whether
/// they move is decided by their kinds.
pub const SWATH_BODY_MOVES: u8 = 1;
/// The pairs of the body are never dropped for being slow.
pub const SWATH_BODY_CCD: u8 = 2;
/// The body stops nothing: its impacts are all reported, in a list of their own, and do not count for the limit. Its pairs are never dropped for being
/// slow, and touches at the start count as with `SWATH_TOUCH_HIT`.
pub const SWATH_BODY_SENSOR: u8 = 4;

/// All flags.
const FLAGS: u8 = SWATH_BODY_MOVES | SWATH_BODY_CCD | SWATH_BODY_SENSOR;

/// Reads the flags of a body.
pub(crate) fn flags_of(bits: swath_body_flags) -> Outcome<BodyFlags> {
    if bits & !FLAGS == 0 {
        return Ok(BodyFlags::from_bits(bits));
    }
    Err(Failure::argument(format!("flags: {bits}; expected a sum of SWATH_BODY_ constants")))
}

/// A row of a scene that has a shape, which is not its box. A structure of zeros is not valid.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_scene_body {
    /// The shape; not NULL.
    pub shape: *const swath_shape,
    /// How it moves in the tick.
    pub motion: swath_motion,
    /// The row of the body.
    pub row: u32,
}

/// The bodies of a tick. The arrays are borrowed for the call only.
///
/// Each row is a moving box, unless it has a shape; then its box is not read. A structure of zeros is valid: there are no bodies.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_scene {
    /// The number of bodies, their boxes and filters. Columns are not copied; rows are, to memory of the pipeline. `moves` and `labels` must be
    /// NULL. If all rows have shapes, the vectors may be left out: then only `count` and `filters` are set.
    pub boxes: swath_boxes,
    /// The acceleration of each box, in length per tick squared, in columns or rows; zero if none is accelerated. Rows with a shape have that of their
    /// motion.
    pub accel: swath_vectors,
    /// The flags of each row. NULL: all move, and none has another flag.
    pub flags: *const swath_body_flags,
    /// The rows that have shapes, in ascending order. NULL if `body_count` is zero.
    pub bodies: *const swath_scene_body,
    /// The number of rows that have shapes.
    pub body_count: usize,
}

/// Lists of bodies, which are empty between ticks and keep their memory.
#[derive(Default)]
struct BodyLists {
    convex: Vec<ConvexBody<'static>>,
    geometries: Vec<GeometryBody<'static>>,
}

/// Copies of vectors of the caller that are not columns.
#[derive(Default)]
struct ColumnCopies {
    boxes: MovingBoxStore,
    zeros: Vec<f32>,
    accel: [Vec<f32>; 3],
}

/// A pipeline and the memory of its input and results.
pub(crate) struct TickPipeline {
    pub(crate) pipeline: swath::Pipeline,
    copies: ColumnCopies,
    bodies: BodyLists,
    lists: TickLists,
    pub(crate) of_proxies: ProxyTickLists,
    pub(crate) stats: swath_tick_stats,
    pub(crate) workers: Workers,
}

/// Computes the impacts of a tick in the order of time. It keeps only memory from tick to tick.
pub struct swath_pipeline(Handle<TickPipeline>);

opaque!(swath_pipeline(TickPipeline));

/// Creates a pipeline.
///
/// `settings`: what counts as an impact, or NULL for the default.
/// `exec_of`: how it runs, or NULL for the default.
/// `pipeline`: its address is written here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_create(
    settings: *const swath_pipeline_settings,
    exec_of: *const swath_exec,
    pipeline: *mut *mut swath_pipeline,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (config, (exec, workers), to) =
            unsafe { (config(settings)?, exec(exec_of)?, out(pipeline, "pipeline")?) };
        let pipeline = TickPipeline {
            pipeline: swath::Pipeline::with_exec(config, exec),
            copies: ColumnCopies::default(),
            bodies: BodyLists::default(),
            lists: TickLists::default(),
            of_proxies: ProxyTickLists::default(),
            stats: swath_tick_stats::default(),
            workers,
        };
        write_boxed(swath_pipeline::new(pipeline), to);
        Ok(())
    })
}

/// Destroys a pipeline; NULL is ignored. While another call uses it, it is not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_destroy(pipeline: *mut swath_pipeline) {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        unsafe { destroy(pipeline) };
        Ok(())
    });
}

/// Sets the settings of later ticks: `settings`, or the default if it is NULL. If they are invalid, nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_configure(
    pipeline: *mut swath_pipeline,
    settings: *const swath_pipeline_settings,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (mut of, config) =
            unsafe { (borrow(pipeline, "pipeline")?.handle().change()?, config(settings)?) };
        of.pipeline.set_config(config);
        Ok(())
    })
}

/// Finds the impacts of a tick.
///
/// With the default settings, bodies that touch at the start of the tick are an impact only if they close there. Bodies that overlap are an impact in each
/// tick, also if they separate.
///
/// `tick`: what was found, valid until the next call that changes the pipeline. Invalid rows are listed and change nothing else.
///
/// After a few ticks of similar size a tick allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_tick(
    pipeline: *mut swath_pipeline,
    scene: *const swath_scene,
    tick: *mut swath_tick,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (mut of, scene, to) = unsafe {
            (
                borrow(pipeline, "pipeline")?.handle().change()?,
                borrow(scene, "scene")?,
                out(tick, "tick")?,
            )
        };
        of.workers.check()?;
        let TickPipeline { pipeline, copies, bodies, lists, stats, .. } = &mut *of;
        let mut convex: Vec<ConvexBody<'_>> = std::mem::take(&mut bodies.convex);
        let mut geometries: Vec<GeometryBody<'_>> = std::mem::take(&mut bodies.geometries);
        let tick = (|| -> Outcome<swath_tick> {
            check_row_count(scene.boxes.count, "boxes")?;
            // SAFETY: as above.
            unsafe { scene.read_bodies(&mut convex, &mut geometries) }?;
            // SAFETY: as above.
            let input = unsafe { scene.input(copies, &pipeline.exec.threads) }?;
            let mut of_tick = Scene::new(input.boxes).convex(&convex).geometries(&geometries);
            of_tick = input.accel.map_or(of_tick, |accel| of_tick.accelerating(accel));
            of_tick = input.flags.map_or(of_tick, |flags| of_tick.flagged(flags));
            of_tick = input.filters.map_or(of_tick, |filters| of_tick.filtered(filters));
            let output = pipeline.tick(&of_tick)?;
            *stats = output.stats().into();
            Ok(lists.fill(&output))
        })();
        *bodies = BodyLists {
            convex: emptied(convex, |_| -> ConvexBody<'static> { unreachable!("it is empty") }),
            geometries: emptied(geometries, |_| -> GeometryBody<'static> {
                unreachable!("it is empty")
            }),
        };
        to.write(tick?);
        Ok(())
    })
}

/// Empties a list and returns its memory, for values of another lifetime.
fn emptied<T, U>(mut list: Vec<T>, nothing: impl FnMut(T) -> U) -> Vec<U> {
    list.clear();
    list.into_iter().map(nothing).collect()
}

/// The arrays of a scene besides its bodies.
struct SceneInput<'a> {
    boxes: MovingBoxColumns<'a>,
    accel: Option<[&'a [f32]; 3]>,
    flags: Option<&'a [BodyFlags]>,
    filters: Option<&'a [Filter]>,
}

impl swath_scene {
    /// Whether the boxes have no vectors, as they may if all rows have shapes.
    fn has_no_boxes(&self) -> bool {
        let swath_boxes { min, max, delta, .. } = &self.boxes;
        min.is_none() && max.is_none() && delta.is_none() && self.body_count == self.boxes.count
    }

    /// Borrows the boxes as columns, which are copied if they are rows, and the other arrays.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    unsafe fn input<'a>(
        &self,
        copies: &'a mut ColumnCopies,
        threads: &Threads,
    ) -> Outcome<SceneInput<'a>> {
        let count = self.boxes.count;
        let ColumnCopies { boxes: store, zeros, accel } = copies;
        // SAFETY: the caller promises it.
        let filters = unsafe { self.boxes.filters() }?;
        // SAFETY: as above.
        let flags = unsafe { self.flags() }?;
        let boxes = if self.has_no_boxes() {
            // There are as many bodies in memory of the caller, so these are not more than memory has.
            MovingBoxColumns::from_columns([zeros_of(zeros, count); 9])?
        } else {
            // SAFETY: as above.
            match unsafe { self.boxes.moving() }? {
                MovingBoxInput::Columns(boxes) => boxes,
                MovingBoxInput::Still(boxes) => {
                    let [min_x, min_y, min_z, max_x, max_y, max_z] = boxes.columns();
                    let still = zeros_of(zeros, count);
                    MovingBoxColumns::new([min_x, min_y, min_z], [max_x, max_y, max_z], [still; 3])?
                }
                rows => {
                    store.fill(rows.len(), threads, |row| rows.get(row));
                    store.columns()
                }
            }
        };
        let accel = if self.accel.is_none() || count == 0 {
            None
        } else if self.accel.are_columns() {
            // SAFETY: as above.
            Some(unsafe { self.accel.columns(count, "accel") }?)
        } else {
            // SAFETY: as above.
            let rows = unsafe { self.accel.rows(count, "accel") }?;
            for (axis, column) in accel.iter_mut().enumerate() {
                column.clear();
                column.extend((0..count).map(|row| rows.get(row)[axis]));
            }
            let [x, y, z] = accel;
            Some([&x[..], &y[..], &z[..]])
        };
        Ok(SceneInput { boxes, accel, flags, filters })
    }

    /// Borrows the flags.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    unsafe fn flags<'a>(&self) -> Outcome<Option<&'a [BodyFlags]>> {
        if self.flags.is_null() {
            return Ok(None);
        }
        // SAFETY: the caller promises it.
        let flags: &[u8] = unsafe { array(self.flags, self.boxes.count, "flags") }?;
        if let Some(row) = flags.iter().position(|bits| bits & !FLAGS != 0) {
            flags_of(flags[row]).map_err(|error| error.of(&format!("row {row}")))?;
        }
        Ok(Some(bytemuck::cast_slice(flags)))
    }

    /// Appends the bodies to the list of their kind.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    unsafe fn read_bodies<'s>(
        &self,
        convex: &mut Vec<ConvexBody<'s>>,
        geometries: &mut Vec<GeometryBody<'s>>,
    ) -> Outcome {
        // SAFETY: the caller promises it.
        let bodies: &[swath_scene_body] = unsafe { array(self.bodies, self.body_count, "bodies") }?;
        let mut next = 0;
        for (index, swath_scene_body { shape, motion, row }) in bodies.iter().enumerate() {
            let rows = self.boxes.count;
            if u64::from(*row) < next || *row as usize >= rows {
                let message = format!(
                    "body {index} is of row {row}; these rows must ascend, and be below {rows}"
                );
                return Err(Failure::argument(message));
            }
            next = u64::from(*row) + 1;
            // SAFETY: as above.
            let shape = unsafe { borrow(*shape, "shape") };
            let shape = shape.map_err(|error| error.of(&format!("body {index}")))?;
            let (row, motion) = (*row, bytemuck::cast(*motion));
            match shape.geometry() {
                Geometry::Convex(shape) => convex.push(ConvexBody { row, shape, motion }),
                geometry => geometries.push(GeometryBody { row, geometry, motion }),
            }
        }
        Ok(())
    }
}

/// Returns zeros for `count` rows.
fn zeros_of(zeros: &mut Vec<f32>, count: usize) -> &[f32] {
    zeros.resize(zeros.len().max(count), 0.0);
    &zeros[..count]
}

/// Writes the times of the stages of the last tick that succeeded, and what they did with the pairs; zeros before the first tick.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_stats(
    pipeline: *const swath_pipeline,
    stats: *mut swath_tick_stats,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (of, to) =
            unsafe { (borrow(pipeline, "pipeline")?.handle().read()?, out(stats, "stats")?) };
        to.write(of.stats);
        Ok(())
    })
}

/// Writes how many bytes of memory the pipeline has allocated, besides copies of boxes that are rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pipeline_memory(
    pipeline: *const swath_pipeline,
    bytes: *mut usize,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (of, to) =
            unsafe { (borrow(pipeline, "pipeline")?.handle().read()?, out(bytes, "bytes")?) };
        let TickPipeline { pipeline, copies, bodies, lists, of_proxies, .. } = &*of;
        let copies = copies.accel.iter().map(allocated).sum::<usize>() + allocated(&copies.zeros);
        let bodies = allocated(&bodies.convex) + allocated(&bodies.geometries);
        let TickLists { impacts, sensed, slow, rejected } = lists;
        let lists = allocated(impacts) + allocated(sensed) + allocated(slow) + allocated(rejected);
        let ProxyTickLists { impacts, sensed, rejected } = of_proxies;
        let of_proxies = allocated(impacts) + allocated(sensed) + allocated(rejected);
        to.write(pipeline.memory_usage() + copies + bodies + lists + of_proxies);
        Ok(())
    })
}
