//! Boxes that move over one tick, with constant velocity or with constant acceleration.

use super::MapEach;
use super::aabb::{
    Aabb, Invalid, add_down, add_up, check_vector, round_down, round_to_nearest, sum_down,
};
use super::each_axis;
use bytemuck::{Pod, Zeroable};

/// A box that moves with constant velocity: at `t` in `[0, 1]` it is displaced by `delta · t`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct MovingBox {
    /// The box at the start of the tick.
    pub aabb: Aabb,
    /// The displacement over the tick.
    pub delta: [f32; 3],
}

impl MovingBox {
    /// Creates a box that moves by `delta`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is invalid, or a component of `delta` is not finite or its magnitude
    /// is greater than [`COORD_MAX`](super::COORD_MAX).
    pub fn new(aabb: Aabb, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let moving = Self { aabb, delta: delta.into() };
        moving.validate()?;
        Ok(moving)
    }

    /// Creates a moving box that contains a moving box given in `f64` at every time of the tick.
    ///
    /// The displacement is rounded to nearest, and the box grows outwards by the rounding error.
    /// The result is the smallest box for this displacement. See [`Aabb::from_f64`] for scenes that
    /// are too large for `f32`; a displacement needs no origin.
    ///
    /// # Errors
    ///
    /// The same as for [`MovingBox::new`].
    ///
    /// ```
    /// use swath::MovingBox;
    ///
    /// let moving = MovingBox::from_f64([0.0; 3], [1.0; 3], [0.1, 0.0, 0.0])?;
    /// let end = f64::from(moving.aabb.min[0]) + f64::from(moving.delta[0]);
    /// assert!(end <= 0.1 && end > 0.0999999);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn from_f64(
        min: impl Into<[f64; 3]>,
        max: impl Into<[f64; 3]>,
        delta: impl Into<[f64; 3]>,
    ) -> Result<Self, Invalid> {
        let (min, max) = (min.into(), max.into());
        Aabb::from_f64(min, max)?;
        let (delta, lost) = round_to_nearest(delta.into())?;
        let growth = lost.map_each(|lost| [below(lost), below(-lost)]);
        Self::new(Aabb::around(min, max, growth)?, delta)
    }

    /// Checks the box and the displacement.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for the lowest invalid axis: the error of the box, else that of the
    /// displacement.
    #[inline]
    pub fn validate(&self) -> Result<(), Invalid> {
        self.aabb.validate()?;
        check_vector(self.delta)
    }

    /// Returns the box around the whole path.
    ///
    /// A corner at the end of the path that `f32` cannot represent is rounded outwards, so the path
    /// never leaves the result. A corner that `f32` can represent is exact.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.aabb;
        Aabb {
            min: each_axis(|axis| {
                let end = add_down(min[axis], self.delta[axis]);
                if end < min[axis] { end } else { min[axis] }
            }),
            max: each_axis(|axis| {
                let end = add_up(max[axis], self.delta[axis]);
                if end > max[axis] { end } else { max[axis] }
            }),
        }
    }

    /// Returns the box at `t`, a fraction of the tick.
    ///
    /// `t` is clamped to `[0, 1]`. An infinite time, which is the time of a miss, gives the end of
    /// the path, and so does NaN. `delta · t` is rounded to nearest, and then the sums with both
    /// corners are. The magnitude of a coordinate is at most 2·[`COORD_MAX`](super::COORD_MAX).
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
        let by = self.delta.map_each(|delta| delta * t);
        let Aabb { min, max } = self.aabb;
        Aabb {
            min: each_axis(|axis| min[axis] + by[axis]),
            max: each_axis(|axis| max[axis] + by[axis]),
        }
    }
}

impl From<Aabb> for MovingBox {
    /// Creates a box that does not move.
    fn from(aabb: Aabb) -> Self {
        Self { aabb, delta: [0.0; 3] }
    }
}

/// A box with constant acceleration: at `t` in `[0, 1]` it is displaced by `delta · t + ½ · accel ·
/// t²`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct AcceleratingBox {
    /// The box at the start of the tick.
    pub aabb: Aabb,
    /// The displacement over the tick without the acceleration: the velocity at the start.
    pub delta: [f32; 3],
    /// The acceleration, in length per tick².
    pub accel: [f32; 3],
}

impl AcceleratingBox {
    /// Creates a box that starts with velocity `delta` and has acceleration `accel`.
    ///
    /// # Errors
    ///
    /// [`Invalid`] when `aabb` is invalid, or a component of `delta` or `accel` is not finite or
    /// its magnitude is greater than [`COORD_MAX`](super::COORD_MAX).
    pub fn new(
        aabb: Aabb,
        delta: impl Into<[f32; 3]>,
        accel: impl Into<[f32; 3]>,
    ) -> Result<Self, Invalid> {
        let moving = Self { aabb, delta: delta.into(), accel: accel.into() };
        moving.validate()?;
        Ok(moving)
    }

