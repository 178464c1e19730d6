//! Tests of columns, of their validation, and of the store of boxes.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rand::RngExt;
use swath::batch::{Body, BodyStore, LengthMismatch, Rejected, SphereStore};
use swath::{
    Aabb, AabbColumns, COORD_MAX, Invalid, Level, MovingBox, MovingBoxColumns, MovingBoxStore,
    Threads,
};
use testkit::cases::{HOSTILE, cases};
use testkit::columns::Columns;
use testkit::draw::{Draw, for_each};
use testkit::least_time::least_time;

/// The name of each column in an error, in the order of [`MovingBoxColumns::columns`].
const NAMES: [&str; 9] =
    ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z", "delta.x", "delta.y", "delta.z"];

/// Whether `work` panics. Where a panic cannot be caught, `work` is not called.
fn panics(work: impl FnOnce()) -> bool {
    cfg!(panic = "abort") || catch_unwind(AssertUnwindSafe(work)).is_err()
}

/// The bits of a row, so that signed zeros and NaN are distinguished.
fn bits(moving: MovingBox) -> [u32; 9] {
    bytemuck::cast(moving)
}

/// Boxes of every kind, all different.
fn boxes(seed: u64, count: usize) -> Vec<MovingBox> {
    cases(seed, count).map(|case| case.b).collect()
}

/// Goal: columns of unequal length are rejected. Method: each column too short, too long, empty.
#[test]
fn column_of_another_length_is_an_error() {
    let long = [0.0; 9];
    for expected in [1, 5] {
        for wrong in 1..9 {
            for found in (0..=8).filter(|&found| found != expected) {
                let mut columns = [&long[..expected]; 9];
                columns[wrong] = &long[..found];
                let [x0, y0, z0, x1, y1, z1, dx, dy, dz] = columns;
                let error = MovingBoxColumns::new([x0, y0, z0], [x1, y1, z1], [dx, dy, dz]).err();
                let named = LengthMismatch { what: NAMES[wrong], expected, found };
                assert_eq!(error, Some(named));
                let text =
                    format!("{}: the length is {found} and must be {expected}; ", NAMES[wrong]);
                assert!(named.to_string().starts_with(&text), "{named}");
            }
        }
    }
    // The other columns are compared with the first one.
    let error = MovingBoxColumns::new([&long[..2], &long, &long], [&long; 3], [&long; 3]).err();
    assert_eq!(error, Some(LengthMismatch { what: "min.y", expected: 2, found: 9 }));
}

/// Goal: row `i` consists of entry `i` of every column. Method: nine columns without a common number.
#[test]
fn borrowed_rows_keep_their_position() {
    let number = |column: usize, row: usize| (100 * column + row) as f32;
    let columns: [Vec<f32>; 9] =
        std::array::from_fn(|column| (0..7).map(|row| number(column, row)).collect());
    let [x0, y0, z0, x1, y1, z1, dx, dy, dz] = &columns;
    let boxes =
        MovingBoxColumns::new([x0, y0, z0], [x1, y1, z1], [dx, dy, dz]).expect("equal lengths");
    assert_eq!((boxes.len(), boxes.is_empty()), (7, false));
    for (borrowed, column) in boxes.columns().into_iter().zip(&columns) {
        assert!(std::ptr::eq(borrowed, &column[..]), "a copy was made");
    }
    for range in [0..7, 2..5, 3..3, 7..7] {
        let slice = boxes.slice(range.clone());
        assert_eq!((slice.len(), slice.is_empty()), (range.len(), range.is_empty()));
        for (k, row) in range.enumerate() {
            let expected: [f32; 9] = std::array::from_fn(|column| number(column, row));
            assert_eq!(bytemuck::cast::<_, [f32; 9]>(slice.get(k)), expected);
        }
    }
    assert!(panics(|| _ = boxes.get(7)) && panics(|| _ = boxes.slice(3..8)));
    assert!(panics(|| _ = boxes.slice(2..5).get(3)));
    let none = MovingBoxColumns::new([&[]; 3], [&[]; 3], [&[]; 3]).expect("equal lengths");
    assert!(none.is_empty() && panics(|| _ = none.get(0)));
}

