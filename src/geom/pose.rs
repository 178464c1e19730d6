//! Rigid poses, and the motion of a body over one tick.

use super::MapEach;
use super::aabb::{COORD_MAX, Invalid, check_axis, check_vector};
use super::each_axis;
use bytemuck::{Pod, Zeroable};

/// The greatest length of a spin, in radians per tick: about 163 full turns.
pub const SPIN_MAX: f32 = 1024.0;

/// The greatest deviation of the squared length of a quaternion from one.
const UNIT_SLACK: f64 = 1.0 / 1024.0;
/// The deviation up to which [`Motion::at`] and [`Pose::compose`] do not normalise: far above the rounding error of a unit quaternion in `f32`.
const DRIFT_MAX: f64 = 1.0 / (1 << 20) as f64;

/// Position and rotation of a body.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pose {
    /// The position of the origin of the body frame, which is also the centre of rotation.
    pub position: [f32; 3],
    /// The orientation of the body frame: a unit quaternion `[x, y, z, w]`.
    ///
    /// Every computation divides by its length, so a small rounding error of the length has no
    /// effect.
    pub rotation: [f32; 4],
}

impl Pose {
    /// At the origin, not rotated.
    pub const IDENTITY: Self = Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

    /// Creates a pose.
    ///
    /// # Errors
    ///
    /// The same as for [`Pose::validate`].
    ///
    /// ```
    /// use swath::{Invalid, Pose};
    ///
    /// let half = 0.5_f32.sqrt();
    /// let quarter_turn = Pose::new([1.0, 0.0, 0.0], [0.0, 0.0, half, half])?;
    /// assert_eq!(quarter_turn.position, [1.0, 0.0, 0.0]);
    /// assert_eq!(Pose::new([0.0; 3], [0.0; 4]), Err(Invalid::Rotation));
    /// # Ok::<(), Invalid>(())
    /// ```
    pub fn new(
        position: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
    ) -> Result<Self, Invalid> {
        let pose = Self { position: position.into(), rotation: rotation.into() };
        pose.validate()?;
        Ok(pose)
    }

    /// Creates a pose at `position` without rotation.
    ///
    /// # Errors
    ///
    /// The same as for [`Pose::validate`].
    pub fn at(position: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        Self::new(position, Self::IDENTITY.rotation)
    }

    /// Creates a pose from a quaternion of any length, which is normalised: `rotation / |rotation|`, rounded to nearest.
    ///
    /// # Errors
    ///
    /// As for [`Pose::from_f64`].
    ///
    /// ```
    /// use swath::{Invalid, Pose};
    ///
    /// let half_turn = Pose::normalized([0.0; 3], [0.0, 3.0e-30, 0.0, 0.0])?;
    /// assert_eq!(half_turn.rotation, [0.0, 1.0, 0.0, 0.0]);
    /// assert_eq!(Pose::normalized([0.0; 3], [0.0; 4]), Err(Invalid::Rotation));
    /// # Ok::<(), Invalid>(())
    /// ```
    pub fn normalized(
        position: impl Into<[f32; 3]>,
        rotation: impl Into<[f32; 4]>,
    ) -> Result<Self, Invalid> {
        let [x, y, z, w] = rotation.into();
        Self::rounded(position.into(), [x.into(), y.into(), z.into(), w.into()])
    }

