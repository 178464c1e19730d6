//! Updates of a broadphase, the pairs that begin, persist and end, and snapshots.

use crate::border::{Handle, Opaque as _, borrow, destroy, opaque, optional, out, write_boxed};
use crate::boxes::flag;
use crate::broadphase::{change, found, read, swath_broadphase};
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::values::{
    swath_proxy_id, swath_proxy_pair, swath_proxy_pairs, swath_swept_proxy_pair,
    swath_swept_proxy_pairs,
};
use std::ffi::c_void;
use swath::broadphase::ProxyPair;

/// A function of the caller that decides which pairs count. A structure of zeros is not valid.
///
/// `accept` returns 0 for a pair that does not count, and any other number for one that does. It is called from several threads at the same time,
/// in any order, and must not use the broadphase. While a function that it calls on another object runs, it may be called again on
/// the same thread, which takes other work while it waits: hold no lock across such a call, or create that object with
/// `threads` = 1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_accept {
    /// Is passed to `accept`.
    pub user: *mut c_void,
    /// Decides about a pair; not NULL.
    pub accept: Option<unsafe extern "C" fn(user: *mut c_void, pair: swath_proxy_pair) -> i32>,
    /// 0: the function is called for each pair in each update. 1: only for new pairs of proxies that changed; a pair that was accepted stays
    /// until it ends, and one that was not is decided about again when one of its proxies changes or is renewed, or in an update
    /// without `only_new`. This is much faster if few proxies change.
    pub only_new: u8,
}

/// What an update found. All lists are ordered by the indices of the proxies. They are valid until the next update, restore, clear or
/// destruction of the broadphase; other calls do not change them, also those whose pointer is not const.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_changes {
    /// The pairs that are new.
    pub begun: swath_swept_proxy_pairs,
    /// The pairs that have ended. Their proxies may have been removed since.
    pub ended: swath_proxy_pairs,
    /// The number of pairs that touch and in which a proxy moves: those that `swath_broadphase_touching` returns.
    pub touching_count: usize,
}

/// A function of the caller, with its data.
struct Accept {
    user: *mut c_void,
    accept: unsafe extern "C" fn(user: *mut c_void, pair: swath_proxy_pair) -> i32,
}

// SAFETY: the header states that the function is called from several threads at the same time.
unsafe impl Sync for Accept {}

impl swath_accept {
    /// Returns the function, and whether it is called for new pairs only.
    fn get(&self) -> Outcome<(Accept, bool)> {
        let Some(accept) = self.accept else {
            return Err(Failure::argument("accept: the function `accept` is NULL"));
        };
        Ok((Accept { user: self.user, accept }, flag(self.only_new, "only_new")?))
    }
}

impl Accept {
    fn accepts(&self, pair: ProxyPair) -> bool {
        // SAFETY: the function and `user` are those of the caller, and the header states what the function may do.
        (unsafe { (self.accept)(self.user, pair.into()) }) != 0
    }
}

/// Finds the pairs of this tick, and what changed since the last update.
///
/// `accept`: NULL, or a function that decides which pairs count.
/// `changes`: NULL, or memory for what was found, which `swath_broadphase_changes` returns too.
///
/// If there are more pairs than allowed, nothing is changed but the lists of this update, which are empty: also those of
/// `swath_broadphase_changes`, `swath_broadphase_touching` and the like. `swath_broadphase_pairs` still returns the pairs of the
/// update before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_update(
    broadphase: *mut swath_broadphase,
    accept: *const swath_accept,
    changes: *mut swath_changes,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let accept = optional(accept, "accept")?;
            let to = if changes.is_null() { None } else { Some(out(changes, "changes")?) };
            let function = accept.map(swath_accept::get).transpose()?;
            let found = match &function {
                None => world.broadphase.update()?,
                Some((accept, false)) => {
                    world.broadphase.update_with(|pair| accept.accepts(pair))?
                }
                Some((accept, true)) => {
                    world.broadphase.update_with_new(|pair| accept.accepts(pair))?
                }
            };
            if let Some(to) = to {
                to.write(found.into());
            }
            Ok(())
        })
    }
}

