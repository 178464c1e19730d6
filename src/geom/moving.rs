//! What is a box that moves over a tick?

use super::aabb::{Aabb, Invalid, add_down, add_up, check_vector};
use bytemuck::{Pod, Zeroable};

/// A box and how far it goes in one tick: at `t` in `[0, 1]` it is moved by `delta · t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct MovingBox {
    /// Where the box is when the tick starts.
    pub aabb: Aabb,
    /// Its displacement over the tick.
    pub delta: [f32; 3],
}

impl MovingBox {
    /// A box that moves by `delta`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is no box, or `delta` is not finite or past
    /// [`COORD_MAX`](super::COORD_MAX).
    pub fn new(aabb: Aabb, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let moving = Self { aabb, delta: delta.into() };
        moving.validate()?;
        Ok(moving)
    }

    /// Whether this is a box and a displacement.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: what is wrong with the box, else with the displacement; the lowest axis.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.aabb.validate()?;
        check_vector(self.delta)
    }

    /// The box around the whole path.
    ///
    /// An end that `f32` cannot hold is rounded outwards, so the path never leaves this box; an
    /// end that it can hold is exact.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.aabb;
        Aabb {
            min: core::array::from_fn(|axis| {
                let end = add_down(min[axis], self.delta[axis]);
                if end < min[axis] { end } else { min[axis] }
            }),
            max: core::array::from_fn(|axis| {
                let end = add_up(max[axis], self.delta[axis]);
                if end > max[axis] { end } else { max[axis] }
            }),
        }
    }

    /// Where the box is at `t`, a fraction of the tick.
    ///
    /// Below 0 counts as 0, past 1 as 1; so an infinite time, which is that of a miss, is the end of
    /// the path, and NaN is too. `delta · t` is rounded to nearest, then the sums with both corners
    /// are; at most 2·[`COORD_MAX`](super::COORD_MAX) in magnitude.
    ///
    /// ```
    /// use swath::{Aabb, MovingBox};
    ///
    /// let moving = MovingBox::new(Aabb::cube([0.0; 3], 1.0)?, [8.0, -2.0, 0.0])?;
    /// assert_eq!(moving.at(0.25), Aabb::cube([2.0, -0.5, 0.0], 1.0)?);
    /// assert_eq!(moving.at(f32::INFINITY), moving.at(1.0));
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    #[must_use]
    pub fn at(&self, t: f32) -> Aabb {
        let t = if t < 1.0 { t } else { 1.0 };
        let t = if t > 0.0 { t } else { 0.0 };
        let by = self.delta.map(|delta| delta * t);
        let Aabb { min, max } = self.aabb;
        Aabb {
            min: core::array::from_fn(|axis| min[axis] + by[axis]),
            max: core::array::from_fn(|axis| max[axis] + by[axis]),
        }
    }
}

impl From<Aabb> for MovingBox {
    /// A box that stays where it is.
    fn from(aabb: Aabb) -> Self {
        Self { aabb, delta: [0.0; 3] }
    }
}

/// A box under constant acceleration: at `t` in `[0, 1]` it is moved by
/// `delta · t + ½ · accel · t²`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct AcceleratingBox {
    /// Where the box is when the tick starts.
    pub aabb: Aabb,
    /// Its displacement over the tick, were it not accelerated.
    pub delta: [f32; 3],
    /// Its acceleration: displacement per tick².
    pub accel: [f32; 3],
}

impl AcceleratingBox {
    /// A box that moves by `delta` and gets faster by `accel`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is no box, or one of the others is not finite or past
    /// [`COORD_MAX`](super::COORD_MAX).
    pub fn new(
        aabb: Aabb,
        delta: impl Into<[f32; 3]>,
        accel: impl Into<[f32; 3]>,
    ) -> Result<Self, Invalid> {
        let moving = Self { aabb, delta: delta.into(), accel: accel.into() };
        moving.validate()?;
        Ok(moving)
    }

    /// Whether this is a box, a displacement and an acceleration.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: what is wrong with the box, else with the displacement, else with the
    /// acceleration; the lowest axis.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.aabb.validate()?;
        check_vector(self.delta)?;
        check_vector(self.accel)
    }
}

impl From<MovingBox> for AcceleratingBox {
    /// A box that keeps its velocity.
    fn from(MovingBox { aabb, delta }: MovingBox) -> Self {
        Self { aabb, delta, accel: [0.0; 3] }
    }
}
