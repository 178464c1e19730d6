//! Distance, normal and nearest points of two convex shapes (GJK).
//!
//! The distance of the cores `A` and `B` is that of `x`, the origin of `B` relative to that of `A`,
//! from the difference `C = {a − b}`. The search keeps a simplex of points of `C`, computes its
//! point nearest to `x`, and adds the point of `C` farthest along the direction `n` from there to
//! `x` (Gilbert, Johnson and Keerthi 1988; van den Bergen 2004, §4.3). That support point `w` also
//! proves a bound: all of `C` is behind the plane across `n` at `w`, so
//!
//! ```text
//! n·(x − w)  ≤  distance  ≤  |x − nearest|
//! ```
//!
//! for every unit `n`, however it was found: a rounding error in the simplex costs iterations but
//! never breaks a bound. Where we differ: the lower bound is the result (others return the upper
//! one), the cores of balls and capsules are points and segments, and arithmetic is `f64` in the
//! frame of `A`.
//!
//! For shapes that overlap by no more than their radii, and for two boxes, the depth is exact. For
//! deeper overlaps of others it is searched by an expanding polytope, and is at most a thousandth too
//! great, as [`distance()`] describes. Moving `B` by it along the normal, before that is rounded to
//! `f32`, does separate the shapes.
//!
//! Cost: about four supports of either shape; from a [`GjkCache`] one or two if the pair hardly moved.
//!
//! ```text
//! result.rs       what a distance consists of
//! distance.rs     distance of one pair
//! boxes.rs        distance of boxes and of rounded ones
//! segments.rs     the same for balls and capsules with each other and with boxes
//! by_level.rs     distance of other shapes, by a search that is compiled for each level
//! pairs.rs        the distances of many pairs, or whether they overlap
//! overlap.rs      whether two shapes overlap
//! farther.rs      whether a plane proves that they are farther apart than a limit
//! nearest.rs      the search
//! box_axes.rs     the axes that can separate two boxes
//! box_depth.rs    depth of two boxes that overlap
//! penetration.rs  depth of any cores that overlap
//! parallel_axes.rs  the least depth of bodies of revolution about parallel axes
//! expanding_polytope.rs  the least depth of all others
//! local_depth.rs  the least depth near a direction
//! ```

mod ball_and_triangle;
mod box_axes;
mod box_depth;
mod boxes;
mod by_level;
mod distance;
mod expanding_polytope;
mod farther;
mod local_depth;
mod nearest;
mod overlap;
mod pairs;
mod parallel_axes;
mod penetration;
mod result;
mod segments;

pub(super) use box_axes::{Axis, CLEAR_EDGES};
pub(super) use boxes::{BoxPair, BoxPoints};
pub use distance::{distance, distance_from};
pub(crate) use farther::distance_within;
pub(super) use local_depth::gap_along;
pub use nearest::GJK_ITERATIONS_MAX;
pub(super) use nearest::{Accuracy, Gap, Nearest, ROUNDING, RotatedPair, RotatedShape};
pub use overlap::overlaps;
pub(crate) use overlap::overlaps_of_valid;
pub use pairs::{overlaps_of_pairs, pairs};
pub(super) use penetration::shallowest;
pub use result::{Distance, GjkCache};
pub(super) use segments::{GuessedPair, WithPair, with_segments};
