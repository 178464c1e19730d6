//! Queries of shapes in the boxes of a tree, of fixed boxes and of a broadphase.

use crate::agree::{Code, Object, agree, bits, fails, filter, list, segment, works};
use crate::boxes::NO_VECTORS;
use crate::proxies::KINDS;
use crate::shapes::{Both, cast_of, of, settings};
use bytemuck::{NoUninit, Zeroable as _};
use std::ffi::c_void;
use std::ptr::null;
use swath::convex::toi::Settings;
use swath::mesh::toi::PartToi;
use swath::mesh::{Geometry, GeometryHit, PartCast};
use swath::{
    Aabb, AabbColumns, Broadphase, Bvh, Filter, FixedBoxes, Motion, Pose, Proxy, ProxyId, Segment,
    Shape, Threads,
};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

/// The bodies of a world: a shape and a pose for each box, or none.
struct World<'a> {
    shapes: &'a [Both],
    bodies: Vec<Option<(usize, Pose)>>,
}

impl World<'_> {
    /// The body of a row for Rust. Without one, its pose is invalid.
    fn body(&self, row: u32) -> (Geometry<'_>, Pose) {
        match self.bodies.get(row as usize) {
            Some(&Some((shape, pose))) => (self.shapes[shape].rust.geometry(), pose),
            _ => (Shape::point().into(), Pose { position: [f32::NAN; 3], ..Pose::IDENTITY }),
        }
    }
}

/// Writes the body in a box.
unsafe extern "C" fn body(user: *mut c_void, id: swath_proxy_id, to: *mut swath_body) {
    let world: &World<'_> = unsafe { &*user.cast_const().cast() };
    if let Some(&Some((shape, pose))) = world.bodies.get(id.index as usize) {
        let body = swath_body { shape: world.shapes[shape].c.pointer, pose: bytemuck::cast(pose) };
        unsafe { *to = body };
    }
}

/// The arguments of the queries.
struct Arguments<'a> {
    segment: Segment,
    /// A shape, its motion, and the settings of its sweep.
    moving: (&'a Both, Motion),
    settings: (swath_toi_settings, Option<Settings>),
    capacity: usize,
}

/// Compares all queries of all objects.
pub(crate) fn run(bytes: &mut Bytes<'_>, shapes: &[Both], motions: &[Motion]) {
    let count = usize::from(bytes.byte() % 20);
    let Some(mover) = shapes.get(usize::from(bytes.byte()) % shapes.len().max(1)) else { return };
    let (mut bodies, mut boxes) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let how = usize::from(bytes.byte());
        let shape = how % shapes.len();
        let mut pose = motions[how / 8 % motions.len()].pose;
        pose.position[how % 3] += f32::from(bytes.byte()) / 32.0;
        let around = shapes[shape].rust.geometry().bounds_over(&Motion::from(pose), 0.0);
        // What is outside of its box is found by both or by none.
        let around = around.map_or_else(|_| bytes.row(&[]).aabb, |around| around.aabb);
        bodies.push((how % 8 != 0).then_some((shape, pose)));
        boxes.push(around);
    }
    boxes.retain(|aabb| aabb.validate().is_ok());
    let world = World { shapes, bodies };
    let arguments = Arguments {
        segment: segment(bytes),
        moving: (mover, motions[usize::from(bytes.byte()) % motions.len()]),
        settings: settings(bytes),
        capacity: usize::from(bytes.byte() % 16),
    };
    let only = bytes.byte().is_multiple_of(2).then(|| filter(bytes));
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    of_rows(&world, &boxes, &arguments, only, &exec);
    of_proxies(bytes, &world, &boxes, &arguments, only, &exec);
}

