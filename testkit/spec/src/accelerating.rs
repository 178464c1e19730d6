//! Reference sweep of two boxes under constant acceleration.
//!
//! In the frame of `a`, box `b` is displaced by `x(t) = d·t + ½·g·t²`, where `d` and `g` are the
//! differences of the displacements and of the accelerations. On one axis the two closed intervals
//! share a point while `a.min - b.max ≤ x(t) ≤ a.max - b.min`. Each of the two inequalities holds
//! in at most two intervals of time, between the roots of a quadratic or outside of them. The boxes
//! touch in the intersection of all six with the tick `[0, 1]`. The first interval of the
//! intersection is the first contact.
//!
//! The quadratic is that of Ericson 2005, §5.5.8. As there, the tick is closed and touching counts.

use super::Sweep;
use crate::bits::contact;
use swath::Invalid;
use swath::batch::{AcceleratingBox, Contact, ContactState};

/// A closed interval of time.
type Interval = [f64; 2];

const ALL: Interval = [f64::NEG_INFINITY, f64::INFINITY];

/// Sweeps `a` against `b`.
///
/// Times are accurate to about 2⁻⁴⁹, or to the square root of that where a parabola just grazes a
/// face. Signs, and with them the state at the start, are exact. [`Sweep::margin`] is the duration
/// of the contact. For a miss it is the greatest `end - start` over all choices of one interval per
/// inequality, which is negative, or minus infinity if an inequality never holds.
///
/// # Errors
///
/// [`Invalid`] when one of the accelerating boxes is invalid.
pub fn accelerating(a: &AcceleratingBox, b: &AcceleratingBox) -> Result<Sweep, Invalid> {
    a.validate()?;
    b.validate()?;
    let difference = |x: f32, y: f32| f64::from(x) - f64::from(y);
    let mut common = [[0.0, 1.0]].to_vec();
    let mut axes = [const { Vec::new() }; 3];
    let (mut touched, mut negative, mut pressed, mut apart) = (0, 0, 0, false);
    for (axis, pieces) in axes.iter_mut().enumerate() {
        let d = difference(b.delta[axis], a.delta[axis]);
        let g = difference(b.accel[axis], a.accel[axis]);
        // b is entirely below a while x < below, and entirely above while x > above.
        let below = difference(a.aabb.min[axis], b.aabb.max[axis]);
        let above = difference(a.aabb.max[axis], b.aabb.min[axis]);
        // x ≥ below is the mirror image of x ≤ above.
        *pieces = cross(&at_most(d, g, above), &at_most(-d, -g, -below));
        common = cross(&common, pieces);
        apart |= below > 0.0 || above < 0.0;
        if below == 0.0 || above == 0.0 {
            touched |= 1 << axis;
            let b_above = above == 0.0;
            negative |= u32::from(!b_above) << axis;
            let sets_off = if d == 0.0 { g } else { d };
            let inwards = if b_above { sets_off < 0.0 } else { sets_off > 0.0 };
            // Two flat boxes in one plane have no interior to move into.
            pressed |= u32::from(inwards && below != above) << axis;
        }
    }
    let by_start = |x: &Interval, y: &Interval| x[0].total_cmp(&y[0]);
    let contact = common.iter().copied().filter(|[start, end]| start <= end).min_by(by_start);
    let Some([first, last]) = contact else {
        let length = |[start, end]: &Interval| end - start;
        let margin = common.iter().map(length).fold(f64::NEG_INFINITY, f64::max);
        let never = f64::INFINITY;
        return Ok(Sweep { first: never, last: never, contact: Contact::SEPARATED, margin });
    };
    let contact = if apart {
        let (mut entered, mut from_below) = (0, 0);
        let starts = |&[start, end]: &Interval| start == first && start <= end;
        for axis in (0..3).filter(|&axis| axes[axis].iter().any(starts)) {
            entered |= 1 << axis;
            let d = difference(b.delta[axis], a.delta[axis]);
            let g = difference(b.accel[axis], a.accel[axis]);
            // At a graze the speed is zero, and the acceleration points back to where b came from.
            let speed = d + g * first;
            let rises = if speed == 0.0 { g < 0.0 } else { speed > 0.0 };
            from_below |= u32::from(rises) << axis;
        }
        packed(ContactState::Touching, entered, from_below, true)
    } else {
        packed(ContactState::Overlapping, touched, negative, pressed == touched)
    };
    Ok(Sweep { first, last, contact, margin: last - first })
}

/// Returns the intervals in which `d·t + ½·g·t² ≤ height`. Two intervals may share one time.
fn at_most(d: f64, g: f64, height: f64) -> Vec<Interval> {
    if g == 0.0 {
        return if d > 0.0 {
            [[f64::NEG_INFINITY, height / d]].to_vec()
        } else if d < 0.0 {
            [[height / d, f64::INFINITY]].to_vec()
        } else if height >= 0.0 {
            [ALL].to_vec()
        } else {
            Vec::new()
        };
    }
    let discriminant = d * d + 2.0 * g * height;
    if discriminant < 0.0 {
        // A parabola that opens downwards is below the height at all times, and one that opens
        // upwards never.
        return if g < 0.0 { [ALL].to_vec() } else { Vec::new() };
    }
    // Both summands have the same sign, so nothing cancels. The product of the roots is -2·height /
    // g.
    let sum = -(d + libm::sqrt(discriminant).copysign(d));
    let roots = if sum == 0.0 { [0.0, 0.0] } else { [sum / g, -2.0 * height / sum] };
    let [near, far] = [roots[0].min(roots[1]), roots[0].max(roots[1])];
    if g > 0.0 {
        [[near, far]].to_vec()
    } else if near == far {
        // It touches the height from below and never exceeds it.
        [ALL].to_vec()
    } else {
        [[f64::NEG_INFINITY, near], [far, f64::INFINITY]].to_vec()
    }
}

/// Returns the intersection of each interval of one list with each of the other. Empty ones are
/// negative.
fn cross(some: &[Interval], others: &[Interval]) -> Vec<Interval> {
    let both = |x: &Interval, y: &Interval| [x[0].max(y[0]), x[1].min(y[1])];
    some.iter().flat_map(|x| others.iter().map(move |y| both(x, y))).collect()
}

/// Packs a [`Contact`].
fn packed(state: ContactState, axes: u32, negative: u32, closing: bool) -> Contact {
    let state =
        if state == ContactState::Touching { contact::TOUCHING } else { contact::OVERLAPPING };
    let closing = if closing { contact::CLOSING } else { 0 };
    contact::from_bits(axes | negative << contact::NEGATIVE_SHIFT | state | closing)
}
