//! Exact casts of a segment against a box or a polyhedron, and the guarantees for a result.
//!
//! As in `exact`, everything is an integer or a fraction: for boxes the distance to each face divided by the
//! displacement, for half-spaces both sides of the inequality in units of 2⁻²⁹⁸.

use super::exact::{Fraction, TINY, Whole, whole};
use super::promises::{ABSOLUTE, RELATIVE};
use super::rays::Ray;
use super::segments::cast_bits;
use swath::batch::SegmentStart;
use swath::batch::cast::{Cast, polyhedron};
use swath::{Aabb, Plane, Segment};

/// Faces count as reached together within rounding: two fractions are compared, with twice the slack of one.
const TOGETHER: i32 = 20;

/// The exact result for a segment. `None` stands for infinity.
pub struct ExactCast {
    /// It is beside the box for all fractions.
    pub never: bool,
    pub entry: Fraction,
    /// The least of `far`.
    pub left: Option<Fraction>,
    pub max_fraction: Option<Fraction>,
    pub near: [Option<Fraction>; 3],
    pub far: [Option<Fraction>; 3],
    pub start: SegmentStart,
    /// Axes on whose faces it starts, and on which of them the normal is negative.
    pub standing: [u8; 2],
}

fn end(x: f32) -> Option<Fraction> {
    x.is_finite().then(|| Fraction::of(x))
}

/// The lesser of two, where `None` is infinity.
fn lesser(a: Option<Fraction>, b: Option<Fraction>) -> Option<Fraction> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

pub fn exact_cast(segment: &Segment, aabb: &Aabb) -> ExactCast {
    let zero = Whole::from(0);
    let mut exact = ExactCast {
        never: false,
        entry: Fraction::of(0.0),
        left: None,
        max_fraction: end(segment.max_fraction),
        near: [None, None, None],
        far: [None, None, None],
        start: SegmentStart::Inside,
        standing: [0, 0],
    };
    for axis in 0..3 {
        let start = whole(segment.start[axis]);
        let [to_low, to_high] = [aabb.min, aabb.max].map(|face| whole(face[axis]) - &start);
        let d = whole(segment.delta[axis]);
        let apart = to_low > zero || to_high < zero;
        if apart {
            exact.start = SegmentStart::Outside;
        } else if to_low == zero || to_high == zero {
            if exact.start == SegmentStart::Inside {
                exact.start = SegmentStart::OnSurface;
            }
            let negative = if to_low == to_high { d > zero } else { to_low == zero };
            exact.standing[0] |= 1 << axis;
            exact.standing[1] |= u8::from(negative) << axis;
        }
        if d == zero {
            exact.never |= apart;
            continue;
        }
        let (first, last) = if d > zero { (to_low, to_high) } else { (to_high, to_low) };
        let (near, far) = (Fraction::new(first, d.clone()), Fraction::new(last, d));
        exact.entry = exact.entry.max(near.clone());
        exact.left = lesser(exact.left, Some(far.clone()));
        (exact.near[axis], exact.far[axis]) = (Some(near), Some(far));
    }
    exact
}

impl ExactCast {
    pub fn exit(&self) -> Option<Fraction> {
        lesser(self.left.clone(), self.max_fraction.clone())
    }

    pub fn is_hit(&self) -> bool {
        !self.never && self.exit().is_none_or(|exit| self.entry <= exit)
    }
}

fn must(holds: bool, promise: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(promise) }
}

/// A ray reaches at least this fraction.
fn reach() -> Fraction {
    Fraction::new(Whole::from(1) << 127, Whole::from(1))
}

/// The earliest and the latest allowed value for `fraction`.
fn around(fraction: &Fraction, relative: i32) -> [Fraction; 2] {
    let slack = fraction.slack(relative, ABSOLUTE);
    [fraction - &slack, fraction + &slack]
}

