//! Tests of captured ticks: the checksum is the documented one, and a file with a correct checksum and
//! invalid contents is rejected.

use swath::convex::Hull;
use swath::convex::toi::ToiError;
use swath::pipeline::{BodyFlags, Capture, CaptureError, Config, ImpactKind, PipelineError};
use swath::{ConvexBody, Filter, Impact, Motion, MovingBoxColumns, Pipeline, Pose, Scene, Shape};
use testkit::checksum::{fnv, with_checksum};
use testkit::least_time::least_time;

/// Two balls, one a sensor, a wall of boxes and a hull, at different positions.
fn tick() -> (Vec<u8>, Vec<Impact>, Vec<Impact>, u64) {
    let hulls = [0.5, 1.0].map(|r| {
        Hull::new([[r, 0.0, 0.0], [-r, 0.0, 0.0], [0.0, r, 0.0], [0.0, 0.0, r]]).expect("a hull")
    });
    let ball = Shape::sphere(0.5).expect("a ball");
    let motion = |y: f32, speed: f32| {
        Motion::new(Pose::at([-4.0, y, 0.0]).expect("a place"), [speed, 0.0, 0.0]).expect("one")
    };
    let shapes = [ball, ball, Shape::hull(&hulls[0]), Shape::hull(&hulls[1])];
    let convex: Vec<_> = (0..4)
        .map(|k| ConvexBody {
            row: 1 + k,
            shape: shapes[k as usize],
            motion: motion(3.0 * k as f32, 9.0),
        })
        .collect();
    let (mut min, mut max) = ([0.0_f32; 6], [0.0_f32; 6]);
    (min[0], max[0], max[5]) = (1.0, 2.0, 1.25);
    let (low, high, still) = ([-20.0; 6], [20.0; 6], [0.0; 6]);
    let boxes = MovingBoxColumns::new([&min, &low, &low], [&max, &high, &high], [&still; 3])
        .expect("columns");
    let mut flags = [BodyFlags::MOVES; 6];
    flags[2] = flags[2] | BodyFlags::SENSOR;
    let scene = Scene::new(boxes).convex(&convex).flagged(&flags);
    let mut pipeline = Pipeline::new(Config::default());
    let bytes = pipeline.capture(&scene).expect("a capture");
    let ticked = pipeline.tick(&scene).expect("a tick");
    (bytes, ticked.impacts().to_vec(), ticked.sensed().to_vec(), ticked.hash())
}

/// Goal: the checksum and the hash are the documented ones, so that other programs can compute them. Method:
/// a second FNV-1a, compared with published values, over the bytes and the impacts.
#[test]
fn checksum_and_hash_are_as_documented() {
    assert_eq!(fnv(b""), 0xCBF2_9CE4_8422_2325);
    assert_eq!(fnv(b"a"), 0xAF63_DC4C_8601_EC8C);
    assert_eq!(fnv(b"foobar"), 0x8594_4171_F739_67E8);
    let (bytes, impacts, sensed, hash) = tick();
    assert_eq!(with_checksum(bytes.clone()), bytes);
    assert!(impacts.len() > 3 && sensed.len() > 1, "{impacts:?} {sensed:?}");
    let mut words = Vec::new();
    for list in [impacts, sensed] {
        words.push(list.len() as u32);
        for Impact { toi, pair, last, kind, normal, on_a, on_b, closing, depth, .. } in list {
            let kind = match kind {
                ImpactKind::Overlapping => 1,
                ImpactKind::Unresolved => 2,
                _ => 0,
            };
            words.extend([pair.a, pair.b, kind]);
            words.extend([toi, last, closing, depth].map(f32::to_bits));
            words.extend([normal, on_a, on_b].iter().flatten().map(|x| x.to_bits()));
        }
    }
    let bytes: Vec<_> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(fnv(&bytes), hash);
}

