//! Bodies that slide over edges between triangles that are not in one plane.

use swath::convex::toi as convex_toi;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::{Geometry, HeightField, Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};
use testkit::mesh_cases::terrain;

type V = [f64; 3];

fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn along(a: V, b: V, by: f64) -> V {
    [0, 1, 2].map(|k| a[k] + by * b[k])
}

fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// Two triangles with a common edge along `z`: one is flat, the other one has a slope.
fn ridge(slope: f32) -> Mesh<'static> {
    let corners = [[-4.0, 0.0, 0.0], [0.0, 0.0, -4.0], [0.0, 0.0, 4.0], [4.0, 4.0 * slope, 0.0]];
    Mesh::new(corners.to_vec(), vec![[0, 2, 1], [1, 2, 3]]).expect("a ridge")
}

/// The same as a height field, whose origin is at `[-4, 0, -4]`.
fn field_of_ridge(slope: f32) -> HeightField<'static> {
    let heights = [0.0, 0.0, 4.0 * slope].repeat(2);
    HeightField::new(heights, [3, 2], [4.0, 8.0]).expect("a grid")
}

/// Goal: a ball that moves along one triangle has no impact at the edge of another one that falls away, and one with the other's normal if
/// that rises. Method: slopes of both signs, several distances from the first triangle and from the edge, of a mesh and of a
/// height field; closed forms.
#[test]
fn ball_that_slides_over_an_edge_meets_only_what_rises() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let tolerance = f64::from(Settings::TOLERANCE) * ball.size();
    let still = [Motion::default(), Motion::from(Pose::at([-4.0, 0.0, -4.0]).expect("finite"))];
    let mut counts = [0; 2];
    for size in [1e-4_f32, 1e-3, 0.01, 0.03, 0.1, 0.5] {
        for slope in [-size, size] {
            for above in [-0.9, -0.1, 0.0, 0.1, 0.9] {
                for (x, of_field) in
                    [-0.3_f32, -0.02, -0.004, -0.0005].iter().flat_map(|&x| [(x, false), (x, true)])
                {
                    let (mesh, field) = (ridge(slope), field_of_ridge(slope));
                    let ground = if of_field { Geometry::from(&field) } else { (&mesh).into() };
                    let gap = (above * tolerance) as f32;
                    let pose = Pose::at([x, 0.5 + gap, 0.1]).expect("finite");
                    let motion = Motion::new(pose, [0.6, 0.0, 0.05]).expect("finite");
                    let found = toi::one_to_one(
                        &ball.into(),
                        &motion,
                        &ground,
                        &still[usize::from(of_field)],
                        &Settings::default(),
                    );
                    let found = found.expect("valid").toi.result;
                    let text = format!("{slope} {above} {x} {of_field} {found:?}");
                    if slope < 0.0 {
                        assert_eq!(found, ToiResult::Separated, "{text}");
                        counts[0] += 1;
                        continue;
                    }
                    // The gap to the plane that rises, at the end.
                    let [slope, gap] = [slope, gap].map(f64::from);
                    let cosine = 1.0 / slope.hypot(1.0);
                    let height = |x: f64| (0.5 + gap - slope * x) * cosine - 0.5;
                    let end = height(f64::from(x) + 0.6);
                    if end > -1.75 * tolerance {
                        continue;
                    }
                    let start = height(f64::from(x));
                    match found {
                        ToiResult::Impact { t, normal, closing, .. } => {
                            let deep = height(f64::from(x) + 0.6 * f64::from(t));
                            assert!(deep > -2.0 * tolerance, "{text} {deep}");
                            assert!(deep < 1.01 * tolerance, "{text} {deep}");
                            let exact = 0.6 * slope * cosine;
                            assert!(f64::from(normal[0]) > 0.9 * slope * cosine, "{text}");
                            assert!((f64::from(closing) - exact).abs() < 1e-3 * exact, "{text}");
                        }
                        ToiResult::Overlapping { .. } => {
                            assert!(start < -0.9 * tolerance, "{text} {start}");
                        }
                        _ => panic!("{text}"),
                    }
                    counts[1] += 1;
                }
            }
        }
    }
    assert!(counts[0] == 240 && counts[1] > 160, "{counts:?}");
}