/// Searches a tree and fixed boxes.
fn of_rows(
    world: &World<'_>,
    boxes: &[Aabb],
    arguments: &Arguments<'_>,
    only: Option<Filter>,
    exec: &swath_exec,
) {
    let column = |number: &dyn Fn(&Aabb) -> f32| -> Vec<f32> { boxes.iter().map(number).collect() };
    let [min, max]: [[Vec<f32>; 3]; 2] = [
        core::array::from_fn(|axis| column(&|aabb| aabb.min[axis])),
        core::array::from_fn(|axis| column(&|aabb| aabb.max[axis])),
    ];
    let vectors = |[x, y, z]: &[Vec<f32>; 3]| swath_vectors {
        x: x.as_ptr().cast(),
        y: y.as_ptr(),
        z: z.as_ptr(),
        ..NO_VECTORS
    };
    let c_boxes = swath_boxes {
        count: boxes.len(),
        min: vectors(&min),
        max: vectors(&max),
        delta: NO_VECTORS,
        tick_seconds: 0.0,
        centered: 0,
        moves: null(),
        filters: null(),
        labels: null(),
    };
    let columns = AabbColumns::from_vecs(&min, &max).expect("they have the same length");
    let c_filter = only.map(swath_filter::from);
    let c_filter = c_filter.as_ref().map_or(null(), std::ptr::from_ref);
    let bodies = bodies_of(world, c_filter);

    let tree = Object::new(|to| unsafe { swath_bvh_create(exec, to) }, swath_bvh_destroy);
    let Ok(tree) = tree else { panic!("the settings are valid") };
    works(unsafe { swath_bvh_build(tree.pointer, &c_boxes) });
    let mut rust = Bvh::with_exec(Threads::one());
    rust.build(columns).expect("few boxes");
    let queries = only.map_or(rust.queries(), |only| rust.queries().filtered(only));
    let of_tree = swath_bodies { bvh: tree.pointer, ..bodies };
    compare(&of_tree, queries, arguments, &|row| world.body(row), &|row| swath_proxy_id {
        index: row,
        generation: 0,
    });

    let fixed =
        Object::new(|to| unsafe { swath_fixed_boxes_create(exec, to) }, swath_fixed_boxes_destroy);
    let Ok(fixed) = fixed else { panic!("the settings are valid") };
    // Rows with gaps.
    let rows: Vec<u32> = (0..boxes.len() as u32).map(|row| 2 * row).collect();
    works(unsafe { swath_fixed_boxes_put(fixed.pointer, rows.as_ptr(), &c_boxes) });
    let mut rust = FixedBoxes::with_exec(Threads::one());
    rust.put(&rows, columns).expect("few boxes");
    let queries = only.map_or(rust.queries(), |only| rust.queries().filtered(only));
    let of_fixed = swath_bodies { fixed: fixed.pointer, ..bodies };
    compare(&of_fixed, queries, arguments, &|row| world.body(row), &|row| swath_proxy_id {
        index: row,
        generation: 0,
    });
}

/// The bodies of a world, without an object.
fn bodies_of(world: &World<'_>, filter: *const swath_filter) -> swath_bodies {
    swath_bodies {
        bvh: null(),
        fixed: null(),
        broadphase: null(),
        query: swath_query { filter, without_owner: 0, without_kinds: 0 },
        user: std::ptr::from_ref(world).cast_mut().cast(),
        body: Some(body),
    }
}

