//! Tests of the distance of two convex shapes: never too large, and accurate.
//!
//! `swath::convex::gjk` is compared with the specification, which shares no code with it, over families of
//! hard pairs: apart, touching and overlapping.

use std::collections::BTreeMap;

use spec::{Core, MovingSolid, Solid};
use swath::convex::gjk;
use swath::convex::gjk::Distance;
use testkit::convex_asked::{hulls, motion, shape};
use testkit::convex_cases::{ConvexCase, convex_cases};
use testkit::convex_shapes::{PlainCore, PlainMotion, PlainShape};
use testkit::draw::how_many;

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn wide(v: [f32; 3]) -> [f64; 3] {
    v.map(f64::from)
}

fn asked(case: &ConvexCase) -> Distance {
    let hulls = hulls(case);
    let [a, b] = [0, 1].map(|k| shape(&case.shapes[k], hulls[k].as_ref()));
    let [of_a, of_b] = case.motions.each_ref().map(|plain| motion(plain).pose);
    gjk::distance(&a, &of_a, &b, &of_b).expect("poses")
}

/// Distance of a point from a solid at the start.
fn away(body: &MovingSolid, point: [f64; 3]) -> f64 {
    let dot = Solid { core: Core::Hull(vec![[0.0; 3]]), radius: 0.0 };
    spec::distance(body, &MovingSolid::resting(dot, point), 0.0).lower
}

/// What is wrong with a result, if anything is.
fn judged(case: &ConvexCase, found: &Distance) -> Result<&'static str, String> {
    let [a, b] = case.solids();
    let truth = spec::distance(&a, &b, 0.0);
    let (distance, normal) = (f64::from(found.distance), wide(found.normal));
    let (on_a, on_b) = (wide(found.on_a), wide(found.on_b));
    let size = case.shapes.iter().map(|shape| away_max(&shape.solid())).sum::<f64>();
    let round = f64::from(f32::EPSILON);
    let must = |holds: bool, promise: &str| {
        if holds {
            Ok(())
        } else {
            Err(format!("{promise}: {found:?}, but {truth:?} for {case:?}"))
        }
    };
    must((length(normal) - 1.0).abs() <= 4.0 * round, "a normal is unit")?;
    let apart = truth.lower > truth.noise;
    if apart {
        must(distance <= truth.upper + truth.noise, "never more than the distance")?;
    }
    let margins = a.solid.radius + b.solid.radius;
    if truth.lower + margins > 64.0 * truth.noise {
        // Apart, or overlapping by no more than the radii: exact.
        let off = distance.abs() / f64::from(1 << 20) + size / f64::from(1 << 26);
        must(distance >= truth.lower - off - truth.noise, "near the distance")?;
    }
    let along = spec::gap(&a, &b, 0.0, normal);
    let tilt = 4.0 * round * (size + distance.abs());
    must(along >= distance - tilt - truth.noise, "the normal shows the distance")?;
    must(along <= distance + tilt + truth.noise || apart, "a depth is that along the normal")?;
    let between = length([0, 1, 2].map(|k| on_b[k] - on_a[k]));
    let rounding = (length(on_a) + length(on_b) + size) * round;
    for (body, point) in [(&a, on_a), (&b, on_b)] {
        must(away(body, point) <= rounding, "a point is on its shape")?;
    }
    if truth.lower + margins > 1e-6 * size {
        let off = distance.abs() * 1e-5 + size * 1e-5 + rounding;
        must((between - distance.abs()).abs() <= off, "points are as far apart as the shapes")?;
    }
    Ok(if apart {
        "apart"
    } else if truth.lower + margins > 0.0 {
        "shallow"
    } else {
        "deep"
    })
}

/// Greatest distance of a point of a solid from the origin.
fn away_max(solid: &Solid) -> f64 {
    let core = match &solid.core {
        Core::Hull(points) => points.iter().copied().map(length).fold(0.0, f64::max),
        Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => {
            half_height.hypot(*radius)
        }
    };
    core + solid.radius
}

/// Goal: a rim does not stop the search. Method: a rounded corner in front of the rim of a cylinder, where
/// points of a simplex once became too close to each other for an accurate nearest point.
#[test]
fn distance_of_a_corner_from_a_rim_is_accurate() {
    let shape = |core| PlainShape { core, radius: 0.0 };
    let corner = shape(PlainCore::Hull(vec![[0.43622708, -0.9353173, 0.25175166]]));
    let rim = shape(PlainCore::Cylinder { half_height: 0.976535, radius: 0.3478052 });
    let at = |position, orientation| PlainMotion { position, orientation, ..PlainMotion::REST };
    let case = ConvexCase {
        family: "named",
        shapes: [corner, rim],
        motions: [
            at(
                [-0.8964273, 1.1088319, -1.3953832],
                [0.33116046, 0.23599315, -0.07347013, -0.9106273],
            ),
            at([0.0; 3], [0.19586259, 0.4888237, -0.44900727, -0.7218599]),
        ],
        target: 0.0,
        window: [0.0, 1.0],
    };
    assert_eq!(judged(&case, &asked(&case)), Ok("apart"));
}

/// Goal: a distance is at most the exact one and within the documented error; depths separate the shapes;
/// normals and points are as documented. Method: poses of every family at the start.
#[test]
fn distances_of_convex_shapes_keep_their_promises() {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut broken = Vec::new();
    for case in convex_cases(71, how_many(6_000)) {
        match judged(&case, &asked(&case)) {
            Ok(kind) => *counts.entry(kind).or_default() += 1,
            Err(promise) => broken.push(promise),
        }
    }
    println!("{counts:?}");
    let shown = broken[..broken.len().min(6)].join("\n");
    assert!(broken.is_empty(), "{} are broken:\n{shown}", broken.len());
    assert!(counts.len() == 3 && counts.values().all(|&count| count > 100), "{counts:?}");
}
