//! How is a body turned at a time?
//!
//! `exp(ω·t)·R₀` by Rodrigues' formula, with sine and cosine from `libm`: for a unit axis `k` and
//! the angle `θ = |ω|·t` a vector `v` goes to `v + sin θ·(k × v) + (1 − cos θ)·(k × (k × v))`.
//! Where there is no spin it is `R₀`, to the bit.

use super::math::{M3, V3};

/// A rotation at a constant rate about an axis of the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rotation {
    /// Radians a tick, as a vector.
    pub(super) spin: V3,
    /// The axis; zero where nothing turns.
    axis: V3,
    /// Radians a tick.
    pub(super) rate: f64,
}

/// What rounding may take from a product of two vectors, of their lengths.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

impl Rotation {
    pub(super) fn new(spin: V3) -> Self {
        // Components too small to square turn nothing that numbers could tell.
        let axis = spin.unit().unwrap_or(V3::ZERO);
        let rate = if axis == V3::ZERO { 0.0 } else { spin.length() };
        Self { spin: axis * rate, axis, rate }
    }

    /// The length of the part of `vector` across the axis; not less. Without an axis it is zero.
    #[inline]
    pub(super) fn off_axis(&self, vector: V3) -> f64 {
        let across = self.axis.cross(vector);
        (across.length() + vector.length() * ROUNDING) * (1.0 + ROUNDING)
    }

    /// Where the direction `world` goes in a time that may be negative.
    #[inline]
    pub(super) fn direction(&self, world: V3, time: f64) -> V3 {
        if self.rate == 0.0 {
            return world;
        }
        let (sin, cos) = libm::sincos(self.rate * time);
        let across = self.axis.cross(world);
        world + across * sin + self.axis.cross(across) * (1.0 - cos)
    }

    /// The rotation of a body after `time`.
    #[inline]
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
