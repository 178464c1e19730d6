//! Points, directions and poses are converted within the stated error, for whatever poses another target has.

use crate::finite::assert_finite;
use swath::Pose;

/// Tests the conversions by a pose, of a vector and of another pose. Of an invalid pose they only end.
pub(super) fn convert(pose: &Pose, other: &Pose, vector: [f32; 3]) {
    let composed = pose.compose(other);
    let inverse = pose.inverse();
    let found = [
        pose.transform_vector(vector),
        pose.inverse_transform_vector(vector),
        pose.transform_point(vector),
        pose.inverse_transform_point(vector),
    ];
    let is_vector = Pose::at(vector).is_ok();
    if pose.validate().is_err() || other.validate().is_err() || !is_vector {
        return;
    }
    assert_finite(&(composed, inverse, found));
    let rotation = matrix(pose.rotation);
    let (v, at) = (vector.map(f64::from), pose.position.map(f64::from));
    let turned = times(&rotation, v, false);
    let from = [0, 1, 2].map(|k| v[k] - at[k]);
    let wanted = [
        turned,
        times(&rotation, v, true),
        [0, 1, 2].map(|k| turned[k] + at[k]),
        times(&rotation, from, true),
    ];
    let sums = [length(v), length(v), length(v) + length(at), length(v) + length(at)];
    for ((found, wanted), sum) in found.into_iter().zip(wanted).zip(sums) {
        assert_near(found, wanted, sum, pose);
    }
    let back = times(&rotation, at, true).map(|x| -x);
    assert_near(inverse.position, back, length(at), pose);
    assert_eq!(composed.position, pose.transform_point(other.position));
    let square: f64 = composed.rotation.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    assert!((square - 1.0).abs() < 2e-6, "{pose:?} {other:?} {composed:?}");
    let product = matrix(composed.rotation);
    let inner = matrix(other.rotation);
    for axis in 0..3 {
        let column = times(&rotation, [0, 1, 2].map(|row| inner[row][axis]), false);
        for row in 0..3 {
            let off = product[row][axis] - column[row];
            assert!(off.abs() < 1e-6, "{pose:?} {other:?} {composed:?}");
        }
    }
}

/// Half a unit in the last place and a small part of `sum`, twice what is stated for it, because the wanted numbers are rounded too.
fn assert_near(found: [f32; 3], wanted: [f64; 3], sum: f64, pose: &Pose) {
    for (found, wanted) in found.into_iter().zip(wanted) {
        let up = f64::from(found.abs().next_up()) - f64::from(found.abs());
        let off = (f64::from(found) - wanted).abs();
        assert!(off <= 0.5 * up + sum * f64::EPSILON * 128.0, "{found} {wanted} {pose:?}");
    }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The rotation matrix of a quaternion of any length.
fn matrix(rotation: [f32; 4]) -> [[f64; 3]; 3] {
    let [x, y, z, w] = rotation.map(f64::from);
    let by = 2.0 / (x * x + y * y + z * z + w * w);
    [
        [1.0 - by * (y * y + z * z), by * (x * y - w * z), by * (x * z + w * y)],
        [by * (x * y + w * z), 1.0 - by * (x * x + z * z), by * (y * z - w * x)],
        [by * (x * z - w * y), by * (y * z + w * x), 1.0 - by * (x * x + y * y)],
    ]
}

/// The product of a matrix, or of its transpose, with a vector.
fn times(matrix: &[[f64; 3]; 3], v: [f64; 3], transposed: bool) -> [f64; 3] {
    [0, 1, 2].map(|row| {
        let at = |k: usize| if transposed { matrix[k][row] } else { matrix[row][k] };
        at(0) * v[0] + at(1) * v[1] + at(2) * v[2]
    })
}
