//! Tests of points, directions and poses in the axes of a pose.

use num_rational::BigRational;
use swath::{COORD_MAX, Pose};
use testkit::draw::{Draw, for_each};

fn exact(x: f32) -> BigRational {
    BigRational::from_float(x).expect("a finite number")
}

/// The rotation matrix of a quaternion of any length, in exact arithmetic.
fn matrix(rotation: [f32; 4]) -> [[BigRational; 3]; 3] {
    let [x, y, z, w] = rotation.map(exact);
    let square = &x * &x + &y * &y + &z * &z + &w * &w;
    let one = exact(1.0);
    let two = |a: BigRational| exact(2.0) * a / &square;
    [
        [&one - two(&y * &y + &z * &z), two(&x * &y - &w * &z), two(&x * &z + &w * &y)],
        [two(&x * &y + &w * &z), &one - two(&x * &x + &z * &z), two(&y * &z - &w * &x)],
        [two(&x * &z - &w * &y), two(&y * &z + &w * &x), &one - two(&x * &x + &y * &y)],
    ]
}

/// The product of a matrix, or of its transpose, with a vector.
fn times(
    matrix: &[[BigRational; 3]; 3],
    transposed: bool,
    v: &[BigRational; 3],
) -> [BigRational; 3] {
    [0, 1, 2].map(|row| {
        let at = |k: usize| if transposed { &matrix[k][row] } else { &matrix[row][k] };
        at(0) * &v[0] + at(1) * &v[1] + at(2) * &v[2]
    })
}

/// Asserts that a result differs from the exact one by at most half a unit in the last place and 2⁻⁴⁶ of `sum`.
fn assert_near(found: [f32; 3], wanted: &[BigRational; 3], sum: f64) {
    for (found, wanted) in found.into_iter().zip(wanted) {
        assert!(found.is_finite());
        let up = f64::from(found.abs().next_up()) - f64::from(found.abs());
        let most = 0.5 * up + sum * 2.0_f64.powi(-46);
        let most = BigRational::from_float(most).expect("a finite number");
        let off = exact(found) - wanted;
        assert!(off <= most && -off <= most, "{found} {wanted}");
    }
}

fn length(v: [f32; 3]) -> f64 {
    v.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>().sqrt()
}

/// A vector of any scale, of which some components are zero, tiny, or as large as a coordinate may be.
fn vector(draw: &mut Draw) -> [f32; 3] {
    let exponent = draw.one_of(&[0, 0, 10, -20, 60, 118, -120, -148]);
    [(); 3].map(|()| {
        let plain = draw.between(-1.0, 1.0) * 2.0_f32.powi(exponent);
        draw.one_of(&[plain, plain, plain, 0.0, -0.0, f32::from_bits(1), COORD_MAX])
    })
}

/// A valid pose, whose quaternion may be longer or shorter than one by the greatest allowed error.
fn pose(draw: &mut Draw) -> Pose {
    let axis = [(); 4].map(|()| draw.between(-1.0, 1.0) * draw.one_of(&[1.0, 1.0, 0.0, 1e-30]));
    let axis = if axis == [0.0; 4] { [0.0, 0.0, 0.0, -1.0] } else { axis };
    let mut pose = Pose::normalized(vector(draw), axis).expect("it has a direction");
    let by = draw.one_of(&[1.0, 1.0, 1.0 + 0.4 / 1024.0, 1.0 - 0.4 / 1024.0]);
    pose.rotation = pose.rotation.map(|x| x * by);
    assert_eq!(pose.validate(), Ok(()));
    pose
}

/// Goal: points and directions are converted in both directions with the documented error. Method: poses and vectors of all scales,
/// compared with a rotation matrix in exact arithmetic.
#[test]
fn points_and_directions_are_as_exact_as_documented() {
    for_each(
        3_000,
        |draw| (pose(draw), vector(draw)),
        |(pose, v)| {
            let (matrix, at) = (matrix(pose.rotation), pose.position.map(exact));
            let (given, sum) = (v.map(exact), length(v) + length(pose.position));
            let turned = times(&matrix, false, &given);
            assert_near(pose.transform_vector(v), &turned, length(v));
            assert_near(pose.inverse_transform_vector(v), &times(&matrix, true, &given), length(v));
            let moved = [0, 1, 2].map(|k| &turned[k] + &at[k]);
            assert_near(pose.transform_point(v), &moved, sum);
            let from = [0, 1, 2].map(|k| &given[k] - &at[k]);
            assert_near(pose.inverse_transform_point(v), &times(&matrix, true, &from), sum);
            let inverse = pose.inverse();
            let origin = times(&matrix, true, &at).map(|x| -x);
            assert_near(inverse.position, &origin, length(pose.position));
            let [x, y, z, w] = pose.rotation;
            assert_eq!(inverse.rotation, [-x, -y, -z, w]);
        },
    );
}

/// Goal: a composed pose converts points as the two poses do one after the other. Method: its position is that of the converted
/// origin, and its matrix the product of both matrices in exact arithmetic, up to the rounding of a quaternion.
#[test]
fn composed_pose_is_one_pose_after_the_other() {
    for_each(
        3_000,
        |draw| (pose(draw), pose(draw)),
        |(outer, inner)| {
            let composed = outer.compose(&inner);
            assert_eq!(composed.position, outer.transform_point(inner.position));
            let [of_outer, of_inner, found] =
                [outer, inner, composed].map(|pose| matrix(pose.rotation));
            for axis in 0..3 {
                let column = [0, 1, 2].map(|row| of_inner[row][axis].clone());
                let wanted = times(&of_outer, false, &column);
                for row in 0..3 {
                    let off = &found[row][axis] - &wanted[row];
                    let most = exact(1e-6);
                    assert!(off <= most && -off <= most, "{outer:?} {inner:?}");
                }
            }
            let square: f64 = composed.rotation.iter().map(|&x| f64::from(x).powi(2)).sum();
            assert!((square - 1.0).abs() <= 2e-6, "{square}");
        },
    );
}

/// Goal: a chain of compositions stays valid, and the identity changes nothing. Method: a million small rotations, which by rounding alone
/// would grow; poses of all scales composed with the identity.
#[test]
fn long_chains_of_poses_stay_valid() {
    let mut draw = Draw::new(3);
    let step = Pose::normalized([1e-7, 0.0, 0.0], [1e-5, -2e-6, 3e-6, 1.0]).expect("a direction");
    let mut at = Pose::IDENTITY;
    for _ in 0..1_000_000 {
        at = at.compose(&step);
    }
    assert_eq!(at.validate(), Ok(()));
    for _ in 0..1_000 {
        let mut pose = pose(&mut draw);
        pose.rotation = Pose::normalized([0.0; 3], pose.rotation).expect("a direction").rotation;
        assert_eq!(pose.compose(&Pose::IDENTITY), pose);
        assert_eq!(Pose::IDENTITY.compose(&pose), pose);
        let v = vector(&mut draw);
        assert_eq!(Pose::IDENTITY.transform_point(v), v);
        assert_eq!(Pose::IDENTITY.inverse_transform_point(v), v);
        let back = pose.inverse().compose(&pose);
        let most = length(pose.position) * 1e-6 + 1e-44;
        assert!(length(back.position) <= most, "{pose:?} {back:?}");
        assert!((back.rotation[3].abs() - 1.0).abs() < 1e-6);
        assert_eq!(pose.inverse().inverse().rotation, pose.rotation);
    }
}
