//! Boxes that do not move, stored from tick to tick, and their pairs with moving boxes.

use crate::border::{Handle, Opaque as _, array, borrow, destroy, opaque, out, write_boxed};
use crate::boxes::swath_boxes;
use crate::error::{Outcome, guard, swath_status};
use crate::exec::{exec, swath_exec};
use crate::pair_finder::pairs_in_memory;
use crate::values::{
    copy_rejected, is_sorted, swath_order, swath_pair, swath_pairs, swath_rejected,
    swath_rejected_rows, swath_swept_pair, swath_swept_pairs,
};
use crate::workers::Workers;
use swath::{Pair, SweptPair};

/// Fixed boxes and the memory of their last result.
pub(crate) struct Fixed {
    pub(crate) boxes: swath::FixedBoxes,
    pairs: Vec<Pair>,
    swept: Vec<SweptPair>,
    rejected: Vec<swath_rejected>,
    pub(crate) workers: Workers,
}

/// Boxes that do not move, each in a row that the caller chooses, and their pairs with moving boxes. The time of a tick depends on
/// the movers and hardly on the number of fixed boxes.
pub struct swath_fixed_boxes(Handle<Fixed>);

opaque!(swath_fixed_boxes(Fixed));

/// Creates an empty set of fixed boxes.
///
/// `exec_of`: how it runs, or NULL for the default.
/// `fixed`: its address is written here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_create(
    exec_of: *const swath_exec,
    fixed: *mut *mut swath_fixed_boxes,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ((exec, workers), to) = unsafe { (exec(exec_of)?, out(fixed, "fixed")?) };
        let fixed = Fixed {
            boxes: swath::FixedBoxes::with_exec(exec),
            pairs: Vec::new(),
            swept: Vec::new(),
            rejected: Vec::new(),
            workers,
        };
        write_boxed(swath_fixed_boxes::new(fixed), to);
        Ok(())
    })
}

/// Destroys a set of fixed boxes; NULL is ignored. While another call uses it, it is not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_destroy(fixed: *mut swath_fixed_boxes) {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        unsafe { destroy(fixed) };
        Ok(())
    });
}

/// Calls `change` with fixed boxes, if their threads exist in this process.
///
/// # Safety
///
/// As the header states for the pointer.
unsafe fn change(
    fixed: *mut swath_fixed_boxes,
    change: impl FnOnce(&mut Fixed) -> Outcome,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller promises it.
        let fixed = unsafe { borrow(fixed, "fixed") }?;
        let mut fixed = fixed.handle().change()?;
        fixed.workers.check()?;
        change(&mut fixed)
    })
}

/// Puts box `k` of `boxes`, which may have filters, into row `rows[k]`, in place of the box in that row.
///
/// `rows`: as many rows as there are boxes, below 2 to the power of 27. If a row occurs several times, its last valid box counts. Memory is
/// proportional to the highest row.
///
/// Invalid boxes change nothing; `swath_fixed_boxes_rejected` lists them by their position in `boxes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_put(
    fixed: *mut swath_fixed_boxes,
    rows: *const u32,
    boxes: *const swath_boxes,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(fixed, |fixed| {
            let given = borrow(boxes, "boxes")?;
            let rows = array(rows, given.count, "rows")?;
            let Fixed { boxes, rejected, .. } = fixed;
            copy_rejected(boxes.put(rows, given.fixed_input()?)?, rejected);
            Ok(())
        })
    }
}

/// Removes the boxes in these rows. A row may occur several times; a row without a box is an error, and then none is removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_remove(
    fixed: *mut swath_fixed_boxes,
    rows: *const u32,
    count: usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { change(fixed, |fixed| Ok(fixed.boxes.remove(array(rows, count, "rows")?)?)) }
}

/// Writes the number of boxes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_len(
    fixed: *const swath_fixed_boxes,
    len: *mut usize,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (fixed, len) = unsafe { (borrow(fixed, "fixed")?.handle().read()?, out(len, "len")?) };
        len.write(fixed.boxes.len());
        Ok(())
    })
}

/// Finds the pairs of a mover and a fixed box in which the bounds of the path share a point with the fixed box. `a` is the row of the
/// mover, or its label if there are `labels`; `b` is the row of the fixed box.
///
/// `order` and `pairs` are as for `swath_pair_finder_union_pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_union_pairs(
    fixed: *mut swath_fixed_boxes,
    movers: *const swath_boxes,
    order: swath_order,
    pairs: *mut swath_pairs,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(fixed, |fixed| {
            let (movers, to) = (borrow(movers, "movers")?, out(pairs, "pairs")?);
            let sorted = is_sorted(order)?;
            let Fixed { boxes, pairs, rejected, .. } = fixed;
            let found = boxes.union_pairs(movers.pair_input()?)?;
            copy_rejected(found.rejected(), rejected);
            to.write(pairs_in_memory::<_, swath_pair>(found, sorted, pairs).into());
            Ok(())
        })
    }
}

/// Finds the pairs of a mover and a fixed box that touch in the tick, with the first time of each. `a` is the row of the mover, or its
/// label if there are `labels`; `b` is the row of the fixed box.
///
/// `order` and `pairs` are as for `swath_pair_finder_swept_pairs`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_swept_pairs(
    fixed: *mut swath_fixed_boxes,
    movers: *const swath_boxes,
    order: swath_order,
    pairs: *mut swath_swept_pairs,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(fixed, |fixed| {
            let (movers, to) = (borrow(movers, "movers")?, out(pairs, "pairs")?);
            let sorted = is_sorted(order)?;
            let Fixed { boxes, swept, rejected, .. } = fixed;
            let found = boxes.swept_pairs(movers.pair_input()?)?;
            copy_rejected(found.rejected(), rejected);
            to.write(pairs_in_memory::<_, swath_swept_pair>(found, sorted, swept).into());
            Ok(())
        })
    }
}

/// Returns the invalid rows of the last call that succeeded: of the boxes that were put, or of the movers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_fixed_boxes_rejected(
    fixed: *const swath_fixed_boxes,
    rows: *mut swath_rejected_rows,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (fixed, rows) =
            unsafe { (borrow(fixed, "fixed")?.handle().read()?, out(rows, "rows")?) };
        rows.write(fixed.rejected.as_slice().into());
        Ok(())
    })
}