/// All guarantees for one result.
pub fn holds(ray: &Ray, cast: &Cast, exact: &ExactCast) -> Result<(), &'static str> {
    let Cast { entry, exit, faces } = *cast;
    let past_reach = exact.entry > reach();
    if !faces.is_hit() {
        must(!exact.is_hit() || past_reach, "what is hit is never missed")?;
        return must(cast_bits(cast) == cast_bits(&Cast::MISS), "a miss is `MISS`");
    }
    must(entry.is_sign_positive() && entry.is_finite(), "entry is finite and not negative")?;
    must(exit.is_sign_positive() && exit <= ray.segment.max_fraction, "exit is in reach")?;
    must(entry <= exit, "entry is not after exit")?;
    must(faces.start() == exact.start, "the start is exact")?;
    let [early, _] = around(&exact.entry, RELATIVE);
    let true_exit = exact.exit();
    if exact.is_hit() {
        must(Fraction::of(entry) <= exact.entry, "entry is never late")?;
        must(Fraction::of(entry) >= early, "entry is hardly early")?;
        match &true_exit {
            _ if !exit.is_finite() => must(
                ray.segment.max_fraction == exit
                    && true_exit.as_ref().is_none_or(|exit| *exit > reach()),
                "only what is not left in reach is left at infinity",
            )?,
            None => return Err("exit is never early: it is never left"),
            Some(true_exit) => {
                let [_, late] = around(true_exit, RELATIVE);
                must(Fraction::of(exit) >= *true_exit, "exit is never early")?;
                must(Fraction::of(exit) <= late, "exit is hardly late")?;
            }
        }
    } else {
        must(!exact.never, "what is beside is no hit")?;
        let end = true_exit.ok_or("a ray that is never left is entered")?;
        let [_, late] = around(&end, RELATIVE);
        must(early <= late, "a false hit is a narrow miss")?;
        // The sign of the exit is exact, unless it is too small for a float.
        let past = Fraction::of(0.0) > &end + &Fraction::of(f32::from_bits(1));
        must(!past, "what has passed is no hit")?;
        must(faces.start() == SegmentStart::Outside, "a false hit starts outside")?;
    }
    entry_faces(ray, cast, exact)?;
    exit_faces(ray, cast, exact)
}

fn sign_bits(bits: u32, shift: u32) -> u8 {
    (bits >> shift & 7) as u8
}

fn unit(mask: u8, negative: u8) -> [f32; 3] {
    let mut normal = [0.0; 3];
    if mask != 0 {
        let axis = mask.trailing_zeros() as usize;
        normal[axis] = if negative >> axis & 1 == 1 { -1.0 } else { 1.0 };
    }
    normal
}

fn entry_faces(ray: &Ray, cast: &Cast, exact: &ExactCast) -> Result<(), &'static str> {
    let faces = cast.faces;
    let (mask, negative) = (faces.entry_axis_mask(), sign_bits(faces.bits(), 3));
    must(
        faces.entry_normal() == unit(mask, negative),
        "the normal of entry is of the lowest axis",
    )?;
    if exact.start != SegmentStart::Outside {
        must(cast.entry == 0.0, "a start in the box enters at once")?;
        let expected = if exact.start == SegmentStart::Inside { [0, 0] } else { exact.standing };
        return must([mask, negative] == expected, "faces of a start on the surface are exact");
    }
    must(mask != 0, "what comes from outside comes by a face")?;
    if !exact.is_hit() {
        return Ok(());
    }
    let latest = around(&exact.entry, TOGETHER)[0].clone();
    for axis in 0..3 {
        let near = exact.near[axis].as_ref();
        let named = mask >> axis & 1 == 1;
        must(named || near != Some(&exact.entry), "each face that is entered last is named")?;
        must(!named || near.is_some_and(|near| *near >= latest), "a named face is entered last")?;
        let rises = named && ray.segment.delta[axis] > 0.0;
        must((negative >> axis & 1 == 1) == rises, "normals of entry are against the motion")?;
    }
    Ok(())
}

