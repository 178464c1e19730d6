//! Cast of segments and rays against a convex polyhedron.
//!
//! A polyhedron is the intersection of closed half-spaces `normal · p ≤ offset`; without any
//! half-space it is all of space. A half-space restricts the segment to `f · (normal · delta) ≤
//! offset - normal · start`. That is a lower bound of `f` if the segment runs against the normal,
//! and an upper bound if it runs along it. The segment is in the polyhedron between the greatest
//! lower bound and the least upper bound (Cyrus and Beck 1978; Ericson 2005, p. 180 and §5.3.8).
//!
//! **Never late.** Both sides of that inequality are sums with cancellation, so their rounding
//! errors are not small relative to them. With `S = Σ|normal · start| + |offset|` and `T = Σ|normal
//! · delta|`, both summed over the axes, the right side is raised and the factor of the left side
//! is lowered by bounds that are proved in `docs/math/cast.md`. So each half-space is enlarged and
//! never cuts off a point that it contains, even where the segment is parallel to it and the sign
//! of `normal · delta` is uncertain. The entry is never late, the exit never early, and no hit is
//! lost. Between entry and exit the segment is past no plane by more than
//!
//! ```text
//! 2⁻²⁰·(S + f·T) + 2⁻²¹·f·|normal · delta|
//! ```
//!
//! in units of the length of the normal, except for underflow. Divided by `|normal · delta|`, this
//! is the greatest amount by which an entry may be early. The error is smaller near the origin, so
//! move distant polyhedra there. A ray that is parallel to a slanted plane and outside of it may be
//! reported to enter it at 2¹⁸ times its distance or more, because its rounded direction cannot be
//! distinguished from one that does; nearer only if the distance is hardly more than its rounding error, 2⁻²⁰·S.
//! A bounded polyhedron ends long before that. Products with a
//! zero are exact, so this does not happen for planes perpendicular to an axis.
//!
//! Units: fractions of `delta`. Cost: 28 bytes read per segment; the planes stay in the cache.

use super::simd::{SLACK, SLACK_TINY};
use super::{Fractions, MISS};
use crate::columns::{Checked, LengthMismatch, Row, SegmentColumns};
use crate::geom::{Facets, Invalid, Plane, Segment};
use crate::kernels::batch::{Answer, Each, One, Output, Question, Sink};
use crate::kernels::{BatchError, Hits, batch};
use crate::lanes::{F32Lanes, Isa, Level, U32Lanes};

/// A validated, borrowed list of half-spaces.
#[derive(Clone, Copy, Debug)]
pub struct Polyhedron<'a> {
    planes: &'a [Plane],
}

/// Why a list of planes cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoPolyhedron {
    /// A plane is invalid.
    #[error("plane {index} is invalid: {reason}")]
    Plane {
        /// Index of the plane.
        index: usize,
        /// Why it is invalid.
        reason: Invalid,
    },
    /// More planes than [`Facets`] can number.
    #[error(
        "{planes} planes, and at most 32767 can be numbered; leave out those that bound nothing"
    )]
    TooMany {
        /// Number of planes.
        planes: usize,
    },
}

impl<'a> Polyhedron<'a> {
    /// Creates the intersection of `planes`. It may be empty or unbounded; without planes it is all
    /// of space.
    ///
    /// # Errors
    ///
    /// [`NoPolyhedron`] when one of the planes is invalid or there are more than
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

    /// Returns the half-spaces.
    #[must_use]
    pub fn planes(&self) -> &'a [Plane] {
        self.planes
    }
}

