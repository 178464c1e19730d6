//! Exact comparison of a distance from a moving centre to a resting box.
//!
//! The pair is a sphere and a box, or two spheres of which the second is a box without sides. The squared
//! distance `f` is convex and differentiable, so a result is judged by `f` and by the sign of its slope at
//! that time alone. Both are computed in `f64` with a bound of their error, and in fractions if that is not
//! sufficient. Nothing is shared with the kernels: the box is not mirrored, no root is computed, and no
//! cancellation is avoided.

use num_rational::BigRational;
use swath::MovingBox;
use swath::batch::MovingSphere;

/// A difference or sum of two floats.
type Two = [f32; 2];

/// The box relative to the centre, and the distance of contact.
#[derive(Clone, Copy, Debug)]
pub struct MovingDistance {
    low: [Two; 3],
    high: [Two; 3],
    motion: [Two; 3],
    radii: Two,
}

/// Squared distance and half of its slope, or bounds of their errors.
#[derive(Clone, Copy, Debug)]
struct Near<T> {
    square: T,
    slope: T,
}

/// Upper bound of all rounding errors of a number that is computed here.
const ULPS: f64 = 1.0 / (1_u64 << 50) as f64;

fn exact(x: f32) -> BigRational {
    BigRational::from_float(x).expect("it is finite")
}

fn difference([x, y]: Two) -> BigRational {
    exact(x) - exact(y)
}

fn sum([x, y]: Two) -> BigRational {
    exact(x) + exact(y)
}

fn rounded([x, y]: Two) -> f64 {
    f64::from(x) - f64::from(y)
}

impl MovingDistance {
    pub fn spheres(a: &MovingSphere, b: &MovingSphere) -> Self {
        let place = std::array::from_fn(|k| [b.sphere.center[k], a.sphere.center[k]]);
        let motion = std::array::from_fn(|k| [b.delta[k], a.delta[k]]);
        Self { low: place, high: place, motion, radii: [a.sphere.radius, b.sphere.radius] }
    }

    pub fn sphere_box(a: &MovingSphere, b: &MovingBox) -> Self {
        Self {
            low: std::array::from_fn(|k| [b.aabb.min[k], a.sphere.center[k]]),
            high: std::array::from_fn(|k| [b.aabb.max[k], a.sphere.center[k]]),
            motion: std::array::from_fn(|k| [b.delta[k], a.delta[k]]),
            radii: [a.sphere.radius, 0.0],
        }
    }

    fn radius(&self) -> f64 {
        f64::from(self.radii[0]) + f64::from(self.radii[1])
    }

    /// In fractions.
    fn at_exactly(&self, t: &BigRational) -> Near<BigRational> {
        let zero = exact(0.0);
        let (mut square, mut slope) = (zero.clone(), zero.clone());
        for k in 0..3 {
            let motion = difference(self.motion[k]);
            let low = difference(self.low[k]) + &motion * t;
            let high = difference(self.high[k]) + &motion * t;
            let way = if low > zero {
                low
            } else if high < zero {
                high
            } else {
                continue;
            };
            square += &way * &way;
            slope += way * motion;
        }
        Near { square, slope }
    }

    /// In `f64`, with a bound of the error.
    ///
    /// On one axis `low + motion·t` has three rounding errors: of `low`, of the product and of the sum. If it
    /// contributes it is positive, so `low` is at most the sum of it and the product; if only rounding
    /// decides whether it contributes, it is itself within such an error of zero.
    fn at(&self, t: f64) -> [Near<f64>; 2] {
        let (mut value, mut off) =
            (Near { square: 0.0, slope: 0.0 }, Near { square: 0.0, slope: 0.0 });
        for k in 0..3 {
            let motion = rounded(self.motion[k]);
            let low = rounded(self.low[k]) + motion * t;
            let high = rounded(self.high[k]) + motion * t;
            let way = low.max(0.0) + high.min(0.0);
            let way_off = (way.abs() + (motion * t).abs()) * ULPS;
            value.square += way * way;
            value.slope += way * motion;
            off.square += 2.0 * way.abs() * way_off + way_off * way_off;
            off.slope += way_off * motion.abs() * 2.0;
        }
        off.square += value.square * ULPS;
        [value, off]
    }

    /// Whether the distance at `t` is at least the radius, with a slope that does not have the sign of
    /// `slope`.
    fn outside(&self, t: f32, slope: f64) -> bool {
        let [near, off] = self.at(f64::from(t));
        let reach = self.radius() * self.radius();
        let beyond = near.square - reach;
        let margin = off.square + reach * ULPS;
        if beyond.abs() > margin && near.slope.abs() > off.slope {
            return beyond > 0.0 && near.slope * slope < 0.0;
        }
        let near = self.at_exactly(&exact(t));
        let (radius, zero) = (sum(self.radii), exact(0.0));
        let turned = if slope > 0.0 { near.slope > zero } else { near.slope < zero };
        near.square >= &radius * &radius && !turned
    }

