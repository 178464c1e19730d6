//! Tests of bodies of very different lengths that overlap at the start.

use swath::convex::toi::{self, Settings, ToiResult, Touch};
use swath::convex::{InvalidShape, gjk};
use swath::{Motion, Pose, Shape};
use testkit::draw::{Draw, how_many};

const TOUCHES: [Touch; 3] = [Touch::Hit, Touch::IfClosing, Touch::Ignore];

/// A shape, its position and its rotation.
type Placed = (Shape<'static>, [f32; 3], [f32; 4]);

const UNROTATED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Goal: a long body that is deep in another one overlaps it, whatever touches count, although the simplex of the search is so long that its
/// nearest point is off. Method: overlaps that were impacts, separated or unresolved; the depth of `gjk::distance`.
#[test]
fn deep_overlap_with_a_long_body_is_no_touch() -> Result<(), InvalidShape> {
    let origin = [0.0; 3];
    let cases: [(Placed, Placed, [f32; 3], f32); 5] = [
        (
            (Shape::cone(0.960_422_8, 0.269_264_46)?, origin, UNROTATED),
            (Shape::capsule(454.491_2, 5.354_454_6e-5)?, [0.0, 0.0, 0.021_683_011], UNROTATED),
            [-0.663_590_4, 0.571_011_4, -0.054_548_506],
            0.01,
        ),
        (
            (Shape::cylinder(0.955_917_95, 0.0)?, origin, UNROTATED),
            (Shape::cone(0.058_709_137, 52_785.875)?, origin, UNROTATED),
            [-0.028_342_29, 0.764_571, 0.644_306_96],
            1e-6,
        ),
        (
            (Shape::cylinder(0.642_070_35, 0.973_112_8)?.rounded(0.059_982_06)?, origin, UNROTATED),
            (
                Shape::cone(40_622_170_112.0, 0.0)?,
                [-0.296_337_75, -0.092_855_7, 0.086_038_15],
                [-0.050_358_176, -0.035_325_196, 0.820_064_54, -0.568_955_54],
            ),
            [-0.191_258_2, 0.818_280_2, 0.463_511_8],
            0.01,
        ),
        (
            (Shape::cylinder(0.0, 0.661_803_96)?, origin, [0.0, 1.0, 0.0, 0.0]),
            (
                Shape::cone(59_477_392.0, 0.0)?.rounded(0.116_084_08)?,
                origin,
                [-0.591_420_5, -0.056_951_41, 0.623_538_85, -0.508_111_83],
            ),
            [0.600_309_3, 0.828_386, -0.400_069_83],
            Settings::TOLERANCE,
        ),
        (
            (
                Shape::cuboid([3.273_115_7e-5, 3.411_525e-5, 2.766_415_9e-5])?,
                origin,
                [0.0, 0.707_106_77, 0.0, 0.707_106_77],
            ),
            (
                Shape::cylinder(953.474_24, 0.0)?,
                origin,
                [-0.170_371_79, 0.401_690_63, -0.410_977_45, -0.800_447_17],
            ),
            [0.1, 0.2, 0.3],
            0.1,
        ),
    ];
    for ((a, at, by), (b, b_at, b_by), delta, tolerance) in cases {
        let a_pose = Pose::normalized(at, by).expect("a pose");
        let b_pose = Pose::normalized(b_at, b_by).expect("a pose");
        let expected = -gjk::distance(&a, &a_pose, &b, &b_pose).expect("valid poses").distance;
        assert!(expected > 0.0);
        let (still, moving) = (Motion::from(a_pose), Motion::new(b_pose, delta).expect("a motion"));
        for touch in TOUCHES {
            let settings = Settings { tolerance, touch, ..Settings::default() };
            let found = toi::one_to_one(&a, &still, &b, &moving, &settings).expect("valid input");
            let ToiResult::Overlapping { depth, .. } = found.result else {
                panic!("{touch:?}: {found:?}, depth {expected}");
            };
            assert!((depth - expected).abs() <= 1e-5 * expected, "{touch:?}: {depth} {expected}");
        }
    }
    Ok(())
}

/// Goal: a body through which a needle goes overlaps it, whatever their lengths. Method: needles of 10³ to 10⁸ times the size of the body, through
/// points that are at least as deep inside as a given part of the greatest ball in the body.
#[test]
fn needle_through_a_body_overlaps_it() -> Result<(), InvalidShape> {
    let mut draw = Draw::new(11);
    let mut between = |least: f32, most: f32| draw.between(least, most);
    for case in 0..how_many(6_000) {
        let (h, r) = (between(0.3, 1.0), between(0.3, 1.0));
        let (body, inner) = match case % 3 {
            0 => (Shape::cuboid([h, r, 0.7])?, h.min(r)),
            1 => (Shape::cylinder(h, r)?, h.min(r)),
            // The distance of the origin from the side of the cone.
            _ => (Shape::cone(h, r)?, h.min(r * h / (4.0 * h * h + r * r).sqrt())),
        };
        let length = 10_f32.powf(between(3.0, 8.0));
        let needle = match case / 3 % 4 {
            0 => Shape::capsule(length, 0.0)?,
            1 => Shape::cylinder(length, 0.0)?,
            2 => Shape::cone(length, 0.0)?.rounded(0.01)?,
            _ => Shape::cuboid([1e-6, length, 0.0])?,
        };
        let mut vector = |most: f32| [0; 3].map(|_| between(-most, most));
        let (by, b_by) = (vector(1.0), vector(1.0));
        let rotation = |v: [f32; 3]| [v[0], v[1], v[2], 0.3];
        let through = vector(0.5 * inner / 3_f32.sqrt());
        let a_pose = Pose::normalized([0.0; 3], rotation(by)).expect("a pose");
        let b_pose = Pose::normalized(through, rotation(b_by)).expect("a pose");
        let (still, delta) = (Motion::from(a_pose), vector(1.0));
        let moving = Motion::new(b_pose, delta).expect("a motion");
        let tolerance = [0.01, Settings::TOLERANCE, 1e-6][case % 3];
        for touch in TOUCHES {
            let settings = Settings { tolerance, touch, ..Settings::default() };
            for swapped in [false, true] {
                let mut bodies = [(&body, &still), (&needle, &moving)];
                if swapped {
                    bodies.reverse();
                }
                let [a, b] = bodies;
                let found = toi::one_to_one(a.0, a.1, b.0, b.1, &settings).expect("valid input");
                let ToiResult::Overlapping { depth, .. } = found.result else {
                    panic!("{case} {touch:?} {swapped}: {found:?}");
                };
                // The needle may be rounded, and its depth is that of a point at least half of the radius inside.
                assert!(depth >= 0.45 * inner, "{case} {touch:?}: {depth} of {inner}");
            }
        }
    }
    Ok(())
}
