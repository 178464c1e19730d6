//! Until when a plane separates two bodies.
//!
//! A direction `n`, which may rotate at a constant rate `Ω`, bounds the distance from below at each
//! time:
//!
//! ```text
//! f(t) = n(t)·x(t) − h_A(n(t)) − h_B(−n(t))  ≤  distance(t)
//! ```
//!
//! `h` is the support function of a body in its rotation at that time. Without rotation, `f` is a
//! quadratic. Otherwise, on an interval of length `Δ`, with `s` in `[0, 1]` along it, a direction `u`
//! seen from a body that rotates by `ω` deviates from its chord by no more than
//! `½·s(1−s)·Δ²·max|u″|`, and `h` is sublinear, so
//!
//! ```text
//! h(u(s)) ≤ (1−s)·h(u(0)) + s·h(u(1)) + ½·s(1−s)·Δ²·|u″|·R        |u″| ≤ |Ω−ω|·|Ω×n| + |ω|·|(Ω−ω)×n|
//! ```
//!
//! where `R` is the reach of the body about its position: two supports bound it over the whole
//! interval, exactly at both ends. `n·x` is bounded in the same way. Together that is a quadratic in
//! `s`, whose first root is a safe time (`docs/math/toi.md` has the proof).
//!
//! **Which `Ω`.** The far corners of a rotating face would pass through a plane that does not rotate
//! with it. If the nearest points are a face or edge of one body and a vertex of the other, `n`
//! rotates with the first; for two edges it stays across both. Then `f` has the slope of the distance
//! itself, and the rounds converge as Newton's method does. Conservative advancement by greatest
//! speeds (Mirtich 1996; Zhang, Lee and Kim 2006) gains a constant factor per round.

use super::relative_motion::{Course, MovingShape, RelativePath};
use crate::narrowphase::gjk::{Nearest, Two};
use crate::narrowphase::math::{V3, greater, lesser, sqrt};
use crate::narrowphase::roots::first_root;
use crate::narrowphase::rotation::Rotation;
use crate::narrowphase::simplex::{Simplex, Vertex};

/// Greatest number of intervals for one plane before another plane is searched.
const STEPS_MAX: u32 = 8;

/// Range of a gap within which a plane is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Band {
    /// The gap that must not be reached, including the bound of the rounding errors.
    pub(super) floor: f64,
    /// The gap at which an ignored touch counts as separated; infinite without a touch.
    pub(super) lift: f64,
}

/// Until when a plane separates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Reach {
    /// Until the end.
    End,
    /// The gap is above the floor until `t`, along `normal` at that time. `lifted` says that it has
    /// reached the lift there.
    Until { t: f64, normal: V3, lifted: bool },
}

/// A plane at a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeparatingPlane {
    pub(super) t: f64,
    pub(super) normal: V3,
    /// The gap along it.
    pub(super) gap: f64,
}

/// Returns the first time in `[0, end]` at which a quadratic leaves the band, and whether upwards.
#[inline(always)]
fn leaves(band: &Band, gap: f64, rate: f64, bend: f64, end: f64) -> Option<(f64, bool)> {
    let down = first_root(gap - band.floor, rate, bend);
    if band.lift < f64::INFINITY {
        let up = first_root(band.lift - gap, -rate, -bend);
        if up < down && up <= end {
            return Some((up, true));
        }
    }
    (down <= end).then_some((down, false))
}

/// Returns until when the plane separates if nothing rotates.
#[inline]
pub(super) fn straight(
    path: &RelativePath,
    plane: &SeparatingPlane,
    band: &Band,
    to: f64,
) -> Reach {
    let SeparatingPlane { t, normal, gap } = *plane;
    let rate = normal.dot(path.velocity(t));
    let bend = 0.5 * normal.dot(path.accel);
    match leaves(band, gap, rate, bend, to - t) {
        None => Reach::End,
        Some((after, lifted)) => Reach::Until { t: lesser(t + after, to), normal, lifted },
    }
}

