//! Casts agree with `spec`, and with each other on every level.

use super::bytes::Bytes;
use crate::columns::Columns;
use crate::finite::assert_finite;
use crate::segments::{Casts, NO_HIT, SegmentArrays, cast_bits};
use swath::batch::cast::polyhedron::Polyhedron;
use swath::batch::cast::{Cast, MISS, polyhedron};
use swath::batch::{Hit, Hits, Rejected, cast};
use swath::{Aabb, Level, MovingBox, Plane, Segment};

/// One byte is the number of rows: up to three groups of the widest lanes.
const ROWS_MAX: u8 = 48;
/// A ray reaches at least this fraction.
const REACH: f64 = (1_u128 << 127) as f64;

/// Casts the first row's segment against all boxes, all segments against the first box, and each against its
/// own; then against half-spaces made of the first rows.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % ROWS_MAX;
    let (mut rows, mut segments) = (Vec::<MovingBox>::new(), Vec::new());
    for _ in 0..count {
        rows.push(bytes.row(&rows));
        let from = bytes.row(&rows);
        let end = bytes.row(&rows).delta[0];
        let max_fraction = match bytes.byte() % 4 {
            0 => f32::INFINITY,
            1 => 1.0,
            2 => end.abs(),
            _ => end,
        };
        segments.push(Segment { start: from.aabb.min, delta: from.delta, max_fraction });
    }

    let (segment, aabb) = (segments[0], rows[0].aabb);
    let many: Vec<_> = rows.iter().map(|row| one_to_one(&segment, &row.aabb)).collect();
    let to_one: Vec<_> = segments.iter().map(|segment| one_to_one(segment, &aabb)).collect();
    let zipped: Vec<_> =
        segments.iter().zip(&rows).map(|(s, row)| one_to_one(s, &row.aabb)).collect();
    // A box with an invalid displacement is not used as a row.
    let of =
        |casts: &[Cast], k: usize| if rows[k].validate().is_ok() { casts[k] } else { Cast::MISS };
    let many: Vec<_> = (0..rows.len()).map(|k| of(&many, k)).collect();
    let zipped: Vec<_> = (0..rows.len()).map(|k| of(&zipped, k)).collect();
    let bits = |casts: &[Cast]| casts.iter().map(cast_bits).collect::<Vec<_>>();
    let hit =
        |(row, cast): (u32, &Cast)| cast.faces.is_hit().then_some(Hit { row, value: cast.entry });
    let found: Vec<_> = (0..).zip(&many).filter_map(hit).collect();
    let closest = found.iter().copied().reduce(|a, b| if b.value < a.value { b } else { a });
    let planes: Vec<_> = rows.iter().take(5).map(half_space).collect();
    let polyhedron = Polyhedron::new(&planes).ok();
    assert_eq!(polyhedron.is_none(), planes.iter().any(|plane| plane.validate().is_err()));

    let (columns, rays) = (Columns::new(&rows), SegmentArrays::new(&segments));
    for level in Level::all() {
        let (mut bad_boxes, mut bad_rays) = (Vec::new(), Vec::new());
        let boxes = columns.boxes().check(level, &mut bad_boxes);
        let rays = rays.segments().check(level, &mut bad_rays);
        assert_eq!(rays.rejected(), no_segments(&segments), "{level}");

        let mut answers = Casts::new(rows.len());
        let answer = cast::one_to_many(level, &segment, &boxes, answers.answers());
        assert_eq!(answer, segment.validate().map_err(Into::into), "{level}");
        if answer.is_ok() {
            assert_eq!(answers.bits(), bits(&many), "{level}");
            let mut room = vec![NO_HIT; rows.len()];
            let mut list = Hits::new(&mut room);
            assert_eq!(cast::one_to_many(level, &segment, &boxes, &mut list), Ok(()), "{level}");
            assert_eq!(*list, found, "{level}");
            assert_eq!(cast::closest(level, &segment, &boxes), Ok(closest), "{level}");
            assert_eq!(cast::any(level, &segment, &boxes), Ok(found.first().copied()), "{level}");
        } else {
            assert!(answers.is_unwritten(), "{level}");
        }
        let mut answers = Casts::new(rows.len());
        match cast::many_to_one(level, &rays, &aabb, answers.answers()) {
            Ok(()) => assert_eq!(answers.bits(), bits(&to_one), "{level}"),
            Err(error) => assert_eq!(Err(error), aabb.validate().map_err(Into::into), "{level}"),
        }
        let mut answers = Casts::new(rows.len());
        assert_eq!(cast::zip(level, &rays, &boxes, answers.answers()), Ok(()), "{level}");
        assert_eq!(answers.bits(), bits(&zipped), "{level}");

        if let Some(polyhedron) = &polyhedron {
            in_planes(level, &segments, &rays, polyhedron);
        }
    }
}

/// A half-space made of numbers of a row.
fn half_space(row: &MovingBox) -> Plane {
    Plane { normal: row.delta, offset: row.aabb.max[0] }
}

