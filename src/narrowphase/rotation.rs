//! Rotation of a body at a time of the tick.
//!
//! The rotation is `exp(ω·t)·R₀` by Rodrigues' formula, with sine and cosine from `libm`: for a
//! unit axis `k` and the angle `θ = |ω|·t`, a vector `v` becomes `v + sin θ·(k × v) + (1 − cos
//! θ)·(k × (k × v))`. Without spin it is `R₀`, to the bit.

use super::math::{M3, V3};

/// A rotation at a constant rate about an axis that is fixed in world axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    /// Angular velocity in radians per tick.
    pub(super) spin: V3,
    /// The unit axis; zero without rotation.
    pub(super) axis: V3,
    /// Radians per tick.
    pub(super) rate: f64,
}

/// Bound of the rounding error of a product of two vectors, relative to their lengths.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Rotation {
    #[inline(always)]
    pub(super) fn new(spin: V3) -> Self {
        // Components whose squares underflow rotate by less than rounding.
        let axis = spin.unit().unwrap_or(V3::ZERO);
        let rate = if axis == V3::ZERO { 0.0 } else { spin.length() };
        Self { spin: axis * rate, axis, rate }
    }

    /// Upper bound of the length of the part of `vector` across the axis. Without an axis it is not
    /// zero but `8·ε` of the length of `vector`, so callers test the rate first.
    #[inline(always)]
    pub(super) fn off_axis(&self, vector: V3) -> f64 {
        let across = self.axis.cross(vector);
        (across.length() + vector.length() * ROUNDING) * (1.0 + ROUNDING)
    }

    /// Rotates the direction `world` by a time that may be negative.
    #[inline(always)]
    pub(super) fn direction(&self, world: V3, time: f64) -> V3 {
        if self.rate == 0.0 {
            return world;
        }
        self.direction_by(self.sincos(time), world)
    }

    /// Returns the sine and the cosine of the angle after a time.
    #[inline(always)]
    pub(super) fn sincos(&self, time: f64) -> (f64, f64) {
        libm::sincos(self.rate * time)
    }

    /// Does what [`Rotation::direction`] does, for a body that rotates, with the sine and the cosine of the angle.
    #[inline(always)]
    pub(super) fn direction_by(&self, (sin, cos): (f64, f64), world: V3) -> V3 {
        let across = self.axis.cross(world);
        world + across * sin + self.axis.cross(across) * (1.0 - cos)
    }

    /// Returns the rotation of a body after `time`.
    #[inline(always)]
    pub(super) fn after(&self, start: &M3, time: f64) -> M3 {
        if self.rate == 0.0 {
            return *start;
        }
        let (sin, cos) = libm::sincos(self.rate * time);
        let (k, versin) = (self.axis, 1.0 - cos);
        let [x, y, z] = start.rows;
        let kr = (x * k.x + y * k.y + z * k.z) * versin;
        let row = |own: V3, along: f64, cross: V3| own * cos + kr * along + cross * sin;
        M3 {
            rows: [
                row(x, k.x, z * k.y - y * k.z),
                row(y, k.y, x * k.z - z * k.x),
                row(z, k.z, y * k.x - x * k.y),
            ],
        }
    }
}
