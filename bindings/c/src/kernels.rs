//! One geometric test over many rows, without an object: sweeps of moving boxes, and casts of segments.

use crate::border::{array, array_mut, array_or_unused, borrow, check_row_count};
use crate::boxes::swath_boxes;
use crate::error::{Outcome, guard, swath_status};
use crate::exec::level;
use crate::values::{swath_moving_box, swath_pair, swath_segment};
use std::ffi::c_char;
use swath::batch::cast;
use swath::batch::sweep::{self, SweepColumns};
use swath::batch::{Columns, Contact};
use swath::broadphase::MovingBoxInput;
use swath::{MovingBoxColumns, MovingBoxStore};

/// Boxes as columns: those of the caller, or copies.
enum Many<'a> {
    Columns(MovingBoxColumns<'a>),
    Store(MovingBoxStore),
}

impl<'a> Many<'a> {
    /// Borrows columns of moving boxes, and copies all other layouts.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    unsafe fn new(boxes: &swath_boxes) -> Outcome<Self> {
        // SAFETY: the caller promises it.
        Ok(match unsafe { boxes.only_moving() }? {
            MovingBoxInput::Columns(columns) => Self::Columns(columns),
            other => Self::Store((0..other.len()).map(|row| other.get(row)).collect()),
        })
    }

    fn columns(&self) -> MovingBoxColumns<'_> {
        match self {
            Self::Columns(columns) => *columns,
            Self::Store(store) => store.columns(),
        }
    }
}

/// Computes the first and last time at which a moving box touches each of many: element `k` of the results is about row `k`.
///
/// `level_name`: the instruction set, as in `swath_exec`, or NULL.
/// `many`: the boxes. Columns with displacements are borrowed; other layouts are copied to columns.
/// `first`, `last`: the times, fractions of the tick; infinite for rows that do not touch, and for invalid rows. `last` may be NULL if
/// it is not needed.
/// `contact`: NULL if it is not needed, or for each row a word: bits 0 to 2 are the axes of contact; bits 3 to 5 those on which the
/// normal from `one` to the row is negative; bits 6 and 7 are 0 if they are separated, 1 if they touch later in the tick, 2 if they
/// overlap at the start; bit 8 is set if they close, and for all whose interiors overlap at the start.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_sweep_one_to_many(
    level_name: *const c_char,
    one: *const swath_moving_box,
    many: *const swath_boxes,
    first: *mut f32,
    last: *mut f32,
    contact: *mut u32,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (one, many) = unsafe { (borrow(one, "one")?, borrow(many, "many")?) };
        check_row_count(many.count, "many")?;
        let mut unused = Unused::default();
        // SAFETY: as above.
        let (output, boxes) =
            unsafe { (sweeps(first, last, contact, many.count, &mut unused)?, Many::new(many)?) };
        // SAFETY: as above.
        let (level, mut rejected) = (unsafe { level(level_name) }?, Vec::new());
        let checked = Columns::check(boxes.columns(), level, &mut rejected);
        Ok(sweep::one_to_many(level, &(*one).into(), &checked, output)?)
    })
}

/// Computes the first and last time at which the two boxes of each pair touch: element `k` of the results is about `pairs[k]`. The
/// other arguments are those of `swath_sweep_one_to_many`; the normal is from box `a` to box `b`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_sweep_pairs(
    level_name: *const c_char,
    boxes: *const swath_boxes,
    pairs: *const swath_pair,
    pair_count: usize,
    first: *mut f32,
    last: *mut f32,
    contact: *mut u32,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let boxes = unsafe { borrow(boxes, "boxes") }?;
        check_row_count(boxes.count, "boxes")?;
        check_row_count(pair_count, "pairs")?;
        // SAFETY: as above.
        let pairs = unsafe { array(pairs, pair_count, "pairs") }?;
        let mut unused = Unused::default();
        // SAFETY: as above.
        let (output, boxes) =
            unsafe { (sweeps(first, last, contact, pair_count, &mut unused)?, Many::new(boxes)?) };
        // SAFETY: as above.
        let (level, mut rejected) = (unsafe { level(level_name) }?, Vec::new());
        let checked = Columns::check(boxes.columns(), level, &mut rejected);
        Ok(sweep::pairs(level, &checked, bytemuck::cast_slice(pairs), output)?)
    })
}

/// Memory for the results of sweeps that the caller does not need.
#[derive(Default)]
struct Unused {
    last: Vec<f32>,
    contact: Vec<u32>,
}

/// Borrows the output of sweeps.
///
/// # Safety
///
/// As the header states for the pointers.
unsafe fn sweeps<'a>(
    first: *mut f32,
    last: *mut f32,
    contact: *mut u32,
    count: usize,
    unused: &'a mut Unused,
) -> Outcome<SweepColumns<'a>> {
    // SAFETY: the caller promises it.
    let (first, last, contact) = unsafe {
        (
            array_mut(first, count, "first")?,
            array_or_unused(last, count, "last", &mut unused.last)?,
            array_or_unused(contact, count, "contact", &mut unused.contact)?,
        )
    };
    let contact: &mut [Contact] = bytemuck::cast_slice_mut(contact);
    Ok(SweepColumns { first, last, contact })
}

/// Computes where a segment enters and leaves each of many boxes, at the start of the tick: element `k` of the results is about
/// row `k`.
///
/// `level_name`: the instruction set, as in `swath_exec`, or NULL.
/// `many`: the boxes. Columns with displacements are borrowed; other layouts are copied to columns.
/// `entry`, `exit`: the fractions of the segment; infinite for rows that it misses, and for invalid rows. The exit of a ray that never
/// leaves is infinite. `exit` may be NULL if it is not needed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_cast_one_to_many(
    level_name: *const c_char,
    segment: *const swath_segment,
    many: *const swath_boxes,
    entry: *mut f32,
    exit: *mut f32,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (segment, many) = unsafe { (borrow(segment, "segment")?, borrow(many, "many")?) };
        check_row_count(many.count, "many")?;
        let mut unused = Vec::new();
        // SAFETY: as above.
        let (entry, exit, boxes) = unsafe {
            (
                array_mut(entry, many.count, "entry")?,
                array_or_unused(exit, many.count, "exit", &mut unused)?,
                Many::new(many)?,
            )
        };
        // SAFETY: as above.
        let (level, mut rejected) = (unsafe { level(level_name) }?, Vec::new());
        let checked = Columns::check(boxes.columns(), level, &mut rejected);
        let output = cast::Fractions { entry, exit };
        Ok(cast::one_to_many(level, &(*segment).into(), &checked, output)?)
    })
}