    /// Whether the first contact, if there is any, is not before `t`.
    pub fn is_not_late(&self, t: f32) -> bool {
        t == 0.0 || self.outside(t, 1.0) || self.misses()
    }

    /// Whether the last contact, if there is any, is not after `t`.
    pub fn is_not_early(&self, t: f32) -> bool {
        t == 1.0 || self.outside(t, -1.0) || self.misses()
    }

    /// Whether there is a contact at the start.
    pub fn overlaps(&self) -> bool {
        let [near, off] = self.at(0.0);
        let reach = self.radius() * self.radius();
        let beyond = near.square - reach;
        if beyond.abs() > off.square + reach * ULPS {
            return beyond < 0.0;
        }
        let radius = sum(self.radii);
        self.at_exactly(&exact(0.0)).square <= &radius * &radius
    }

    /// Whether only the surfaces touch at the start.
    pub fn is_surface(&self) -> bool {
        let radius = sum(self.radii);
        let inside = (0..3).all(|k| rounded(self.low[k]) < 0.0 && rounded(self.high[k]) > 0.0);
        self.at_exactly(&exact(0.0)).square == &radius * &radius && !inside
    }

    /// The times in the tick at which the centre passes the plane of a face.
    fn passes(&self) -> impl Iterator<Item = (usize, Two)> {
        let both = [self.low, self.high].into_iter().flat_map(|of| (0..).zip(of));
        both.filter(|(k, _)| rounded(self.motion[*k]) != 0.0)
    }

    /// Whether there is no contact in the tick.
    pub fn misses(&self) -> bool {
        let s = self.nearest();
        let [near, off] = self.at(s);
        let reach = self.radius() * self.radius();
        // A convex function lies above its tangents.
        let falls_before = (near.slope + off.slope).max(0.0) * s;
        let falls_after = (off.slope - near.slope).max(0.0) * (1.0 - s);
        let least = near.square - 2.0 * falls_before.max(falls_after) * (1.0 + ULPS);
        let margin = off.square + reach * ULPS;
        if least - reach > margin {
            return true;
        }
        if near.square - reach < -margin {
            return false;
        }
        self.misses_exactly()
    }

    /// [`MovingDistance::misses`] without the fast path in `f64`.
    pub fn misses_exactly(&self) -> bool {
        let (zero, one) = (exact(0.0), exact(1.0));
        let radius = sum(self.radii);
        let reach = &radius * &radius;
        let [start, end] = [&zero, &one].map(|t| self.at_exactly(t));
        if start.slope >= zero {
            return start.square > reach;
        }
        if end.slope <= zero {
            return end.square > reach;
        }
        let (mut from, mut to) = (zero.clone(), one);
        for (k, place) in self.passes() {
            let t = -difference(place) / difference(self.motion[k]);
            if t > from && t < to {
                if self.at_exactly(&t).slope < zero { from = t } else { to = t }
            }
        }
        // Between the two no face is passed, and the slope changes its sign.
        let middle = (from + to) / exact(2.0);
        let [mut a, mut b, mut c] = [zero.clone(), zero.clone(), zero.clone()];
        for k in 0..3 {
            let motion = difference(self.motion[k]);
            let (low, high) = (difference(self.low[k]), difference(self.high[k]));
            let way = if &low + &motion * &middle > zero {
                low
            } else if &high + &motion * &middle < zero {
                high
            } else {
                continue;
            };
            a += &motion * &motion;
            b += &way * &motion;
            c += &way * &way;
        }
        (c - reach) * a > &b * &b
    }

    /// Approximate time of the least distance.
    fn nearest(&self) -> f64 {
        let (mut from, mut to) = (0.0, 1.0);
        for (k, place) in self.passes() {
            let t = -rounded(place) / rounded(self.motion[k]);
            if t > from && t < to {
                if self.at(t)[0].slope < 0.0 { from = t } else { to = t }
            }
        }
        let mut t = (from + to) / 2.0;
        let curve: f64 = (0..3)
            .map(|k| {
                let motion = rounded(self.motion[k]);
                let low = rounded(self.low[k]) + motion * t;
                let high = rounded(self.high[k]) + motion * t;
                if low > 0.0 || high < 0.0 { motion * motion } else { 0.0 }
            })
            .sum();
        for _ in 0..3 {
            if curve > 0.0 {
                t = (t - self.at(t)[0].slope / curve).clamp(from, to);
            }
        }
        t
    }

    /// The gap between the surfaces at `t`, in `f64`.
    pub fn gap(&self, t: f64) -> f64 {
        self.at(t)[0].square.sqrt() - self.radius()
    }

    /// The least gap in the tick, in `f64`.
    pub fn least_gap(&self) -> f64 {
        self.gap(self.nearest())
    }

    /// The distance at the start, the length of the motion and the radius.
    pub fn lengths(&self) -> [f64; 3] {
        let motion = self.motion.map(rounded).map(|x| x * x).iter().sum::<f64>().sqrt();
        [self.at(0.0)[0].square.sqrt(), motion, self.radius()]
    }
}