/// A core that is a point, a segment or a box in its own axes, and a radius.
struct Solid {
    points: Vec<V>,
    radius: f64,
}

/// The distance of a point from a segment.
fn to_segment(p: V, [a, b]: [V; 2]) -> f64 {
    let side = sub(b, a);
    let share = (dot(sub(p, a), side) / dot(side, side)).clamp(0.0, 1.0);
    length(sub(p, along(a, side, share)))
}

/// The distance of a point from a triangle.
fn to_triangle(p: V, [a, b, c]: [V; 3]) -> f64 {
    let normal = cross(sub(b, a), sub(c, a));
    let inside = [[a, b], [b, c], [c, a]]
        .iter()
        .all(|&[p0, p1]| dot(cross(sub(p1, p0), sub(p, p0)), normal) >= 0.0);
    if inside {
        return (dot(sub(p, a), normal) / length(normal)).abs();
    }
    [[a, b], [b, c], [c, a]]
        .into_iter()
        .map(|side| to_segment(p, side))
        .fold(f64::INFINITY, f64::min)
}

/// The distance of two segments, of which the nearest points are sampled and improved.
fn of_segments([p, q]: [V; 2], side: [V; 2]) -> f64 {
    let at = |s: f64| to_segment(along(p, sub(q, p), s), side);
    let (mut low, mut high) = (0.0, 1.0);
    // The distance is convex along the segment.
    for _ in 0..50 {
        let third = (high - low) / 3.0;
        if at(low + third) < at(high - third) { high -= third } else { low += third }
    }
    at(0.5 * (low + high))
}

impl Solid {
    /// The gap between the solid at a place and a triangle; negative where they overlap.
    fn gap(&self, place: V, triangle: [V; 3]) -> f64 {
        let points: Vec<V> = self.points.iter().map(|&point| along(place, point, 1.0)).collect();
        let [a, b, c] = triangle;
        let sides = [sub(b, a), sub(c, b), sub(a, c)];
        let normal = cross(sides[0], sides[1]);
        let distance = match points[..] {
            [point] => to_triangle(point, triangle),
            [p, q] => {
                let ends = to_triangle(p, triangle).min(to_triangle(q, triangle));
                let of_sides = [[a, b], [b, c], [c, a]].map(|side| of_segments([p, q], side));
                let heights = [p, q].map(|point| dot(sub(point, a), normal));
                let crosses = heights[0] * heights[1] < 0.0 && {
                    let share = heights[0] / (heights[0] - heights[1]);
                    to_triangle(along(p, sub(q, p), share), triangle) < 1e-9
                };
                if crosses { 0.0 } else { of_sides.into_iter().fold(ends, f64::min) }
            }
            _ => {
                // All axes that may separate a box and a triangle.
                let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                let products = axes.iter().flat_map(|&axis| sides.map(|side| cross(axis, side)));
                let all = axes.into_iter().chain([normal]).chain(products);
                let gaps = all.filter(|axis| length(*axis) > 1e-9).map(|axis| {
                    let unit = axis.map(|x| x / length(axis));
                    let ends = |points: &[V]| {
                        let values = points.iter().map(|&point| dot(point, unit));
                        values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                            [low.min(x), high.max(x)]
                        })
                    };
                    let [of_box, of_triangle] = [ends(&points), ends(&triangle)];
                    (of_triangle[0] - of_box[1]).max(of_box[0] - of_triangle[1])
                });
                gaps.fold(f64::NEG_INFINITY, f64::max)
            }
        };
        distance - self.radius
    }
}

