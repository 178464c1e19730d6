//! Distances of stored boxes agree with `spec`, and trees of them agree with testing one box after the other.

use super::bytes::Bytes;
use super::overlap::{plane, sphere_of};
use crate::finite::assert_finite;
use swath::batch::overlap::{planes, sphere};
use swath::batch::{Hit, PlaneSide, Row, overlap, proximity};
use swath::broadphase::FixedInput;
use swath::{Aabb, AabbColumns, Bvh, Filter, FixedBoxes, Level, Plane, Queries};

/// One byte is the number of boxes: up to a tree of three levels.
const BOXES_MAX: u16 = 320;
/// Number of bytes of a box of its own; further boxes are moved copies.
const OWN_MAX: u8 = 40;

/// Tests the first box against all boxes.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let own = 1 + bytes.byte() % OWN_MAX;
    let count = u16::from(own).max(u16::from(bytes.byte()) * 2 % BOXES_MAX);
    let how = bytes.byte();
    let max_distance = bytes.number();
    let mut rows = Vec::new();
    for _ in 0..own {
        rows.push(bytes.row(&rows));
    }
    let region: Vec<Plane> = rows[..usize::from(own.min(how % 5))].iter().map(plane).collect();
    let (one, ball) = (rows[0].aabb, sphere_of(&rows[0]));
    let boxes: Vec<Aabb> = (0..count)
        .map(|k| {
            let mut aabb = rows[usize::from(k) % rows.len()].aabb;
            // A few steps apart, so that bounds of nodes and boxes nearly agree.
            let (axis, steps) = (usize::from(k) % 3, usize::from(k) / rows.len());
            for _ in 0..steps.min(20) {
                aabb.max[axis] = aabb.max[axis].next_up();
            }
            aabb
        })
        .collect();
    let filters: Vec<Filter> = (0..u32::from(count))
        .map(|k| Filter::new(1 << (k % 3), u32::from(how) | (k % 2)))
        .collect();
    let filter = (how & 1 == 1).then_some(Filter::new(u32::from(how >> 1), 3));

    let allowed = |row: usize| filter.is_none_or(|filter| filter.allows(filters[row]));
    let met = |is_met: &dyn Fn(&Aabb) -> bool| -> Vec<u32> {
        let kept = (0_u32..).zip(&boxes).filter(|(_, aabb)| aabb.validate().is_ok());
        let kept = kept.filter(|&(row, aabb)| allowed(row as usize) && is_met(aabb));
        kept.map(|(row, _)| row).collect()
    };
    let by_box = met(&|b| overlap::one_to_one(&one, b) == Ok(true));
    let by_ball = met(&|b| sphere::one_to_one(&ball, b) == Ok(true));
    let by_planes = met(&|b| planes::one_to_one(&region, b).is_ok_and(|s| s != PlaneSide::Outside));
    let near = met(&|b| distance(&one, b).is_some_and(|at| at <= max_distance));
    let hit = |&row: &u32| distance(&one, &boxes[row as usize]).map(|at| Hit { row, value: at });
    let mut near: Vec<Hit> = near.iter().filter_map(hit).collect();
    near.sort_by(|a, b| a.value.total_cmp(&b.value).then(a.row.cmp(&b.row)));

    let columns: [Vec<f32>; 6] =
        std::array::from_fn(|k| boxes.iter().map(|of| of.to_row()[k]).collect());
    let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice));
    let set = FixedInput::new(columns.expect("equally long")).filtered(&filters);
    for level in Level::all() {
        let mut tree = Bvh::with_exec(level);
        tree.build(set).expect("a filter for each box");
        // The same in any order, and some twice.
        let mut fixed = FixedBoxes::with_exec(level);
        let all: Vec<u32> = (0..u32::from(count)).collect();
        for _ in 0..2 {
            fixed.put(&all, set).expect("a row for each box");
        }
        for queries in [tree.queries(), fixed.queries()] {
            let queries = filter.map_or(queries, |filter| queries.filtered(filter));
            let mut rows = Vec::new();
            match queries.overlap(&one) {
                Ok(query) => query.all(&mut rows),
                Err(reason) => assert_eq!(one.validate(), Err(reason)),
            }
            assert_eq!(rows, by_box, "{level}: {one:?} {boxes:?}");
            rows.clear();
            match queries.overlap_sphere(&ball) {
                Ok(query) => query.all(&mut rows),
                Err(reason) => assert_eq!(ball.validate(), Err(reason)),
            }
            assert_eq!(rows, by_ball, "{level}: {ball:?} {boxes:?}");
            rows.clear();
            if let Ok(query) = queries.overlap_planes(&region) {
                query.all(&mut rows);
            } else {
                assert!(region.iter().any(|plane| plane.validate().is_err()));
            }
            assert_eq!(rows, by_planes, "{level}: {region:?} {boxes:?}");
            are_nearest(&queries, &one, max_distance, &near);
        }
    }
}

/// The nearest boxes: a few or all.
fn are_nearest(queries: &Queries<'_>, one: &Aabb, max_distance: f32, near: &[Hit]) {
    for room in [0, 1, 3, near.len() + 1] {
        let mut buffer = vec![Hit::MISS; room];
        let Ok(query) = queries.proximity(one, max_distance) else {
            assert!(one.validate().is_err() || max_distance.is_nan() || max_distance < 0.0);
            return;
        };
        let found = query.k_nearest(&mut buffer);
        assert_finite(&found);
        assert_eq!(found, &near[..room.min(near.len())], "{one:?} {max_distance}");
    }
}

/// The distance of two boxes, compared with `spec` except for rounding; `None` if one is invalid.
fn distance(a: &Aabb, b: &Aabb) -> Option<f32> {
    let answer = proximity::one_to_one(a, b);
    let meant = match spec::proximity(a, b) {
        Ok(meant) => meant,
        Err(reason) => {
            assert_eq!(answer, Err(reason));
            return None;
        }
    };
    let told = answer.expect("`spec` says that both are valid");
    assert_finite(&told);
    assert_eq!(told == 0.0, meant == 0.0, "{a:?} {b:?}");
    let told_exactly = f64::from(told);
    assert!(told_exactly <= meant * (1.0 + f64::EPSILON * 4.0), "too far: {a:?} {b:?}");
    let least = meant * (1.0 - 1.0 / f64::from(1 << 20)) - f64::from(f32::from_bits(2));
    assert!(told_exactly >= least, "too near: {a:?} {b:?}");
    Some(told)
}
