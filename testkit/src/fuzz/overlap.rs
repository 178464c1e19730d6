//! Overlaps agree with `spec`, and with each other on every level.

use super::bytes::Bytes;
use crate::columns::Columns;
use swath::batch::overlap::planes::PlaneSideColumns;
use swath::batch::overlap::{Bits, planes, sphere};
use swath::batch::{BatchError, Checked, PlaneSide, Rows, SphereColumns, overlap};
use swath::{Aabb, Level, MovingBox, Pair, Plane, Sphere};

/// One byte is the number of rows: up to three groups of the widest lanes, two words of a bit set.
const ROWS_MAX: u8 = 48;
/// One byte is the number of planes.
const PLANES_MAX: u8 = 8;

/// Error of `spec` relative to its input.
const SPEC: f64 = 1.0 / (1_u64 << 48) as f64;

/// Tests the first row against all rows: as boxes, as spheres and as planes.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 1 + bytes.byte() % ROWS_MAX;
    let cuts = bytes.byte() % PLANES_MAX;
    let mut rows = Vec::new();
    let mut pairs = Vec::new();
    for row in 0..u32::from(count) {
        rows.push(bytes.row(&rows));
        pairs.push(Pair { a: row, b: u32::from(bytes.byte() % count) });
    }
    let mut region = Vec::new();
    for _ in 0..cuts {
        region.push(plane(&bytes.row(&rows)));
    }

    let one = rows[0].aabb;
    let ball = sphere_of(&rows[0]);
    let balls: Vec<_> = rows.iter().map(sphere_of).collect();
    let row_valid = |row: u32| rows[row as usize].validate().is_ok();
    let ball_valid = |row: usize| balls[row].validate().is_ok() && delta_valid(&rows[row]);

    let many: Vec<_> = rows.iter().map(|row| whole(row) && boxes(&one, &row.aabb)).collect();
    let of = |pair: &Pair| boxes(&rows[pair.a as usize].aabb, &rows[pair.b as usize].aabb);
    let of_pairs: Vec<_> =
        pairs.iter().map(|pair| row_valid(pair.a) && row_valid(pair.b) && of(pair)).collect();
    let one_ball: Vec<_> = rows.iter().map(|row| whole(row) && meets(&ball, &row.aabb)).collect();
    let many_balls: Vec<_> =
        (0..rows.len()).map(|row| ball_valid(row) && meets(&balls[row], &one)).collect();
    let sides: Vec<_> = rows
        .iter()
        .map(|row| if whole(row) { side(&region, &row.aabb) } else { PlaneSide::Outside })
        .collect();
    let seen: Vec<_> = sides.iter().map(|&side| side != PlaneSide::Outside).collect();

    let boxes = Columns::new(&rows);
    let spheres = sphere_columns(&rows);
    for level in Level::all() {
        let (mut of_boxes, mut of_spheres) = (Vec::new(), Vec::new());
        let boxes = boxes.boxes().check(level, &mut of_boxes);
        let [x, y, z, radius, dx, dy, dz] = &spheres;
        let balls = SphereColumns::new([x, y, z], radius, [dx, dy, dz]).expect("equally long");
        let balls = balls.check(level, &mut of_spheres);
        let boxes: &Checked<'_> = &boxes;
        // An invalid single value is an error, without results.
        let valid = one.validate().map_err(BatchError::from);
        answers(valid, &many, |to| overlap::one_to_many(level, &one, boxes, to));
        answers(Ok(()), &of_pairs, |to| overlap::pairs(level, boxes, &pairs, to));
        answers(valid, &many_balls, |to| sphere::many_to_one(level, &balls, &one, to));
        let valid = ball.validate().map_err(BatchError::from);
        answers(valid, &one_ball, |to| sphere::one_to_many(level, &ball, boxes, to));
        let valid = region.iter().try_for_each(Plane::validate).map_err(BatchError::from);
        answers(valid, &seen, |to| planes::one_to_many(level, &region, boxes, to));
        let mut column = vec![PlaneSide::Inside; rows.len()];
        let got =
            planes::one_to_many(level, &region, boxes, PlaneSideColumns { side: &mut column });
        assert_eq!(got, valid, "{level}");
        assert!(got.is_err() || column == sides, "{level}: {column:?} for {sides:?}");
        let mut list = vec![0; rows.len()];
        let mut list = Rows::new(&mut list);
        if overlap::one_to_many(level, &one, boxes, &mut list).is_ok() {
            let first = overlap::any(level, &one, boxes).expect("it was valid");
            assert_eq!(first, list.first().copied(), "{level}");
            assert!((0..).zip(&many).all(|(row, &yes)| list.contains(&row) == yes), "{level}");
        }
    }
}