/// Goal: a file with a correct checksum that is not a tick is rejected, and takes no memory for missing data.
/// Method: a tick in which one word is changed to an invalid value, with its checksum recomputed.
#[test]
fn invalid_contents_with_a_correct_checksum_are_rejected() {
    let (bytes, ..) = tick();
    assert!(Capture::read(&with_checksum(bytes.clone())).is_ok());
    let refused = |what: &str, bytes: Vec<u8>| match Capture::read(&with_checksum(bytes)) {
        Err(CaptureError::Malformed { at, expected }) => (at, expected),
        other => panic!("{what}: {other:?}"),
    };
    let with = |at: usize, word: u32| {
        let mut bytes = bytes.clone();
        bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        bytes
    };
    let number = |x: f32| x.to_bits();
    // Offsets of the fields: see the source. The last body has a hull, and ends before the checksum.
    let (rows, bodies) = (6, 4);
    let of_hull = 4 + 16 * 4 + 1 + 3 * 8 + 8 + 4;
    let last = bytes.len() - 8 - of_hull;
    let form = last + 4 + 16 * 4;
    let (config, row) =
        ("a valid configuration", "a row of the scene, above that of the body before,");
    let parts = "a set of parts below 32, with upper halves of filters only if there are filters";
    let room = "a number of elements that fit into the rest of the file";
    for (what, at, word, wanted) in [
        ("a target below zero", 20, number(-1.0), (20, config)),
        ("a tolerance of two", 24, number(2.0), (20, config)),
        ("no policy", 28, 3, (28, "a policy for touches, 0, 1 or 2,")),
        ("a threshold that is none", 32, number(f32::NAN), (20, config)),
        ("upper halves of no filters", 40, 2 | 8, (40, parts)),
        ("an unknown part", 40, 2 | 32, (40, parts)),
        ("more hulls than bytes", 48, u32::MAX, (0, room)),
        ("more bodies than bytes", 52, u32::MAX, (0, room)),
        ("one body less", 52, bodies - 1, (last, "the end of the file")),
        ("no such row", last, rows, (last, row)),
        ("a row before the last", last, 1, (last, row)),
        ("the same row twice", last, 3, (last, row)),
        ("no such hull", last + of_hull - 4, 2, (form, "a valid shape")),
        ("no hull", last + of_hull - 4, u32::MAX, (form, "a valid shape")),
    ] {
        let (found, expected) = refused(what, with(at, word));
        // Invalid counts are reported at the end of the columns and of the hulls.
        assert!(
            expected == room && found > 56 || (found, expected) == wanted,
            "{what}: {found} {expected}"
        );
        assert_eq!(expected, wanted.1, "{what}");
    }
    for (what, at, byte, expected) in [
        ("neither one value nor each", 56, 2, "a column, which begins with 0 or 1,"),
        ("no such form", form, 4, "a form of a shape"),
    ] {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        assert_eq!(refused(what, bytes), (at, expected));
    }
    // The length is the stated one, but longer than the contents.
    let mut longer = bytes.clone();
    longer.extend([0; 4]);
    let length = longer.len() as u64;
    longer[12..20].copy_from_slice(&length.to_le_bytes());
    refused("more bytes than a tick", longer);
    // The length is not the stated one.
    let mut longer = bytes.clone();
    longer.extend([0; 4]);
    assert_eq!(Capture::read(&with_checksum(longer)).err(), Some(CaptureError::Damaged));
    let mut short = bytes[..28].to_vec();
    short[12..20].copy_from_slice(&28_u64.to_le_bytes());
    refused("nothing but a head", short);
}

/// A file with a correct checksum and 9 columns with one value each, for this many rows: 109 bytes.
fn rows_of_one_value(rows: u32) -> Vec<u8> {
    let column = [1.0];
    let one = Scene::new(MovingBoxColumns::from_columns([&column[..]; 9]).expect("columns"));
    let mut bytes = Pipeline::default().capture(&one).expect("a capture");
    bytes[44..48].copy_from_slice(&rows.to_le_bytes());
    // The first column too.
    bytes[56] = 0;
    let length = bytes.len();
    assert_eq!(length, 56 + 9 * 5 + 8);
    with_checksum(bytes)
}

/// Goal: a short file takes little memory, a caller can allow more, and a written file can always be read.
/// Method: columns of one value with a number of rows below, at and far above the limit; a scene of equal
/// boxes.
#[test]
fn a_short_file_has_few_rows() {
    let most = rows_of_one_value(1).len();
    assert_eq!(
        Capture::read(&rows_of_one_value(most as u32)).expect("a row a byte").scene(&[], &[]).len(),
        most
    );
    for rows in [most as u32 + 1, 1 << 26, u32::MAX] {
        let bytes = rows_of_one_value(rows);
        let refused = CaptureError::TooManyRows { rows, most };
        assert_eq!(Capture::read(&bytes).err(), Some(refused));
        let refused = CaptureError::TooManyRows { rows, most: 5 };
        assert_eq!(Capture::read_rows(&bytes, 5).err(), Some(refused));
    }
    let allowed = Capture::read_rows(&rows_of_one_value(9000), 9000).expect("it is allowed");
    assert_eq!(allowed.scene(&[], &[]).len(), 9000);

    let column = vec![1.0; 9000];
    let equal = Scene::new(MovingBoxColumns::from_columns([&column[..]; 9]).expect("columns"));
    let bytes = Pipeline::default().capture(&equal).expect("a capture");
    assert_eq!(Capture::read(&bytes).expect("it was written").scene(&[], &[]).len(), 9000);
}

