//! The guarantees for one sweep, for any two boxes.

use super::cases::Case;
use super::columns::bits;
use super::exact::{self, Exact, Fraction};
use swath::batch::ContactState;
use swath::batch::sweep::Sweep;

/// Greatest error of a time: 2⁻²¹ of it and 2⁻¹²⁶.
pub const RELATIVE: i32 = 21;
pub const ABSOLUTE: i32 = 126;
/// Axes of contact are entered together within rounding: two times are compared, with twice the slack of one.
const TOGETHER: i32 = 20;
/// All guarantees for one result, compared with the exact result.
pub fn holds(case: &Case, answer: Sweep, exact: &Exact) -> Result<(), &'static str> {
    let must = |holds: bool, promise| if holds { Ok(()) } else { Err(promise) };
    let Sweep { first, last, contact } = answer;
    if !contact.is_hit() {
        must(exact.state == ContactState::Separated, "a contact is never missed")?;
        return must(bits(answer) == bits(Sweep::SEPARATED), "a miss is `SEPARATED`");
    }
    must(first.is_sign_positive() && first <= 1.0, "first is in [0, 1]")?;
    must(last.is_sign_positive() && last <= 1.0, "last is in [0, 1]")?;
    must(first <= last, "first is not after last")?;
    let slack = |time: &Fraction| time.slack(RELATIVE, ABSOLUTE);
    let (early, late) = (&exact.first - &slack(&exact.first), &exact.last + &slack(&exact.last));
    if exact.state == ContactState::Separated {
        must(contact.state() == ContactState::Touching, "a false hit comes to touch")?;
        must(contact.axis().is_some(), "a false hit has an axis")?;
        // The sign of a last time is exact, unless the time is too small for a float.
        let past = Fraction::of(0.0) > &exact.last + &Fraction::of(f32::from_bits(1));
        must(!past, "what has passed is no hit")?;
        return must(exact.narrow && early <= late, "a false hit is a narrow miss");
    }
    must(contact.state() == exact.state, "the state is exact")?;
    must(Fraction::of(first) <= exact.first, "first is never late")?;
    must(Fraction::of(first) >= early, "first is hardly early")?;
    must(Fraction::of(last) >= exact.last, "last is never early")?;
    must(Fraction::of(last) <= late, "last is hardly late")?;
    must(contact.is_closing() == exact.closing, "closing is exact")?;

    let (axes, down) = (contact.axis_mask(), exact::down(contact));
    if exact.state == ContactState::Overlapping {
        must(first == 0.0, "an overlap starts at once")?;
        must(axes == exact.axes && down == exact.down, "axes that touch are exact")?;
        return must(contact.is_surface() == (axes != 0), "surface is exact");
    }
    must(axes & exact.axes == exact.axes, "each axis that enters last is named")?;
    let latest = &exact.first - &exact.first.slack(TOGETHER, ABSOLUTE);
    for axis in 0..3 {
        let d = f64::from(case.b.delta[axis]) - f64::from(case.a.delta[axis]);
        let named = axes >> axis & 1 == 1;
        let entered = exact.enter[axis].as_ref().is_some_and(|enter| *enter >= latest);
        must(!named || entered, "an axis that is named enters last")?;
        let falls = down >> axis & 1 == 1;
        must(falls == (named && d > 0.0), "the normal points against the motion of b")?;
    }
    let lowest = (0..3).find(|axis| axes >> axis & 1 == 1);
    must(contact.axis() == lowest, "the lowest axis is the axis")?;
    let length: f32 = contact.normal().iter().map(|x| x.abs()).sum();
    must(length == 1.0 && !contact.is_surface(), "the normal is of unit length")
}