/// Returns until when a plane across `found`'s direction separates, rotating as the nearest features
/// do; and the number of supports computed.
pub(super) fn turning(
    course: &Course<'_>,
    two: &Two<'_>,
    (plane, found): (&SeparatingPlane, &Nearest),
    simplex: &Simplex,
    band: &Band,
    to: f64,
) -> (Reach, u32) {
    let far = whole(course, plane, band, to);
    if let Some(reach) = far {
        return (reach, 0);
    }
    let still = Pull { turn: Rotation::new(V3::ZERO) };
    // All vertices of the simplex are about as far along the normal, and the one that closes fastest is
    // soon the farthest.
    let rate = simplex.vertices[..simplex.len]
        .iter()
        .fold(slope(course, two, &still, plane, &found.support), |rate, vertex| {
            lesser(slope(course, two, &still, plane, vertex), rate)
        });
    let mut first = FirstCrossing { rate, length: span(course, &still, plane, band, rate, to) };
    let mut pull = still;
    if let Some(turning) = along_features(course, two, simplex, plane.normal) {
        let rate = slope(course, two, &turning, plane, &found.support);
        let length = span(course, &turning, plane, band, rate, to);
        if length > first.length {
            (pull, first) = (turning, FirstCrossing { rate, length });
        }
    }
    follow(course, &pull, plane, first, band, to)
}

/// Returns until when a plane across `found`'s direction separates that rotates with a body; and the
/// number of supports computed.
pub(super) fn turning_with(
    course: &Course<'_>,
    two: &Two<'_>,
    (plane, found): (&SeparatingPlane, &Nearest),
    turn: Rotation,
    band: &Band,
    to: f64,
) -> (Reach, u32) {
    let pull = Pull { turn };
    let rate = slope(course, two, &pull, plane, &found.support);
    let first = FirstCrossing { rate, length: span(course, &pull, plane, band, rate, to) };
    follow(course, &pull, plane, first, band, to)
}

/// Guess for the first interval: the rate of the gap, and a useful length.
#[derive(Clone, Copy)]
struct FirstCrossing {
    rate: f64,
    length: f64,
}

/// Follows a plane that rotates as `pull` does, interval by interval.
fn follow(
    course: &Course<'_>,
    pull: &Pull,
    plane: &SeparatingPlane,
    FirstCrossing { mut rate, mut length }: FirstCrossing,
    band: &Band,
    to: f64,
) -> (Reach, u32) {
    let mut now = *plane;
    let mut steps = 0;
    loop {
        steps += 1;
        let sweep = TimeInterval::new(course, pull, &now, length);
        let next = sweep.end(course, pull, &now);
        let [linear, square] = sweep.quadratic(course, pull, &now, &next);
        if let Some((s, lifted)) = leaves(band, now.gap, linear, square, 1.0) {
            if s < EARLY && next.gap < band.floor && steps < STEPS_MAX {
                // The gap bends more than the bound: go as far as a parabola through the known values
                // goes.
                let bend = (next.gap - now.gap - rate * length) / (length * length);
                let shorter = 1.25 * first_root(now.gap - band.floor, rate, bend);
                let (least, most) = (length * s, 0.5 * length);
                length = lesser(greater(shorter, 2.0 * least), most);
                continue;
            }
            let after = sweep.length * s;
            let normal = pull.turn.direction(now.normal, after);
            let t = lesser(now.t + after, to);
            return (Reach::Until { t, normal, lifted }, steps);
        }
        // The support map of the caller may have returned an invalid point.
        if next.gap.is_nan() {
            return (Reach::Until { t: now.t, normal: now.normal, lifted: false }, steps);
        }
        if next.t >= to {
            return (Reach::End, steps);
        }
        rate = (next.gap - now.gap) / sweep.length;
        now = next;
        if steps >= STEPS_MAX {
            return (Reach::Until { t: now.t, normal: now.normal, lifted: false }, steps);
        }
        length = span(course, pull, &now, band, rate, to);
    }
}

/// Part of an interval before which a root counts as too early: then a shorter interval is tried.
const EARLY: f64 = 0.25;

/// Returns until when the bounding spheres about both positions are separated along the plane, if
/// they are at the start. A body that does not rotate keeps its own support.
fn whole(course: &Course<'_>, plane: &SeparatingPlane, band: &Band, to: f64) -> Option<Reach> {
    let reach = |mover: &MovingShape<'_>, direction| {
        if mover.turn.rate == 0.0 { mover.reach(direction, 0.0) } else { mover.shape.reach }
    };
    let SeparatingPlane { t, normal, .. } = *plane;
    let x = course.between(t);
    let spheres = course.a.shape.reach + course.b.shape.reach;
    // Near each other the spheres overlap, so a closer test is not worth its cost.
    if x.dot(normal) - spheres <= band.floor && course.a.turn.rate > 0.0 && course.b.turn.rate > 0.0
    {
        return None;
    }
    let gap = x.dot(normal) - reach(&course.a, normal) - reach(&course.b, -normal);
    // A step that leaves most of the gap is not worth a round. A comparison with NaN is false.
    let far = gap - band.floor > FAR * (plane.gap - band.floor);
    if band.lift < f64::INFINITY || !far {
        return None;
    }
    let reached = straight(&course.path, &SeparatingPlane { gap, ..*plane }, band, to);
    // A step that does not move forward gains nothing.
    match reached {
        Reach::Until { t: at, .. } if at <= t => None,
        reached => Some(reached),
    }
}