/// Goal: a hull is written once, however many bodies have it, in whatever order of their addresses. Method: bodies that share
/// hulls, in both orders, against bodies with hulls of their own.
#[test]
fn hull_of_several_bodies_is_written_once() {
    let hulls: Vec<Hull> = (1..=4)
        .map(|k| {
            let r = if k < 4 { k as f32 } else { 1.0 };
            Hull::new([[r, 0.0, 0.0], [-r, 0.0, 0.0], [0.0, r, 0.0], [0.0, 0.0, r]])
                .expect("a hull")
        })
        .collect();
    let boxes = MovingBoxColumns::from_columns([&[0.0; 4][..]; 9]).expect("columns");
    let pipeline = Pipeline::default();
    let capture = |order: [usize; 4]| {
        let body = |(row, index): (u32, usize)| {
            let shape = Shape::hull(&hulls[index]);
            ConvexBody { row, shape, motion: Motion::default() }
        };
        let bodies: Vec<_> = (0..).zip(order).map(body).collect();
        let bytes = pipeline.capture(&Scene::new(boxes).convex(&bodies)).expect("a scene");
        let read = Capture::read(&bytes).expect("its own bytes");
        let again: Vec<_> = read.convex();
        assert_eq!(again.len(), 4);
        for (body, read) in bodies.iter().zip(&again) {
            let bounds = [body, read].map(|of| of.shape.bounds_over(&of.motion).expect("valid"));
            assert_eq!(bounds[0], bounds[1], "row {}", body.row);
        }
        bytes.len()
    };
    let of_hull = 4 + 4 * 12;
    let own = capture([0, 1, 2, 3]);
    for shared in [[0, 1, 2, 0], [2, 1, 0, 2], [0, 1, 2, 2], [2, 2, 1, 0]] {
        assert_eq!(own - capture(shared), of_hull, "{shared:?}");
    }
}

/// Goal: filters of 32 bits are read as they were written; files with filters of 16 bits have the bytes that they had before
/// there were more. Method: a tick with filters that need 16 bits, and one with others; the bytes of the first are compared
/// with those of its description.
#[test]
fn filters_are_read_as_they_were_written() {
    let (low, high, still) = ([0.0; 3], [1.0; 3], [0.0; 3]);
    let boxes = MovingBoxColumns::new([&low; 3], [&high; 3], [&still; 3]).expect("columns");
    let short = [Filter::new(1, 0xffff), Filter::new(0x8000, 2), Filter::NONE];
    let long = [Filter::ALL, Filter::new(1 << 31, !(1 << 16)), Filter::new(3, 0x1_0000)];
    for (filters, parts) in [(short, 4_u32), (long, 12)] {
        let bytes = Pipeline::default().capture(&Scene::new(boxes).filtered(&filters));
        let bytes = bytes.expect("a capture");
        assert_eq!(bytes[40..44], parts.to_le_bytes());
        let capture = Capture::read(&bytes).expect("it was written");
        assert_eq!(capture.scene(&[], &[]).filters(), Some(&filters[..]));
        if parts == 4 {
            let words = [0xffff_0001_u32, 0x0002_8000, 0].map(u32::to_le_bytes).concat();
            assert_eq!(bytes[bytes.len() - 8 - 12..bytes.len() - 8], words);
        }
    }
}