/// A number that may make a row invalid.
fn number(draw: &mut Draw) -> f32 {
    let wrong = [f32::NAN, -f32::NAN, f32::INFINITY, -f32::INFINITY, f32::MAX, -f32::MAX];
    match draw.0.random_range(0..27) {
        0..20 => draw.0.random_range(-8.0..8.0),
        20..24 => draw.one_of(&HOSTILE),
        24 => draw.one_of(&wrong),
        25 => draw.sign() * COORD_MAX.next_up(),
        _ => f32::from_bits(draw.0.random()),
    }
}

/// A row that is valid about half of the time.
fn row(draw: &mut Draw) -> MovingBox {
    let mut row: MovingBox = bytemuck::cast([(); 9].map(|()| number(draw)));
    let sorted = !draw.one_in(4);
    for axis in (0..3).filter(|_| sorted) {
        let (min, max) = (row.aabb.min[axis], row.aabb.max[axis]);
        if min > max {
            (row.aabb.min[axis], row.aabb.max[axis]) = (max, min);
        }
    }
    row
}

/// A random number of values, less than `fewer_than`.
fn several<T>(draw: &mut Draw, fewer_than: usize, make: fn(&mut Draw) -> T) -> Vec<T> {
    (0..draw.0.random_range(0..fewer_than)).map(|_| make(draw)).collect()
}

/// The expected list of [`MovingBoxColumns::check`].
fn no_boxes(rows: &[MovingBox]) -> Vec<Rejected> {
    let reason = |(row, moving): (usize, &MovingBox)| {
        let reason = moving.validate().err()?;
        Some(Rejected { row: row as u32, reason })
    };
    rows.iter().enumerate().filter_map(reason).collect()
}

/// The list on every level; the list of the caller was not empty before.
#[track_caller]
fn checks(rows: &[MovingBox], expected: &[Rejected]) {
    let columns = Columns::new(rows);
    for level in Level::all() {
        let mut list = vec![Rejected { row: 7, reason: Invalid::Inverted { axis: 0 } }; 3];
        let checked = columns.boxes().check(level, &mut list);
        assert_eq!(checked.rejected(), expected, "{level}, {} rows", rows.len());
        assert_eq!((checked.len(), checked.is_empty()), (rows.len(), rows.is_empty()));
        assert_eq!(checked.columns().len(), rows.len());
        for row in 0..rows.len() as u32 + 2 {
            let is_listed = expected.iter().any(|rejected| rejected.row == row);
            assert_eq!(checked.is_rejected(row), is_listed);
        }
    }
}

/// Goal: a row beyond the columns or beyond a slice of them is not rejected. Method: invalid rows before and behind a
/// slice, and the greatest numbers.
#[test]
fn rows_beyond_the_columns_are_not_rejected() {
    let invalid = MovingBox { delta: [f32::NAN; 3], ..MovingBox::default() };
    let columns = Columns::new(&[invalid, invalid, MovingBox::default(), invalid]);
    let mut list = Vec::new();
    let checked = columns.boxes().check(Level::detect(), &mut list);
    let slice = checked.slice(1..3);
    let is_rejected = |rows: [u32; 5]| rows.map(|row| slice.is_rejected(row));
    assert_eq!(is_rejected([0, 1, 2, u32::MAX - 1, u32::MAX]), [true, false, false, false, false]);
    assert!(!checked.is_rejected(u32::MAX));
}

/// Goal: every level lists the same rows, each once and in order. Method: rows of all kinds.
#[test]
fn rejected_rows_are_those_of_validate() {
    for_each(1000, |draw| several(draw, 70, row), |rows| checks(&rows, &no_boxes(&rows)));
}