/// Where a segment enters and leaves a polyhedron, and through which planes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PolyhedronCast {
    /// The first fraction at which the segment is in the polyhedron, never late. [`MISS`] if it
    /// never is.
    ///
    /// Zero when the segment starts in the polyhedron or within rounding of it.
    pub entry: f32,
    /// The last fraction at which the segment is in the polyhedron, at most `max_fraction`, never
    /// early.
    ///
    /// [`MISS`] for a miss, and also for a ray that never leaves.
    pub exit: f32,
    /// The planes of entry and exit, and where the segment starts.
    ///
    /// [`SegmentStart::Outside`](crate::batch::SegmentStart::Outside) and [`SegmentStart::Inside`](crate::batch::SegmentStart::Inside) are
    /// certain. A start that cannot be distinguished from the surface within rounding is
    /// [`SegmentStart::OnSurface`](crate::batch::SegmentStart::OnSurface); this includes every start that is exactly on
    /// it.
    pub facets: Facets,
}

impl PolyhedronCast {
    /// The segment and the polyhedron share no point.
    pub const MISS: Self = Self { entry: MISS, exit: MISS, facets: Facets::MISS };
}

/// Complete results, one column per field. 12 bytes per row.
#[derive(Debug)]
pub struct PolyhedronCastColumns<'a> {
    /// [`PolyhedronCast::entry`].
    pub entry: &'a mut [f32],
    /// [`PolyhedronCast::exit`].
    pub exit: &'a mut [f32],
    /// [`PolyhedronCast::facets`].
    pub facets: &'a mut [Facets],
}

impl PolyhedronCastColumns<'_> {
    /// Returns row `row` of the three columns.
    ///
    /// # Panics
    ///
    /// If there is no such row.
    #[must_use]
    pub fn get(&self, row: usize) -> PolyhedronCast {
        PolyhedronCast { entry: self.entry[row], exit: self.exit[row], facets: self.facets[row] }
    }
}

impl Output<PolyhedronCast> for Fractions<'_> {}
impl Output<PolyhedronCast> for PolyhedronCastColumns<'_> {}
impl Output<PolyhedronCast> for &mut Hits<'_> {}

impl Sink for PolyhedronCastColumns<'_> {
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

/// Casts `segment` against `polyhedron`.
///
/// # Errors
///
/// [`Invalid`] when `segment` is invalid.
///
/// ```
/// use swath::batch::cast::polyhedron;
/// use swath::batch::cast::polyhedron::Polyhedron;
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
pub fn one_to_one(
    segment: &Segment,
    polyhedron: &Polyhedron<'_>,
) -> Result<PolyhedronCast, Invalid> {
    segment.validate()?;
    let answer = batch::one_to_one(*polyhedron, segment.to_row(), []);
    Ok(answer.map_or(PolyhedronCast::MISS, |(entry, exit, facets)| PolyhedronCast {
        entry,
        exit,
        facets: Facets::from_bits(facets),
    }))
}

/// Casts each segment against `polyhedron`. Result `i` is that of row `i`.
///
/// The result of an invalid row is [`PolyhedronCast::MISS`]. 28 bytes read per row.
///
/// # Errors
///
/// [`BatchError`] when the output has the wrong length.
pub fn many_to_one(
    level: Level,
    many: &Checked<'_, SegmentColumns<'_>>,
    polyhedron: &Polyhedron<'_>,
    output: impl Output<PolyhedronCast>,
) -> Result<(), BatchError> {
    batch::run(level, *polyhedron, (Each::new(many), One([])), many.len(), output)
}

impl Question<7, 0> for Polyhedron<'_> {
    #[inline(always)]
    fn answer<I: Isa>(self, isa: I, segment: &[I::F32; 7], _: &[I::F32; 0]) -> Answer<I> {
        answer(isa, segment, self.planes)
    }
}

/// Error bound of the sum of three products and an offset, relative to the sum of their magnitudes.
/// It includes the rounding of the operations in which the sum is used.
const SUM_SLACK: f32 = 6.0 / (1 << 24) as f32;
/// Absolute error bound, for products that underflow.
const SUM_SLACK_TINY: f32 = f32::from_bits(4);