/// Goal: a number of rounds limits the searches of a tick, is read as it was written, and is an error if it is 0; without one, the bytes are those
/// of earlier files. Method: two cylinders that turn, with the default number of rounds, with one round, and with none; a file in which the number
/// is replaced by 0, and by the default.
#[test]
fn number_of_rounds_limits_searches_and_is_captured() {
    let cylinder = Shape::cylinder(1.0, 0.5).expect("a cylinder");
    let body = |row: u32, x: f32, speed: f32| {
        let motion = Motion::new(Pose::at([x, 0.0, 0.0]).expect("a pose"), [speed, 0.3, 0.1]);
        let motion = motion.and_then(|motion| motion.spinning([1.0, 2.0, 3.0])).expect("a motion");
        ConvexBody { row, shape: cylinder, motion }
    };
    let convex = [body(0, 0.0, 0.0), body(1, 4.0, -3.0)];
    let boxes = MovingBoxColumns::from_columns([&[0.0; 2][..]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&convex);
    let default = Config::default().rounds_max;
    let mut lengths = [0; 2];
    for (length, rounds_max) in lengths.iter_mut().zip([default, 1]) {
        let mut config = Config::default();
        config.rounds_max = rounds_max;
        let mut pipeline = Pipeline::new(config);
        let kinds: Vec<_> =
            pipeline.tick(&scene).expect("a tick").impacts().iter().map(|of| of.kind).collect();
        let kind = if rounds_max == 1 { ImpactKind::Unresolved } else { ImpactKind::Touching };
        assert_eq!(kinds, [kind]);
        let bytes = pipeline.capture(&scene).expect("a capture");
        assert_eq!(Capture::read(&bytes).expect("it was written").config(), &config);
        *length = bytes.len();
        if rounds_max == 1 {
            assert_eq!(bytes[40..44], 16_u32.to_le_bytes());
            for invalid in [0, default] {
                let mut changed = bytes.clone();
                changed[56..60].copy_from_slice(&invalid.to_le_bytes());
                assert!(Capture::read(&with_checksum(changed)).is_err(), "{invalid}");
            }
        }
    }
    assert_eq!(lengths[0] + 4, lengths[1]);
    let mut config = Config::default();
    config.rounds_max = 0;
    let error = Pipeline::new(config).tick(&scene).err();
    assert!(matches!(error, Some(PipelineError::Settings(ToiError::Rounds))), "{error:?}");
}

/// Goal: no file with a correct checksum causes a panic, and every tick that is read can be written again.
/// Method: each byte is changed in several ways, with the checksum recomputed.
#[test]
fn any_file_with_a_correct_checksum_is_a_tick_or_an_error() {
    let (bytes, ..) = tick();
    let mut read = 0;
    for at in 20..bytes.len() - 8 {
        for change in [1, 0x80, 0xFF] {
            let mut changed = bytes.clone();
            changed[at] ^= change;
            let Ok(capture) = Capture::read(&with_checksum(changed)) else { continue };
            read += 1;
            let convex = capture.convex();
            let pipeline = Pipeline::new(*capture.config());
            let again = pipeline.capture(&capture.scene(&convex, &[])).expect("it can be written");
            assert!(Capture::read(&again).is_ok(), "byte {at}");
        }
    }
    assert!(read > bytes.len(), "{read} of {}", bytes.len());
}

/// Goal: reading bodies that share a scaled hull does not visit its vertices for each of them. Method: 20,000 bodies with a hull of
/// 100,000 points; the shapes that are read have the bounds of those that were written.
#[test]
fn scaled_hull_of_many_bodies_is_measured_once() {
    const BODIES: u32 = 20_000;
    let point = |k: u32| {
        let (sin, cos) = (k as f32).sin_cos();
        [cos, sin, k as f32 * 1e-5]
    };
    let hull = Hull::new((0..100_000).map(point)).expect("a hull");
    let shape = Shape::hull(&hull).scaled([1.0, 2.0, -3.0]).expect("a scale");
    let body = |row| ConvexBody { row, shape, motion: Motion::default() };
    let bodies: Vec<_> = (0..BODIES).map(body).collect();
    let column = vec![0.0; BODIES as usize];
    let boxes = MovingBoxColumns::from_columns([&column[..]; 9]).expect("columns");
    let bytes = Pipeline::default().capture(&Scene::new(boxes).convex(&bodies)).expect("a scene");
    let capture = Capture::read(&bytes).expect("its own bytes");
    let time = least_time(|| {
        let capture = Capture::read(&bytes).expect("its own bytes");
        assert_eq!(capture.convex().len(), BODIES as usize);
    });
    let again = capture.convex();
    let bounds = |body: &ConvexBody<'_>| body.shape.bounds_over(&body.motion).expect("valid");
    assert_eq!(bounds(&again[BODIES as usize - 1]), bounds(&bodies[0]));
    assert!(time.as_secs_f64() < 1.5, "{time:?}");
}

/// Goal: a captured hull whose scale is so large that its product with a coordinate of zero may become NaN is rejected. Method: a flat hull
/// with a scale that is found in the file, and replaced by another one.
#[test]
fn captured_flat_hull_with_an_endless_scale_is_rejected() {
    let hull = Hull::new([[0.0; 3], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]).expect("a hull");
    let shape = Shape::hull(&hull).scaled([3.0, 1.0, 1.0]).expect("a scale");
    let body = [ConvexBody { row: 0, shape, motion: Motion::default() }];
    let boxes = MovingBoxColumns::from_columns([&[0.0; 1]; 9]).expect("columns");
    let scene = Scene::new(boxes).convex(&body);
    let bytes = Pipeline::new(Config::default()).capture(&scene).expect("a capture");
    let scale = [3.0_f64, 1.0, 1.0].map(f64::to_le_bytes).concat();
    let places: Vec<_> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&scale)).collect();
    let [at] = places[..] else { panic!("{places:?}") };
    let read = |scale: f64| {
        let mut bytes = bytes.clone();
        bytes[at..at + 8].copy_from_slice(&scale.to_le_bytes());
        Capture::read(&with_checksum(bytes))
    };
    for scale in [2.0_f64.powi(272), -2.0_f64.powi(272), 0.0] {
        assert!(read(scale).is_ok(), "{scale}");
    }
    for scale in [2.0_f64.powi(273), 1e308, -1e308, f64::INFINITY, f64::NAN] {
        let found = read(scale);
        assert!(
            matches!(found, Err(CaptureError::Malformed { expected: "a valid shape", .. })),
            "{scale} {found:?}"
        );
    }
}
