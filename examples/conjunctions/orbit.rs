//! Positions on Kepler orbits.
//!
//! With the eccentric anomaly `E`, a position is `a (cos E - e) P + b sin E Q`, where `a` and `b` are the semi-axes of the
//! ellipse and `P` and `Q` its directions. `E` grows with time by Kepler's equation, solved here for its increase
//! `x` since a known position (Battin 1999, §4.5):
//!
//! ```text
//! n t = x - e cos E sin x + e sin E (1 - cos x)
//! ```

/// Gravitational parameter of the Earth in km³/s².
pub const MU: f64 = 398_600.441_8;

/// Newton steps and bisections for one solution of Kepler's equation. Newton's method needs two to four of them.
const STEPS_MAX: usize = 64;
/// Newton's method ends when the step in radians is this small: the next one would be its square.
const STEP_SMALL: f64 = 1e-9;

/// Kepler elements of an elliptic orbit around the Earth at time zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elements {
    /// Semi-major axis in km.
    pub semi_major_axis: f64,
    /// Eccentricity, in `[0, 1)`.
    pub eccentricity: f64,
    /// Inclination in radians.
    pub inclination: f64,
    /// Right ascension of the ascending node in radians.
    pub node: f64,
    /// Argument of the perigee in radians.
    pub perigee: f64,
    /// Mean anomaly at time zero in radians.
    pub mean_anomaly: f64,
}

impl Elements {
    /// Returns whether all numbers are finite and the orbit is an ellipse with its perigee at 100 km from the centre of the
    /// Earth or above, and its apogee within 10⁶ km.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let (a, e) = (self.semi_major_axis, self.eccentricity);
        let angles = [self.inclination, self.node, self.perigee, self.mean_anomaly];
        (0.0..1.0).contains(&e)
            && a * (1.0 - e) >= 100.0
            && a * (1.0 + e) <= 1e6
            && angles.iter().all(|angle| angle.is_finite() && angle.abs() <= 1e6)
    }
}

/// Position in km and velocity in km/s, relative to the centre of the Earth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    pub position: [f64; 3],
    pub velocity: [f64; 3],
}

/// An object on its orbit at one time.
#[derive(Clone, Copy, Debug)]
pub struct Orbit {
    /// Semi-axes of the ellipse as vectors, in km.
    axes: [[f64; 3]; 2],
    eccentricity: f64,
    /// Mean motion in radians per second.
    mean_motion: f64,
    /// Cosine and sine of the eccentric anomaly.
    anomaly: [f64; 2],
    /// Greatest acceleration on the orbit in km/s².
    pub acceleration_max: f64,
    /// Upper bound of the change of the acceleration on the orbit, in km/s³.
    pub jerk_max: f64,
}

impl Orbit {
    /// Returns the object with these elements at time zero.
    #[must_use]
    pub fn new(elements: &Elements) -> Self {
        let Elements { semi_major_axis: a, eccentricity: e, .. } = *elements;
        let [(si, ci), (sn, cn), (sp, cp)] =
            [elements.inclination, elements.node, elements.perigee].map(f64::sin_cos);
        let b = a * (1.0 - e * e).sqrt();
        let p = [cn * cp - sn * sp * ci, sn * cp + cn * sp * ci, sp * si];
        let q = [-cn * sp - sn * cp * ci, -sn * sp + cn * cp * ci, cp * si];
        let lowest = a * (1.0 - e);
        let fastest = (MU / a * (1.0 + e) / (1.0 - e)).sqrt();
        let mut orbit = Self {
            axes: [p.map(|x| a * x), q.map(|x| b * x)],
            eccentricity: e,
            mean_motion: (MU / (a * a * a)).sqrt(),
            anomaly: [1.0, 0.0],
            acceleration_max: MU / (lowest * lowest),
            // The gradient of the acceleration MU / r² is at most 2 MU / r³, along the radius.
            jerk_max: 2.0 * MU * fastest / (lowest * lowest * lowest),
        };
        orbit.anomaly =
            orbit.anomaly_after_mean(elements.mean_anomaly.rem_euclid(std::f64::consts::TAU));
        orbit
    }

    /// Returns this object some seconds later; `seconds` is not negative.
    #[must_use]
    pub fn after(&self, seconds: f64) -> Self {
        Self { anomaly: self.anomaly_after_mean(self.mean_motion * seconds), ..*self }
    }

    /// Returns the position.
    #[must_use]
    pub fn position(&self) -> [f64; 3] {
        let [along_p, along_q] = self.axes;
        let [cos, sin] = self.anomaly;
        std::array::from_fn(|k| along_p[k] * (cos - self.eccentricity) + along_q[k] * sin)
    }

    /// Returns the position and the velocity.
    #[must_use]
    pub fn state(&self) -> State {
        let [along_p, along_q] = self.axes;
        let [cos, sin] = self.anomaly;
        let rate = self.mean_motion / (1.0 - self.eccentricity * cos);
        State {
            position: self.position(),
            velocity: std::array::from_fn(|k| rate * (along_q[k] * cos - along_p[k] * sin)),
        }
    }

