//! Event-by-event first times of boxes with rounded corners, in `f64`.
//!
//! A body consists of all points within a radius of an axis-aligned box, and moves straight: a box, a ball,
//! and shapes in between. Two of them touch when the difference of their centres is within the sum of the
//! radii of a box that is the sum of both. Along a straight path the distance from a box is convex, and its
//! square a quadratic between the times at which a plane of a face is passed. No code is shared with the
//! library.

/// Distance at which bodies of the stepper touch, relative to the greatest numbers of a tick, with the
/// tolerance, times two.
pub const SLOP: f64 = 4.0 / (1 << 20) as f64;

/// A rounded box and its motion in a tick.
#[derive(Clone, Copy, Debug)]
pub struct Rounded {
    pub half: [f64; 3],
    pub radius: f64,
    pub at: [f64; 3],
    pub delta: [f64; 3],
}

impl Rounded {
    pub fn place(&self, t: f64) -> [f64; 3] {
        std::array::from_fn(|axis| self.at[axis] + self.delta[axis] * t)
    }

    /// Half the diagonal of the box around it.
    pub fn size(&self) -> f64 {
        self.half.iter().map(|half| half * half).sum::<f64>().sqrt() + self.radius
    }
}

/// Distance of two bodies at `t`; negative, at least by the depth, if they overlap.
pub fn gap(a: &Rounded, b: &Rounded, t: f64) -> f64 {
    let (p, q) = (a.place(t), b.place(t));
    let over: [f64; 3] =
        std::array::from_fn(|axis| (q[axis] - p[axis]).abs() - a.half[axis] - b.half[axis]);
    let outside = over.iter().map(|over| over.max(0.0).powi(2)).sum::<f64>().sqrt();
    let inside = over.iter().fold(f64::NEG_INFINITY, |most, &over| most.max(over)).min(0.0);
    outside + inside - a.radius - b.radius
}

/// The first time in the tick at which two bodies touch.
pub fn first_time(a: &Rounded, b: &Rounded) -> Option<f64> {
    if gap(a, b, 0.0) <= 0.0 {
        return Some(0.0);
    }
    let half: [f64; 3] = std::array::from_fn(|axis| a.half[axis] + b.half[axis]);
    let from: [f64; 3] = std::array::from_fn(|axis| b.at[axis] - a.at[axis]);
    let by: [f64; 3] = std::array::from_fn(|axis| b.delta[axis] - a.delta[axis]);
    let radius = a.radius + b.radius;
    if radius == 0.0 {
        return slabs(half, from, by);
    }
    let mut times = vec![0.0, 1.0];
    for axis in 0..3 {
        for face in [-half[axis], half[axis]] {
            let t = (face - from[axis]) / by[axis];
            times.extend((0.0..1.0).contains(&t).then_some(t));
        }
    }
    times.sort_by(f64::total_cmp);
    for pair in times.windows(2) {
        let middle = 0.5 * (pair[0] + pair[1]);
        // The square of the distance less that of the radius: quadratic, linear and constant term.
        let (mut square, mut linear, mut constant) = (0.0, 0.0, -radius * radius);
        for axis in 0..3 {
            let at = from[axis] + by[axis] * middle;
            let face = half[axis].copysign(at);
            if at.abs() > half[axis] {
                square += by[axis] * by[axis];
                linear += 2.0 * by[axis] * (from[axis] - face);
                constant += (from[axis] - face).powi(2);
            }
        }
        let value = |t: f64| (square * t + linear) * t + constant;
        let inside = linear * linear - 4.0 * square * constant;
        if value(pair[0]) <= 0.0 {
            return Some(pair[0]);
        }
        if square > 0.0 && inside >= 0.0 {
            // Decreases to the first root; the form without cancellation.
            let root = 2.0 * constant / (-linear + inside.sqrt());
            if linear < 0.0 && (pair[0]..=pair[1]).contains(&root) {
                return Some(root);
            }
        }
    }
    (gap(a, b, 1.0) <= 0.0).then_some(1.0)
}

fn slabs(half: [f64; 3], from: [f64; 3], by: [f64; 3]) -> Option<f64> {
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let [low, high] = [-half[axis] - from[axis], half[axis] - from[axis]];
        if by[axis] == 0.0 {
            if low > 0.0 || high < 0.0 {
                return None;
            }
            continue;
        }
        let (p, q) = (low / by[axis], high / by[axis]);
        (enter, leave) = (enter.max(p.min(q)), leave.min(p.max(q)));
    }
    (enter <= leave).then_some(enter)
}
