//! Tests of `spec::distance`: the distance of two convex solids is between its two bounds, and these are
//! close.
//!
//! First shapes whose distance has a closed form, then all pairs of triangles of two hulls, then hostile
//! pairs, for which the two bounds are proved separately.

use spec::{Core, Distance, MovingSolid, Solid, distance, gap};
use testkit::convex_cases::convex_cases;
use testkit::draw::{Draw, how_many};
use testkit::every_feature;

/// Distance of the bounds: about their own rounding error, 2⁻⁴⁵ of all lengths.
const CLOSE: f64 = 2.0;

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn sharp(core: Core) -> Solid {
    Solid { core, radius: 0.0 }
}

fn point(place: [f64; 3]) -> MovingSolid {
    MovingSolid::resting(sharp(Core::Hull(vec![[0.0; 3]])), place)
}

#[track_caller]
fn is(found: Distance, expected: f64) {
    let about = format!("{found:?} is not {expected}");
    let own = 4.0 * f64::EPSILON * expected;
    assert!(found.lower <= expected + found.noise + own, "{about}");
    assert!(found.upper >= expected - found.noise - own, "{about}");
    assert!(found.upper - found.lower <= CLOSE * found.noise, "{about}");
}

/// A random pose, and the position of a point of the body.
fn somewhere(draw: &mut Draw, solid: Solid) -> MovingSolid {
    let mut number = |size: f32| f64::from(draw.between(-size, size));
    let mut body = MovingSolid::resting(solid, [0; 3].map(|_| number(5.0)));
    body.orientation = [number(1.0), number(1.0), number(1.0), number(1.0) + 1.5];
    body.spin = [0; 3].map(|_| number(3.0));
    body.delta = [0; 3].map(|_| number(3.0));
    body
}

/// Goal: the distance of a point from a box, a cylinder and a cone is that in the plane through the axis, and
/// rotating both changes nothing. Method: clamping, and the sides of a rectangle and of a triangle.
#[test]
fn distance_of_a_point_is_that_of_the_closed_form() {
    let mut draw = Draw::new(1);
    let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        let (d, w) = ([r[0] - q[0], r[1] - q[1]], [p[0] - q[0], p[1] - q[1]]);
        let t = ((w[0] * d[0] + w[1] * d[1]) / (d[0] * d[0] + d[1] * d[1])).clamp(0.0, 1.0);
        (w[0] - d[0] * t).hypot(w[1] - d[1] * t)
    };
    let mut outside = 0;
    for _ in 0..3_000 {
        let half = [0; 3].map(|_| f64::from(draw.between(0.1, 2.0)));
        let [height, radius, _] = half;
        let at = [0; 3].map(|_| f64::from(draw.between(-3.0, 3.0)));
        let (rho, y) = (at[0].hypot(at[2]), at[1]);
        let beyond = [0, 1, 2].map(|k| (at[k].abs() - half[k]).max(0.0));
        let above = (y.abs() - height).max(0.0);
        let cone = if y >= -height && rho <= radius * (height - y) / (2.0 * height) {
            0.0
        } else {
            let slope = side([rho, y], [radius, -height], [0.0, height]);
            slope.min(side([rho, y], [0.0, -height], [radius, -height]))
        };
        let cylinder = Core::Cylinder { half_height: height, radius };
        let t = f64::from(draw.between(0.0, 1.0));
        for (core, expected) in [
            (Core::cuboid(half), length(beyond)),
            (cylinder, (rho - radius).max(0.0).hypot(above)),
            (Core::Cone { half_height: height, radius }, cone),
        ] {
            let body = somewhere(&mut draw, sharp(core));
            let found = distance(&body, &point(body.at(at, t)), t);
            if expected == 0.0 {
                assert!(found.upper <= found.noise && found.lower <= found.noise, "{found:?}");
            } else {
                outside += 1;
                is(found, expected);
                is(distance(&point(body.at(at, t)), &body, t), expected);
                let solid = Solid { radius: 0.125, ..body.solid.clone() };
                let fatter = distance(&MovingSolid { solid, ..body }, &point(body.at(at, t)), t);
                is(
                    Distance { lower: fatter.lower.max(0.0), ..fatter },
                    (expected - 0.125).max(0.0),
                );
            }
        }
    }
    assert!(outside > 3_000);
}

/// Goal: discs are round. Method: cylinders and cones in front of a wall, whose lowest point has a closed
/// form.
#[test]
fn distance_of_a_wall_is_that_of_the_lowest_point() {
    let mut draw = Draw::new(2);
    for _ in 0..2_000 {
        let (half_height, radius) =
            (f64::from(draw.between(0.1, 2.0)), f64::from(draw.between(0.1, 2.0)));
        let cone = draw.one_in(2);
        let core = if cone {
            Core::Cone { half_height, radius }
        } else {
            Core::Cylinder { half_height, radius }
        };
        let body = somewhere(&mut draw, sharp(core));
        let t = f64::from(draw.between(0.0, 1.0));
        // Height of the axis, by two of its points.
        let (top, bottom) =
            (body.at([0.0, half_height, 0.0], t), body.at([0.0, -half_height, 0.0], t));
        let cosine = (top[1] - bottom[1]) / (2.0 * half_height);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let low = |end: f64, radius: f64| end - radius * sine;
        let lowest = low(bottom[1], radius).min(low(top[1], if cone { 0.0 } else { radius }));
        let mut wall = MovingSolid::resting(sharp(Core::cuboid([40.0, 1.0, 40.0])), [0.0; 3]);
        wall.position = [body.position[0], lowest - 1.75, body.position[2]];
        is(distance(&body, &wall, t), 0.75);
        is(distance(&wall, &body, t), 0.75);
    }
}

