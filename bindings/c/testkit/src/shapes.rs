//! Shapes, their first times of contact, distances and casts.

use crate::agree::{Object, agree, bits, fails, index, segment, vector, works};
use crate::boxes::NO_VECTORS;
use crate::exec::Settings;
use crate::{bodies, parts, pipeline};
use std::ptr::null;
use swath::batch::Rejected;
use swath::convex::gjk::{self, Distance};
use swath::convex::toi::{self, Settings as ToiSettings, ToiResult, Touch};
use swath::convex::{ConvexCast, Hull, OwnedShape};
use swath::mesh::toi::{self as mesh_toi, PartToi};
use swath::mesh::{Compound, Geometry, HeightField, Mesh, PartCast};
use swath::{Motion, Pair, Pose, Shape, Threads};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

const SHAPES_MAX: u8 = 5;

/// A shape in Rust.
pub(crate) enum Kind {
    Convex(OwnedShape),
    Compound(Compound),
    Mesh(Mesh<'static>),
    HeightField(HeightField<'static>),
}

impl Kind {
    pub(crate) fn geometry(&self) -> Geometry<'_> {
        match self {
            Self::Convex(shape) => shape.shape().into(),
            Self::Compound(compound) => compound.into(),
            Self::Mesh(mesh) => mesh.into(),
            Self::HeightField(field) => field.into(),
        }
    }

    fn convex(&self) -> Option<&OwnedShape> {
        if let Self::Convex(shape) = self { Some(shape) } else { None }
    }
}

/// A shape on both sides.
pub(crate) struct Both {
    pub(crate) c: Object<swath_shape>,
    pub(crate) rust: Kind,
}

/// Checks that a shape was created on both sides, or on none.
#[track_caller]
fn both<T: Into<Kind>, E: crate::agree::Code>(
    rust: Result<T, E>,
    c: Result<Object<swath_shape>, swath_status>,
) -> Option<Both> {
    let status = c.as_ref().err().copied().unwrap_or(SWATH_OK);
    let rust = agree(rust, status)?.into();
    Some(Both { c: c.ok()?, rust })
}

macro_rules! kinds {
    ($($type:ty => $kind:ident),*) => {
        $(impl From<$type> for Kind {
            fn from(shape: $type) -> Self {
                Self::$kind(shape.into())
            }
        })*
    };
}

kinds! { OwnedShape => Convex, Shape<'static> => Convex, Compound => Compound, Mesh<'static> => Mesh, HeightField<'static> => HeightField }

fn create(
    create: impl FnOnce(&mut *mut swath_shape) -> swath_status,
) -> Result<Object<swath_shape>, swath_status> {
    Object::new(create, swath_shape_destroy)
}

/// A length, which is sometimes hostile.
pub(crate) fn length(bytes: &mut Bytes<'_>) -> f32 {
    match bytes.byte() {
        how if how < 24 => bytes.number(),
        how => f32::from(how) / 64.0,
    }
}

fn quaternion(bytes: &mut Bytes<'_>) -> [f32; 4] {
    match bytes.byte() % 8 {
        0 => [(); 4].map(|()| bytes.number()),
        1 => [0.6, 0.0, 0.0, 0.8],
        2 => [0.5, -0.5, 0.5, 0.5],
        _ => [0.0, 0.0, 0.0, 1.0],
    }
}

fn motion(bytes: &mut Bytes<'_>) -> Motion {
    let how = bytes.byte();
    let none =
        |bytes: &mut Bytes<'_>, bit: u8| if how & bit == 0 { [0.0; 3] } else { vector(bytes) };
    let pose = Pose { position: vector(bytes), rotation: quaternion(bytes) };
    Motion { pose, delta: none(bytes, 1), accel: none(bytes, 2), spin: none(bytes, 4) }
}

/// Creates a shape on both sides, unless it is invalid.
fn shape(bytes: &mut Bytes<'_>, before: &[Both]) -> Option<Both> {
    let how = bytes.byte();
    let other = before.get(usize::from(how / 16) % before.len().max(1));
    match how % 14 {
        0 => {
            let radius = length(bytes);
            both(Shape::sphere(radius), create(|to| unsafe { swath_shape_sphere(radius, to) }))
        }
        1 => {
            let half = [(); 3].map(|()| length(bytes));
            both(Shape::cuboid(half), create(|to| unsafe { swath_shape_cuboid(half.as_ptr(), to) }))
        }
        2..5 => {
            let (h, r) = (length(bytes), length(bytes));
            match how % 14 {
                2 => both(
                    Shape::capsule(h, r),
                    create(|to| unsafe { swath_shape_capsule(h, r, to) }),
                ),
                3 => both(
                    Shape::cylinder(h, r),
                    create(|to| unsafe { swath_shape_cylinder(h, r, to) }),
                ),
                _ => both(Shape::cone(h, r), create(|to| unsafe { swath_shape_cone(h, r, to) })),
            }
        }
        5 => {
            let [a, b] = [vector(bytes), vector(bytes)];
            let c = create(|to| unsafe { swath_shape_segment(a.as_ptr(), b.as_ptr(), to) });
            both(Shape::segment(a, b), c)
        }
        6 => {
            let [a, b, c] = [vector(bytes), vector(bytes), vector(bytes)];
            let made = create(|to| unsafe {
                swath_shape_triangle(a.as_ptr(), b.as_ptr(), c.as_ptr(), to)
            });
            both(Shape::triangle([a, b, c]), made)
        }
        7 => {
            let points: Vec<[f32; 3]> = (0..bytes.byte() % 12).map(|_| vector(bytes)).collect();
            let c = create(|to| unsafe { swath_shape_hull(rows(&points), points.len(), to) });
            both(Hull::new(points).map(OwnedShape::hull), c)
        }
        8 | 9 => {
            let (other, factors) = (other?, [(); 3].map(|()| length(bytes)));
            let of = other.c.pointer;
            let c = create(|to| unsafe {
                if how % 14 == 8 {
                    swath_shape_rounded(of, factors[0], to)
                } else {
                    swath_shape_scaled(of, factors.as_ptr(), to)
                }
            });
            let Some(shape) = other.rust.convex() else {
                assert!(matches!(c, Err(SWATH_ERROR_ARGUMENT)));
                return None;
            };
            both(if how % 14 == 8 { shape.rounded(factors[0]) } else { shape.scaled(factors) }, c)
        }
        10 => {
            let count = usize::from(how / 14 % 4).min(before.len());
            let parts: Vec<_> =
                before[..count].iter().map(|part| part.c.pointer.cast_const()).collect();
            let poses: Vec<Pose> = parts.iter().map(|_| motion(bytes).pose).collect();
            let c_poses: &[swath_pose] = bytemuck::cast_slice(&poses);
            let c = create(|to| unsafe {
                swath_shape_compound(parts.as_ptr(), c_poses.as_ptr(), count, to)
            });
            let shapes: Option<Vec<OwnedShape>> =
                before[..count].iter().map(|part| part.rust.convex().cloned()).collect();
            let Some(shapes) = shapes else {
                assert!(matches!(c, Err(SWATH_ERROR_ARGUMENT)));
                return None;
            };
            both(Compound::new(shapes.into_iter().zip(poses)), c)
        }
        11 => {
            let vertices: Vec<[f32; 3]> = (0..bytes.byte() % 12).map(|_| vector(bytes)).collect();
            let count = vertices.len() as u32;
            let triangles: Vec<[u32; 3]> =
                (0..bytes.byte() % 12).map(|_| [(); 3].map(|()| index(bytes, count))).collect();
            let (one_sided, settings) = (i32::from(bytes.byte() % 2), Settings::new(bytes));
            let c = settings.c(|exec| {
                create(|to| unsafe {
                    let (corners, indices) = (rows(&vertices), triangles.as_flattened().as_ptr());
                    let (vertices, triangles) = (vertices.len(), triangles.len());
                    swath_shape_mesh(corners, vertices, indices, triangles, one_sided, exec, to)
                })
            });
            if !settings.are_valid {
                assert!(matches!(c, Err(SWATH_ERROR_ARGUMENT)));
                return None;
            }
            let mesh = Mesh::with_exec(vertices, triangles, settings.rust());
            both(mesh.map(|mesh| if one_sided == 1 { mesh.one_sided() } else { mesh }), c)
        }
        12 => {
            let samples = [(); 2].map(|()| u32::from(bytes.byte() % 6));
            let spacing = [length(bytes), length(bytes)];
            let one_sided = i32::from(how / 64 % 2);
            let heights: Vec<f32> = (0..samples[0] * samples[1])
                .map(|_| if how < 128 { bytes.number() } else { bytes.signed() / 16.0 })
                .collect();
            let c = create(|to| unsafe {
                let heights = heights.as_ptr();
                swath_shape_height_field(
                    heights, samples[0], samples[1], spacing[0], spacing[1], one_sided, to,
                )
            });
            let field = HeightField::new(heights, samples, spacing);
            both(field.map(|field| if one_sided == 1 { field.one_sided() } else { field }), c)
        }
        _ => both(
            Ok::<_, swath::Invalid>(Shape::point()),
            create(|to| unsafe { swath_shape_point(to) }),
        ),
    }
}

fn rows(points: &[[f32; 3]]) -> swath_vectors {
    swath_vectors { x: points.as_ptr().cast(), stride: 12, ..NO_VECTORS }
}

/// Settings of a search for C, and for Rust unless the number of the touch is unknown.
pub(crate) fn settings(bytes: &mut Bytes<'_>) -> (swath_toi_settings, Option<ToiSettings>) {
    let (how, mut c) = (bytes.byte(), swath_toi_defaults());
    c.touch = index(bytes, 3);
    if how & 1 == 1 {
        c.target_distance = length(bytes);
    }
    match how / 2 % 8 {
        0 => c.window = [bytes.number(), bytes.number()],
        1 => c.tolerance = bytes.number(),
        2 => c.rounds_max = index(bytes, 64),
        _ => {}
    }
    let touch = [Touch::IfClosing, Touch::Hit, Touch::Ignore].get(c.touch as usize).copied();
    let rust = touch.map(|touch| ToiSettings {
        target_distance: c.target_distance,
        tolerance: c.tolerance,
        window: c.window,
        touch,
        rounds_max: c.rounds_max,
    });
    (c, rust)
}

/// Creates shapes, and compares everything that two of them have.
pub(crate) fn run(bytes: &mut Bytes<'_>) {
    let count = 1 + bytes.byte() % SHAPES_MAX;
    let (c_settings, settings) = settings(bytes);
    let mut shapes = Vec::new();
    for _ in 0..count {
        let new = shape(bytes, &shapes);
        shapes.extend(new);
    }
    let motions: Vec<Motion> = shapes.iter().map(|_| motion(bytes)).collect();
    let segment = segment(bytes);
    let margin = length(bytes);
    for (shape, motion) in shapes.iter().zip(&motions) {
        alone(shape, motion, margin, &segment);
    }
    for (a, b) in (0..shapes.len()).zip((0..shapes.len()).rev()) {
        meet(&shapes, &motions, [a, b], &c_settings, settings.as_ref());
    }
    let last = shapes.len() as u32;
    let pairs: Vec<Pair> = (0..bytes.byte() % 8)
        .map(|_| Pair { a: index(bytes, last), b: index(bytes, last) })
        .collect();
    batches(&shapes, &motions, &pairs, &c_settings, settings.as_ref());
    parts::run(bytes, &shapes, &motions, &pairs, (&c_settings, settings.as_ref()));
    pipeline::run(bytes, &shapes, &motions);
    bodies::run(bytes, &shapes, &motions);
}

/// Bounds, faults and a cast of one shape.
fn alone(shape: &Both, motion: &Motion, margin: f32, segment: &swath::Segment) {
    let (c, geometry) = (shape.c.pointer, shape.rust.geometry());
    let mut rejected = usize::MAX;
    works(unsafe { swath_shape_rejected(c, &mut rejected) });
    let expected = if let Kind::Mesh(mesh) = &shape.rust { mesh.rejected().len() } else { 0 };
    assert_eq!(rejected, expected);

    let c_motion: swath_motion = bytemuck::cast(*motion);
    let mut moving: swath_moving_box = bytemuck::Zeroable::zeroed();
    let status = unsafe { swath_shape_bounds_over(c, &c_motion, margin, &mut moving) };
    if let Some(rust) = agree(geometry.bounds_over(motion, margin), status) {
        assert_eq!(bits(&[moving]), bits(&[rust]));
        assert_finite(&moving);
    }
    let mut aabb: swath_aabb = bytemuck::Zeroable::zeroed();
    let status = unsafe { swath_shape_bounds(c, &c_motion.pose, &mut aabb) };
    let rust = geometry.bounds_over(&Motion::from(motion.pose), 0.0);
    if let Some(rust) = agree(rust, status) {
        assert_eq!(bits(&[aabb]), bits(&[rust.aabb]));
        assert_finite(&aabb);
    }
    let mut result = swath_shape_cast_result::default();
    let c_segment = (*segment).into();
    let status = unsafe { swath_shape_cast(c, &c_motion.pose, &c_segment, &mut result) };
    if let Some(rust) = agree(geometry.cast(&motion.pose, segment), status) {
        assert_eq!(bits(&[result]), bits(&[cast_of(rust)]));
        assert_finite(&(result.point, result.normal));
        assert!(result.state == SWATH_CAST_MISSED || result.fraction.is_finite());
    }
}

/// The cast in C of a cast in Rust.
pub(crate) fn cast_of(PartCast { cast, part }: PartCast) -> swath_shape_cast_result {
    let (state, fraction, [point, normal]) = match cast {
        ConvexCast::Hit { fraction, point, normal, .. } => {
            (SWATH_CAST_HIT, fraction, [point, normal])
        }
        ConvexCast::Inside => (SWATH_CAST_INSIDE, 0.0, [[0.0; 3]; 2]),
        ConvexCast::Unresolved { fraction } => (SWATH_CAST_UNRESOLVED, fraction, [[0.0; 3]; 2]),
        _ => (SWATH_CAST_MISSED, f32::INFINITY, [[0.0; 3]; 2]),
    };
    swath_shape_cast_result { state, fraction, point, normal, part }
}

/// The result in C of a result in Rust.
pub(crate) fn of(PartToi { toi, parts, .. }: PartToi) -> swath_toi_result {
    let [part_a, part_b] = parts;
    let mut c = swath_toi_result { part_a, part_b, rounds: toi.rounds, ..Default::default() };
    match toi.result {
        ToiResult::Impact { t, normal, on_a, on_b, closing } => {
            (c.state, c.t, c.normal) = (SWATH_TOI_IMPACT, t, normal);
            (c.on_a, c.on_b, c.closing) = (on_a, on_b, closing);
        }
        ToiResult::Overlapping { depth, normal, on_a, on_b, closing } => {
            (c.state, c.depth, c.normal) = (SWATH_TOI_OVERLAPPING, depth, normal);
            (c.on_a, c.on_b, c.closing) = (on_a, on_b, closing);
        }
        ToiResult::Unresolved { t_safe } => (c.state, c.t) = (SWATH_TOI_UNRESOLVED, t_safe),
        _ => (c.state, c.t) = (SWATH_TOI_SEPARATED, 1.0),
    }
    c
}

/// The first time of two shapes in Rust, or its error.
fn first_time(
    shapes: [&Both; 2],
    motions: [&Motion; 2],
    settings: &ToiSettings,
) -> Result<swath_toi_result, toi::ToiError> {
    let [a, b] = shapes.map(|shape| &shape.rust);
    if let (Some(a), Some(b)) = (a.convex(), b.convex()) {
        let toi = toi::one_to_one(&a.shape(), motions[0], &b.shape(), motions[1], settings)?;
        return Ok(of(toi.into()));
    }
    let [a, b] = [a, b].map(Kind::geometry);
    mesh_toi::one_to_one(&a, motions[0], &b, motions[1], settings).map(of)
}

/// The first time and the distance of two shapes.
fn meet(
    shapes: &[Both],
    motions: &[Motion],
    [a, b]: [usize; 2],
    c_settings: &swath_toi_settings,
    settings: Option<&ToiSettings>,
) {
    let [of_a, of_b] = [&shapes[a], &shapes[b]];
    let [c_a, c_b] = [motions[a], motions[b]].map(bytemuck::cast::<_, swath_motion>);
    let mut result = swath_toi_result::default();
    let status =
        unsafe { swath_toi(of_a.c.pointer, &c_a, of_b.c.pointer, &c_b, c_settings, &mut result) };
    match settings {
        None => fails(status, SWATH_ERROR_ARGUMENT),
        Some(settings) => {
            let rust = first_time([of_a, of_b], [&motions[a], &motions[b]], settings);
            if let Some(rust) = agree(rust, status) {
                assert_eq!(bits(&[result]), bits(&[rust]));
                assert_finite(&result);
                assert!((0.0..=1.0).contains(&result.t));
            }
        }
    }
    let (pose_a, pose_b) = (&motions[a].pose, &motions[b].pose);
    let mut overlaps = 7;
    let status = unsafe {
        swath_overlaps(of_a.c.pointer, &c_a.pose, of_b.c.pointer, &c_b.pose, &mut overlaps)
    };
    let rust = of_a.rust.geometry().overlaps(pose_a, &of_b.rust.geometry(), pose_b);
    assert_eq!(overlaps, agree(rust, status).map_or(7, i32::from));
    let mut distance: swath_distance_result = bytemuck::Zeroable::zeroed();
    let status = unsafe {
        swath_distance(of_a.c.pointer, &c_a.pose, of_b.c.pointer, &c_b.pose, &mut distance)
    };
    let rust = of_a.rust.geometry().distance(pose_a, &of_b.rust.geometry(), pose_b, f32::INFINITY);
    if let Some(rust) = agree(rust, status) {
        let none = Distance { distance: f32::INFINITY, ..Distance::default() };
        let expected = rust.map_or(none, |rust| rust.distance);
        assert_eq!(bits(&[distance]), bits(&[expected]));
        if rust.is_some() {
            assert_finite(&distance);
        }
    }
}

/// The first times and distances of many pairs: those of each pair alone, or the documented error.
fn batches(
    shapes: &[Both],
    motions: &[Motion],
    pairs: &[Pair],
    c_settings: &swath_toi_settings,
    settings: Option<&ToiSettings>,
) {
    let bodies: Vec<_> = shapes.iter().map(|shape| shape.c.pointer.cast_const()).collect();
    let c_motions: &[swath_motion] = bytemuck::cast_slice(motions);
    let c_pairs: &[swath_pair] = bytemuck::cast_slice(pairs);
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let mut results = vec![swath_toi_result { rounds: 77, ..Default::default() }; pairs.len()];
    let status = unsafe {
        swath_toi_pairs(
            bodies.as_ptr(),
            c_motions.as_ptr(),
            bodies.len(),
            c_pairs.as_ptr(),
            c_pairs.len(),
            c_settings,
            &exec,
            results.as_mut_ptr(),
        )
    };
    let count = shapes.len() as u32;
    let are_rows = pairs.iter().all(|pair| pair.a < count && pair.b < count);
    match settings {
        None => fails(status, SWATH_ERROR_ARGUMENT),
        Some(settings) => {
            let motion = motions.iter().find_map(|motion| motion.validate().err());
            if let Some(invalid) = motion {
                agree(Err::<(), _>(invalid), status);
            } else if let Err(error) = settings.validate() {
                agree(Err::<(), _>(error), status);
            } else if !are_rows {
                fails(status, SWATH_ERROR_ARGUMENT);
            } else {
                works(status);
                for (result, pair) in results.iter().zip(pairs) {
                    let [a, b] = [pair.a, pair.b].map(|row| row as usize);
                    let rust =
                        first_time([&shapes[a], &shapes[b]], [&motions[a], &motions[b]], settings);
                    assert_eq!(bits(&[*result]), bits(&[rust.expect("everything is valid")]));
                }
            }
        }
    }

    let poses: Vec<Pose> = motions.iter().map(|motion| motion.pose).collect();
    let c_poses: &[swath_pose] = bytemuck::cast_slice(&poses);
    let mut results: Vec<swath_distance_result> = vec![bytemuck::Zeroable::zeroed(); pairs.len()];
    let status = unsafe {
        swath_distance_pairs(
            bodies.as_ptr(),
            c_poses.as_ptr(),
            bodies.len(),
            c_pairs.as_ptr(),
            c_pairs.len(),
            &exec,
            results.as_mut_ptr(),
        )
    };
    if let Some(invalid) = poses.iter().find_map(|pose| pose.validate().err()) {
        agree(Err::<(), _>(invalid), status);
        return;
    }
    let mut overlaps = vec![7; pairs.len()];
    let overlaps_status = unsafe {
        swath_overlaps_pairs(
            bodies.as_ptr(),
            c_poses.as_ptr(),
            bodies.len(),
            c_pairs.as_ptr(),
            c_pairs.len(),
            &exec,
            overlaps.as_mut_ptr(),
        )
    };
    if are_rows {
        works(overlaps_status);
        for (overlaps, pair) in overlaps.iter().zip(pairs) {
            let [a, b] = [pair.a, pair.b].map(|row| row as usize);
            let geometries = [a, b].map(|row| shapes[row].rust.geometry());
            let rust = geometries[0].overlaps(&poses[a], &geometries[1], &poses[b]);
            assert_eq!(*overlaps, i32::from(rust.expect("valid poses")));
        }
    } else {
        fails(overlaps_status, SWATH_ERROR_ARGUMENT);
        assert!(overlaps.iter().all(|&overlaps| overlaps == 7));
    }
    let convex: Option<Vec<Shape<'_>>> =
        shapes.iter().map(|shape| shape.rust.convex().map(OwnedShape::shape)).collect();
    let Some(convex) = convex else {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    };
    let (mut rejected, mut expected) =
        (Vec::<Rejected>::new(), vec![Distance::default(); pairs.len()]);
    let rust = gjk::pairs(&convex, &poses, pairs, &Threads::one(), &mut rejected, &mut expected);
    if agree(rust, status).is_some() {
        assert_eq!(bits(&results), bits(&expected));
        assert_finite(&results);
    }
}