    /// Returns cosine and sine of the eccentric anomaly when the mean anomaly has grown by `mean`, in `[0, 2 pi]` or a
    /// small number of turns.
    fn anomaly_after_mean(&self, mean: f64) -> [f64; 2] {
        let e = self.eccentricity;
        let [cos, sin] = self.anomaly;
        let (ec, es) = (e * cos, e * sin);
        // The anomaly grows at least by mean / (1 + e), because its rate is 1 / (1 - e cos E).
        let (mut low, mut high) = (mean / (1.0 + e), mean / (1.0 - e));
        // Two terms of the series in the rate at the start.
        let rate = 1.0 / (1.0 - ec);
        let linear = mean * rate;
        let mut x = (linear - 0.5 * es * rate * linear * linear).clamp(low, high);
        let (mut sin_x, mut cos_x) = x.sin_cos();
        for _ in 0..STEPS_MAX {
            let excess = x - ec * sin_x + es * (1.0 - cos_x) - mean;
            let slope = 1.0 - ec * cos_x + es * sin_x;
            let step = excess / slope;
            if step.abs() <= STEP_SMALL {
                // The change of sine and cosine by so small a step is linear in it.
                (sin_x, cos_x) = (sin_x - step * cos_x, cos_x + step * sin_x);
                break;
            }
            if excess > 0.0 {
                high = high.min(x);
            } else {
                low = low.max(x);
            }
            x -= step;
            if !(low..=high).contains(&x) {
                x = f64::midpoint(low, high);
            }
            (sin_x, cos_x) = x.sin_cos();
        }
        let [c, s] = [cos * cos_x - sin * sin_x, sin * cos_x + cos * sin_x];
        // Rounding errors of thousands of steps do not change the length of the vector.
        let unit = 1.5 - 0.5 * (c * c + s * s);
        [c * unit, s * unit]
    }
}

#[cfg(test)]
mod tests {
    use super::{Elements, MU, Orbit};
    use std::f64::consts::TAU;

    fn elements(a: f64, e: f64, mean_anomaly: f64) -> Elements {
        Elements {
            semi_major_axis: a,
            eccentricity: e,
            inclination: 1.0,
            node: 2.0,
            perigee: 3.0,
            mean_anomaly,
        }
    }

    fn length(v: [f64; 3]) -> f64 {
        v.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Goal: steps of any length follow Kepler's laws. Method: 1440 steps end where one step does, the energy is that of the
    /// semi-major axis, and after a period the object is where it was.
    #[test]
    fn propagation_in_many_steps_equals_one_step_and_conserves_energy() {
        for (a, e) in
            [(6900.0, 0.0), (6900.0, 1e-3), (26_560.0, 0.74), (42_164.0, 2e-4), (24_400.0, 0.95)]
        {
            for anomaly in [0.0, 0.5, 3.1, 6.2] {
                let start = Orbit::new(&elements(a, e, anomaly));
                let mut orbit = start;
                for _ in 0..1440 {
                    orbit = orbit.after(60.0);
                }
                let mean = anomaly + start.mean_motion * 86_400.0;
                let direct = Orbit::new(&elements(a, e, mean));
                let (p, q) = (orbit.position(), direct.position());
                let apart: [f64; 3] = std::array::from_fn(|k| p[k] - q[k]);
                assert!(length(apart) < 1e-6, "{a} {e} {anomaly}: {apart:?}");
                let state = orbit.state();
                let energy = length(state.velocity).powi(2) / 2.0 - MU / length(state.position);
                assert!((energy * 2.0 * a / MU + 1.0).abs() < 1e-9);
                let turned = start.after(TAU / start.mean_motion).position();
                assert!((0..3).all(|k| (turned[k] - start.position()[k]).abs() < 1e-5));
            }
        }
    }

    /// Goal: no acceleration on an orbit is above its bound, nor changes faster than its bound.
    #[test]
    fn acceleration_and_jerk_stay_below_their_bounds() {
        for (a, e) in [(6900.0, 1e-3), (26_560.0, 0.74), (24_400.0, 0.72)] {
            let mut orbit = Orbit::new(&elements(a, e, 6.0));
            let mut last: Option<[f64; 3]> = None;
            for _ in 0..5000 {
                let p = orbit.position();
                let r = length(p);
                assert!(MU / (r * r) <= orbit.acceleration_max * (1.0 + 1e-12));
                let now = p.map(|x| -MU * x / (r * r * r));
                if let Some(last) = last {
                    let change: [f64; 3] = std::array::from_fn(|k| now[k] - last[k]);
                    assert!(length(change) <= orbit.jerk_max * 10.0 * (1.0 + 1e-9));
                }
                last = Some(now);
                orbit = orbit.after(10.0);
            }
        }
    }
}