/// Part of the gap that must remain between the spheres for them to be used.
const FAR: f64 = 0.25;

/// How a plane rotates.
#[derive(Clone, Copy)]
struct Pull {
    turn: Rotation,
}

/// Returns a plane rotation for which the points of the simplex, each moving with its bodies, stay on
/// the plane.
///
/// A vertex of the simplex is at `y` relative to the nearest point, across `n`, and closes at a rate
/// of its own. A plane whose normal changes by `w` sees all of them close at the same rate if `w·(yᵢ
/// − y₀) = rᵢ − r₀`. Then the gap has the slope of the distance: the weights of the nearest point
/// average both sides.
fn along_features(course: &Course<'_>, two: &Two<'_>, simplex: &Simplex, n: V3) -> Option<Pull> {
    if simplex.len < 2 {
        return None;
    }
    let (a, b) = (&course.a, &course.b);
    let (spin_a, spin_b) = (a.spin(&two.a.rotation), b.spin(&two.b.rotation));
    let (to_a, to_b) = (spin_a.cross(n), spin_b.cross(n));
    // Rate at which the gap between the two points of a vertex grows, without the part common to all.
    let rate = |vertex: &Vertex| {
        two.a.rotation.turn(vertex.on_a).dot(to_a) - two.b.rotation.turn(vertex.on_b).dot(to_b)
    };
    let [first, second, third, _] = &simplex.vertices;
    let base = rate(first);
    let (e, r) = (second.at - first.at, rate(second) - base);
    let ee = e.square();
    let mut w = e * (r / ee);
    // Two vertices that differ on both bodies are a diagonal: the edge of each body is on the plane, so a
    // third corner of their parallelogram is too.
    let diagonal = first.on_a != second.on_a && first.on_b != second.on_b;
    let third = match simplex.len {
        2 => diagonal.then(|| two.vertex(first.on_a, second.on_b)),
        _ => Some(*third),
    };
    if let Some(third) = third {
        let (f, s) = (third.at - first.at, rate(&third) - base);
        let (ef, ff) = (e.dot(f), f.square());
        let whole = ee * ff - ef * ef;
        if whole > SLIVER * (ee * ff) {
            w = e * ((r * ff - s * ef) / whole) + f * ((s * ee - r * ef) / whole);
        }
    }
    // Edges that are almost parallel would rotate the plane very fast.
    let most = WHIRL * (a.turn.rate + b.turn.rate);
    // A comparison with NaN is false: a side of length zero determines no rotation.
    (w.square() <= most * most).then(|| Pull { turn: Rotation::new(n.cross(w)) })
}

/// The square of the least sine between two sides of a triangle that determines the plane's rotation.
const SLIVER: f64 = 1e-6;

/// Greatest rate at which a plane may rotate, relative to the rates of both bodies together.
const WHIRL: f64 = 256.0;

/// Initial rate of the gap along the plane, if the farthest points stay the farthest.
fn slope(
    course: &Course<'_>,
    two: &Two<'_>,
    pull: &Pull,
    plane: &SeparatingPlane,
    support: &Vertex,
) -> f64 {
    let (n, spin) = (plane.normal, pull.turn.spin);
    let on_a = two.a.rotation.turn(support.on_a);
    let on_b = two.b.rotation.turn(support.on_b);
    n.dot(course.velocity(plane.t)) + spin.cross(n).dot(course.between(plane.t))
        - on_a.dot((spin - course.a.spin(&two.a.rotation)).cross(n))
        + on_b.dot((spin - course.b.spin(&two.b.rotation)).cross(n))
}

/// An interval of time, and the greatest deviation of the bound within it.
struct TimeInterval {
    length: f64,
    /// `½·Δ²·(|u″|·R + …)`.
    sag: f64,
}