/// Goal: no body gets into a mesh after a contact at an inner edge that is no impact, by more than the tolerance. Method: balls, capsules and boxes
/// that are put on a terrain and slide along it, also downwards or with gravity; the gaps to all triangles near them, at many times until the
/// reported one. As control, most of the bodies would meet an edge if triangles were tested one by one.
#[test]
fn body_that_slides_over_inner_edges_gets_no_deeper_than_the_tolerance() {
    let mut draw = Draw::new(23);
    let corners = |half: f64| {
        (0..8).map(move |k| {
            [k & 1, k >> 1 & 1, k >> 2].map(|bit| if bit == 0 { -half } else { half })
        })
    };
    let solids = [
        (Shape::sphere(0.4), Solid { points: vec![[0.0; 3]], radius: f64::from(0.4_f32) }),
        (
            Shape::capsule(0.3, 0.25),
            Solid {
                points: [-1.0, 1.0].map(|s| [0.0, s * f64::from(0.3_f32), 0.0]).to_vec(),
                radius: 0.25,
            },
        ),
        (
            Shape::cuboid([0.3; 3]),
            Solid { points: corners(f64::from(0.3_f32)).collect(), radius: 0.0 },
        ),
    ];
    let (mut free, mut impacts, mut single, mut deepest) = (0, 0, 0, 0.0_f64);
    let cases = how_many(600);
    for case in 0..cases {
        let (shape, solid) = &solids[case % 3];
        let shape = shape.as_ref().expect("valid lengths");
        let tolerance = f64::from(Settings::TOLERANCE) * shape.size();
        let skin = if case % 3 < 2 && draw.one_in(2) { 0.02_f32 } else { 0.0 };
        let bump = draw.one_of(&[1e-4, 1e-3, 0.02, 0.1]);
        let (vertices, triangles) = terrain(&mut draw, 6, bump);
        let mesh = Mesh::new(vertices, triangles).expect("a mesh");
        let (ground, still) = (Geometry::from(&mesh), Motion::default());
        let settings = Settings { target_distance: skin, ..Settings::default() };
        let hit = Settings { touch: Touch::Hit, ..settings };
        let start = [draw.between(-1.5, 1.5), 1.5, draw.between(-1.5, 1.5)];
        let falling =
            Motion::new(Pose::at(start).expect("finite"), [0.0, -2.0, 0.0]).expect("finite");
        let landed = toi::one_to_one(&(*shape).into(), &falling, &ground, &still, &hit);
        let ToiResult::Impact { t, normal, .. } = landed.expect("valid").toi.result else {
            panic!("{case}")
        };
        let lower = draw.between(0.0, 1.4) * tolerance as f32;
        let at = [start[0], start[1] - 2.0 * t - lower, start[2]];
        let mut delta =
            [draw.between(-1.0, 1.0), draw.between(-0.02, 0.0), draw.between(-1.0, 1.0)];
        let into = (0..3).map(|k| delta[k] * normal[k]).sum::<f32>();
        if draw.one_in(2) {
            delta = [0, 1, 2].map(|k| delta[k] - into * normal[k]);
        }
        let mut motion = Motion::new(Pose::at(at).expect("finite"), delta).expect("finite");
        if draw.one_in(4) {
            let pull = draw.one_of(&[-1e-4, -0.01, 0.02]);
            motion = motion.accelerating([0.0, pull, 0.0]).expect("finite");
        }
        let found = toi::one_to_one(&(*shape).into(), &motion, &ground, &still, &settings);
        let found = found.expect("valid").toi.result;
        let end = match found {
            ToiResult::Separated => 1.0,
            ToiResult::Impact { t, .. } => f64::from(t),
            // It was put too deep.
            ToiResult::Overlapping { .. } => continue,
            ToiResult::Unresolved { .. } => panic!("{case}"),
            other => panic!("{case} {other:?}"),
        };
        let place = |t: f64| {
            [0, 1, 2].map(|k| {
                let accel = 0.5 * f64::from(motion.accel[k]) * t * t;
                f64::from(at[k]) + f64::from(delta[k]) * t + accel
            })
        };
        let all: Vec<[V; 3]> = (0..72)
            .filter_map(|k| mesh.corners(k))
            .map(|of| of.map(|p| p.map(f64::from)))
            .collect();
        let gap_at = |t: f64| {
            let at = place(t);
            let near = all.iter().filter(|triangle| {
                let between = |k: usize| triangle.map(|corner| corner[k] - at[k]);
                [0, 2].iter().all(|&k| {
                    between(k).iter().any(|&x| x < 0.8) && between(k).iter().any(|&x| x > -0.8)
                })
            });
            let gaps = near.map(|&triangle| solid.gap(at, triangle));
            gaps.fold(f64::INFINITY, f64::min) - f64::from(skin)
        };
        for step in 0..=30 {
            let t = end * f64::from(step) / 30.0;
            let gap = gap_at(t);
            deepest = deepest.min(gap / tolerance);
            assert!(gap > -2.02 * tolerance, "{case} {t} {} {found:?} {motion:?}", gap / tolerance);
        }
        if matches!(found, ToiResult::Impact { .. }) {
            impacts += 1;
            assert!(gap_at(end) < 1.01 * tolerance, "{case} {found:?}");
        } else {
            free += 1;
            single += usize::from((0..72).any(|k| {
                let alone = Shape::triangle(mesh.corners(k).expect("it exists")).expect("valid");
                let found = convex_toi::one_to_one(shape, &motion, &alone, &still, &settings);
                found.expect("valid").impact().is_some()
            }));
        }
    }
    println!("{free} {impacts} {single} {deepest}");
    assert!(
        free * 5 > cases && impacts * 5 > cases && single * 10 > cases,
        "{free} {impacts} {single}"
    );
}

