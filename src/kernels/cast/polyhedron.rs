//! Where does a segment enter a convex polyhedron, and by which plane?
//!
//! A polyhedron is what closed half-spaces `normal · p ≤ offset` share; no half-space at all leaves
//! all of space. Along the segment a half-space says `f · (normal · delta) ≤ offset - normal · start`,
//! so it is a least fraction where the segment runs against its normal, a greatest where it runs
//! along, and the segment is in the polyhedron between the greatest least one and the least
//! greatest (Cyrus and Beck 1978; Ericson 2005, p. 180 and §5.3.8).
//!
//! **Never late.** The two sides of that inequality are sums that cancel, so their rounding is not
//! small beside them. With `S = Σ|normal · start| + |offset|` and `T = Σ|normal · delta|`, both sums
//! by axis, the right side is raised and the left side's factor lowered by bounds proved in
//! `docs/math/cast.md`. A half-space then gives way and never cuts off what it holds, also
//! where the segment is parallel to it and the sign of `normal · delta` is uncertain. So entry is
//! not late, exit not early, nothing hit is lost; and between the two the segment is past no plane
//! by more than
//!
//! ```text
//! 2⁻²⁰·(S + f·T) + 2⁻²¹·f·|normal · delta|
//! ```
//!
//! in lengths of the normal, but for underflow. Divided by `|normal · delta|` this is how much an
//! entry may be early. Bodies far from the origin gain by being moved there. A ray outside a slanted
//! plane and parallel to it may be told to enter it some 2¹⁸ or more times its distance away, for
//! its rounded direction cannot be told from one that does; a closed body ends long before. Products
//! with a zero are exact, so this is not so of planes across an axis.
//!
//! Units: fractions of `delta`. Cost: 28 bytes in for a segment; the planes stay in cache.

use super::room::{SLACK, SLACK_TINY};
use super::{Fractions, MISS};
use crate::geom::{Facets, Invalid, Plane, Segment};
use crate::kernels::ask::{self, Answer, Each, One, Question, Sink};
use crate::kernels::{BatchError, Hits};
use crate::lanes::{F32Lanes, Isa, Level, U32Lanes};
use crate::store::{Checked, LengthMismatch, Row, Segments};

/// Half-spaces that were checked, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Polyhedron<'a> {
    planes: &'a [Plane],
}

/// Why some planes cannot be cast against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPolyhedron {
    /// A plane is no half-space.
    #[error("plane {index} is invalid: {reason}")]
    Plane {
        /// Which plane.
        index: usize,
        /// What is wrong with it.
        reason: Invalid,
    },
    /// More planes than [`Facets`] can name.
    #[error("{planes} planes, and the most is 32767")]
    TooMany {
        /// How many there are.
        planes: usize,
    },
}

impl<'a> Polyhedron<'a> {
    /// What all of `planes` hold; all of space if there is none. It may be empty or unbounded.
    ///
    /// # Errors
    ///
    /// [`NoPolyhedron`] when one of the planes is invalid, or they are more than
    /// [`Facets::PLANES_MAX`].
    pub fn new(planes: &'a [Plane]) -> Result<Self, NoPolyhedron> {
        if planes.len() > Facets::PLANES_MAX {
            return Err(NoPolyhedron::TooMany { planes: planes.len() });
        }
        for (index, plane) in planes.iter().enumerate() {
            plane.validate().map_err(|reason| NoPolyhedron::Plane { index, reason })?;
        }
        Ok(Self { planes })
    }

    /// The half-spaces.
    #[must_use]
    pub fn planes(&self) -> &'a [Plane] {
        self.planes
    }
}

/// Where a segment enters and leaves a polyhedron, and by which planes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Cast {
    /// The first fraction at which the segment is in the polyhedron, never late; [`MISS`] when it
    /// is at none. Zero when it starts in it or within rounding of it.
    pub entry: f32,
    /// The last fraction at which it is, at most `max_fraction`, never early; [`MISS`] when there
    /// is none, and as well where a ray never leaves.
    pub exit: f32,
    /// The planes of both, and where the segment starts.
    ///
    /// [`Start::Outside`](crate::Start::Outside) and [`Start::Inside`](crate::Start::Inside) are
    /// certain; a start that rounding cannot tell from the surface is
    /// [`Start::OnSurface`](crate::Start::OnSurface), so that one truly on it always is.
    pub facets: Facets,
}

impl Cast {
    /// The segment is nowhere in the polyhedron.
    pub const MISS: Self = Self { entry: MISS, exit: MISS, facets: Facets::MISS };
}