/// Returns a useful length of an interval, from the initial slope.
fn span(
    course: &Course<'_>,
    pull: &Pull,
    plane: &SeparatingPlane,
    band: &Band,
    rate: f64,
    to: f64,
) -> f64 {
    let gap = plane.gap - band.floor;
    let across = pull.turn.spin.cross(plane.normal).length();
    let bent = bend(&course.a, pull, plane.normal, 0.0)
        + bend(&course.b, pull, plane.normal, 0.0)
        + pull.turn.rate * across * pull.turn.off_axis(course.between(plane.t));
    // Where twice the gap equals the greatest deviation.
    let curved = 4.0 * sqrt(gap / greater(bent, f64::MIN_POSITIVE));
    // A little past the end of Newton's step, so that the root is inside.
    let newton = 1.25 * first_root(gap, rate, 0.5 * plane.normal.dot(course.path.accel));
    lesser(to - plane.t, lesser(curved, newton))
}

impl TimeInterval {
    fn new(course: &Course<'_>, pull: &Pull, plane: &SeparatingPlane, length: f64) -> Self {
        let across = pull.turn.spin.cross(plane.normal).length();
        let furthest = pull.turn.off_axis(course.between(plane.t))
            + pull.turn.off_axis(course.velocity(plane.t)) * length
            + 0.5 * pull.turn.off_axis(course.path.accel) * (length * length);
        let turned = across * length;
        let bent = bend(&course.a, pull, plane.normal, turned)
            + bend(&course.b, pull, plane.normal, turned)
            + pull.turn.rate * across * furthest;
        // Rounding is in the slack of the floor; this factor is for the products here.
        Self { length, sag: 0.5 * length * length * bent * (1.0 + 1e-12) }
    }

    /// Returns the plane at the end of the interval.
    fn end(&self, course: &Course<'_>, pull: &Pull, plane: &SeparatingPlane) -> SeparatingPlane {
        let t = plane.t + self.length;
        let normal = pull.turn.direction(plane.normal, self.length);
        let gap =
            normal.dot(course.between(t)) - course.a.reach(normal, t) - course.b.reach(-normal, t);
        SeparatingPlane { t, normal, gap }
    }

    /// Returns the linear and the square term, in `s`, of a quadratic that is nowhere above the gap.
    fn quadratic(
        &self,
        course: &Course<'_>,
        pull: &Pull,
        from: &SeparatingPlane,
        to: &SeparatingPlane,
    ) -> [f64; 2] {
        let turned = if pull.turn.rate == 0.0 { V3::ZERO } else { to.normal - from.normal };
        let (x1, x2) = (
            course.velocity(from.t) * self.length,
            course.path.accel * (0.5 * self.length * self.length),
        );
        let cube = turned.dot(x2);
        // In [0, 1] a cube is at most the square, and at least twice the square less `s`.
        let cube = if cube > 0.0 { 2.0 * cube } else { cube };
        let square = from.normal.dot(x2) + turned.dot(x1) + self.sag + cube;
        [to.gap - from.gap - square, square]
    }
}