/// Searches a broadphase.
fn of_proxies(
    bytes: &mut Bytes<'_>,
    world: &World<'_>,
    boxes: &[Aabb],
    arguments: &Arguments<'_>,
    only: Option<Filter>,
    exec: &swath_exec,
) {
    let c =
        Object::new(|to| unsafe { swath_broadphase_create(exec, to) }, swath_broadphase_destroy);
    let Ok(c) = c else { panic!("the settings are valid") };
    let mut rust = Broadphase::with_exec(Threads::one());
    for &aabb in boxes {
        let kind = u32::from(bytes.byte() % 4);
        let filter = Filter::ALL.into();
        let proxy = swath_proxy { kind, filter, owner: 0, margin: 0.0, data: 0, enabled: 1 };
        let moving = swath_moving_box { aabb: aabb.into(), delta: [0.0; 3] };
        let mut id = swath_proxy_id::from(ProxyId::NONE);
        let status = unsafe { swath_broadphase_insert(c.pointer, &moving, &proxy, &mut id) };
        let mut of_rust = Proxy::dynamic();
        of_rust.kind = KINDS[kind as usize];
        agree(rust.insert(aabb, of_rust), status);
    }
    let c_filter = only.map(swath_filter::from);
    let c_filter = c_filter.as_ref().map_or(null(), std::ptr::from_ref);
    let without = bytes.byte() % 5;
    let mut bodies = bodies_of(world, c_filter);
    bodies.broadphase = c.pointer;
    bodies.query.without_kinds = 1 << without >> 1;
    let mut hit = swath_body_cast::zeroed();
    let segment = arguments.segment.into();
    if rust.prepared_queries().is_none() {
        let status = unsafe { swath_bodies_cast(&bodies, &segment, &mut hit) };
        fails(status, SWATH_ERROR_NOT_PREPARED);
    }
    works(unsafe { swath_broadphase_prepare_queries(c.pointer) });
    rust.prepare_queries();
    let mut queries = rust.queries();
    queries = only.map_or(queries, |only| queries.filtered(only));
    if without > 0 {
        queries = queries.without(KINDS[usize::from(without) - 1]);
    }
    let body = |id: ProxyId| world.body(id.index());
    compare(&bodies, queries, arguments, &body, &swath_proxy_id::from);
}

/// Queries of rows or of proxies in Rust.
trait Queries: Copy {
    type Id: Copy;

    fn casts<'p>(
        self,
        segment: &Segment,
        place: &dyn Fn(Self::Id) -> (Geometry<'p>, Pose),
    ) -> Result<Casts<Self::Id>, swath::Invalid>;