/// Where the answers go: [`Fractions`], [`Answers`] or `&mut` [`Hits`].
pub trait Output: Sink {}

/// Whole answers, a column for each field, one row for each question: 12 bytes a row.
#[derive(Debug)]
pub struct Answers<'a> {
    /// [`Cast::entry`].
    pub entry: &'a mut [f32],
    /// [`Cast::exit`].
    pub exit: &'a mut [f32],
    /// [`Cast::facets`].
    pub facets: &'a mut [Facets],
}

impl Answers<'_> {
    /// Row `row` of the three columns.
    ///
    /// # Panics
    ///
    /// When there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> Cast {
        Cast { entry: self.entry[row], exit: self.exit[row], facets: self.facets[row] }
    }
}

impl Output for Fractions<'_> {}
impl Output for Answers<'_> {}
impl Output for &mut Hits<'_> {}

impl Sink for Answers<'_> {
    fn check(&self, rows: usize) -> Result<(), LengthMismatch> {
        LengthMismatch::check("the output `entry`", rows, self.entry.len())?;
        LengthMismatch::check("the output `exit`", rows, self.exit.len())?;
        LengthMismatch::check("the output `facets`", rows, self.facets.len())
    }

    #[inline(always)]
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool {
        answer.store_bits(isa, start, self.facets);
        Fractions { entry: self.entry, exit: self.exit }.put(isa, start, seen, answer)
    }
}

/// Where `segment` enters `polyhedron`, and where it leaves.
///
/// # Errors
///
/// [`Invalid`] when `segment` is none.
///
/// ```
/// use swath::cast::polyhedron::{self, Polyhedron};
/// use swath::{Plane, Segment};
///
/// // The tetrahedron x, y, z ≥ 0, x + y + z ≤ 1.
/// let planes = [
///     Plane::new([-1.0, 0.0, 0.0], 0.0)?,
///     Plane::new([0.0, -1.0, 0.0], 0.0)?,
///     Plane::new([0.0, 0.0, -1.0], 0.0)?,
///     Plane::new([1.0, 1.0, 1.0], 1.0)?,
/// ];
/// let tetrahedron = Polyhedron::new(&planes)?;
/// let ray = Segment::ray([-1.0, 0.25, 0.25], [1.0, 0.0, 0.0])?;
/// let cast = polyhedron::one_to_one(&ray, &tetrahedron)?;
/// assert!(cast.entry <= 1.0 && cast.entry > 0.999_99);
/// assert!(cast.exit >= 1.5 && cast.exit < 1.500_01);
/// assert_eq!(cast.facets.entry_plane(), Some(0));
/// assert_eq!(cast.facets.exit_plane(), Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn one_to_one(segment: &Segment, polyhedron: &Polyhedron<'_>) -> Result<Cast, Invalid> {
    segment.validate()?;
    let answer = ask::one_to_one(*polyhedron, segment.to_row(), []);
    Ok(answer.map_or(Cast::MISS, |(entry, exit, facets)| Cast {
        entry,
        exit,
        facets: Facets::from_bits(facets),
    }))
}

/// Where each segment enters `polyhedron`: answer `i` is for row `i`.
///
/// Rows that are no segments are answered with [`Cast::MISS`]. 28 bytes in for each row.
///
/// # Errors
///
/// [`BatchError`] when the output has not room for the answers.
pub fn many_to_one(
    level: Level,
    many: &Checked<'_, Segments<'_>>,
    polyhedron: &Polyhedron<'_>,
    output: impl Output,
) -> Result<(), BatchError> {
    ask::ask(level, *polyhedron, (Each::new(many), One([])), many.len(), output)
}

impl Question<7, 0> for Polyhedron<'_> {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, segment: &[I::F32; 7], _: &[I::F32; 0]) -> Answer<I> {
        answer(isa, segment, self.planes)
    }
}

/// How much a sum of three products and an offset may be off, of the sum of their magnitudes,
/// with room for what its use rounds.
const SUM_SLACK: f32 = 6.0 / (1 << 24) as f32;
/// What it may be off besides, where products underflow.
const SUM_SLACK_TINY: f32 = f32::from_bits(4);