/// Returns `|u″|·R` of a body, where the plane rotates by at most `turned` during the interval.
fn bend(mover: &MovingShape<'_>, pull: &Pull, normal: V3, turned: f64) -> f64 {
    let spin = pull.turn.spin;
    let rate = mover.turn.rate;
    let across = spin.cross(normal).length();
    let rolling = if pull.turn.rate == 0.0 {
        // The direction is constant, and seen from the body rotates about the body's axis.
        rate * mover.turn.spin.cross(normal).length() * mover.swing
    } else {
        let against = spin - mover.turn.spin;
        let length = against.length();
        let askew = lesser(against.cross(normal).length() + length * turned, length);
        (length * across + rate * askew) * mover.shape.reach
    };
    if mover.wobble == f64::INFINITY {
        return rolling;
    }
    // A body of revolution, seen from axes that do not roll about its own.
    let against = pull.turn.rate + mover.wobble;
    let still = against * across + mover.wobble * (against + rate);
    lesser(still * mover.shape.reach, rolling)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Motion, Pose};
    use crate::narrowphase::shape::Shape;

    /// Goal: the quadratic is nowhere above the gap, whatever rotates, the plane too, and equals it
    /// at both ends. Method: points, bars and boxes in turn, each of plane and bodies still or
    /// rotating up to a turn in the interval, accelerated or not, near and far, half of them almost
    /// about their own axis; the gap at many times.
    #[test]
    fn the_bound_is_nowhere_above_the_gap() {
        let mut state = 9_u64;
        let mut draw = move |most: f64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            most * ((state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
        };
        let shapes = [
            Shape::point(),
            Shape::cuboid([1.0, 0.5, 0.25]).expect("a box"),
            Shape::cuboid([2.0, 0.0, 0.0]).expect("a bar"),
            Shape::cylinder(0.5, 1.0).expect("a cylinder"),
        ];
        let mut tight = 0.0;
        for case in 0..4000_usize {
            let mut vector = |most: f64| V3::new(draw(most), draw(most), draw(most));
            let on = |bit: usize, vector: V3| if case >> bit & 1 == 1 { vector } else { V3::ZERO };
            let mut motion = |far: f64, bit: usize| {
                let pose = Pose::at(vector(far).to_f32()).expect("a pose");
                Motion {
                    delta: vector(3.0).to_f32(),
                    accel: on(2, vector(3.0)).to_f32(),
                    spin: on(bit, vector(3.0)).to_f32(),
                    ..Motion::from(pose)
                }
            };
            let (mut of_a, mut of_b) =
                (motion(0.1, 0), motion(if case & 8 == 0 { 1.0 } else { 20.0 }, 1));
            if case / 512 % 2 == 1 {
                for motion in [&mut of_a, &mut of_b] {
                    let [x, y, z] = motion.spin;
                    motion.spin = [1e-3 * x, y, 1e-2 * z];
                }
            }
            let pull = Pull { turn: Rotation::new(on(4, vector(3.0))) };
            let normal = vector(1.0).unit().unwrap_or(V3::X);
            let (a, b) = (&shapes[case / 32 % 4], &shapes[case / 128 % 4]);
            let path = RelativePath::new(&of_a, &of_b);
            let course = Course::new((a, &of_a), (b, &of_b), path, path.slack(a, b, 1.0));
            let gap = |t: f64| {
                let normal = pull.turn.direction(normal, t);
                let reach = course.a.reach(normal, t) + course.b.reach(-normal, t);
                normal.dot(course.between(t)) - reach
            };
            let from = SeparatingPlane { t: 0.0, normal, gap: gap(0.0) };
            let sweep = TimeInterval::new(
                &course,
                &pull,
                &from,
                0.05 + draw(0.04) + (case % 2) as f64 * 0.5,
            );
            let to = sweep.end(&course, &pull, &from);
            let [linear, square] = sweep.quadratic(&course, &pull, &from, &to);
            for step in 0..=40 {
                let s = f64::from(step) / 40.0;
                let bound = from.gap + linear * s + square * (s * s);
                let true_gap = gap(s * sweep.length);
                assert!(bound <= true_gap + 1e-12, "{case} at {s}: {bound} {true_gap} {course:?}");
                assert!(step % 40 > 0 || bound >= true_gap - 1e-12, "{case}: exact at both ends");
                if sweep.sag > 1e-3 {
                    let used = 1.0 - (true_gap - bound) / (sweep.sag * s * (1.0 - s));
                    tight = greater(tight, if step % 40 > 0 { used } else { 0.0 });
                }
            }
        }
        assert!(tight > 0.9, "it is no larger than need be: {tight}");
    }

    /// Goal: a body that rolls about its own axis has no deviation, and one that only seems to has
    /// some. Method: a cylinder and a box that rotate three radians about `y`; a cylinder that
    /// rotates about `x`.
    #[test]
    fn what_rolls_does_not_sag() {
        let still = Motion::from(Pose::IDENTITY);
        let sag = |shape: &Shape<'_>, spin: [f32; 3]| {
            let motion = still.spinning(spin).expect("a spin");
            let (point, path) = (Shape::point(), RelativePath::new(&motion, &still));
            let course = Course::new((shape, &motion), (&point, &still), path, 0.0);
            let plane = SeparatingPlane { t: 0.0, normal: V3::X, gap: 0.0 };
            TimeInterval::new(&course, &Pull { turn: Rotation::new(V3::ZERO) }, &plane, 1.0).sag
        };
        let cylinder = Shape::cylinder(0.5, 1.0).expect("a cylinder");
        assert!(sag(&cylinder, [0.0, 3.0, 0.0]) < 1e-12);
        assert!(sag(&cylinder, [0.0, 3.0, 3.0]) > 1.0);
        assert!(sag(&Shape::cuboid([1.0, 0.5, 1.0]).expect("a box"), [0.0, 3.0, 0.0]) > 1.0);
    }
}