/// Goal: an impact with a flat floor of triangles has the floor's normal and a closing speed, also if the nearest points do not close. Method:
/// cones that slide at the target distance, begin to rise and are pulled back, until they are deeper than a touch; many directions. They start
/// above a corner of triangles, so the nearest point of a triangle is often on a side of it.
#[test]
fn cone_that_is_pulled_back_to_a_flat_floor_has_its_normal() {
    const CELLS: u32 = 32;
    let corners = (0..(CELLS + 1) * (CELLS + 1)).map(|k| [k % (CELLS + 1), k / (CELLS + 1)]);
    let corners: Vec<_> = corners.map(|[x, z]| [0.25 * x as f32, 0.0, 0.25 * z as f32]).collect();
    let cells = (0..CELLS * CELLS).map(|cell| cell + cell / CELLS);
    let triangles =
        cells.flat_map(|k| [[k, k + CELLS + 1, k + CELLS + 2], [k, k + CELLS + 2, k + 1]]);
    let floor = Mesh::new(corners, triangles.collect::<Vec<_>>()).expect("a floor");
    let cone = Shape::cone(0.5, 0.25).expect("a cone");
    let mut impacts = 0;
    for case in 0..9 * 9 * 4 * 2 * 2 {
        let [x, z, fall] = [case % 9, case / 9 % 9, case / 81 % 4].map(|k| k as f32);
        let target_distance = [0.03125, 0.125][case / 324 % 2];
        let rotation = [[0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]][case / 648];
        let settings = Settings { target_distance, tolerance: 1e-3, ..Settings::default() };
        let pose = Pose::new([3.0, 0.5 + target_distance, 4.25], rotation).expect("a pose");
        let along = [0.25 * x - 1.0, 1e-6, 0.25 * z - 1.0];
        let motion = Motion::new(pose, along).expect("finite");
        let motion = motion.accelerating([0.0, -1.0 - fall, 0.0]).expect("finite");
        let still = Motion::default();
        let found = toi::one_to_one(&cone.into(), &motion, &(&floor).into(), &still, &settings);
        let found = found.expect("valid").toi.result;
        let ToiResult::Impact { normal, closing, .. } = found else { panic!("{case} {found:?}") };
        // The cosine of the angle by which a direction is still that of a face.
        assert!(normal[1] < -0.999_999 && closing > 0.0, "{case} {found:?}");
        impacts += 1;
    }
    assert_eq!(impacts, 1296);
}
