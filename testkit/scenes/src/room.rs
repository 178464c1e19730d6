//! The size of a scene for a given number of union pairs per box.
//!
//! Two boxes around whole paths, with sides `e` and `f` and centres distributed evenly over a cube of side
//! `L`, overlap with probability `product(e + f) / L^3` over the axes. The sum of that product over all
//! pairs, divided by the wanted number of pairs, is `L^3`. At a wall a part of the neighbours is missing; a
//! side shorter by half a mean side compensates for it.
//!
//! The bits are the same on every platform, so the cube root is computed by Newton's method.

/// Least side of a scene, for any number of boxes.
const SIDE_MIN: f64 = 1.0;

/// Number of Newton's steps for a cube root: enough for any `x` below 1e15, starting at `x`.
const CUBE_ROOT_ROUNDS: usize = 100;

/// The side of the cube over which the centres are distributed.
///
/// With `flat` the scene is a square on the axes `x` and `z`, and so low on `y` that any two boxes overlap
/// there.
pub(super) fn side(
    half: &[Vec<f32>; 3],
    delta: &[Vec<f32>; 3],
    pairs_per_box: f64,
    flat: bool,
) -> f64 {
    let rows = half[0].len();
    let boxes = rows.max(1) as f64;
    // For each set of axes, the sum over all boxes of the product of the sides on these axes.
    let mut sums = [0.0; 8];
    for row in 0..rows {
        let side = |axis: usize| f64::from(half[axis][row] * 2.0 + delta[axis][row].abs());
        // Flat: each is half as high as the scene, so that any two overlap.
        let [x, y, z] = [side(0), if flat { 0.5 } else { side(1) }, side(2)];
        for (sum, product) in sums.iter_mut().zip([1.0, x, y, x * y, z, x * z, y * z, x * y * z]) {
            *sum += product;
        }
    }
    // Expanded, the product of `e + f` has one term for each set of axes of `e` with the other axes of `f`. A
    // box is not a pair with itself.
    let mut both_orders = -8.0 * sums[7];
    for axes in 0..8 {
        both_orders += sums[axes] * sums[7 - axes];
    }
    let room = both_orders.max(0.0) / (2.0 * pairs_per_box * boxes);
    let side = if flat { room.sqrt() } else { cube_root(room) };
    let side_mean = sums[1] / boxes;
    (side - side_mean / 2.0).max(SIDE_MIN)
}

/// The cube root of `x >= 0`.
pub(super) fn cube_root(x: f64) -> f64 {
    let mut root = x.max(1.0);
    for _ in 0..CUBE_ROOT_ROUNDS {
        root = (2.0 * root + x / (root * root)) / 3.0;
    }
    root
}
