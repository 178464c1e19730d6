//! Tests that a batch of overlaps gives the results of single calls on every level.
//!
//! The batches have every number of rows near the numbers of lanes and of bits in a word, an invalid row at
//! every position, and every output.

use swath::batch::overlap::planes::PlaneSideColumns;
use swath::batch::overlap::{Bits, planes, sphere};
use swath::batch::{BatchError, Checked, LengthMismatch, PlaneSide, Rows, SphereColumns, overlap};
use swath::{Aabb, COORD_MAX, Level, MovingBox, MovingBoxColumns, Pair, Plane, Sphere};
use testkit::columns::Columns;
use testkit::places::{SphereArrays, cuts, frustum, moving, near};

/// The contents of a bit set before it is written.
const UNWRITTEN: u32 = 0xdead_beef;

/// Numbers of rows: every one near the number of lanes, and near one and two words.
fn lengths() -> impl Iterator<Item = usize> + Clone {
    (0..=40).chain([47, 48, 63, 64, 65, 79, 80, 95, 96, 97, 129])
}

/// The rows with a positive result.
fn rows_of(expected: &[bool]) -> Vec<u32> {
    (0..).zip(expected).filter_map(|(row, &yes)| yes.then_some(row)).collect()
}

/// A bit set contains exactly these rows, whatever it contained before.
fn set_is(expected: &[bool], what: &str, ask: impl FnOnce(Bits<'_>) -> Result<(), BatchError>) {
    let mut words = vec![UNWRITTEN; Bits::words_for(expected.len())];
    assert_eq!(ask(Bits { words: &mut words }), Ok(()), "{what}");
    let mut meant = vec![0; expected.len().div_ceil(32)];
    for row in rows_of(expected) {
        meant[row as usize / 32] |= 1 << (row % 32);
    }
    assert_eq!(words, meant, "{what}, {} rows", expected.len());
    let set = Bits { words: &mut words };
    assert_eq!(set.rows().collect::<Vec<_>>(), rows_of(expected), "{what}");
    assert_eq!(set.count(), rows_of(expected).len(), "{what}");
    assert!((0..expected.len()).all(|row| set.get(row) == expected[row]), "{what}");
}

/// A list contains exactly these rows, and the first of them if it is too short.
fn list_is(expected: &[bool], what: &str, ask: impl Fn(&mut Rows<'_>) -> Result<(), BatchError>) {
    let meant = rows_of(expected);
    let needed = meant.len();
    for room in [needed, needed + 20, needed / 2] {
        let mut buffer = vec![UNWRITTEN; room];
        let mut rows = Rows::new(&mut buffer);
        let answer = ask(&mut rows);
        let short = room < needed;
        let error = Err(BatchError::TooShort { needed, capacity: room });
        assert_eq!(answer, if short { error } else { Ok(()) }, "{what}");
        assert_eq!((rows.found(), &*rows), (needed, &meant[..room.min(needed)]), "{what}");
    }
}

/// Every test of boxes, spheres and planes, on every level, compared with single calls.
fn answers_are(
    [a, b]: [&[MovingBox]; 2],
    balls: &[(Sphere, [f32; 3])],
    one: (&Aabb, &Sphere, &[Plane]),
    pairs: &[Pair],
) {
    let valid = |moving: &MovingBox| moving.validate().is_ok();
    let ball_valid = |&(sphere, delta): &(Sphere, _)| {
        valid(&MovingBox { delta, ..MovingBox::default() }) && sphere.validate().is_ok()
    };
    let two = |a: &MovingBox, b: &MovingBox| valid(a) && valid(b) && a.aabb.overlaps(&b.aabb);
    let meets = |sphere: &Sphere, aabb: &Aabb| sphere::one_to_one(sphere, aabb) == Ok(true);
    let (aabb, ball, region) = one;

    let many: Vec<_> = a.iter().map(|row| valid(row) && aabb.overlaps(&row.aabb)).collect();
    let zipped: Vec<_> = a.iter().zip(b).map(|(a, b)| two(a, b)).collect();
    let paired: Vec<_> =
        pairs.iter().map(|pair| two(&a[pair.a as usize], &a[pair.b as usize])).collect();
    let one_ball: Vec<_> = a.iter().map(|row| valid(row) && meets(ball, &row.aabb)).collect();
    let many_balls: Vec<_> =
        balls.iter().map(|row| ball_valid(row) && meets(&row.0, aabb)).collect();
    let ball_zip: Vec<_> = balls
        .iter()
        .zip(a)
        .map(|(ball, row)| ball_valid(ball) && valid(row) && meets(&ball.0, &row.aabb))
        .collect();
    let side = |row: &MovingBox| match row.validate() {
        Ok(()) => planes::one_to_one(region, &row.aabb).expect("both are valid"),
        Err(_) => PlaneSide::Outside,
    };
    let sides: Vec<_> = a.iter().map(side).collect();
    let inside: Vec<_> = sides.iter().map(|&side| side != PlaneSide::Outside).collect();

    let (columns_a, columns_b, spheres) =
        (Columns::new(a), Columns::new(b), SphereArrays::new(balls));
    for level in Level::all() {
        let [mut of_a, mut of_b, mut of_balls] = [const { Vec::new() }; 3];
        let a = columns_a.boxes().check(level, &mut of_a);
        let b = columns_b.boxes().check(level, &mut of_b);
        let balls = spheres.spheres().check(level, &mut of_balls);
        macro_rules! both {
            ($what:literal, $expected:expr, $output:ident => $ask:expr) => {{
                let what = format!("{} on {level}", $what);
                set_is(&$expected, &what, |$output| $ask);
                list_is(&$expected, &what, |$output| $ask);
            }};
        }
        both!("one to many", many, to => overlap::one_to_many(level, aabb, &a, to));
        both!("zip", zipped, to => overlap::zip(level, &a, &b, to));
        both!("pairs", paired, to => overlap::pairs(level, &a, pairs, to));
        both!("a sphere", one_ball, to => sphere::one_to_many(level, ball, &a, to));
        both!("many spheres", many_balls, to => sphere::many_to_one(level, &balls, aabb, to));
        both!("zipped spheres", ball_zip, to => sphere::zip(level, &balls, &a, to));
        both!("planes", inside, to => planes::one_to_many(level, region, &a, to));
        let mut column = vec![PlaneSide::Inside; sides.len()];
        let answer = planes::one_to_many(level, region, &a, PlaneSideColumns { side: &mut column });
        assert_eq!((answer, &column), (Ok(()), &sides), "{level}");
        let first = |expected: &[bool]| Ok(rows_of(expected).first().copied());
        assert_eq!(overlap::any(level, aabb, &a), first(&many), "{level}");
        assert_eq!(sphere::any(level, ball, &a), first(&one_ball), "{level}");
        assert_eq!(planes::any(level, region, &a), first(&inside), "{level}");
    }
}

fn balls(seed: u64, count: usize) -> Vec<(Sphere, [f32; 3])> {
    let delta = |k: usize| [k as f32, -1.0, COORD_MAX];
    near(seed, count).enumerate().map(|(k, near)| (near.sphere, delta(k))).collect()
}

/// Each row with another, itself included, in either order.
fn neighbours(rows: usize) -> Vec<Pair> {
    let row = |row: usize| (row % rows) as u32;
    (0..rows).map(|k| Pair { a: row(k), b: row(k * k + k / 3) }).collect()
}

/// A box, a sphere and a region that overlap many of the hostile cases and miss many.
fn one(round: usize) -> (Aabb, Sphere, Vec<Plane>) {
    let size = [1.0, 0.25, 1e6, 1e-30, 1e30][round % 5];
    let aabb = Aabb { min: [-0.5 * size, 0.0, -size], max: [size, 0.75 * size, 0.0] };
    let sphere = Sphere { center: [0.25 * size, size, -0.5 * size], radius: size };
    let planes = match round % 4 {
        0 => vec![],
        1 => frustum([-3.0, 0.0, 0.0], [0.1, 0.2], [0.5, 20.0]).to_vec(),
        2 => cuts(round as u64, 9, 1).flat_map(|cut| cut.planes).collect(),
        _ => vec![Plane { normal: [0.5, -1.0, 0.25], offset: 0.125 * size.min(COORD_MAX) }],
    };
    (aabb, sphere, planes)
}

/// Goal: a batch gives the results of single calls. Method: every level, every number of rows near the number
/// of lanes and of bits in a word, every output, hostile rows.
#[test]
fn batches_give_the_results_of_one_to_one_on_every_level() {
    for (round, rows) in lengths().cycle().take(52 * 8).enumerate() {
        let seed = 100 + round as u64;
        let (aabb, sphere, planes) = one(round);
        let (a, b) = (moving(seed, rows), moving(seed + 1000, rows));
        let pairs = neighbours(rows);
        answers_are([&a, &b], &balls(seed, rows), (&aabb, &sphere, &planes), &pairs);
    }
}

/// Goal: an invalid row does not change other rows. Method: at every row of every number of rows, one invalid
/// row, of every kind in turn, and batches of which only one row is valid; invalid displacements too.
#[test]
fn invalid_row_is_apart_and_changes_no_other_row() {
    let huge = COORD_MAX.next_up();
    let numbers = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, huge, -huge];
    let mut kinds = (0..numbers.len() * 10).map(|k| (numbers[k / 10], k % 10)).cycle();
    for rows in 1..=40 {
        let (a, b, round) = (balls(3, rows), moving(4, rows), moving(5, rows));
        let poison = |(number, at): (f32, usize)| {
            let mut moving = MovingBox::from(Aabb { min: [-1.0; 3], max: [1.0; 3] });
            let mut ball = (Sphere { center: [0.0; 3], radius: 2.0 }, [0.0; 3]);
            let axis = at % 3;
            match at / 3 {
                0 => (moving.aabb.min[axis], ball.0.center[axis]) = (number, number),
                1 => (moving.aabb.max[axis], ball.0.radius) = (number, number),
                2 => (moving.delta[axis], ball.1[axis]) = (number, number),
                _ => (moving.aabb.min[1], ball.0.radius) = (1.5, -f32::from_bits(1)),
            }
            assert!(moving.validate().is_err(), "{moving:?}");
            (moving, ball)
        };
        for row in 0..rows {
            let bad: Vec<_> = kinds.by_ref().take(rows).map(poison).collect();
            for alone in [false, true] {
                let spoilt = |k: usize| (k == row) != alone;
                let pick = |k: usize| if spoilt(k) { bad[k].0 } else { b[k] };
                let boxes: Vec<_> = (0..rows).map(pick).collect();
                let spheres: Vec<_> =
                    (0..rows).map(|k| if spoilt(k) { bad[k].1 } else { a[k] }).collect();
                let (aabb, sphere, planes) = one(row);
                let one = (&aabb, &sphere, &planes[..]);
                answers_are([&boxes, &round], &spheres, one, &neighbours(rows));
                answers_are([&round, &boxes], &spheres, one, &[]);
            }
        }
    }
}

/// Goal: a call that fails writes nothing. Method: each wrong length, a row that does not exist, an invalid
/// value; the outputs are compared.
#[test]
fn failed_call_writes_nothing() {
    let columns = Columns::new(&moving(6, 40));
    let other = Columns::new(&moving(6, 39));
    let spheres = SphereArrays::new(&balls(7, 40));
    let good = Aabb { min: [0.0; 3], max: [1.0; 3] };
    let bad = Aabb { min: [0.0, 2.0, 0.0], max: [1.0; 3] };
    let reason = bad.validate().expect_err("it is inverted");
    let sphere = Sphere { center: [0.0; 3], radius: 1.0 };
    let negative = Sphere { radius: -1.0, ..sphere };
    let steep = [Plane { normal: [17.0, 0.0, 0.0], offset: 0.0 }];
    let wrong =
        |what, expected, found| Err(BatchError::Length(LengthMismatch { what, expected, found }));
    for level in Level::all() {
        let [mut of_a, mut of_b, mut of_balls] = [const { Vec::new() }; 3];
        let many: Checked<'_, MovingBoxColumns<'_>> = columns.boxes().check(level, &mut of_a);
        let fewer = other.boxes().check(level, &mut of_b);
        let balls: Checked<'_, SphereColumns<'_>> = spheres.spheres().check(level, &mut of_balls);
        for found in [0, 1, 3] {
            let mut words = vec![UNWRITTEN; found];
            let error = wrong("the output `words`", 2, found);
            assert_eq!(
                overlap::one_to_many(level, &good, &many, Bits { words: &mut words }),
                error
            );
            assert_eq!(overlap::zip(level, &many, &many, Bits { words: &mut words }), error);
            assert_eq!(
                overlap::pairs(level, &many, &neighbours(40), Bits { words: &mut words }),
                error
            );
            assert_eq!(
                sphere::one_to_many(level, &sphere, &many, Bits { words: &mut words }),
                error
            );
            assert_eq!(
                sphere::many_to_one(level, &balls, &good, Bits { words: &mut words }),
                error
            );
            assert_eq!(sphere::zip(level, &balls, &many, Bits { words: &mut words }), error);
            assert_eq!(planes::one_to_many(level, &[], &many, Bits { words: &mut words }), error);
            assert!(words.iter().all(|&word| word == UNWRITTEN), "{level}");
        }
        let mut words = [UNWRITTEN; 2];
        let invalid = Err(BatchError::Invalid(reason));
        assert_eq!(overlap::one_to_many(level, &bad, &many, Bits { words: &mut words }), invalid);
        assert_eq!(sphere::many_to_one(level, &balls, &bad, Bits { words: &mut words }), invalid);
        assert_eq!(overlap::any(level, &bad, &many), Err(BatchError::Invalid(reason)));
        let radius = negative.validate().expect_err("it is negative");
        let invalid = Err(BatchError::Invalid(radius));
        assert_eq!(
            sphere::one_to_many(level, &negative, &many, Bits { words: &mut words }),
            invalid
        );
        assert_eq!(sphere::any(level, &negative, &many), Err(BatchError::Invalid(radius)));
        let normal = steep[0].validate().expect_err("it is too steep");
        let invalid = Err(BatchError::Invalid(normal));
        assert_eq!(planes::one_to_many(level, &steep, &many, Bits { words: &mut words }), invalid);
        assert_eq!(planes::any(level, &steep, &many), Err(BatchError::Invalid(normal)));
        let unequal = wrong("the second side", 40, 39);
        assert_eq!(overlap::zip(level, &many, &fewer, Bits { words: &mut words }), unequal);
        assert_eq!(sphere::zip(level, &balls, &fewer, Bits { words: &mut words }), unequal);
        let pairs = [Pair { a: 3, b: 2 }, Pair { a: 40, b: 1 }];
        let missing = Err(BatchError::NoSuchRow { index: 1, row: 40, rows: 40 });
        assert_eq!(overlap::pairs(level, &many, &pairs, Bits { words: &mut [0] }), missing);
        assert_eq!(words, [UNWRITTEN; 2], "{level}");
        for found in [39, 41] {
            let mut side = vec![PlaneSide::Crossing; found];
            let error =
                planes::one_to_many(level, &[], &many, PlaneSideColumns { side: &mut side });
            assert_eq!(error, wrong("the output `side`", 40, found));
            assert!(side.iter().all(|&side| side == PlaneSide::Crossing));
        }
    }
}