    /// Creates a pose from numbers in `f64`. The position is rounded to nearest, and the quaternion is normalised as by
    /// [`Pose::normalized`].
    ///
    /// # Errors
    ///
    /// [`Invalid`] for a coordinate that is not finite or whose magnitude is greater than
    /// [`COORD_MAX`](super::COORD_MAX), else [`Invalid::Rotation`] for a quaternion of which a component is not finite,
    /// or all are zero.
    ///
    /// ```
    /// use swath::Pose;
    ///
    /// let pose = Pose::from_f64([0.1, 0.0, 0.0], [0.0, 0.0, 2.0, 2.0])?;
    /// assert_eq!(pose, Pose::new([0.1, 0.0, 0.0], [0.0, 0.0, 0.5_f32.sqrt(), 0.5_f32.sqrt()])?);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn from_f64(
        position: impl Into<[f64; 3]>,
        rotation: impl Into<[f64; 4]>,
    ) -> Result<Self, Invalid> {
        let position = position.into();
        (0..3).try_for_each(|axis| check_axis(axis, position[axis], position[axis]))?;
        Self::rounded(position.map_each(|x| x as f32), rotation.into())
    }

    /// Creates a pose from a quaternion of any length.
    fn rounded(position: [f32; 3], rotation: [f64; 4]) -> Result<Self, Invalid> {
        let largest =
            rotation.iter().fold(0.0, |most: f64, x| if x.abs() > most { x.abs() } else { most });
        // Dividing by the largest component first avoids that a square overflows or vanishes. A quaternion that is not
        // a number, infinite or zero becomes NaN here, which the check rejects.
        let scaled = rotation.map_each(|x| x / largest);
        let length = libm::sqrt(square_of(scaled));
        let pose = Self { position, rotation: scaled.map_each(|x| (x / length) as f32) };
        pose.validate()?;
        Ok(pose)
    }

    /// Checks the position and the rotation.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for a coordinate that is not finite or whose magnitude is greater than
    /// [`COORD_MAX`](super::COORD_MAX), else [`Invalid::Rotation`] for a quaternion whose squared
    /// length differs from one by more than 2⁻¹⁰.
    #[inline]
    pub fn validate(&self) -> Result<(), Invalid> {
        let [x, y, z] = self.position;
        if is_within([x, y, z], [COORD_MAX; 3]) & is_clearly_unit(self.rotation) {
            return Ok(());
        }
        self.validate_exactly()
    }

    /// Does what [`Pose::validate`] does, also for numbers that are almost invalid.
    #[cold]
    fn validate_exactly(&self) -> Result<(), Invalid> {
        check_vector(self.position)?;
        let square = square_of(self.rotation.map_each(f64::from));
        // NaN is in no range, so it is rejected too.
        let unit = (1.0 - UNIT_SLACK..=1.0 + UNIT_SLACK).contains(&square);
        if unit { Ok(()) } else { Err(Invalid::Rotation) }
    }
}

/// Returns the squared length of a quaternion.
pub(super) fn square_of([x, y, z, w]: [f64; 4]) -> f64 {
    x * x + y * y + z * z + w * w
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A pose and how it changes over one tick.
///
/// The constructors check each number once. The fields are public, so functions that take a motion check it too: a batch or a
/// tick once for each row, before any pair is computed.
///
/// At `t` in `[0, 1]` the position is `pose.position + delta · t + ½ · accel · t²` and the rotation
/// is `exp(spin · t) · pose.rotation`: the body rotates about an axis through its position that has
/// a fixed direction in the world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Motion {
    /// The pose at the start of the tick.
    pub pose: Pose,
    /// The displacement over the tick without the acceleration: the velocity at the start.
    pub delta: [f32; 3],
    /// The acceleration, in length per tick².
    pub accel: [f32; 3],
    /// The rotation over the tick as a rotation vector, in radians.
    ///
    /// Its direction is the axis (right-handed) and its length is the angle. An angle of more than
    /// a full turn is taken literally.
    pub spin: [f32; 3],
}

impl Motion {
    /// Creates the motion of a body that moves by `delta`.
    ///
    /// # Errors
    ///
    /// The same as for [`Motion::validate`].
    pub fn new(pose: Pose, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let delta = delta.into();
        pose.validate()?;
        check_vector(delta)?;
        Ok(Self { pose, delta, ..Self::default() })
    }

    /// Returns the same motion with acceleration `accel`. Nothing else is checked again.
    ///
    /// # Errors
    ///
    /// [`Invalid`] for an acceleration that is not finite or whose magnitude is greater than
    /// [`COORD_MAX`](super::COORD_MAX).
    pub fn accelerating(self, accel: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let accel = accel.into();
        check_vector(accel)?;
        Ok(Self { accel, ..self })
    }

    /// Returns the same motion with rotation `spin` over the tick. Nothing else is checked again.
    ///
    /// # Errors
    ///
    /// [`Invalid::Spin`] for a spin that is longer than [`SPIN_MAX`].
    ///
    /// ```
    /// use swath::{Motion, Pose};
    ///
    /// let half_turn = [0.0, 0.0, core::f32::consts::PI];
    /// let wheel = Motion::new(Pose::at([0.0, 2.0, 0.0])?, [4.0, 0.0, 0.0])?.spinning(half_turn)?;
    /// let [_, _, z, w] = wheel.at(0.5).rotation;
    /// assert!((z - 0.5_f32.sqrt()).abs() < 1e-6 && (w - 0.5_f32.sqrt()).abs() < 1e-6);
    /// # Ok::<(), swath::Invalid>(())
    /// ```
    pub fn spinning(self, spin: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let spin = spin.into();
        check_spin(spin)?;
        Ok(Self { spin, ..self })
    }