/// Goal: every invalid row is listed once. Method: one invalid row at each position of every number of rows,
/// invalid in each number and in each way in turn; and all rows invalid.
#[test]
fn each_row_and_each_number_is_validated() {
    let huge = COORD_MAX.next_up();
    let wrong = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, huge, -huge];
    let mut bad = Vec::new();
    for column in 0..9 {
        for number in wrong {
            let mut numbers = [-2.0, -2.0, -2.0, 2.0, 2.0, 2.0, 0.5, 0.5, 0.5];
            numbers[column] = number;
            bad.push(bytemuck::cast::<_, MovingBox>(numbers));
        }
    }
    for axis in 0..3 {
        let mut aabb = Aabb { min: [1.0; 3], max: [1.0; 3] };
        aabb.max[axis] = 1.0_f32.next_down();
        bad.push(MovingBox::from(aabb));
    }
    assert_eq!(no_boxes(&bad).len(), bad.len());
    checks(&bad, &no_boxes(&bad));

    let mut kinds = bad.into_iter().cycle();
    for count in 0..=40 {
        let mut rows = boxes(count as u64, count);
        checks(&rows, &[]);
        for at in 0..count {
            let good = std::mem::replace(&mut rows[at], kinds.next().expect("a cycle"));
            let expected = no_boxes(&rows);
            assert_eq!(expected.len(), 1);
            checks(&rows, &expected);
            rows[at] = good;
        }
    }
}

/// Goal: numbers at the limit are valid. Method: the greatest numbers, flat boxes, zeros.
#[test]
fn numbers_at_the_limit_are_valid() {
    let rows: Vec<MovingBox> = (HOSTILE.into_iter())
        .flat_map(|x| [[-x, x, x], [x, x, -x], [-x, -x, 0.0]])
        .map(|[min, max, delta]| MovingBox {
            aabb: Aabb { min: [min; 3], max: [max; 3] },
            delta: [delta; 3],
        })
        .collect();
    checks(&rows, &[]);
}

/// One call of a store.
#[derive(Clone, Debug)]
enum Step {
    Push(MovingBox),
    Set(usize, MovingBox),
    SwapRemove(usize),
    Clear,
    Fill(Vec<MovingBox>),
    Extend(Vec<MovingBox>),
    /// Overwrite one number of a column.
    Edit(usize, usize, f32),
}

fn step(draw: &mut Draw) -> Step {
    match draw.0.random_range(0..27) {
        0..12 => Step::Push(row(draw)),
        12..16 => Step::Set(draw.0.random_range(0..=usize::MAX), row(draw)),
        16..21 => Step::SwapRemove(draw.0.random_range(0..=usize::MAX)),
        21 => Step::Clear,
        22 => Step::Fill(several(draw, 40, row)),
        23 | 24 => Step::Extend(several(draw, 20, row)),
        _ => {
            let [at, column] = [(); 2].map(|()| draw.0.random_range(0..=usize::MAX));
            Step::Edit(at, column % 9, number(draw))
        }
    }
}

/// Everything that can be read from a store.
fn is_model(store: &MovingBoxStore, model: &[MovingBox]) {
    assert_eq!((store.len(), store.is_empty()), (model.len(), model.is_empty()));
    let boxes = store.columns();
    assert_eq!(boxes.len(), model.len());
    for column in boxes.columns() {
        assert_eq!(column.len(), model.len(), "padding can be seen");
        assert_eq!(column.as_ptr().addr() % 64, 0, "a column is not aligned");
    }
    for (row, &expected) in model.iter().enumerate() {
        assert_eq!(bits(store.get(row)), bits(expected));
        assert_eq!(bits(boxes.get(row)), bits(expected));
    }
    let (checked, invalid) = (store.checked(), no_boxes(model));
    assert_eq!((checked.rejected(), store.rejected()), (&invalid[..], &invalid[..]));
    assert_eq!(checked.len(), model.len());
    for level in Level::all() {
        let mut list = Vec::new();
        assert_eq!(boxes.check(level, &mut list).rejected(), invalid);
    }
    assert!(panics(|| _ = store.get(model.len())));
}