/// Goal: every feature of a hull is considered. Method: hulls that are flat, thin, doubled or a grid; all
/// pairs of triangles of their points.
#[test]
fn distance_of_hulls_is_that_of_their_triangles() {
    let mut compared = 0;
    let mut draw = Draw::new(3);
    for case in convex_cases(4, how_many(4_000)) {
        let corners = [0, 1].map(|k| case.shapes[k].corners());
        let [Some(a), Some(b)] = corners else { continue };
        if a.len() > 12 || b.len() > 12 {
            continue;
        }
        let bodies = case.solids();
        let t = f64::from(draw.between(0.0, 1.0));
        let found = distance(&bodies[0], &bodies[1], t);
        let reach = bodies[0].solid.radius + bodies[1].solid.radius;
        if found.lower + reach <= 0.0 {
            continue; // overlaps are tested in `depth_is_the_shortest_translation`
        }
        // Relative to the first body, because positions would be rounded.
        let seen = |body: &MovingSolid, points: &[[f64; 3]]| -> Vec<[f64; 3]> {
            let mut near = body.clone();
            near.position = [0, 1, 2].map(|k| body.position[k] - bodies[0].position[k]);
            near.delta = [0, 1, 2].map(|k| body.delta[k] - bodies[0].delta[k]);
            near.accel = [0, 1, 2].map(|k| body.accel[k] - bodies[0].accel[k]);
            points.iter().map(|&p| near.at(p, t)).collect()
        };
        let least = every_feature::distance(&seen(&bodies[0], &a), &seen(&bodies[1], &b));
        let size = a.iter().chain(&b).copied().map(length).fold(0.0, f64::max);
        // The test of all pairs of triangles has no proof, and loses half of the digits if edges are nearly
        // parallel.
        let own = 2.0 * found.noise + 1e-9 * size;
        let about = format!("{found:?} is not {least}, {case:?}");
        assert!(found.lower + reach <= least + 2.0 * found.noise, "{about}");
        assert!((found.upper + reach - least).abs() <= own || found.upper == 0.0, "{about}");
        compared += 1;
    }
    assert!(compared > 300, "{compared} compared");
}

/// Goal: the depth of an overlap is its shortest translation. Method: overlapping boxes without rotation, by
/// their intervals; then any pair, separated by the depth and a little more.
#[test]
fn depth_is_the_shortest_translation() {
    let mut draw = Draw::new(5);
    for _ in 0..1_000 {
        let mut number = |low: f32, high: f32| f64::from(draw.between(low, high));
        let (a, b) = ([0; 3].map(|_| number(0.5, 2.0)), [0; 3].map(|_| number(0.5, 2.0)));
        let at = [0; 3].map(|_| number(-0.4, 0.4));
        let ways = [0, 1, 2].map(|k: usize| a[k] + b[k] - at[k].abs());
        let depth = ways.into_iter().fold(f64::INFINITY, f64::min);
        let boxes = [(a, [0.0; 3]), (b, at)]
            .map(|(half, at)| MovingSolid::resting(sharp(Core::cuboid(half)), at));
        let found = distance(&boxes[0], &boxes[1], 0.0);
        assert_eq!(found.upper, 0.0);
        // `lower` is the gap along some direction: no translation is shorter than the depth.
        assert!(-found.lower >= depth - found.noise, "{found:?} {depth}");
    }
    for case in convex_cases(6, how_many(2_000)) {
        let [a, mut b] = case.solids();
        let found = distance(&a, &b, 0.0);
        if found.lower < 0.0 {
            let out = -found.lower + 4.0 * found.noise;
            b.position = [0, 1, 2].map(|k| b.position[k] + found.normal[k] * out);
            let parted = distance(&a, &b, 0.0);
            // A distant position cannot change by a small step.
            let step = 1e-15 * length(b.position);
            assert!(parted.lower > -step - found.noise, "{found:?} {parted:?} {case:?}");
        }
    }
}

/// Goal: every distance is proved. Method: hostile pairs at several times; the gap along the normal is the
/// lower bound, and the two points are on the shapes at the distance of the upper bound.
#[test]
fn both_bounds_are_proved() {
    let (mut all, mut loose) = (0, 0);
    for case in convex_cases(7, how_many(3_000)) {
        let [a, b] = case.solids();
        for t in [0.0, 0.37, 1.0] {
            let found = distance(&a, &b, t);
            let about = format!("{found:?} {case:?}");
            let normal = length(found.normal);
            assert!((normal - 1.0).abs() < 1e-12, "{about}");
            assert!((gap(&a, &b, t, found.normal) - found.lower).abs() <= found.noise, "{about}");
            all += 1;
            if found.lower <= 0.0 {
                continue;
            }
            let apart = (found.upper - found.lower).max(0.0);
            assert!(apart <= 1e5 * found.noise, "{apart:e} {about}");
            loose += usize::from(apart > CLOSE * found.noise);
            // Points in world coordinates have lost the digits of the position.
            let places = length(found.on_a) + length(found.on_b);
            let own = 4.0 * found.noise + 8.0 * f64::EPSILON * places;
            let between = length([0, 1, 2].map(|k| found.on_b[k] - found.on_a[k]));
            assert!((between - found.upper).abs() <= own + 1e5 * apart, "{between} {about}");
            for (body, on) in [(&a, found.on_a), (&b, found.on_b)] {
                let away = distance(body, &point(on), t);
                assert!(away.lower <= own + apart, "{away:?} {about}");
            }
        }
    }
    assert!(loose * 500 < all, "{loose} of {all} bounds are loose");
}