    /// Checks the pose, the displacement, the acceleration and the spin.
    ///
    /// # Errors
    ///
    /// The error of the pose, else [`Invalid`] for a displacement or an acceleration that is not
    /// finite or whose magnitude is greater than [`COORD_MAX`](super::COORD_MAX), else
    /// [`Invalid::Spin`] for a spin longer than [`SPIN_MAX`].
    #[inline]
    pub fn validate(&self) -> Result<(), Invalid> {
        let numbers: [f32; 16] = bytemuck::cast(*self);
        if is_within(numbers, CLEARLY_VALID) & is_clearly_unit(self.pose.rotation) {
            return Ok(());
        }
        self.validate_exactly()
    }

    /// Does what [`Motion::validate`] does, also for numbers that are almost invalid.
    #[cold]
    fn validate_exactly(&self) -> Result<(), Invalid> {
        self.pose.validate_exactly()?;
        check_vector(self.delta)?;
        check_vector(self.accel)?;
        check_spin(self.spin)
    }

    /// Returns the pose at `t`, a fraction of the tick, computed in `f64` and rounded to nearest. A rotated quaternion whose squared length
    /// differs from one by more than 2⁻²⁰ is normalised, so the rotation of a pose that is advanced from tick to tick stays valid.
    ///
    /// `t` is clamped to `[0, 1]`. Infinity and NaN give the end of the path. The magnitude of a coordinate of the position is at most
    /// 2.5·[`COORD_MAX`](super::COORD_MAX), and the pose is invalid if it is greater than `COORD_MAX`.
    #[must_use]
    pub fn at(&self, t: f32) -> Pose {
        let t = if t < 1.0 { t } else { 1.0 };
        let t = f64::from(if t > 0.0 { t } else { 0.0 });
        let position = each_axis(|axis| {
            let [start, delta, accel] =
                [self.pose.position[axis], self.delta[axis], self.accel[axis]].map_each(f64::from);
            (start + (delta * t + 0.5 * accel * (t * t))) as f32
        });
        let spin = self.spin.map_each(f64::from);
        let rate = libm::sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
        if rate == 0.0 {
            return Pose { position, ..self.pose };
        }
        let (sin, cos) = libm::sincos(0.5 * rate * t);
        let [x, y, z] = spin.map_each(|along| along / rate * sin);
        let turned = product([x, y, z, cos], self.pose.rotation.map_each(f64::from));
        Pose { position, rotation: to_unit(turned) }
    }
}

/// Returns the product of two quaternions: the rotation by the second one, and then by the first one.
pub(super) fn product([x, y, z, cos]: [f64; 4], [a, b, c, w]: [f64; 4]) -> [f64; 4] {
    [
        cos * a + x * w + y * c - z * b,
        cos * b + y * w + z * a - x * c,
        cos * c + z * w + x * b - y * a,
        cos * w - x * a - y * b - z * c,
    ]
}

/// Rounds a quaternion, and normalises it if its squared length differs from one by more than [`DRIFT_MAX`].
pub(super) fn to_unit(rotation: [f64; 4]) -> [f32; 4] {
    // The greatest component of a slowly rotating quaternion changes by less than half of its last place, so it is rounded back in each
    // tick, while the others grow. Without this division the pose would become invalid after some ten thousand ticks.
    let square = square_of(rotation);
    let is_unit = (square - 1.0).abs() <= DRIFT_MAX || square == 0.0;
    let length = if is_unit { 1.0 } else { libm::sqrt(square) };
    rotation.map_each(|x| (x / length) as f32)
}

/// Magnitudes up to which the numbers of a motion are valid, if its quaternion is. A spin of which each component is at most half of
/// [`SPIN_MAX`] is shorter than [`SPIN_MAX`].
const CLEARLY_VALID: [f32; 16] = {
    const C: f32 = COORD_MAX;
    const S: f32 = 0.5 * SPIN_MAX;
    [C, C, C, 2.0, 2.0, 2.0, 2.0, C, C, C, C, C, C, S, S, S]
};

