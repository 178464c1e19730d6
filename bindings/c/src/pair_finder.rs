//! Pairs of moving boxes, found anew in each tick.

use crate::border::{Handle, Opaque as _, borrow, destroy, opaque, optional, out, write_boxed};
use crate::boxes::swath_boxes;
use crate::error::{Outcome, guard, swath_status};
use crate::exec::{exec, swath_exec};
use crate::values::{
    allocated, copy_rejected, is_sorted, swath_order, swath_pair, swath_pairs, swath_rejected,
    swath_rejected_rows, swath_swept_pair, swath_swept_pairs,
};
use crate::workers::Workers;
use bytemuck::Pod;
use std::sync::RwLockWriteGuard;
use swath::broadphase::{FoundPair, PairInput};
use swath::{Pair, Pairs, SweptPair};

/// A finder and the memory of its last result.
pub(crate) struct Finder {
    finder: swath::PairFinder,
    pairs: Vec<Pair>,
    swept: Vec<SweptPair>,
    rejected: [Vec<swath_rejected>; 2],
    workers: Workers,
}

/// Finds the pairs of moving boxes, anew in each tick. Keep it from tick to tick, because it keeps its memory.
pub struct swath_pair_finder(Handle<Finder>);

opaque!(swath_pair_finder(Finder));

/// Returns the pairs of a search: in memory of the finder if they are sorted, else copied to `to`.
pub(crate) fn pairs_in_memory<'a, P: FoundPair + Pod, C: Pod>(
    pairs: Pairs<'a, P>,
    sorted: bool,
    to: &'a mut Vec<P>,
) -> &'a [C] {
    if sorted {
        bytemuck::cast_slice(pairs.sorted())
    } else {
        pairs.collect_into(to);
        bytemuck::cast_slice(to)
    }
}

/// Creates a pair finder.
///
/// `exec_of`: how it runs, or NULL for the default.
/// `finder`: its address is written here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pair_finder_create(
    exec_of: *const swath_exec,
    finder: *mut *mut swath_pair_finder,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ((exec, workers), to) = unsafe { (exec(exec_of)?, out(finder, "finder")?) };
        let finder = Finder {
            finder: swath::PairFinder::with_exec(exec),
            pairs: Vec::new(),
            swept: Vec::new(),
            rejected: Default::default(),
            workers,
        };
        write_boxed(swath_pair_finder::new(finder), to);
        Ok(())
    })
}

/// Destroys a pair finder; NULL is ignored. While another call uses it, it is not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pair_finder_destroy(finder: *mut swath_pair_finder) {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        unsafe { destroy(finder) };
        Ok(())
    });
}

/// Locks a finder for a search, and borrows its one or two sets.
///
/// # Safety
///
/// The pointers are as the header states.
unsafe fn search<'a>(
    finder: *mut swath_pair_finder,
    [a, b]: [*const swath_boxes; 2],
) -> Outcome<(RwLockWriteGuard<'a, Finder>, PairInput<'a>, Option<PairInput<'a>>)> {
    // SAFETY: the caller promises it.
    unsafe {
        let finder = borrow(finder, "finder")?.handle().change()?;
        finder.workers.check()?;
        let a = borrow(a, "a")?.pair_input().map_err(|error| error.of("a"))?;
        let b = optional(b, "b")?.map(|b| b.pair_input()).transpose();
        Ok((finder, a, b.map_err(|error| error.of("b"))?))
    }
}

/// Finds the pairs of boxes of which the bounds of the paths share a point.
///
/// `a`: the boxes.
/// `b`: NULL, or a second set: then the pairs are of a box of `a` with a box of `b`.
/// `order`: `SWATH_SORTED` or `SWATH_AS_FOUND`, which is faster.
/// `pairs`: the pairs, valid until the next call that changes the finder.
///
/// Invalid boxes have no pairs; `swath_pair_finder_rejected` lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pair_finder_union_pairs(
    finder: *mut swath_pair_finder,
    a: *const swath_boxes,
    b: *const swath_boxes,
    order: swath_order,
    pairs: *mut swath_pairs,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (to, (mut finder, a, b)) = unsafe { (out(pairs, "pairs")?, search(finder, [a, b])?) };
        let sorted = is_sorted(order)?;
        let Finder { finder, pairs, rejected, .. } = &mut *finder;
        let found = match b {
            None => finder.union_pairs(a)?,
            Some(b) => finder.union_pairs_between(a, b)?,
        };
        copy_rejected(found.rejected(), &mut rejected[0]);
        copy_rejected(found.rejected_of_second(), &mut rejected[1]);
        to.write(pairs_in_memory::<_, swath_pair>(found, sorted, pairs).into());
        Ok(())
    })
}

/// Finds the pairs of boxes that touch in the tick, with the first time of each.
///
/// `a`: the boxes.
/// `b`: NULL, or a second set: then the pairs are of a box of `a` with a box of `b`.
/// `order`: `SWATH_SORTED` or `SWATH_AS_FOUND`, which is faster.
/// `pairs`: the pairs, valid until the next call that changes the finder.
///
/// Invalid boxes have no pairs; `swath_pair_finder_rejected` lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pair_finder_swept_pairs(
    finder: *mut swath_pair_finder,
    a: *const swath_boxes,
    b: *const swath_boxes,
    order: swath_order,
    pairs: *mut swath_swept_pairs,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (to, (mut finder, a, b)) = unsafe { (out(pairs, "pairs")?, search(finder, [a, b])?) };
        let sorted = is_sorted(order)?;
        let Finder { finder, swept, rejected, .. } = &mut *finder;
        let found = match b {
            None => finder.swept_pairs(a)?,
            Some(b) => finder.swept_pairs_between(a, b)?,
        };
        copy_rejected(found.rejected(), &mut rejected[0]);
        copy_rejected(found.rejected_of_second(), &mut rejected[1]);
        to.write(pairs_in_memory::<_, swath_swept_pair>(found, sorted, swept).into());
        Ok(())
    })
}

/// Returns the invalid rows of the last search that succeeded.
///
/// `of_a`: the rows of the first set. `of_b`: those of the second set, or NULL if they are not needed. Both are valid until the next
/// call that changes the finder.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pair_finder_rejected(
    finder: *const swath_pair_finder,
    of_a: *mut swath_rejected_rows,
    of_b: *mut swath_rejected_rows,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (finder, of_a) =
            unsafe { (borrow(finder, "finder")?.handle().read()?, out(of_a, "of_a")?) };
        // SAFETY: as above.
        let of_b = if of_b.is_null() { None } else { Some(unsafe { out(of_b, "of_b") }?) };
        of_a.write(finder.rejected[0].as_slice().into());
        if let Some(of_b) = of_b {
            of_b.write(finder.rejected[1].as_slice().into());
        }
        Ok(())
    })
}

/// Writes how many bytes of memory the finder has allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_pair_finder_memory(
    finder: *const swath_pair_finder,
    bytes: *mut usize,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let (finder, bytes) =
            unsafe { (borrow(finder, "finder")?.handle().read()?, out(bytes, "bytes")?) };
        let Finder { finder, pairs, swept, rejected, .. } = &*finder;
        let rejected: usize = rejected.iter().map(allocated).sum();
        bytes.write(finder.memory_usage() + allocated(pairs) + allocated(swept) + rejected);
        Ok(())
    })
}