fn exit_faces(ray: &Ray, cast: &Cast, exact: &ExactCast) -> Result<(), &'static str> {
    let faces = cast.faces;
    let (mask, negative) = (faces.exit_axis_mask(), sign_bits(faces.bits(), 9));
    must(faces.exit_normal() == unit(mask, negative), "the normal of exit is of the lowest axis")?;
    let Some(left) = &exact.left else {
        return must(mask == 0, "what is never left has no faces of exit");
    };
    let within = |left: &Fraction| exact.max_fraction.as_ref().is_none_or(|max| left <= max);
    let soonest = around(left, TOGETHER)[1].clone();
    must(mask == 0 || within(&around(left, RELATIVE)[0]), "who ends inside leaves by no face")?;
    let leaves = exact.is_hit() && within(left) && *left <= reach();
    for axis in 0..3 {
        let far = exact.far[axis].as_ref();
        let named = mask >> axis & 1 == 1;
        must(!leaves || named || far != Some(left), "each face that is left first is named")?;
        must(!named || far.is_some_and(|far| *far <= soonest), "a named face is left first")?;
        let falls = named && ray.segment.delta[axis] < 0.0;
        must((negative >> axis & 1 == 1) == falls, "normals of exit are along the motion")?;
    }
    Ok(())
}

/// Both sides of `f · rate ≤ room` for one half-space, and the sums of magnitudes, in units of 2⁻²⁹⁸.
struct HalfSpace {
    room: Whole,
    rate: Whole,
    room_terms: Whole,
    rate_terms: Whole,
    has_surface: bool,
}

fn magnitude(x: &Whole) -> Whole {
    if *x < Whole::from(0) { -x } else { x.clone() }
}

fn half_space(segment: &Segment, plane: &Plane) -> HalfSpace {
    let offset = whole(plane.offset) << TINY;
    let (mut room, mut room_terms) = (offset.clone(), magnitude(&offset));
    let (mut rate, mut rate_terms) = (Whole::from(0), Whole::from(0));
    for axis in 0..3 {
        let normal = whole(plane.normal[axis]);
        let (at, by) = (&normal * whole(segment.start[axis]), &normal * whole(segment.delta[axis]));
        room_terms += magnitude(&at);
        rate_terms += magnitude(&by);
        room -= at;
        rate += by;
    }
    let has_surface = plane.normal != [0.0; 3];
    HalfSpace { room, rate, room_terms, rate_terms, has_surface }
}

impl HalfSpace {
    /// `fraction · rate - room`: how far the segment is beyond the plane there, in units of 2⁻⁴⁴⁷.
    fn past(&self, fraction: f32) -> Whole {
        whole(fraction) * &self.rate - (&self.room << TINY)
    }

    /// How far it may be beyond the plane by the guarantee, in units of 2⁻⁴⁴⁷ / 2²¹, and the effect of the
    /// slack of quotients.
    fn allowed(&self, fraction: f32) -> [Whole; 2] {
        let fraction = whole(fraction);
        // Underflow: 2⁻¹⁴⁵ for each fraction of the motion, and once.
        let tiny = Whole::from(1) << (2 * TINY - 145 + 20);
        let terms = &self.room_terms + &tiny;
        let per_fraction = &self.rate_terms + &tiny;
        // If a fraction loses digits, it is 2⁻¹²⁶ from one that is within the first bound.
        let moved = &fraction + (Whole::from(1) << (TINY - ABSOLUTE));
        let sums = ((terms << TINY) + moved * per_fraction) << (RELATIVE - 20);
        let absolute = Whole::from(1) << (TINY - ABSOLUTE + RELATIVE);
        [sums, magnitude(&self.rate) * (fraction + absolute)]
    }

    fn is_within(&self, fraction: f32) -> bool {
        let [sums, slack] = self.allowed(fraction);
        (self.past(fraction) << RELATIVE) <= sums + slack
    }