    /// Creates an accelerating box that contains one given in `f64` at every time of the tick.
    ///
    /// Displacement and acceleration are rounded to nearest. The box grows outwards by the rounding
    /// error of the displacement and half of that of the acceleration. See [`Aabb::from_f64`] for
    /// scenes that are too large for `f32`; displacement and acceleration need no origin.
    ///
    /// # Errors
    ///
    /// The same as for [`AcceleratingBox::new`].
    ///
    /// ```
    /// use swath::batch::AcceleratingBox;
    ///
    /// let up = [0.0, 0.1, 0.0];
    /// let falling = AcceleratingBox::from_f64([0.0; 3], [1.0; 3], up, [0.0, -0.3, 0.0])?;
    /// let [y, dy, ay] = [falling.aabb.max[1], falling.delta[1], falling.accel[1]].map(f64::from);
    /// assert!(y + dy + 0.5 * ay >= 1.0 + 0.1 - 0.15);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn from_f64(
        min: impl Into<[f64; 3]>,
        max: impl Into<[f64; 3]>,
        delta: impl Into<[f64; 3]>,
        accel: impl Into<[f64; 3]>,
    ) -> Result<Self, Invalid> {
        let (min, max) = (min.into(), max.into());
        Aabb::from_f64(min, max)?;
        let (delta, delta_lost) = round_to_nearest(delta.into())?;
        let (accel, accel_lost) = round_to_nearest(accel.into())?;
        let growth = each_axis(|axis| {
            let (of_delta, of_accel) = (delta_lost[axis], accel_lost[axis]);
            let total = |delta, accel| -sum_down(-below(delta), -half_up(below(accel)));
            [total(of_delta, of_accel), total(-of_delta, -of_accel)]
        });
        Self::new(Aabb::around(min, max, growth)?, delta, accel)
    }

    /// Returns the box around the whole path, including the turning points inside the tick.
    ///
    /// Rounded outwards, so the path never leaves the result. It is the smallest such box except
    /// for one float, plus 2⁻⁵¹ of displacement and acceleration where the two mostly cancel.
    /// Without acceleration the result is that of [`MovingBox::bounds`].
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.aabb;
        Aabb {
            min: each_axis(|axis| {
                let lowest = lowest(self.delta[axis], self.accel[axis]);
                let end = round_down(sum_down(min[axis].into(), lowest));
                if min[axis] <= end { min[axis] } else { end }
            }),
            max: each_axis(|axis| {
                // That of the mirrored path. A path that ends at zero has a zero without a sign, as a sum has.
                let lowest = lowest(-self.delta[axis], -self.accel[axis]);
                let end = 0.0 - round_down(sum_down((-max[axis]).into(), lowest));
                if max[axis] >= end { max[axis] } else { end }
            }),
        }
    }

    /// Checks the box, the displacement and the acceleration.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for the lowest invalid axis: the error of the box, else that of the
    /// displacement, else that of the acceleration.
    pub fn validate(&self) -> Result<(), Invalid> {
        self.aabb.validate()?;
        check_vector(self.delta)?;
        check_vector(self.accel)
    }
}

impl From<MovingBox> for AcceleratingBox {
    /// Creates a box without acceleration.
    fn from(MovingBox { aabb, delta }: MovingBox) -> Self {
        Self { aabb, delta, accel: [0.0; 3] }
    }
}

/// Returns how far a displacement of `lost` goes below zero: `max(-lost, 0)`.
fn below(lost: f64) -> f64 {
    if lost < 0.0 { -lost } else { 0.0 }
}

/// Returns `x / 2` rounded up. `x` must not be negative.
fn half_up(x: f64) -> f64 {
    let half = 0.5 * x;
    if half + half < x { half.next_up() } else { half }
}

/// Returns the least value of `d·t + ½·g·t²` for `t` in `[0, 1]`, which is at most zero, rounded
/// down.
fn lowest(d: f32, g: f32) -> f64 {
    let (d, g) = (f64::from(d), f64::from(g));
    let end = sum_down(d, 0.5 * g);
    let lowest = if end < 0.0 { end } else { 0.0 };
    // The turning point is at t = -d / g, with value d² / -2g. Products of two floats are exact in
    // `f64`.
    if d >= 0.0 || d + g <= 0.0 {
        return lowest;
    }
    let (square, twice) = (d * d, -2.0 * g);
    let turn = square / twice;
    let exact = f64::from(turn as f32) == turn && turn * twice == square;
    if exact { turn } else { turn.next_down() }
}
