//! What contains a convex body at rest.

use super::Aabb;

/// A rounded box around a convex body, and a ball around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enclosure {
    /// No point of the body is farther from this box than `radius`.
    pub(crate) core: Aabb,
    pub(crate) radius: f32,
    /// The centre of the ball.
    pub(crate) center: [f32; 3],
    /// The radius of the ball.
    pub(crate) reach: f32,
}

/// A plane that a convex body is behind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlaneInFront {
    /// Its length is 1, except for 2⁻²².
    pub(crate) normal: [f32; 3],
    /// Upper bound of `normal · (x − center)` for the points `x` of the body, where `center` is that of the [ball](Enclosure::center).
    pub(crate) offset: f32,
}