/// Goal: a store behaves like a list that contains valid boxes only. Method: a list, and random calls.
#[test]
fn a_store_is_a_list_of_boxes() {
    for_each(
        400,
        |draw| several(draw, 80, step),
        |steps| {
            let (mut store, mut model) = (MovingBoxStore::new(), Vec::new());
            for step in steps {
                match step {
                    Step::Push(row) => {
                        let pushed = store.push(row);
                        assert_eq!(pushed, row.validate().map(|()| model.len()));
                        model.extend(pushed.is_ok().then_some(row));
                    }
                    Step::Set(at, row) if !model.is_empty() => {
                        let at = at % model.len();
                        let set = store.set(at, row);
                        assert_eq!(set, row.validate());
                        model[at] = if set.is_ok() { row } else { model[at] };
                    }
                    Step::SwapRemove(at) if !model.is_empty() => {
                        let at = at % model.len();
                        assert_eq!(bits(store.swap_remove(at)), bits(model.swap_remove(at)));
                    }
                    Step::Clear => {
                        store.clear();
                        model.clear();
                    }
                    Step::Fill(rows) => {
                        let rejected = store.fill(rows.len(), &Threads::current(), |row| rows[row]);
                        assert_eq!(rejected, no_boxes(&rows));
                        model = rows;
                    }
                    Step::Extend(rows) => {
                        store.extend(rows.iter().copied());
                        model.extend(rows);
                    }
                    Step::Edit(at, column, number) => {
                        if let Some(at) = at.checked_rem(model.len()) {
                            let numbers: &mut [f32] = bytemuck::cast_slice_mut(&mut model[at..=at]);
                            numbers[column] = number;
                            let rejected = store.edit(|columns| columns[column][at] = number);
                            assert_eq!(rejected, no_boxes(&model));
                        }
                    }
                    Step::Set(at, row) => assert!(panics(|| _ = store.set(at, row))),
                    Step::SwapRemove(at) => assert!(panics(|| _ = store.swap_remove(at))),
                }
                is_model(&store, &model);
            }
        },
    );
}

/// Goal: many rows are written as they are on any threads, whatever was there before. Method: the rows one by one, for
/// numbers of rows about those of blocks and parts, some of them invalid; made from slices and iterators too.
#[test]
fn a_store_is_filled_in_bulk() {
    let mut store = MovingBoxStore::new();
    let mut draw = Draw::new(12);
    for count in [0, 1, 511, 512, 513, 1025, 33_000, 16, 70_000, 3] {
        let rows: Vec<MovingBox> = (0..count).map(|_| row(&mut draw)).collect();
        let invalid = no_boxes(&rows);
        assert!(count < 500 || !invalid.is_empty() && invalid.len() < rows.len());
        for threads in [Threads::one(), Threads::current()] {
            assert_eq!(store.fill(count, &threads, |row| rows[row]), invalid);
            let filled = store.columns();
            assert!((0..count).all(|row| bits(filled.get(row)) == bits(rows[row])));
        }
        let mut extended = MovingBoxStore::new();
        extended.extend(rows[..count / 2].iter().copied());
        extended.extend(rows[count / 2..].to_vec());
        for other in [extended, MovingBoxStore::from(&rows[..]), rows.iter().copied().collect()] {
            assert_eq!((other.len(), other.rejected()), (count, &invalid[..]));
            assert!((0..count).all(|row| bits(other.get(row)) == bits(rows[row])));
        }
    }
}

/// Goal: a panic of the caller's function leaves no row that was not checked. Method: a function that panics in the
/// middle, while the store is filled and while it is edited.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn a_store_is_empty_after_a_panic() {
    for edit in [false, true] {
        let mut store: MovingBoxStore = boxes(13, 40).into_iter().collect();
        assert!(panics(|| {
            if edit {
                store.edit(|columns| {
                    columns[0][3] = f32::NAN;
                    panic!("the caller's");
                });
            } else {
                store.fill(50, &Threads::one(), |row| {
                    assert!(row < 20, "the caller's");
                    MovingBox::default()
                });
            }
        }));
        is_model(&store, &[]);
        store.extend(boxes(14, 20));
        is_model(&store, &boxes(14, 20));
    }
}