impl From<swath::broadphase::Changes<'_>> for swath_changes {
    fn from(changes: swath::broadphase::Changes<'_>) -> Self {
        let begun: &[swath_swept_proxy_pair] = bytemuck::cast_slice(changes.begun());
        let ended: &[swath_proxy_pair] = bytemuck::cast_slice(changes.ended());
        Self { begun: begun.into(), ended: ended.into(), touching_count: changes.touching().len() }
    }
}

/// Returns what the last update found once more. The lists are empty after a snapshot was restored, after
/// `swath_broadphase_clear`, and after an update that failed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_changes(
    broadphase: *const swath_broadphase,
    changes: *mut swath_changes,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            out(changes, "changes")?.write(world.broadphase.changes().into());
            Ok(())
        })
    }
}

/// Returns all pairs that touch and in which a proxy moves: those that begin and those that persist. They are copied to memory of
/// the broadphase, which `swath_broadphase_persisted` overwrites too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_touching(
    broadphase: *mut swath_broadphase,
    pairs: *mut swath_swept_proxy_pairs,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let to = out(pairs, "pairs")?;
            world.swept.clear();
            world.swept.extend(world.broadphase.changes().touching());
            to.write(bytemuck::cast_slice::<_, swath_swept_proxy_pair>(&world.swept).into());
            Ok(())
        })
    }
}

/// Returns the pairs that touch and that the update before had found too. They are copied to memory of the broadphase, which
/// `swath_broadphase_touching` overwrites too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_persisted(
    broadphase: *mut swath_broadphase,
    pairs: *mut swath_swept_proxy_pairs,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let to = out(pairs, "pairs")?;
            world.swept.clear();
            world.swept.extend(world.broadphase.changes().persisted());
            to.write(bytemuck::cast_slice::<_, swath_swept_proxy_pair>(&world.swept).into());
            Ok(())
        })
    }
}

/// Pairs that touch, as three arrays with the indices of the proxies, in memory of the broadphase.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_pair_columns {
    /// The lower index of each pair.
    pub a: *const u32,
    /// The higher index of each pair.
    pub b: *const u32,
    /// The first time of contact of each pair.
    pub first: *const f32,
    /// The number of pairs.
    pub count: usize,
}

/// Returns the pairs of `swath_broadphase_touching` as arrays of indices, which is faster: after an update in which most proxies
/// moved, nothing is copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_touching_columns(
    broadphase: *mut swath_broadphase,
    columns: *mut swath_pair_columns,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let to = out(columns, "columns")?;
            let found = world.broadphase.touching_columns();
            let (a, b, first) = (found.a.as_ptr(), found.b.as_ptr(), found.first.as_ptr());
            to.write(swath_pair_columns { a, b, first, count: found.a.len() });
            Ok(())
        })
    }
}

/// Returns all pairs of the last update, including those of proxies that rest, which are not reported in each update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_pairs(
    broadphase: *mut swath_broadphase,
    pairs: *mut swath_proxy_pairs,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let to = out(pairs, "pairs")?;
            to.write(bytemuck::cast_slice::<_, swath_proxy_pair>(world.broadphase.pairs()).into());
            Ok(())
        })
    }
}

/// Returns the pairs of one proxy, including resting ones; none if the id is stale.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_pairs_of(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    pairs: *mut swath_proxy_pairs,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let to = out(pairs, "pairs")?;
            let of_proxy = world.broadphase.pairs_of(id.into());
            to.write(bytemuck::cast_slice::<_, swath_proxy_pair>(of_proxy).into());
            Ok(())
        })
    }
}

/// Writes 1 if the last update found a pair of these proxies, given in any order, else 0. Resting pairs count.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_contains_pair(
    broadphase: *const swath_broadphase,
    a: swath_proxy_id,
    b: swath_proxy_id,
    contains: *mut i32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            out(contains, "contains")?
                .write(world.broadphase.contains_pair(a.into(), b.into()).into());
            Ok(())
        })
    }
}