/// Returns whether the magnitude of each number is at most that of `most`. NaN is not.
///
/// The bits of magnitudes are ordered as the magnitudes are, and those of NaN are the greatest. So there is no branch and no comparison
/// before the end, and vectors are subtracted at once.
#[inline(always)]
fn is_within<const N: usize>(numbers: [f32; N], most: [f32; N]) -> bool {
    let bits = |x: f32| (x.to_bits() & !SIGN).cast_signed();
    let beyond = numbers.iter().zip(&most).fold(0, |all, (&x, &most)| all | (bits(most) - bits(x)));
    beyond >= 0
}

/// The bit of the sign of an `f32`.
const SIGN: u32 = 1 << 31;

/// Returns whether the squared length of a quaternion is so near to one that its rounding error cannot matter.
#[inline(always)]
fn is_clearly_unit([x, y, z, w]: [f32; 4]) -> bool {
    const SLACK: f32 = 0.5 * UNIT_SLACK as f32;
    let square = x * x + y * y + z * z + w * w;
    // NaN is in no range.
    (1.0 - SLACK..=1.0 + SLACK).contains(&square)
}

/// Checks the length of a spin.
fn check_spin(spin: [f32; 3]) -> Result<(), Invalid> {
    let square: f64 = spin.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
    // NaN compares false, so it is rejected too.
    let most = f64::from(SPIN_MAX) * f64::from(SPIN_MAX);
    if square <= most { Ok(()) } else { Err(Invalid::Spin) }
}

impl From<Pose> for Motion {
    /// Creates the motion of a body that does not move.
    fn from(pose: Pose) -> Self {
        Self { pose, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Goal: the checks of all numbers at once decide as those of one after the other. Method: each number of a motion, and each two of
    /// its quaternion and of its spin, are numbers around the limits, NaN and infinities.
    #[test]
    fn numbers_checked_at_once_are_valid_as_one_by_one() {
        let around = |x: f32| [x.next_down(), x, x.next_up()];
        let near_one =
            [1.0 - 1.0 / 1024.0, 1.0 - 1.0 / 2048.0, 1.0 + 1.0 / 2048.0, 1.0 + 1.0 / 1024.0];
        let mut hostile: Vec<f32> =
            [0.5_f32, 0.5 * SPIN_MAX, SPIN_MAX / 1.5_f32.sqrt(), SPIN_MAX, 2.0, COORD_MAX]
                .into_iter()
                .chain(near_one.map(f32::sqrt))
                .chain(near_one.map(|square| (0.5 * square).sqrt()))
                .flat_map(around)
                .collect();
        hostile.extend([0.0, f32::MAX, f32::INFINITY, f32::NAN, f32::from_bits(1)]);
        hostile.extend(hostile.clone().iter().map(|x| -x));
        let valid =
            Motion { pose: Pose::IDENTITY, delta: [1.0; 3], accel: [-1.0; 3], spin: [0.5; 3] };
        let step = if cfg!(miri) { 13 } else { 1 };
        let (mut accepted, mut rejected) = (0, 0);
        for one in 0..16 {
            for other in 0..16 {
                for &x in hostile.iter().step_by(step) {
                    for &y in hostile.iter().step_by(step) {
                        let mut numbers: [f32; 16] = bytemuck::cast(valid);
                        (numbers[one], numbers[other]) = (x, y);
                        if (3..7).contains(&one) && (3..7).contains(&other) {
                            numbers[3..7].iter_mut().enumerate().for_each(|(row, number)| {
                                *number = if row + 3 == one {
                                    x
                                } else if row + 3 == other {
                                    y
                                } else {
                                    0.0
                                };
                            });
                        }
                        let motion: Motion = bytemuck::cast(numbers);
                        let found = motion.validate();
                        assert_eq!(found, motion.validate_exactly(), "{motion:?}");
                        assert_eq!(
                            motion.pose.validate(),
                            motion.pose.validate_exactly(),
                            "{motion:?}"
                        );
                        *(if found.is_ok() { &mut accepted } else { &mut rejected }) += 1;
                    }
                }
            }
        }
        let enough = 100_000 / (step * step);
        assert!(accepted > enough && rejected > enough, "{accepted} {rejected}");
    }
}