    /// Whether the segment is on the plane there, within the allowed distance on the far side and the slack
    /// on the near side.
    fn is_on(&self, fraction: f32) -> bool {
        let [_, slack] = self.allowed(fraction);
        self.is_within(fraction)
            && (self.past(fraction) << RELATIVE) + &slack + slack >= Whole::from(0)
    }

    fn is_near_start(&self) -> bool {
        let tiny = Whole::from(1) << (2 * TINY - 145);
        (magnitude(&self.room) << 20) <= &self.room_terms + (tiny << 20)
    }
}

/// All guarantees for one result of a polyhedron.
pub fn polyhedron_holds(
    segment: &Segment,
    planes: &[Plane],
    cast: &polyhedron::PolyhedronCast,
) -> Result<(), &'static str> {
    let zero = Whole::from(0);
    let spaces: Vec<_> = planes.iter().map(|plane| half_space(segment, plane)).collect();
    let (mut entry, mut exit) = (Fraction::of(0.0), end(segment.max_fraction));
    let (mut never, mut start) = (false, SegmentStart::Inside);
    for HalfSpace { room, rate, has_surface, .. } in &spaces {
        if *rate < zero {
            entry = entry.max(Fraction::new(room.clone(), rate.clone()));
        } else if *rate > zero {
            exit = lesser(exit, Some(Fraction::new(room.clone(), rate.clone())));
        } else {
            never |= *room < zero;
        }
        if *room < zero {
            start = SegmentStart::Outside;
        } else if *room == zero && *has_surface && start == SegmentStart::Inside {
            start = SegmentStart::OnSurface;
        }
    }
    let is_hit = !never && exit.as_ref().is_none_or(|exit| entry <= *exit);
    let facets = cast.facets;
    if !facets.is_hit() {
        must(!is_hit || entry > reach(), "what is hit is never missed")?;
        let parts = (cast.entry, cast.exit, facets.bits(), facets.entry_plane());
        return must(
            parts == (f32::INFINITY, f32::INFINITY, 0, None) && facets.exit_plane().is_none(),
            "a miss is `MISS`",
        );
    }
    must(cast.entry >= 0.0 && cast.entry.is_finite(), "entry is finite and not negative")?;
    must(cast.entry <= cast.exit && cast.exit <= segment.max_fraction, "exit is in reach")?;
    if is_hit {
        must(Fraction::of(cast.entry) <= entry, "entry is never late")?;
        let exits =
            exit.as_ref().is_some_and(|exit| Fraction::of(cast.exit.min(f32::MAX)) >= *exit);
        must(exits || !cast.exit.is_finite(), "exit is never early")?;
    }
    // A ray without exit reaches at least 2^127.
    let last = cast.exit.min((1_u128 << 127) as f32).max(cast.entry);
    let within = spaces.iter().all(|space| space.is_within(cast.entry) && space.is_within(last));
    must(within, "what is told to be in is hardly out")?;

    let near = spaces.iter().any(|space| space.has_surface && space.is_near_start());
    let told = facets.start();
    must(told == start || told == SegmentStart::OnSurface && near, "the start is certain or near")?;
    match facets.entry_plane() {
        None => must(told == SegmentStart::Inside, "only a start inside has no plane of entry")?,
        Some(plane) if told == SegmentStart::OnSurface => {
            must(spaces[plane].has_surface, "who stands on a plane stands on a plane")?;
            must(spaces[plane].is_near_start(), "who stands on a plane is near it")?;
        }
        Some(plane) => {
            must(told == SegmentStart::Outside, "a start inside has no plane of entry")?;
            must(spaces[plane].is_on(cast.entry), "who enters is on the plane of entry")?;
        }
    }
    if let Some(plane) = facets.exit_plane() {
        must(spaces[plane].is_on(cast.exit), "who leaves is on the plane of exit")?;
    }
    let left = exit.is_some_and(|exit| end(segment.max_fraction) != Some(exit) && is_hit);
    must(
        facets.exit_plane().is_some() || !left || cast.exit == segment.max_fraction,
        "who leaves leaves by a plane",
    )
}
