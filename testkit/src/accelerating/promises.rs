//! The guarantees for one result, for any two boxes.

use super::exact::{Axis, Exact};
use super::roots::{Difference, Span, Time};
use crate::columns::bits;
use crate::exact::down;
use swath::batch::ContactState;
use swath::batch::sweep::Sweep;

/// By how much boxes are enlarged that touch at all times of a contact, relative to position and motion.
pub const GROWN: f64 = 48.0 / (1 << 24) as f64;
/// Greatest distance from the face of an axis of contact at the first time.
const ENTERED: f64 = 72.0 / (1 << 24) as f64;

/// Distance of `b` from the face `n` at `t`, relative to position and motion; positive above the face. A
/// lower bound.
fn off(axis: &Axis, n: Difference, t: f64) -> Span {
    let sizes = n.span().abs() + axis.d.span().abs() + axis.g.span().abs();
    if sizes.1 <= f64::MIN_POSITIVE {
        return Span::of(0.0);
    }
    (axis.x(t) - n.span()) / sizes
}

/// The part of position and motion by which boxes must be enlarged to touch at `t`.
pub fn gap(exact: &Exact, t: f64) -> f64 {
    let needed = |axis: &Axis| (-off(axis, axis.below, t)).1.max(off(axis, axis.above, t).1);
    exact.axes.iter().map(needed).fold(0.0, f64::max)
}

/// All guarantees for one result, compared with exact times.
pub fn holds(answer: Sweep, exact: &Exact) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let Sweep { first, last, contact } = answer;
    if !contact.is_hit() {
        must(exact.state == ContactState::Separated, "a contact is never missed")?;
        return must(bits(answer) == bits(Sweep::SEPARATED), "a miss is `SEPARATED`");
    }
    must(first.is_sign_positive() && first <= 1.0, "first is in [0, 1]")?;
    must(last.is_sign_positive() && last <= 1.0, "last is in [0, 1]")?;
    must(first <= last, "first is not after last")?;
    let (from, until) = (f64::from(first), f64::from(last));
    for t in [from, until, 0.5 * (from + until), 0.75 * from + 0.25 * until] {
        must(gap(exact, t) <= GROWN, "boxes that are grown touch at all times of the contact")?;
    }
    let Some([true_first, true_last]) = exact.contact else {
        must(contact.state() == ContactState::Touching, "a false hit comes to touch")?;
        return axes_are_entered(answer, exact);
    };
    must(contact.state() == exact.state, "the state is exact")?;
    must(Time::At(first) <= true_first, "first is never late")?;
    let graze = Time::At(last) < true_first;
    must(graze || Time::At(last) >= true_last, "last is never early")?;
    must(contact.is_closing() == exact.closing, "closing is exact")?;
    let (axes, down) = (contact.axis_mask(), down(contact));
    if exact.state == ContactState::Overlapping {
        must(first == 0.0, "an overlap starts at once")?;
        must(axes == exact.mask && down == exact.down, "axes that touch are exact")?;
        return must(contact.is_surface() == (axes != 0), "surface is exact");
    }
    if !graze {
        must(axes & exact.mask == exact.mask, "each axis that enters last is named")?;
        // Unless both faces are so near that either may be the one.
        let other = (down ^ exact.down) & exact.mask;
        let both = |(k, axis): (usize, &Axis)| {
            let near = |face| is_near(axis, face, first);
            other >> k & 1 == 0 || near(axis.below) && near(axis.above)
        };
        must(exact.axes.iter().enumerate().all(both), "the normal tells which face is entered")?;
    }
    axes_are_entered(answer, exact)
}

fn is_near(axis: &Axis, face: Difference, t: f32) -> bool {
    off(axis, face, t.into()).abs().1 <= ENTERED
}

/// Of a pair that touches after the start.
fn axes_are_entered(answer: Sweep, exact: &Exact) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let (axes, down) = (answer.contact.axis_mask(), down(answer.contact));
    must(axes != 0, "some axis is entered")?;
    must(down & !axes == 0, "a normal belongs to an axis of contact")?;
    for (k, axis) in exact.axes.iter().enumerate().filter(|(k, _)| axes >> k & 1 == 1) {
        let face = if down >> k & 1 == 1 { axis.below } else { axis.above };
        must(
            is_near(axis, face, answer.first),
            "an axis that is named has its face at the other's",
        )?;
    }
    let lowest = (0..3).find(|axis| axes >> axis & 1 == 1);
    must(answer.contact.axis() == lowest, "the lowest axis is the axis")?;
    let length: f32 = answer.contact.normal().iter().map(|x| x.abs()).sum();
    must(length == 1.0 && !answer.contact.is_surface(), "the normal is of unit length")
}