/// Goal: the limits of blocks do not affect a caller. Method: up to three blocks and back, one row at a time,
/// with and without reserved memory.
#[test]
fn a_store_grows_and_shrinks_a_row_at_a_time() {
    for mut store in
        [MovingBoxStore::new(), MovingBoxStore::default(), MovingBoxStore::with_capacity(33)]
    {
        let mut model = Vec::new();
        for row in boxes(11, 49) {
            assert_eq!(store.push(row), Ok(model.len()));
            model.push(row);
            is_model(&store, &model);
        }
        let copy = store.clone();
        while !model.is_empty() {
            let at = model.len() * 7 % model.len().max(3) % model.len();
            assert_eq!(bits(store.swap_remove(at)), bits(model.swap_remove(at)));
            is_model(&store, &model);
        }
        assert_eq!(copy.len(), 49);
    }
}

/// Goal: an error changes nothing, and a row that does not exist is a bug of the caller. Method: both.
#[test]
fn invalid_boxes_are_not_stored() {
    let mut store = MovingBoxStore::new();
    let cube = Aabb::cube([1.0, 2.0, 3.0], 0.5).expect("small numbers");
    assert_eq!(store.push(cube), Ok(0));
    let mut bad = MovingBox::from(cube);
    bad.delta[1] = f32::NAN;
    let reason = Invalid::NotFinite { axis: 1 };
    assert_eq!((store.push(bad), store.set(0, bad)), (Err(reason), Err(reason)));
    is_model(&store, &[cube.into()]);
    assert!(panics(|| _ = store.set(1, cube)) && panics(|| _ = store.swap_remove(1)));
    is_model(&store, &[cube.into()]);
    assert_eq!(store.set(0, MovingBox { aabb: cube, delta: [4.0; 3] }), Ok(()));
    assert_eq!(store.get(0).delta, [4.0; 3]);
}

/// Goal: invalid rows that are corrected or removed one by one, in order, take a time in proportion to their number. Method: eight times as many
/// rows, all of them invalid.
#[test]
fn invalid_rows_are_corrected_in_linear_time() {
    let invalid = MovingBox { delta: [f32::NAN; 3], ..MovingBox::default() };
    let time = |count: usize, remove: bool| {
        let invalid: MovingBoxStore = vec![invalid; count].into_iter().collect();
        least_time(|| {
            let mut store = invalid.clone();
            for row in 0..count {
                assert_eq!(store.rejected()[0].row, if remove { 0 } else { row as u32 });
                store.set(if remove { 0 } else { row }, Aabb::default()).expect("valid");
                if remove {
                    store.swap_remove(0);
                }
            }
            assert!(store.rejected().is_empty());
        })
    };
    for remove in [false, true] {
        let (few, many) = (time(8_000, remove), time(64_000, remove));
        assert!(many < few * 24, "{remove}: {many:?}, where an eighth takes {few:?}");
    }
}

/// Goal: bodies are stored with their masses. Method: ten different numbers, read as a value and as columns.
#[test]
fn a_store_of_bodies_has_their_masses() {
    let numbers: [f32; 10] = std::array::from_fn(|k| k as f32 - 4.0);
    let body: Body = bytemuck::cast(numbers);
    let mut store = BodyStore::new();
    assert_eq!((store.push(body), store.push(Body::default())), (Ok(0), Ok(1)));
    assert_eq!([store.get(0), store.get(1)], [body, Body::default()]);
    assert_eq!(store.columns().columns().map(<[f32]>::to_vec), numbers.map(|x| vec![x, 0.0]));
}

/// Goal: columns, stores and invalid rows have a text. Method: compare it.
#[test]
fn columns_and_invalid_rows_are_printed() {
    let columns = AabbColumns::new([&[1.0], &[2.0], &[3.0]], [&[4.0], &[5.0], &[6.5]]);
    let columns = columns.expect("equal lengths");
    let text = "Columns([[1.0], [2.0], [3.0], [4.0], [5.0], [6.5]])";
    assert_eq!(format!("{columns:?}"), text);
    assert_eq!(format!("{:?}", SphereStore::new()), format!("Store(Columns({:?}))", [[0.0; 0]; 7]));
    let rejected = Rejected { row: 7, reason: Invalid::Inverted { axis: 1 } };
    let text = "row 7: min > max on axis y; swap them, or check for a negative size";
    assert_eq!(rejected.to_string(), text);
}