/// Returns `normal · vector` and an error bound, which includes that of adding a term of magnitude
/// `last`.
#[inline(always)]
fn dot<I: Isa>(isa: I, normal: [I::F32; 3], vector: [I::F32; 3], last: I::F32) -> (I::F32, I::F32) {
    let zero = isa.splat(0.0);
    let products = [normal[0] * vector[0], normal[1] * vector[1], normal[2] * vector[2]];
    let [x, y, z] = products;
    let magnitude = x.abs() + y.abs() + z.abs() + last;
    // A product with a zero is exact. So a segment along an axis is exactly parallel to the faces
    // beside it, and a segment that is a point does not move.
    let x_exact = normal[0].eq(zero) | vector[0].eq(zero);
    let y_exact = normal[1].eq(zero) | vector[1].eq(zero);
    let z_exact = normal[2].eq(zero) | vector[2].eq(zero);
    let tiny = I::F32::select(x_exact & y_exact & z_exact, zero, isa.splat(SUM_SLACK_TINY));
    (x + y + z, magnitude * isa.splat(SUM_SLACK) + tiny)
}

/// Computes the entry and exit fraction and the bits of [`Facets`].
#[inline(always)]
fn answer<I: Isa>(isa: I, segment: &[I::F32; 7], planes: &[Plane]) -> Answer<I> {
    let [x, y, z, dx, dy, dz, max_fraction] = *segment;
    let zero = isa.splat(0.0);
    let nowhere = isa.splat_u32(Facets::NONE);
    let (mut entered, mut left) = (isa.splat(f32::NEG_INFINITY), isa.splat(f32::INFINITY));
    let (mut entry_plane, mut exit_plane) = (nowhere, nowhere);
    // Whether the start is past a plane, or on one within rounding, and the lowest such plane.
    let (mut outside, mut outside_plane) = (zero.lt(zero), nowhere);
    let (mut on_surface, mut surface_plane) = (zero.lt(zero), nowhere);
    for (index, plane) in planes.iter().enumerate() {
        let index = isa.splat_u32(index as u32);
        let offset = isa.splat(plane.offset);
        let [nx, ny, nz] = plane.normal;
        let normal = [isa.splat(nx), isa.splat(ny), isa.splat(nz)];
        let (sum, error) = dot(isa, normal, [x, y, z], offset.abs());
        let depth = offset - sum;
        let (depth_least, depth_most) = (depth - error, depth + error);
        let (sum, error) = dot(isa, normal, [dx, dy, dz], zero);
        // A lower bound of the rate at which the distance to the plane decreases. Adding zero turns
        // -0 into 0. If the rate is zero, the fraction is plus infinity for a start inside, and
        // minus infinity, which excludes a hit, for a start outside.
        let used = sum - error + zero;
        let fraction = depth_most / used;
        let enters = used.lt(zero);
        let latest = enters & entered.lt(fraction);
        entered = I::F32::select(latest, fraction, entered);
        entry_plane = I::U32::select(latest, index, entry_plane);
        // False for 0 / 0, which is a segment in the plane.
        let soonest = !enters & fraction.lt(left);
        left = I::F32::select(soonest, fraction, left);
        exit_plane = I::U32::select(soonest, index, exit_plane);

        let past = depth_most.lt(zero);
        outside_plane = I::U32::select(past & !outside, index, outside_plane);
        outside = outside | past;
        // A zero normal has no surface.
        let has_surface = zero.lt(normal[0].abs() + normal[1].abs() + normal[2].abs());
        let on_plane = has_surface & depth_least.le(zero);
        surface_plane = I::U32::select(on_plane & !on_surface, index, surface_plane);
        on_surface = on_surface | on_plane;
    }
    let tiny = isa.splat(SLACK_TINY);
    let max_fraction = max_fraction + zero;
    let entry = (entered * isa.splat(1.0 - SLACK) - tiny).max(zero);
    let exit = (left * isa.splat(1.0 + SLACK) + tiny).min(max_fraction);
    let hit = entry.le(exit) & entry.lt(isa.splat(MISS)) & zero.le(left);

    // A start past a plane by so little that the fraction rounds to zero enters at its start.
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