/// A bit set must equal `expected`, unless the call is an error.
fn answers(
    valid: Result<(), BatchError>,
    expected: &[bool],
    ask: impl FnOnce(Bits<'_>) -> Result<(), BatchError>,
) {
    let mut words = vec![u32::MAX; Bits::words_for(expected.len())];
    assert_eq!(ask(Bits { words: &mut words }), valid);
    let set = Bits { words: &mut words };
    if valid.is_ok() {
        let got: Vec<_> = (0..expected.len()).map(|row| set.get(row)).collect();
        assert_eq!(got, expected);
        assert_eq!(set.count(), expected.iter().filter(|&&yes| yes).count());
    } else {
        assert!(set.words.iter().all(|&word| word == u32::MAX), "written on an error");
    }
}

fn whole(row: &MovingBox) -> bool {
    row.validate().is_ok()
}

fn delta_valid(row: &MovingBox) -> bool {
    MovingBox { aabb: Aabb::default(), delta: row.delta }.validate().is_ok()
}

pub(super) fn sphere_of(row: &MovingBox) -> Sphere {
    Sphere { center: row.aabb.min, radius: row.aabb.max[0] }
}

/// The normal is the displacement of a row, often scaled into the valid range.
pub(super) fn plane(row: &MovingBox) -> Plane {
    let largest = row.delta.into_iter().map(f32::abs).fold(0.0, f32::max);
    let scale = if largest > Plane::NORMAL_MAX { 1.0 / largest } else { 1.0 };
    Plane { normal: row.delta.map(|x| x * scale), offset: row.aabb.min[0] }
}

fn sphere_columns(rows: &[MovingBox]) -> [Vec<f32>; 7] {
    let numbers = |row: &MovingBox| {
        let ([x, y, z], [dx, dy, dz]) = (row.aabb.min, row.delta);
        [x, y, z, row.aabb.max[0], dx, dy, dz]
    };
    std::array::from_fn(|k| rows.iter().map(|row| numbers(row)[k]).collect())
}

/// Two boxes, compared with `spec` exactly; apart if one is invalid.
fn boxes(a: &Aabb, b: &Aabb) -> bool {
    let answer = overlap::one_to_one(a, b);
    assert_eq!(answer, spec::overlap(a, b), "{a:?} {b:?}");
    assert!(answer.is_err() || answer == Ok(a.overlaps(b)));
    answer.unwrap_or(false)
}

/// A sphere and a box, compared with `spec` except for rounding; apart if one is invalid.
fn meets(ball: &Sphere, aabb: &Aabb) -> bool {
    let answer = sphere::one_to_one(ball, aabb);
    let gap = match spec::sphere_gap(ball, aabb) {
        Ok(gap) => gap,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return false;
        }
    };
    let meets = answer.expect("`spec` says that both are valid");
    let radius = f64::from(ball.radius);
    assert!(meets || gap > -SPEC * radius, "missed: {ball:?} {aabb:?}");
    let slack = radius * (1.0 / f64::from(1 << 21) + SPEC);
    assert!(!meets || gap <= slack, "not even near: {ball:?} {aabb:?}");
    meets
}

/// Planes and a box, compared with `spec` except for rounding; outside if one is invalid.
fn side(planes: &[Plane], aabb: &Aabb) -> PlaneSide {
    let answer = planes::one_to_one(planes, aabb);
    if let Err(reason) = spec::overlap_planes(planes, aabb) {
        assert_eq!(answer, Err(reason));
        return PlaneSide::Outside;
    }
    let side = answer.expect("`spec` says that all are valid");
    let (mut outside, mut far_outside, mut inside, mut far_inside) = (false, false, true, true);
    for plane in planes {
        let [least, greatest] = spec::plane_reach(plane, aabb).expect("it was valid");
        let size = |axis: usize| {
            let largest = aabb.min[axis].abs().max(aabb.max[axis].abs());
            f64::from(plane.normal[axis].abs()) * f64::from(largest)
        };
        let size = size(0) + size(1) + size(2);
        let off = SPEC * (size + f64::from(plane.offset.abs()));
        let slack = size / f64::from(1 << 20) + f64::from(f32::MIN_POSITIVE) + off;
        outside |= least > -off;
        far_outside |= least > slack;
        inside &= greatest <= off;
        far_inside &= greatest <= -slack;
    }
    assert!(side != PlaneSide::Outside || outside, "missed: {planes:?} {aabb:?}");
    assert!(side == PlaneSide::Outside || !far_outside, "kept: {planes:?} {aabb:?}");
    assert!(side != PlaneSide::Inside || inside, "crossed: {planes:?} {aabb:?}");
    assert!(side == PlaneSide::Inside || !far_inside, "not crossed: {planes:?} {aabb:?}");
    side
}