    fn sweeps<'p>(
        self,
        moving: (&Geometry<'_>, &Motion, &Settings),
        place: &dyn Fn(Self::Id) -> (Geometry<'p>, Pose),
    ) -> Result<Sweeps<Self::Id>, swath::convex::toi::ToiError>;

    fn overlaps<'p>(
        self,
        resting: (&Geometry<'_>, &Pose),
        place: &dyn Fn(Self::Id) -> (Geometry<'p>, Pose),
    ) -> Result<Overlaps<Self::Id>, swath::Invalid>;
}

/// The first, any, and all.
type Casts<I> = (
    Option<GeometryHit<PartCast, I>>,
    Option<GeometryHit<PartCast, I>>,
    Vec<GeometryHit<PartCast, I>>,
);
type Sweeps<I> = (
    Option<GeometryHit<PartToi, I>>,
    Option<GeometryHit<PartToi, I>>,
    Vec<GeometryHit<PartToi, I>>,
);

/// Any and all.
type Overlaps<I> = (Option<I>, Vec<I>);

macro_rules! queries {
    ($($queries:ty => $id:ty),*) => {$(
        impl Queries for $queries {
            type Id = $id;

            fn casts<'p>(
                self,
                segment: &Segment,
                place: &dyn Fn($id) -> (Geometry<'p>, Pose),
            ) -> Result<Casts<$id>, swath::Invalid> {
                let mut all = Vec::new();
                let first = self.cast_geometries(segment)?.closest_geometry(place);
                let any = self.cast_geometries(segment)?.any_geometry(place);
                self.cast_geometries(segment)?.all_geometries(place, &mut all);
                Ok((first, any, all))
            }

            fn sweeps<'p>(
                self,
                (geometry, motion, settings): (&Geometry<'_>, &Motion, &Settings),
                place: &dyn Fn($id) -> (Geometry<'p>, Pose),
            ) -> Result<Sweeps<$id>, swath::convex::toi::ToiError> {
                let mut all = Vec::new();
                let first = self.sweep_geometries(geometry, motion, settings)?.closest_geometry(place);
                let any = self.sweep_geometries(geometry, motion, settings)?.any_geometry(place);
                self.sweep_geometries(geometry, motion, settings)?.all_geometries(place, &mut all);
                Ok((first, any, all))
            }

            fn overlaps<'p>(
                self,
                (geometry, pose): (&Geometry<'_>, &Pose),
                place: &dyn Fn($id) -> (Geometry<'p>, Pose),
            ) -> Result<Overlaps<$id>, swath::Invalid> {
                let mut all = Vec::new();
                let any = self.overlap_geometries(geometry, pose)?.any_geometry(place);
                self.overlap_geometries(geometry, pose)?.all_geometries(place, &mut all);
                Ok((any, all))
            }
        }
    )*};
}

queries! { swath::Queries<'_> => u32, swath::broadphase::ProxyQueries<'_> => ProxyId }

/// Compares a list that was written with one in Rust.
#[track_caller]
fn same_list<T, E: Code, C: NoUninit>(
    rust: Result<T, E>,
    status: swath_status,
    c: (&[C], usize),
    expected: &[C],
) {
    let (written, count) = c;
    if expected.len() > written.len() {
        fails(status, SWATH_ERROR_TOO_SHORT);
        assert_eq!(count, expected.len());
    } else if agree(rust, status).is_some() {
        assert_eq!(bits(list(written.as_ptr(), count)), bits(expected));
    }
}

/// Compares all queries of one object.
fn compare<'p, Q: Queries>(
    bodies: &swath_bodies,
    queries: Q,
    arguments: &Arguments<'_>,
    place: &dyn Fn(Q::Id) -> (Geometry<'p>, Pose),
    id_of: &dyn Fn(Q::Id) -> swath_proxy_id,
) {
    let &Arguments { ref segment, moving: (mover, motion), settings, capacity } = arguments;
    let mut count = usize::MAX;
    let none = swath_proxy_id::from(ProxyId::NONE);

    // Segments.
    let c_segment = swath_segment::from(*segment);
    let miss = swath_shape_cast_result { fraction: f32::INFINITY, ..Default::default() };
    let cast = |hit: Option<GeometryHit<PartCast, Q::Id>>| {
        hit.map_or(swath_body_cast { id: none, cast: miss }, |hit| swath_body_cast {
            id: id_of(hit.row),
            cast: cast_of(hit.found),
        })
    };
    let rust = queries.casts(segment, place);
    let mut hit = swath_body_cast::zeroed();
    let status = unsafe { swath_bodies_cast(bodies, &c_segment, &mut hit) };
    let first = agree(rust.as_ref().map_err(Clone::clone), status).map(|rust| cast(rust.0));
    if let Some(first) = first {
        assert_eq!(bits(&[hit]), bits(&[first]));
    }
    let mut hits = [hit; 2];
    let status =
        unsafe { swath_bodies_casts(bodies, [c_segment; 2].as_ptr(), 2, hits.as_mut_ptr()) };
    if agree(segment.validate(), status).is_some() {
        hits.iter().for_each(|hit| assert_eq!(bits(&[*hit]), bits(first.as_slice())));
    }
    let status = unsafe { swath_bodies_cast_any(bodies, &c_segment, &mut hit) };
    if let Some(rust) = agree(rust.as_ref().map_err(Clone::clone), status) {
        assert_eq!(bits(&[hit]), bits(&[cast(rust.1)]));
    }
    let mut hits = vec![hit; capacity];
    let status = unsafe {
        let to = hits.as_mut_ptr();
        swath_bodies_cast_all(bodies, &c_segment, to, capacity, &mut count)
    };
    let all: Vec<_> = rust
        .as_ref()
        .map_or(Vec::new(), |rust| rust.2.iter().map(|hit| cast(Some(*hit))).collect());
    same_list(rust.map(drop), status, (&hits, count), &all);

    overlaps(bodies, queries, arguments, place, id_of);

    // Moving shapes.
    let (c_settings, settings) = settings;
    let (shape, c_motion) = (mover.c.pointer.cast_const(), bytemuck::cast(motion));
    let mut hit = swath_body_sweep::zeroed();
    let status = unsafe { swath_bodies_sweep(bodies, shape, &c_motion, &c_settings, &mut hit) };
    let Some(settings) = settings else {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    };
    let sweep = |hit: Option<GeometryHit<PartToi, Q::Id>>| {
        hit.map_or(swath_body_sweep { id: none, toi: of(PartToi::default()) }, |hit| {
            swath_body_sweep { id: id_of(hit.row), toi: of(hit.found) }
        })
    };
    let geometry = mover.rust.geometry();
    let rust = queries.sweeps((&geometry, &motion, &settings), place);
    let first = agree(rust.as_ref().map_err(Clone::clone), status).map(|rust| sweep(rust.0));
    if let Some(first) = first {
        assert_eq!(bits(&[hit]), bits(&[first]));
        assert_finite(&hit);
    }
    let mut hits = [hit; 2];
    let status = unsafe {
        let (shapes, motions) = ([shape; 2], [c_motion; 2]);
        let to = hits.as_mut_ptr();
        swath_bodies_sweeps(bodies, shapes.as_ptr(), motions.as_ptr(), 2, &c_settings, to)
    };
    match first {
        Some(first) => {
            works(status);
            hits.iter().for_each(|hit| assert_eq!(bits(&[*hit]), bits(&[first])));
        }
        None => fails(status, SWATH_ERROR_INVALID),
    }
    let status = unsafe { swath_bodies_sweep_any(bodies, shape, &c_motion, &c_settings, &mut hit) };
    if let Some(rust) = agree(rust.as_ref().map_err(Clone::clone), status) {
        assert_eq!(bits(&[hit]), bits(&[sweep(rust.1)]));
    }
    let mut hits = vec![hit; capacity];
    let status = unsafe {
        let (to, count) = (hits.as_mut_ptr(), &mut count);
        swath_bodies_sweep_all(bodies, shape, &c_motion, &c_settings, to, capacity, count)
    };
    let all: Vec<_> = rust
        .as_ref()
        .map_or(Vec::new(), |rust| rust.2.iter().map(|hit| sweep(Some(*hit))).collect());
    same_list(rust.map(drop), status, (&hits, count), &all);
}

/// Compares the queries of one object for what overlaps a shape.
fn overlaps<'p, Q: Queries>(
    bodies: &swath_bodies,
    queries: Q,
    arguments: &Arguments<'_>,
    place: &dyn Fn(Q::Id) -> (Geometry<'p>, Pose),
    id_of: &dyn Fn(Q::Id) -> swath_proxy_id,
) {
    let &Arguments { moving: (mover, motion), capacity, .. } = arguments;
    let (shape, c_pose) = (mover.c.pointer.cast_const(), bytemuck::cast(motion.pose));
    let none = swath_proxy_id::from(ProxyId::NONE);
    let rust = queries.overlaps((&mover.rust.geometry(), &motion.pose), place);
    let mut id = none;
    let status = unsafe { swath_bodies_overlap_any(bodies, shape, &c_pose, &mut id) };
    let any =
        agree(rust.as_ref().map_err(Clone::clone), status).map(|rust| rust.0.map_or(none, id_of));
    if let Some(any) = any {
        assert_eq!(id, any);
    }
    let mut ids = [none; 2];
    let status = unsafe {
        let (shapes, poses, to) = ([shape; 2], [c_pose; 2], ids.as_mut_ptr());
        swath_bodies_overlaps_any(bodies, shapes.as_ptr(), poses.as_ptr(), 2, to)
    };
    match any {
        Some(any) => {
            works(status);
            assert_eq!(ids, [any; 2]);
        }
        None => fails(status, SWATH_ERROR_INVALID),
    }
    let (mut ids, mut count) = (vec![none; capacity], usize::MAX);
    let status = unsafe {
        let (to, count) = (ids.as_mut_ptr(), &mut count);
        swath_bodies_overlap(bodies, shape, &c_pose, to, capacity, count)
    };
    let all: Vec<_> =
        rust.as_ref().map_or(Vec::new(), |rust| rust.1.iter().map(|&id| id_of(id)).collect());
    same_list(rust.map(drop), status, (&ids, count), &all);
}