/// Writes the data of a proxy, also of one that was removed before the last update, as a pair that has ended may have.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_data(
    broadphase: *const swath_broadphase,
    id: swath_proxy_id,
    data: *mut u64,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            out(data, "data")?.write(found(world.broadphase.changes().data(id.into()), id)?);
            Ok(())
        })
    }
}

/// How two proxies touch in the tick, by their boxes without margins.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct swath_contact {
    /// The first time of contact; infinite if they do not touch.
    pub first: f32,
    /// The last time of this contact; infinite if they do not touch.
    pub last: f32,
    /// The direction from the first proxy to the second, along the axis on which the boxes begin to overlap last; of several such
    /// axes the lowest. Zero if their interiors overlap at the start, or they do not touch; if only their surfaces touch at the
    /// start, the lowest axis on which they do.
    pub normal: [f32; 3],
    /// 1 if they share a point at the start of the tick, else 0.
    pub overlapping: u32,
    /// If they overlap at the start: the shortest translation of the second proxy that separates them. Else zero.
    pub separation: [f32; 3],
}

/// Computes how two proxies touch in the tick, whether or not they form a pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_contact(
    broadphase: *const swath_broadphase,
    a: swath_proxy_id,
    b: swath_proxy_id,
    contact: *mut swath_contact,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            let to = out(contact, "contact")?;
            let found = world.broadphase.contact(a.into(), b.into())?;
            let overlaps = found.sweep.contact.state() == swath::batch::ContactState::Overlapping;
            to.write(swath_contact {
                first: found.sweep.first,
                last: found.sweep.last,
                normal: found.sweep.contact.normal(),
                overlapping: overlaps.into(),
                separation: found
                    .separation
                    .map_or([0.0; 3], |separation| separation.translation()),
            });
            Ok(())
        })
    }
}

/// A copy of everything that decides the results of a broadphase from some tick on.
pub struct swath_snapshot(Handle<swath::broadphase::Snapshot>);

opaque!(swath_snapshot(swath::broadphase::Snapshot));

/// Creates an empty snapshot, for `swath_broadphase_save`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_snapshot_create(snapshot: *mut *mut swath_snapshot) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let to = unsafe { out(snapshot, "snapshot") }?;
        write_boxed(swath_snapshot::new(swath::broadphase::Snapshot::default()), to);
        Ok(())
    })
}

/// Destroys a snapshot; NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_snapshot_destroy(snapshot: *mut swath_snapshot) {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        unsafe { destroy(snapshot) };
        Ok(())
    });
}

/// Replaces the contents of a snapshot by a copy of the broadphase.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_save(
    broadphase: *const swath_broadphase,
    snapshot: *mut swath_snapshot,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            let snapshot = borrow(snapshot, "snapshot")?;
            world.broadphase.snapshot_into(&mut *snapshot.handle().change()?);
            Ok(())
        })
    }
}

/// Restores the state of which the snapshot is a copy. From then on each update returns what it did then. Ids that were created
/// since are stale, or belong to other proxies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_restore(
    broadphase: *mut swath_broadphase,
    snapshot: *const swath_snapshot,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| -> Outcome {
            let snapshot = borrow(snapshot, "snapshot")?;
            world.broadphase.restore(&*snapshot.handle().read()?);
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    unsafe extern "C" fn every_pair(_: *mut c_void, _: swath_proxy_pair) -> i32 {
        1
    }

    #[test]
    fn accept_without_a_function_or_with_an_unknown_flag_is_an_error() {
        let accept =
            swath_accept { user: std::ptr::null_mut(), accept: Some(every_pair), only_new: 1 };
        assert!(accept.get().is_ok_and(|(_, only_new)| only_new));
        let message = |accept: swath_accept| accept.get().err().map(|error| format!("{error:?}"));
        let wrong = [
            (swath_accept { accept: None, ..accept }, "`accept` is NULL"),
            (swath_accept { only_new: 2, ..accept }, "only_new: 2"),
        ];
        for (accept, text) in wrong {
            let message = message(accept).unwrap_or_default();
            assert!(message.contains(text), "{message}");
        }
    }
}