/// `normal · vector` and a bound of its error, to which that of a last term of magnitude `last` may
/// be added.
#[inline(always)]
fn dot<I: Isa>(isa: I, normal: [I::F32; 3], vector: [I::F32; 3], last: I::F32) -> (I::F32, I::F32) {
    let zero = isa.splat(0.0);
    let products = [normal[0] * vector[0], normal[1] * vector[1], normal[2] * vector[2]];
    let [x, y, z] = products;
    let magnitude = x.abs() + y.abs() + z.abs() + last;
    // A product with a zero is exact, so that a segment along an axis is exactly parallel to the
    // faces beside it, and a point does not move.
    let x_exact = normal[0].eq(zero) | vector[0].eq(zero);
    let y_exact = normal[1].eq(zero) | vector[1].eq(zero);
    let z_exact = normal[2].eq(zero) | vector[2].eq(zero);
    let tiny = I::F32::select(x_exact & y_exact & z_exact, zero, isa.splat(SUM_SLACK_TINY));
    (x + y + z, magnitude * isa.splat(SUM_SLACK) + tiny)
}

/// Entry and exit fraction and the bits of [`Facets`].
#[inline(always)]
fn answer<I: Isa>(isa: I, segment: &[I::F32; 7], planes: &[Plane]) -> Answer<I> {
    let [x, y, z, dx, dy, dz, max_fraction] = *segment;
    let zero = isa.splat(0.0);
    let nowhere = isa.splat_u32(Facets::NONE);
    let (mut entered, mut left) = (isa.splat(f32::NEG_INFINITY), isa.splat(f32::INFINITY));
    let (mut entry_plane, mut exit_plane) = (nowhere, nowhere);
    // Whether the start is past a plane, or on one within rounding, and the first such plane.
    let (mut outside, mut outside_plane) = (zero.lt(zero), nowhere);
    let (mut on_surface, mut surface_plane) = (zero.lt(zero), nowhere);
    for (index, plane) in planes.iter().enumerate() {
        let index = isa.splat_u32(index as u32);
        let offset = isa.splat(plane.offset);
        let [nx, ny, nz] = plane.normal;
        let normal = [isa.splat(nx), isa.splat(ny), isa.splat(nz)];
        let (sum, error) = dot(isa, normal, [x, y, z], offset.abs());
        let room = offset - sum;
        let (room_least, room_most) = (room - error, room + error);
        let (sum, error) = dot(isa, normal, [dx, dy, dz], zero);
        // How fast the room is used up at least. The sum makes a zero of -0: where no room is used,
        // the end is at plus infinity for a start inside, and at minus infinity, so that there is
        // no hit, for one outside.
        let used = sum - error + zero;
        let fraction = room_most / used;
        let enters = used.lt(zero);
        let latest = enters & entered.lt(fraction);
        entered = I::F32::select(latest, fraction, entered);
        entry_plane = I::U32::select(latest, index, entry_plane);
        // False for 0 / 0: a segment that runs in the plane.
        let soonest = !enters & fraction.lt(left);
        left = I::F32::select(soonest, fraction, left);
        exit_plane = I::U32::select(soonest, index, exit_plane);

        let past = room_most.lt(zero);
        outside_plane = I::U32::select(past & !outside, index, outside_plane);
        outside = outside | past;
        // A zero normal has no surface.
        let has_surface = zero.lt(normal[0].abs() + normal[1].abs() + normal[2].abs());
        let on_plane = has_surface & room_least.le(zero);
        surface_plane = I::U32::select(on_plane & !on_surface, index, surface_plane);
        on_surface = on_surface | on_plane;
    }
    let tiny = isa.splat(SLACK_TINY);
    let max_fraction = max_fraction + zero;
    let entry = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
    let exit = (left * isa.splat(1.0 + SLACK) + tiny).min(max_fraction);
    let hit = entry.le(exit) & entry.lt(isa.splat(MISS)) & zero.le(left);

    // A start past a plane by so little that the fraction rounds to zero enters where it is.
    let from_outside = I::U32::select(entered.le(zero), outside_plane, entry_plane);
    let entry_plane = I::U32::select(outside, from_outside, surface_plane);
    let leaves = (left * isa.splat(1.0 - SLACK) - tiny).le(max_fraction);
    let exit_plane = I::U32::select(leaves, exit_plane, nowhere);
    let inside_word = isa.splat_u32(Facets::INSIDE);
    let start = I::U32::select(on_surface, isa.splat_u32(Facets::ON_SURFACE), inside_word);
    let start = I::U32::select(outside, isa.splat_u32(Facets::OUTSIDE), start);
    let bits = entry_plane | exit_plane.shl::<{ Facets::EXIT_SHIFT }>() | start;
    Answer { hit, near: entry, far: exit, bits }
}