/// A batch against a polyhedron equals single calls, and no point of a hit is far outside.
fn in_planes(
    level: Level,
    segments: &[Segment],
    rays: &swath::batch::Checked<'_, swath::batch::SegmentColumns<'_>>,
    polyhedron: &Polyhedron<'_>,
) {
    let (mut entry, mut exit) = (vec![-7.0; segments.len()], vec![-7.0; segments.len()]);
    let output = cast::Fractions { entry: &mut entry, exit: &mut exit };
    assert_eq!(polyhedron::many_to_one(level, rays, polyhedron, output), Ok(()), "{level}");
    for (row, segment) in segments.iter().enumerate() {
        let answer = polyhedron::one_to_one(segment, polyhedron);
        assert_eq!(answer.err(), segment.validate().err());
        let answer = answer.unwrap_or(polyhedron::PolyhedronCast::MISS);
        let parts = [answer.entry, answer.exit].map(f32::to_bits);
        assert_eq!([entry[row], exit[row]].map(f32::to_bits), parts, "{level}: {segment:?}");
        if !answer.facets.is_hit() {
            assert_eq!((answer.entry, answer.exit), (MISS, MISS));
        } else {
            assert_finite(&answer.entry);
            assert!(answer.entry >= 0.0 && answer.entry <= answer.exit, "{answer:?}");
            assert!(answer.exit <= segment.max_fraction, "{answer:?}: {segment:?}");
        }
        if let Ok(meant) = spec::polyhedron(segment, polyhedron.planes()) {
            // The sums of `spec` have an error of about 2^-50 of their terms; a hit of some length is a hit.
            let lasts = meant.margin > 1e-9 * (1.0 + meant.entry);
            let terms_are_small = segment.start.iter().chain(&segment.delta).all(|x| x.abs() < 1e3)
                && polyhedron.planes().iter().all(|plane| plane.offset.abs() < 1e3);
            if lasts && terms_are_small && meant.entry < 1e3 {
                assert!(answer.facets.is_hit(), "missed: {meant:?}, {segment:?}, {polyhedron:?}");
            }
        }
    }
}

/// The rows that a check must reject.
fn no_segments(segments: &[Segment]) -> Vec<Rejected> {
    let reason = |(row, segment): (u32, &Segment)| {
        let reason = segment.validate().err()?;
        Some(Rejected { row, reason })
    };
    (0..).zip(segments).filter_map(reason).collect()
}

/// The result for one segment and box, which must be that of `spec` except for rounding; a miss if one is
/// invalid.
fn one_to_one(segment: &Segment, aabb: &Aabb) -> Cast {
    let answer = cast::one_to_one(segment, aabb);
    let meant = match spec::cast(segment, aabb) {
        Ok(meant) => meant,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return Cast::MISS;
        }
    };
    let answer = answer.expect("`spec` says that both are valid");
    let (entry, exit) = (f64::from(answer.entry), f64::from(answer.exit));
    if !answer.faces.is_hit() {
        let lost = meant.faces.is_hit() && meant.entry <= REACH;
        assert!(!lost && answer == Cast::MISS, "{answer:?} for {meant:?}: {segment:?}, {aabb:?}");
        return answer;
    }
    // A ray that is slow enough never leaves a box.
    assert_finite(&answer.entry);
    assert!(entry >= 0.0 && entry <= exit && answer.exit <= segment.max_fraction, "{answer:?}");
    if !meant.faces.is_hit() {
        let narrow = meant.margin >= -3.0 * slack(exit);
        assert!(narrow, "{answer:?} for {meant:?}: {segment:?}, {aabb:?}");
        return answer;
    }
    assert_eq!(answer.faces.start(), meant.faces.start(), "{segment:?}, {aabb:?}");
    let (named, exact) = (answer.faces.entry_axis_mask(), meant.faces.entry_axis_mask());
    assert_eq!(named & exact, exact, "{segment:?}, {aabb:?}");
    assert!(entry - meant.entry <= SPEC * entry, "{answer:?} for {meant:?}: {segment:?}, {aabb:?}");
    assert!(meant.entry - entry <= slack(meant.entry), "{answer:?} for {meant:?}: {segment:?}");
    if answer.exit == MISS {
        assert!(meant.exit > REACH, "{answer:?} for {meant:?}: {segment:?}, {aabb:?}");
    } else {
        assert!(
            meant.exit - exit <= SPEC * exit,
            "{answer:?} for {meant:?}: {segment:?}, {aabb:?}"
        );
        assert!(exit - meant.exit <= slack(meant.exit), "{answer:?} for {meant:?}: {segment:?}");
    }
    answer
}

/// Error of a fraction of `spec`.
const SPEC: f64 = 1.0 / (1_u64 << 50) as f64;

/// How far a fraction may be on the safe side.
fn slack(fraction: f64) -> f64 {
    fraction / f64::from(1 << 21) + f64::from(f32::MIN_POSITIVE)
}
