//! Compares queries of stored boxes with brute force.

use super::bytes::Bytes;
use crate::finite::assert_finite;
use swath::batch::{Columns, Hit, Row, cast, sweep};
use swath::broadphase::{FixedInput, Path, Query};
use swath::{Aabb, AabbColumns, Bvh, Filter, FixedBoxes, Level, MovingBox, Queries, Segment};

/// One byte is the number of boxes: up to three levels of nodes.
const BOXES_MAX: usize = 300;
/// The paths of the queries.
const WAYS: usize = 4;

/// Builds a tree of boxes, inserts them into a set from which some are removed again, and queries both with
/// segments and boxes.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    let count = 2 * usize::from(bytes.byte()) % BOXES_MAX;
    let level = Level::all().nth(usize::from(bytes.byte()) % Level::all().count()).unwrap();
    let filter = Filter::new(u32::from(bytes.byte()), u32::from(bytes.byte()));
    let mut rows = Vec::<MovingBox>::new();
    let mut filters = Vec::new();
    let like = bytes.byte();
    let filter = if like & 1 == 1 { shifted(filter) } else { filter };
    for k in 0..count {
        // Many boxes are made of few bytes: most are moved copies of one before.
        if k < 8 || k % 16 == 0 {
            rows.push(bytes.row(&rows));
        } else {
            let mut row = rows[(k * usize::from(like | 1)) % rows.len()];
            let axis = k % 3;
            let by = (k % 7) as f32 * 0.25 - 0.5;
            row.aabb.min[axis] += by;
            row.aabb.max[axis] += by;
            rows.push(row);
        }
        // Some categories above 15 share a bit of the words that lanes compare.
        let filter = Filter::new(1 << (k % 5), if k % 3 == 0 { 3 } else { u16::MAX.into() });
        filters.push(if like & 3 == 3 { shifted(filter) } else { filter });
    }
    let columns: [Vec<f32>; 6] =
        core::array::from_fn(|c| rows.iter().map(|row| row.aabb.to_row()[c]).collect());
    let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    let set = FixedInput::new(columns).filtered(&filters);
    let mut boxes: Vec<Option<(Aabb, Filter)>> = rows
        .iter()
        .zip(&filters)
        .map(|(row, &filter)| row.aabb.validate().is_ok().then_some((row.aabb, filter)))
        .collect();

    let mut segments = Vec::new();
    let mut moving = Vec::new();
    for _ in 0..WAYS {
        let row = bytes.row(&rows);
        let max_fraction =
            if bytes.byte().is_multiple_of(2) { f32::INFINITY } else { bytes.number() };
        segments.push(Segment { start: row.aabb.min, delta: row.delta, max_fraction });
        moving.push(row);
    }

    let mut tree = Bvh::with_exec(level);
    tree.build(set).unwrap();
    check(&tree.queries(), &boxes, None, &segments, &moving);
    check(&tree.queries(), &boxes, Some(filter), &segments, &moving);

    let mut fixed = FixedBoxes::with_exec(level);
    fixed.extend(set).unwrap();
    let gone: Vec<u32> = (0..count as u32)
        .filter(|&row| boxes[row as usize].is_some() && row % 5 == u32::from(like) % 5)
        .collect();
    fixed.remove(&gone).unwrap();
    gone.iter().for_each(|&row| boxes[row as usize] = None);
    check(&fixed.queries(), &boxes, Some(filter), &segments, &moving);
}

/// The filter with its categories 0 to 7 as categories 14 to 21.
fn shifted(filter: Filter) -> Filter {
    Filter::new(filter.category << 14, filter.mask << 14)
}

fn check(
    queries: &Queries<'_>,
    boxes: &[Option<(Aabb, Filter)>],
    filter: Option<Filter>,
    segments: &[Segment],
    moving: &[MovingBox],
) {
    let queries = filter.map_or(*queries, |filter| queries.filtered(filter));
    let expected = |at: &dyn Fn(&Aabb) -> Option<f32>| -> Vec<Hit> {
        let hit = |(row, of): (u32, &Option<(Aabb, Filter)>)| {
            let (aabb, theirs) = of.as_ref()?;
            let allowed = filter.is_none_or(|filter| filter.allows(*theirs));
            at(aabb).filter(|_| allowed).map(|at| Hit { row, value: at })
        };
        (0..).zip(boxes).filter_map(hit).collect()
    };
    let mut closest = Vec::new();
    for segment in segments {
        let entry = |aabb: &Aabb| {
            let cast = cast::one_to_one(segment, aabb).ok()?;
            cast.faces.is_hit().then_some(cast.entry)
        };
        let query = || queries.cast(segment);
        assert_eq!(query().err(), segment.validate().err());
        closest.push(ask(|| query().ok(), &expected(&entry)));
    }
    check_batch(segments, &closest, |rows, out| {
        queries.casts(&rows.check(Level::detect(), &mut Vec::new())).closest(out)
    });
    closest.clear();
    for of in moving {
        let first = |aabb: &Aabb| {
            let sweep = sweep::one_to_one(of, &(*aabb).into()).ok()?;
            (sweep.first < sweep::MISS).then_some(sweep.first)
        };
        let query = || queries.sweep(of);
        assert_eq!(query().err(), of.validate().err());
        closest.push(ask(|| query().ok(), &expected(&first)));
    }
    check_batch(moving, &closest, |rows, out| {
        queries.sweeps(&rows.check(Level::detect(), &mut Vec::new())).closest(out)
    });
}

/// Runs every query; returns the closest hit.
fn ask<'q, P: Path>(query: impl Fn() -> Option<Query<'q, P>>, expected: &[Hit]) -> Hit {
    if query().is_none() {
        return Hit::MISS;
    }
    let query = || query().expect("it was valid before");
    let first = expected.iter().copied().reduce(|a, b| if b.value < a.value { b } else { a });
    assert_eq!(query().closest(), first);
    let any = query().any();
    assert!(any.is_none() == expected.is_empty() && any.iter().all(|hit| expected.contains(hit)));
    let mut hits = Vec::new();
    query().all(&mut hits);
    assert_eq!(hits, expected);
    assert_finite(&hits);
    first.unwrap_or(Hit::MISS)
}

fn check_batch<T: Row<K>, const K: usize, E: core::fmt::Debug>(
    rows: &[T],
    expected: &[Hit],
    ask: impl FnOnce(Columns<'_, T, K>, &mut [Hit]) -> Result<(), E>,
) {
    let columns: [Vec<f32>; K] =
        core::array::from_fn(|c| rows.iter().map(|row| row.to_row()[c]).collect());
    let columns = Columns::from_columns(columns.each_ref().map(Vec::as_slice)).unwrap();
    let mut hits = vec![Hit { row: 9, value: -9.0 }; rows.len()];
    ask(columns, &mut hits).unwrap();
    assert_eq!(hits, expected);
}
