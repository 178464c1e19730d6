//! What is a pose, and a motion of a body over one tick?

use super::aabb::{Invalid, check_vector};
use bytemuck::{Pod, Zeroable};

/// The greatest length of a spin: radians a tick, some 160 turns.
pub const SPIN_MAX: f32 = 1024.0;

/// How far the squared length of a quaternion may be from one.
const UNIT_SLACK: f64 = 1.0 / 1024.0;

/// Where a body is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Pose {
    /// Where the origin of the body's own axes is; the body turns about it.
    pub position: [f32; 3],
    /// How its axes are turned: a unit quaternion `[x, y, z, w]`. Its length is divided out
    /// wherever it is used, so what rounding took from it does not count.
    pub rotation: [f32; 4],
}

impl Pose {
    /// At the origin, not turned.
    pub const IDENTITY: Self = Self { position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0] };

    /// A pose.
    ///
    /// # Errors
    ///
    /// As [`Pose::validate`].
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

    /// At `position`, not turned.
    ///
    /// # Errors
    ///
    /// As [`Pose::validate`].
    pub fn at(position: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        Self::new(position, Self::IDENTITY.rotation)
    }

    /// Whether this is a pose.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: a coordinate that is not finite or past [`COORD_MAX`](super::COORD_MAX), else
    /// [`Invalid::Rotation`]: a quaternion whose squared length is more than 2⁻¹⁰ from one.
    pub fn validate(&self) -> Result<(), Invalid> {
        check_vector(self.position)?;
        let square: f64 = self.rotation.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        // NaN is in no range.
        let unit = (1.0 - UNIT_SLACK..=1.0 + UNIT_SLACK).contains(&square);
        if unit { Ok(()) } else { Err(Invalid::Rotation) }
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::IDENTITY
    }
}

/// A pose and how it changes over one tick. At `t` in `[0, 1]` the body is at
/// `position + delta · t + ½ · accel · t²`, turned by `exp(spin · t) · rotation`: about an axis
/// that stays as it is in the world, through the position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Motion {
    /// Where the body is when the tick starts.
    pub pose: Pose,
    /// Its displacement over the tick, were it not accelerated.
    pub delta: [f32; 3],
    /// Its acceleration: displacement per tick².
    pub accel: [f32; 3],
    /// Its rotation over the tick: along the axis, as long as the angle in radians, by the right
    /// hand. More than a turn is meant as it is written.
    pub spin: [f32; 3],
}

impl Motion {
    /// A body that moves by `delta`.
    ///
    /// # Errors
    ///
    /// As [`Motion::validate`].
    pub fn new(pose: Pose, delta: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let motion = Self { pose, delta: delta.into(), ..Self::default() };
        motion.validate()?;
        Ok(motion)
    }

    /// The same motion, accelerated by `accel`.
    ///
    /// # Errors
    ///
    /// As [`Motion::validate`].
    pub fn accelerating(self, accel: impl Into<[f32; 3]>) -> Result<Self, Invalid> {
        let motion = Self { accel: accel.into(), ..self };
        motion.validate()?;
        Ok(motion)
    }

    /// The same motion, turning by `spin`.
    ///
    /// # Errors
    ///
    /// As [`Motion::validate`].
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
        let motion = Self { spin: spin.into(), ..self };
        motion.validate()?;
        Ok(motion)
    }

    /// Whether this is a motion.
    ///
    /// # Errors
    ///
    /// [`Invalid`]: what is wrong with the pose, else a displacement or an acceleration that is not
    /// finite or past [`COORD_MAX`](super::COORD_MAX), else [`Invalid::Spin`]: a spin longer than
    /// [`SPIN_MAX`].
    pub fn validate(&self) -> Result<(), Invalid> {
        self.pose.validate()?;
        check_vector(self.delta)?;
        check_vector(self.accel)?;
        let square: f64 = self.spin.iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        // NaN is not below anything.
        let most = f64::from(SPIN_MAX) * f64::from(SPIN_MAX);
        if square <= most { Ok(()) } else { Err(Invalid::Spin) }
    }

    /// Where the body is at `t`, a fraction of the tick: computed in `f64` and rounded to nearest.
    /// Below 0 counts as 0, past 1 as 1; infinity and NaN are the end of the path.
    #[must_use]
    pub fn at(&self, t: f32) -> Pose {
        let t = if t < 1.0 { t } else { 1.0 };
        let t = f64::from(if t > 0.0 { t } else { 0.0 });
        let position = core::array::from_fn(|axis| {
            let [start, delta, accel] =
                [self.pose.position[axis], self.delta[axis], self.accel[axis]].map(f64::from);
            (start + (delta * t + 0.5 * accel * (t * t))) as f32
        });
        let spin = self.spin.map(f64::from);
        let rate = libm::sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
        if rate == 0.0 {
            return Pose { position, ..self.pose };
        }
        let (sin, cos) = libm::sincos(0.5 * rate * t);
        let [x, y, z] = spin.map(|along| along / rate * sin);
        let [a, b, c, w] = self.pose.rotation.map(f64::from);
        let rotation = [
            cos * a + x * w + y * c - z * b,
            cos * b + y * w + z * a - x * c,
            cos * c + z * w + x * b - y * a,
            cos * w - x * a - y * b - z * c,
        ];
        Pose { position, rotation: rotation.map(|x| x as f32) }
    }
}

impl From<Pose> for Motion {
    /// A body that stays where it is.
    fn from(pose: Pose) -> Self {
        Self { pose, ..Self::default() }
    }
}
