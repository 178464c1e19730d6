//! What is a box that moves over a tick?

use super::aabb::{
    Aabb, Invalid, add_down, add_up, check_axis_f64, check_vector, round_down, sum_down,
};
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

    /// A box that holds one given in `f64` at every time of the tick.
    ///
    /// The displacement is rounded to nearest, and the box grown by what that loses, outwards: of
    /// all boxes with this displacement it is the least. See [`Aabb::from_f64`] on large worlds; a
    /// displacement needs no origin.
    ///
    /// # Errors
    ///
    /// As [`MovingBox::new`].
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
        let (delta, lost) = nearest(delta.into())?;
        let growth = lost.map(|lost| [below(lost), below(-lost)]);
        Self::new(Aabb::around(min, max, growth)?, delta)
    }

    /// Whether this is a box and a displacement.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: what is wrong with the box, else with the displacement; the lowest axis.
    #[inline]
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

    /// A box that holds one given in `f64` at every time of the tick.
    ///
    /// Displacement and acceleration are rounded to nearest, and the box grown by what the one
    /// loses and half of what the other does, outwards. See [`Aabb::from_f64`] on large worlds;
    /// neither needs an origin.
    ///
    /// # Errors
    ///
    /// As [`AcceleratingBox::new`].
    ///
    /// ```
    /// use swath::AcceleratingBox;
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
        let (delta, delta_lost) = nearest(delta.into())?;
        let (accel, accel_lost) = nearest(accel.into())?;
        let growth = core::array::from_fn(|axis| {
            let (of_delta, of_accel) = (delta_lost[axis], accel_lost[axis]);
            let total = |delta, accel| -sum_down(-below(delta), -half_up(below(accel)));
            [total(of_delta, of_accel), total(-of_delta, -of_accel)]
        });
        Self::new(Aabb::around(min, max, growth)?, delta, accel)
    }

    /// The box around the whole path, the turning points inside the tick included.
    ///
    /// Rounded outwards, so the path never leaves this box. As tight as `f32` allows but for one
    /// float, and 2⁻⁵¹ of displacement and acceleration where most of them cancels. Without
    /// acceleration it is [`MovingBox::bounds`].
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let Aabb { min, max } = self.aabb;
        let lowest = |axis: usize| lowest(self.delta[axis], self.accel[axis]);
        let highest = |axis: usize| -self::lowest(-self.delta[axis], -self.accel[axis]);
        Aabb {
            min: core::array::from_fn(|k| round_down(sum_down(min[k].into(), lowest(k)))),
            max: core::array::from_fn(|k| -round_down(sum_down((-max[k]).into(), -highest(k)))),
        }
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

/// A vector rounded to nearest, and what that loses: a vector of `f64`, exactly.
fn nearest(vector: [f64; 3]) -> Result<([f32; 3], [f64; 3]), Invalid> {
    (0..3).try_for_each(|axis| check_axis_f64(axis, vector[axis], vector[axis]))?;
    let rounded = vector.map(|x| x as f32);
    Ok((rounded, core::array::from_fn(|axis| vector[axis] - f64::from(rounded[axis]))))
}

/// How far a path goes below its start that moves by `lost`.
fn below(lost: f64) -> f64 {
    if lost < 0.0 { -lost } else { 0.0 }
}

/// `x / 2`, rounded up, for `x` not negative.
fn half_up(x: f64) -> f64 {
    let half = 0.5 * x;
    if half + half < x { half.next_up() } else { half }
}

/// The least of `d·t + ½·g·t²` in the tick, which is not above zero; rounded down.
fn lowest(d: f32, g: f32) -> f64 {
    let (d, g) = (f64::from(d), f64::from(g));
    let end = sum_down(d, 0.5 * g);
    let lowest = if end < 0.0 { end } else { 0.0 };
    // The turn is at -d / g, where it is d² / -2g. Products of two floats are exact in `f64`.
    if d >= 0.0 || d + g <= 0.0 {
        return lowest;
    }
    let (square, twice) = (d * d, -2.0 * g);
    let turn = square / twice;
    let exact = f64::from(turn as f32) == turn && turn * twice == square;
    if exact { turn } else { turn.next_down() }
}
