//! Tests that a batch of casts gives the bits of single casts on every level.

use swath::batch::cast::polyhedron::Polyhedron;
use swath::batch::cast::{Cast, Fractions, MISS, polyhedron};
use swath::batch::{BatchError, Facets, Hit, Hits, Rejected, cast};
use swath::{Aabb, COORD_MAX, Level, MovingBox, Plane, Segment};
use testkit::columns::Columns;
use testkit::rays::{Ray, rays};
use testkit::segments::{Casts, NO_HIT, SegmentArrays, cast_bits};

/// The result of a single cast; a miss if one of the two is invalid.
fn one(segment: &Segment, aabb: &Aabb) -> Cast {
    cast::one_to_one(segment, aabb).unwrap_or(Cast::MISS)
}

/// Boxes whose displacements must not be read: they are hostile, but valid.
fn moving(aabb: &Aabb) -> MovingBox {
    MovingBox { aabb: *aabb, delta: [COORD_MAX, -COORD_MAX, 1.0] }
}

fn hits(casts: &[Cast]) -> Vec<Hit> {
    let hit =
        |(row, cast): (u32, &Cast)| cast.faces.is_hit().then_some(Hit { row, value: cast.entry });
    (0..).zip(casts).filter_map(hit).collect()
}

/// Checks that every output of a batch of this many rows equals `casts`.
fn every_output(
    what: &str,
    casts: &[Cast],
    mut columns: impl FnMut(cast::CastColumns<'_>) -> Result<(), BatchError>,
    mut fractions: impl FnMut(Fractions<'_>) -> Result<(), BatchError>,
    mut list: impl FnMut(&mut Hits<'_>) -> Result<(), BatchError>,
) {
    let expected: Vec<_> = casts.iter().map(cast_bits).collect();
    let mut outputs = Casts::new(casts.len());
    columns(outputs.answers()).expect("all lengths are right");
    assert_eq!(outputs.bits(), expected, "{what}");
    let mut outputs = Casts::new(casts.len());
    fractions(outputs.fractions()).expect("all lengths are right");
    let of = |[entry, exit, _]: [u32; 3]| [entry, exit];
    let got: Vec<_> = outputs.bits().into_iter().map(of).collect();
    assert_eq!(got, expected.iter().copied().map(of).collect::<Vec<_>>(), "{what}");

    let expected = hits(casts);
    for room in [casts.len() + 16, expected.len(), expected.len().saturating_sub(1), 0] {
        let mut to = vec![NO_HIT; room];
        let mut list_of = Hits::new(&mut to);
        let answer = list(&mut list_of);
        assert_eq!(list_of.found(), expected.len(), "{what}");
        let needed = expected.len();
        let short = room < needed;
        assert_eq!(answer.is_err(), short, "{what}");
        if short {
            assert_eq!(answer, Err(BatchError::TooShort { needed, capacity: room }), "{what}");
        }
        assert_eq!(*list_of, expected[..room.min(needed)], "{what}");
    }
}

/// Runs every function on every level. `segments` and `boxes` have equal lengths; some may be invalid.
fn everything(segment: &Segment, aabb: &Aabb, segments: &[Segment], boxes: &[Aabb]) {
    let rows: Vec<_> = boxes.iter().map(moving).collect();
    let (rows, rays) = (Columns::new(&rows), SegmentArrays::new(segments));
    let to_many: Vec<_> = boxes.iter().map(|aabb| one(segment, aabb)).collect();
    let to_one: Vec<_> = segments.iter().map(|segment| one(segment, aabb)).collect();
    let zipped: Vec<_> = segments.iter().zip(boxes).map(|(a, b)| one(a, b)).collect();
    let found = hits(&to_many);
    let closest = found.iter().copied().reduce(|a, b| if b.value < a.value { b } else { a });
    for level in Level::all() {
        let (mut bad_boxes, mut bad_rays) = (Vec::new(), Vec::new());
        let many = rows.boxes().check(level, &mut bad_boxes);
        let rays = rays.segments().check(level, &mut bad_rays);
        let listed = |(row, segment): (u32, &Segment)| {
            segment.validate().err().map(|reason| Rejected { row, reason })
        };
        let listed: Vec<_> = (0..).zip(segments).filter_map(listed).collect();
        assert_eq!(rays.rejected(), listed, "{level}");
        let what = format!("{level}, {} rows, {segment:?}, {aabb:?}", boxes.len());
        every_output(
            &format!("one to many, {what}"),
            &to_many,
            |output| cast::one_to_many(level, segment, &many, output),
            |output| cast::one_to_many(level, segment, &many, output),
            |output| cast::one_to_many(level, segment, &many, output),
        );
        every_output(
            &format!("many to one, {what}"),
            &to_one,
            |output| cast::many_to_one(level, &rays, aabb, output),
            |output| cast::many_to_one(level, &rays, aabb, output),
            |output| cast::many_to_one(level, &rays, aabb, output),
        );
        every_output(
            &format!("zip, {what}"),
            &zipped,
            |output| cast::zip(level, &rays, &many, output),
            |output| cast::zip(level, &rays, &many, output),
            |output| cast::zip(level, &rays, &many, output),
        );
        assert_eq!(cast::closest(level, segment, &many), Ok(closest), "{what}");
        assert_eq!(cast::any(level, segment, &many), Ok(found.first().copied()), "{what}");
    }
}

fn split(rays: impl Iterator<Item = Ray>) -> (Vec<Segment>, Vec<Aabb>) {
    rays.map(|ray| (ray.segment, ray.aabb)).unzip()
}

/// Goal: a batch gives the results of single casts. Method: every level, every number of rows near the number
/// of lanes, every output, hostile rays; in some batches many rows are hit.
#[test]
fn batches_give_the_bits_of_one_to_one_on_every_level() {
    for (round, count) in (0..=40).cycle().take(41 * 8).enumerate() {
        let (segments, mut boxes) = split(rays(round as u64, count));
        let first = rays(1000 + round as u64, 12).nth(round % 12).expect("there are twelve");
        if round % 2 == 0 {
            // Boxes near the path of the segment.
            for (k, aabb) in boxes.iter_mut().enumerate() {
                let at = first.segment.at(k as f32 / 16.0);
                if let Ok(about) = Aabb::cube(at, (k % 5) as f32 * 0.25) {
                    *aabb = about;
                }
            }
        }
        everything(&first.segment, &first.aabb, &segments, &boxes);
    }
}

/// Goal: a slow segment among fast ones has the same result. Method: one segment against many with
/// displacements below the normal range, for which the kernel uses another instance.
#[test]
fn displacements_below_the_normal_range_give_the_bits_of_one_to_one() {
    for shift in 0..24 {
        let tiny = f32::from_bits(0x00c0_0000 >> shift);
        for delta in [[tiny, 0.0, 1.0], [-tiny, tiny, -tiny], [0.0, -tiny, -0.0]] {
            let segment =
                Segment { start: [1e-39, -2e-38, 0.5], delta, max_fraction: f32::INFINITY };
            let boxes: Vec<_> = (0..37)
                .map(|k| {
                    let at = tiny * (k - 18) as f32;
                    let corner = |x: f32| Aabb::point([at + x, -2e-38 + at, 0.5]).expect("a point");
                    corner(1e-39).union(&corner(tiny * 2.0))
                })
                .collect();
            everything(&segment, &boxes[20], &[segment; 37], &boxes);
        }
    }
}

/// Goal: an invalid row does not change other rows. Method: an invalid segment and an invalid box, of every
/// kind in turn, at every row of every number of rows, and batches of which only one row is valid.
#[test]
fn invalid_row_is_a_miss_and_changes_no_other_row() {
    let numbers = [f32::NAN, -f32::NAN, f32::INFINITY, -f32::INFINITY, COORD_MAX.next_up()];
    let (mut no_segments, mut no_boxes) = (Vec::new(), Vec::new());
    for number in numbers {
        for axis in 0..3 {
            let mut bad = [Segment { delta: [1.0; 3], ..Segment::default() }; 2];
            bad[0].start[axis] = number;
            bad[1].delta[axis] = number;
            no_segments.extend(bad);
            let mut bad = [Aabb { min: [-1.0; 3], max: [1.0; 3] }; 3];
            bad[0].min[axis] = number;
            bad[1].max[axis] = number;
            bad[2].min[axis] = 1.0_f32.next_up();
            no_boxes.extend(bad);
        }
    }
    for max_fraction in [f32::NAN, -1.0, -f32::INFINITY, -f32::from_bits(1)] {
        no_segments.push(Segment { max_fraction, ..Segment::default() });
    }
    let mut no_segments = no_segments.into_iter().cycle();
    let mut no_boxes = no_boxes.into_iter().cycle();
    for count in (1..=18).chain([31, 32, 33, 40]) {
        let (segments, boxes) = split(rays(count as u64, count));
        let first = Ray {
            family: "through the middle",
            segment: Segment { start: [0.0; 3], delta: [0.0; 3], max_fraction: 1.0 },
            aabb: Aabb { min: [-1e30; 3], max: [1e30; 3] },
        };
        for row in 0..count {
            let (mut one_bad, mut one_bad_box) = (segments.clone(), boxes.clone());
            one_bad[row] = no_segments.next().expect("they continue");
            one_bad_box[(row * 7 + 3) % count] = no_boxes.next().expect("they continue");
            everything(&first.segment, &first.aabb, &one_bad, &one_bad_box);
            let mut bad: Vec<_> = no_segments.by_ref().take(count).collect();
            let mut bad_boxes: Vec<_> = no_boxes.by_ref().take(count).collect();
            bad[row] = first.segment;
            bad_boxes[row] = first.aabb;
            everything(&first.segment, &first.aabb, &bad, &bad_boxes);
        }
    }
}

/// Goal: among equally close boxes the lowest row is returned. Method: every pair of rows.
#[test]
fn lowest_row_of_equally_close_boxes_is_the_closest() {
    let ray = Segment::ray([0.0; 3], [1.0, 0.0, 0.0]).expect("a ray");
    for count in [1, 2, 15, 16, 17, 33, 40] {
        for low in 0..count {
            for high in low..count {
                let mut boxes = vec![Aabb { min: [5.0, -1.0, -1.0], max: [6.0, 1.0, 1.0] }; count];
                for row in [low, high] {
                    boxes[row].min[0] = 3.0;
                }
                let rows: Vec<_> = boxes.iter().map(moving).collect();
                let at = one(&ray, &boxes[low]).entry;
                let first = one(&ray, &boxes[0]).entry;
                for level in Level::all() {
                    let (columns, mut rejected) = (Columns::new(&rows), Vec::new());
                    let many = columns.boxes().check(level, &mut rejected);
                    let expected = Ok(Some(Hit { row: low as u32, value: at }));
                    assert_eq!(cast::closest(level, &ray, &many), expected, "{level}");
                    let expected = Ok(Some(Hit { row: 0, value: first }));
                    assert_eq!(cast::any(level, &ray, &many), expected, "{level}");
                }
            }
        }
    }
}

/// Goal: a call that fails writes nothing. Method: each wrong length, and an invalid single value; the
/// outputs are compared.
#[test]
fn failed_call_writes_nothing() {
    let (segments, boxes) = split(rays(4, 20));
    let rows: Vec<_> = boxes.iter().map(moving).collect();
    let (rows, rays) = (Columns::new(&rows), SegmentArrays::new(&segments));
    let good = segments[0];
    let bad = Segment { max_fraction: -1.0, ..good };
    let no_box = Aabb { min: [1.0; 3], max: [0.0; 3] };
    for level in Level::all() {
        let (mut bad_boxes, mut bad_rays, mut fewer) = (Vec::new(), Vec::new(), Vec::new());
        let many = rows.boxes().check(level, &mut bad_boxes);
        let few = rows.boxes().slice(0..19).check(level, &mut fewer);
        let rays = rays.segments().check(level, &mut bad_rays);
        for lengths in [[19, 20, 20], [20, 21, 20], [20, 20, 0], [20, 20, 40]] {
            let wrong = lengths.into_iter().find(|&length| length != 20);
            let mut outputs = Casts::with_lengths(lengths);
            let error = cast::one_to_many(level, &good, &many, outputs.answers());
            let Err(BatchError::Length(length)) = error else { panic!("{error:?}") };
            assert_eq!((length.expected, Some(length.found)), (20, wrong));
            assert_eq!(cast::many_to_one(level, &rays, &boxes[0], outputs.answers()), error);
            assert_eq!(cast::zip(level, &rays, &many, outputs.answers()), error);
            if lengths[..2] != [20, 20] {
                assert_eq!(cast::zip(level, &rays, &many, outputs.fractions()), error);
            }
            assert!(outputs.is_unwritten(), "{level}, {lengths:?}");
        }
        let mut outputs = Casts::new(20);
        let error = cast::zip(level, &rays, &few, outputs.answers());
        assert!(matches!(error, Err(BatchError::Length(_))), "{error:?}");
        let reason = bad.validate().expect_err("the segment is invalid");
        let invalid = Err(BatchError::Invalid(reason));
        assert_eq!(cast::one_to_many(level, &bad, &many, outputs.answers()), invalid);
        assert_eq!(cast::closest(level, &bad, &many), Err(BatchError::Invalid(reason)));
        assert_eq!(cast::any(level, &bad, &many), Err(BatchError::Invalid(reason)));
        let reason = no_box.validate().expect_err("it is invalid");
        let answer = cast::many_to_one(level, &rays, &no_box, outputs.answers());
        assert_eq!(answer, Err(BatchError::Invalid(reason)));
        assert!(outputs.is_unwritten(), "{level}");
    }
}

/// Goal: points are those of single segments, and never NaN. Method: every level, hostile segments, fractions
/// of hits and misses and some others.
#[test]
fn points_are_those_of_single_segments_and_never_nan() {
    let odd = [0.0, -0.0, 0.5, 1.0, -2.0, 1e30, f32::MAX, MISS, f32::NAN, -MISS];
    for count in 0..=40 {
        let (mut segments, _) = split(rays(50 + count as u64, count));
        if count > 3 {
            segments[count / 2].start[1] = f32::NAN;
            segments[count - 1].max_fraction = -1.0;
        }
        let fractions: Vec<_> = (0..count).map(|k| odd[(k * 7 + count) % odd.len()]).collect();
        let point = |(segment, &at): (&Segment, &f32)| {
            let there = segment.validate().is_ok() && at.is_finite();
            (if there { segment.at(at) } else { [MISS; 3] }).map(f32::to_bits)
        };
        let expected: Vec<_> = segments.iter().zip(&fractions).map(point).collect();
        let columns = SegmentArrays::new(&segments);
        for level in Level::all() {
            let mut rejected = Vec::new();
            let checked = columns.segments().check(level, &mut rejected);
            let mut out = [(); 3].map(|()| vec![f32::NAN; count]);
            let [x, y, z] = &mut out;
            cast::points(level, &checked, &fractions, [x, y, z]).expect("all lengths are right");
            let got: Vec<_> =
                (0..count).map(|k| [0, 1, 2].map(|axis: usize| out[axis][k].to_bits())).collect();
            assert_eq!(got, expected, "{level}");
            assert!(out.iter().flatten().all(|x| !x.is_nan()));
            let [x, y, z] = &mut out;
            let short = &mut vec![0.0; count + 1];
            let length = |error| matches!(error, Err(BatchError::Length(_)));
            assert!(length(cast::points(level, &checked, short, [x, y, z])));
            assert!(length(cast::points(level, &checked, &fractions, [x, short, z])));
            let short = &mut vec![0.0; count + 1];
            assert!(length(cast::points(level, &checked, &fractions, [x, y, short])));
        }
    }
}

/// Goal: a batch of segments against a polyhedron gives the results of single casts. Method: every level,
/// every number of rows, every output, any number of planes.
#[test]
fn batches_against_a_polyhedron_give_the_bits_of_one_to_one() {
    for (round, count) in (0..=40).cycle().take(41 * 3).enumerate() {
        let (mut segments, boxes) = split(rays(90 + round as u64, count));
        if count > 2 {
            segments[count / 2].delta[2] = f32::NAN;
        }
        let mut planes = Vec::new();
        for k in 0..round % 9 {
            let mut normal = [0.5, -0.25, 0.125 * k as f32];
            normal[k % 3] += if k < 3 { 1.0 } else { -1.0 };
            planes.push(Plane { normal, offset: boxes.first().map_or(1.0, |b| b.max[k % 3]) });
        }
        let polyhedron = Polyhedron::new(&planes).expect("these are half-spaces");
        let one = |segment: &Segment| {
            polyhedron::one_to_one(segment, &polyhedron).unwrap_or(polyhedron::PolyhedronCast::MISS)
        };
        let casts: Vec<_> = segments.iter().map(one).collect();
        let columns = SegmentArrays::new(&segments);
        for level in Level::all() {
            let mut rejected = Vec::new();
            let rays = columns.segments().check(level, &mut rejected);
            let (mut entry, mut exit) = (vec![-7.0; count], vec![-7.0; count]);
            let mut facets = vec![Facets::MISS; count];
            let output = polyhedron::PolyhedronCastColumns {
                entry: &mut entry,
                exit: &mut exit,
                facets: &mut facets,
            };
            polyhedron::many_to_one(level, &rays, &polyhedron, output).expect("equal lengths");
            let answers = polyhedron::PolyhedronCastColumns {
                entry: &mut entry,
                exit: &mut exit,
                facets: &mut facets,
            };
            for (row, cast) in casts.iter().enumerate() {
                assert_eq!(answers.get(row), *cast, "{level}, row {row}");
            }
            let (mut first, mut last) = (vec![-7.0; count], vec![-7.0; count]);
            let output = Fractions { entry: &mut first, exit: &mut last };
            polyhedron::many_to_one(level, &rays, &polyhedron, output).expect("equal lengths");
            assert_eq!((first, last), (entry, exit), "{level}");
            let hit = |(row, cast): (u32, &polyhedron::PolyhedronCast)| {
                cast.facets.is_hit().then_some(Hit { row, value: cast.entry })
            };
            let expected: Vec<_> = (0..).zip(&casts).filter_map(hit).collect();
            let mut room = vec![NO_HIT; count];
            let mut list = Hits::new(&mut room);
            polyhedron::many_to_one(level, &rays, &polyhedron, &mut list).expect("room for all");
            assert_eq!(*list, expected, "{level}");
            let mut long = vec![0.0; count + 1];
            let mut facets = vec![Facets::MISS; count];
            let output = polyhedron::PolyhedronCastColumns {
                entry: &mut long,
                exit: &mut [],
                facets: &mut facets,
            };
            let error = polyhedron::many_to_one(level, &rays, &polyhedron, output);
            assert!(matches!(error, Err(BatchError::Length(_))));
        }
    }
}
