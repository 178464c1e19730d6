//! Proxies with stable ids: a broadphase, and the calls that insert, move and remove its proxies.

use crate::border::{
    Handle, Opaque as _, array, array_mut, borrow, destroy, opaque, out, write_boxed,
};
use crate::boxes::swath_boxes;
use crate::error::{Failure, Outcome, guard, swath_status};
use crate::exec::{exec, swath_exec};
use crate::proxy::swath_proxy;
use crate::values::{
    allocated, copy_rejected, swath_moving_box, swath_proxy_id, swath_rejected, swath_rejected_rows,
};
use crate::workers::Workers;
use swath::batch::LengthMismatch;
use swath::broadphase::{Proxies, SweptProxyPair};
use swath::{Proxy, ProxyId};

/// A broadphase and the memory of its last results.
pub(crate) struct World {
    pub(crate) broadphase: swath::Broadphase,
    pub(crate) swept: Vec<SweptProxyPair>,
    rejected: Vec<swath_rejected>,
    ids: Vec<ProxyId>,
    proxies: Vec<Proxy>,
    pub(crate) workers: Workers,
}

/// Boxes with stable ids, and their pairs from tick to tick: which pairs begin, persist and end.
pub struct swath_broadphase(Handle<World>);

opaque!(swath_broadphase(World));

/// Creates an empty broadphase.
///
/// `exec_of`: how it runs, or NULL for the default.
/// `broadphase`: its address is written here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_create(
    exec_of: *const swath_exec,
    broadphase: *mut *mut swath_broadphase,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        let ((exec, workers), to) = unsafe { (exec(exec_of)?, out(broadphase, "broadphase")?) };
        let world = World {
            broadphase: swath::Broadphase::with_exec(exec),
            swept: Vec::new(),
            rejected: Vec::new(),
            ids: Vec::new(),
            proxies: Vec::new(),
            workers,
        };
        write_boxed(swath_broadphase::new(world), to);
        Ok(())
    })
}

/// Destroys a broadphase; NULL is ignored. While another call uses it, it is not destroyed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_destroy(broadphase: *mut swath_broadphase) {
    guard(|| {
        // SAFETY: the caller keeps the rules of the header.
        unsafe { destroy(broadphase) };
        Ok(())
    });
}

/// Calls `change` with a broadphase, if its threads exist in this process.
///
/// # Safety
///
/// As the header states for the pointer.
pub(crate) unsafe fn change(
    broadphase: *mut swath_broadphase,
    change: impl FnOnce(&mut World) -> Outcome,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller promises it.
        let broadphase = unsafe { borrow(broadphase, "broadphase") }?;
        let mut world = broadphase.handle().change()?;
        world.workers.check()?;
        change(&mut world)
    })
}

/// Calls `read` with a broadphase.
///
/// # Safety
///
/// As the header states for the pointer.
pub(crate) unsafe fn read(
    broadphase: *const swath_broadphase,
    read: impl FnOnce(&World) -> Outcome,
) -> swath_status {
    guard(|| {
        // SAFETY: the caller promises it.
        let broadphase = unsafe { borrow(broadphase, "broadphase") }?;
        read(&*broadphase.handle().read()?)
    })
}

/// Writes the number of proxies.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_len(
    broadphase: *const swath_broadphase,
    len: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            out(len, "len")?.write(world.broadphase.len());
            Ok(())
        })
    }
}

/// Writes 1 if `id` is the id of a proxy of this broadphase, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_contains(
    broadphase: *const swath_broadphase,
    id: swath_proxy_id,
    contains: *mut i32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            out(contains, "contains")?.write(world.broadphase.contains(id.into()).into());
            Ok(())
        })
    }
}

/// Inserts a box.
///
/// `moving`: the box at the start of the tick, and its displacement, which is ignored if the kind does not move.
/// `proxy`: its description.
/// `id`: its id is written here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_insert(
    broadphase: *mut swath_broadphase,
    moving: *const swath_moving_box,
    proxy: *const swath_proxy,
    id: *mut swath_proxy_id,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let (moving, proxy) = (borrow(moving, "moving")?, borrow(proxy, "proxy")?);
            let id = out(id, "id")?;
            id.write(world.broadphase.insert_moving((*moving).into(), proxy.get()?)?.into());
            Ok(())
        })
    }
}

/// Inserts a proxy for each row of `boxes`.
///
/// `proxies`: one description for each row; or one for all, if `proxies_count` is 1. Any other count is an error, and no description
/// is read.
/// `ids`: memory for an id for each row, in the same order. Invalid boxes are not inserted and get an id that no proxy has;
/// `swath_broadphase_rejected` lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_insert_many(
    broadphase: *mut swath_broadphase,
    boxes: *const swath_boxes,
    proxies: *const swath_proxy,
    proxies_count: usize,
    ids: *mut swath_proxy_id,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let boxes = borrow(boxes, "boxes")?;
            let count = boxes.count;
            if proxies_count != 1 && proxies_count != count {
                let what = "the list `proxies`";
                return Err(LengthMismatch { what, expected: count, found: proxies_count }.into());
            }
            let given = array(proxies, proxies_count, "proxies")?;
            let to = array_mut(ids, count, "ids")?;
            let boxes = boxes.only_moving()?;
            let World { broadphase, rejected, ids, proxies, .. } = world;
            proxies.clear();
            for proxy in given {
                proxies.push(proxy.get()?);
            }
            let of_boxes = match (proxies.as_slice(), boxes.len()) {
                ([proxy], rows) if rows != 1 => Proxies::All(*proxy),
                (each, _) => Proxies::Each(each),
            };
            ids.clear();
            copy_rejected(broadphase.insert_many(boxes, of_boxes, ids)?, rejected);
            to.copy_from_slice(bytemuck::cast_slice(ids));
            Ok(())
        })
    }
}

/// Sets the box of a proxy at the start of the tick, and its displacement over the tick.
///
/// Both remain until they are set again: a body that has stopped must get the displacement zero. The displacement of a fixed or sleeping
/// proxy is ignored, so set the kind first, then the box.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    moving: *const swath_moving_box,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let moving: swath::MovingBox = (*borrow(moving, "moving")?).into();
            Ok(world.broadphase.set(id.into(), moving.aabb, moving.delta)?)
        })
    }
}

/// Sets the box and the displacement of the proxy `ids[k]` to row `k` of `boxes`. If an id occurs several times, its last valid row counts.
///
/// `ids`: as many ids as there are boxes. If one of them is stale, nothing is changed.
///
/// The displacement of a fixed or sleeping proxy is ignored, so set the kind first, then the box.
///
/// Invalid boxes change nothing; `swath_broadphase_rejected` lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_many(
    broadphase: *mut swath_broadphase,
    ids: *const swath_proxy_id,
    boxes: *const swath_boxes,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let boxes = borrow(boxes, "boxes")?;
            let ids = array(ids, boxes.count, "ids")?;
            let boxes = boxes.only_moving()?;
            let World { broadphase, rejected, .. } = world;
            copy_rejected(broadphase.set_many(bytemuck::cast_slice(ids), boxes)?, rejected);
            Ok(())
        })
    }
}

/// Sets the displacement of a proxy over the tick, and keeps its box.
///
/// It remains until it is set again, also if the box is. That of a fixed or sleeping proxy is checked and then ignored.
///
/// `delta`: three floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_delta(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    delta: *const f32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let delta: &[f32] = array(delta, 3, "delta")?;
            Ok(world.broadphase.set_delta(id.into(), [delta[0], delta[1], delta[2]])?)
        })
    }
}

/// Sets the displacements of `count` proxies, as `swath_broadphase_set_delta` does. If an id occurs several times, its last valid displacement
/// counts. If one of them is stale, nothing is changed.
///
/// `deltas`: three floats for each id.
///
/// Invalid displacements change nothing; `swath_broadphase_rejected` lists them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_delta_many(
    broadphase: *mut swath_broadphase,
    ids: *const swath_proxy_id,
    deltas: *const f32,
    count: usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let ids = array(ids, count, "ids")?;
            let deltas: &[f32] = array(deltas, count.saturating_mul(3), "deltas")?;
            let World { broadphase, rejected, .. } = world;
            let deltas = deltas.as_chunks().0;
            copy_rejected(broadphase.set_delta_many(bytemuck::cast_slice(ids), deltas)?, rejected);
            Ok(())
        })
    }
}

/// Returns the invalid rows of the last call of `swath_broadphase_insert_many`, `swath_broadphase_set_many` or
/// `swath_broadphase_set_delta_many` that succeeded.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_rejected(
    broadphase: *const swath_broadphase,
    rows: *mut swath_rejected_rows,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            out(rows, "rows")?.write(world.rejected.as_slice().into());
            Ok(())
        })
    }
}

/// Removes a proxy. Its pairs end with the next update; its id is stale from now on.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_remove(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { change(broadphase, |world| Ok(world.broadphase.remove(id.into())?)) }
}

/// Removes proxies. An id may occur several times. If one of them is stale, none is removed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_remove_many(
    broadphase: *mut swath_broadphase,
    ids: *const swath_proxy_id,
    count: usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let ids = array(ids, count, "ids")?;
            Ok(world.broadphase.remove_many(bytemuck::cast_slice(ids))?)
        })
    }
}

/// Removes all proxies and keeps the memory. Their ids are stale from now on, and their pairs end in the next update.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_clear(broadphase: *mut swath_broadphase) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            world.broadphase.clear();
            Ok(())
        })
    }
}

/// Writes the description of a proxy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_proxy(
    broadphase: *const swath_broadphase,
    id: swath_proxy_id,
    proxy: *mut swath_proxy,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            let found = found(world.broadphase.proxy(id.into()), id)?;
            out(proxy, "proxy")?.write(swath_proxy::of(&found));
            Ok(())
        })
    }
}

/// Writes the box of a proxy at the start of the tick, and its displacement.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_moving_box(
    broadphase: *const swath_broadphase,
    id: swath_proxy_id,
    moving: *mut swath_moving_box,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            let found = found(world.broadphase.moving_box(id.into()), id)?;
            out(moving, "moving")?.write(found.into());
            Ok(())
        })
    }
}

/// Writes the box of a proxy that is compared with others: with a margin one that contains the path and does not move.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_compared_box(
    broadphase: *const swath_broadphase,
    id: swath_proxy_id,
    moving: *mut swath_moving_box,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            let found = found(world.broadphase.compared_box(id.into()), id)?;
            out(moving, "moving")?.write(found.into());
            Ok(())
        })
    }
}

/// What was found of a proxy, or the error about a stale id.
pub(crate) fn found<T>(found: Option<T>, id: swath_proxy_id) -> Outcome<T> {
    found.ok_or_else(|| swath::broadphase::BroadphaseError::Stale { id: id.into() }.into())
}

/// Reserves memory for `proxies` proxies, of which `movers` move, and for ticks with `pairs` pairs. Each number is at most 2 to the power of 28.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_reserve(
    broadphase: *mut swath_broadphase,
    proxies: usize,
    movers: usize,
    pairs: usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            if [proxies, movers, pairs].iter().any(|&count| count > RESERVE_MAX) {
                return Err(Failure::argument(format!("expected at most {RESERVE_MAX} each")));
            }
            world.broadphase.reserve(proxies, movers, pairs);
            Ok(())
        })
    }
}

/// More than this is not reserved: there are at most 2²⁶ − 1 proxies, and memory for more pairs would not be found.
const RESERVE_MAX: usize = 1 << 28;

/// Moves the origin: all boxes are translated by minus `offset`, and rounded outwards. Ids and pairs stay valid. If a coordinate would
/// then be greater than 2 to the power of 120, the result is `SWATH_ERROR_INVALID`, and nothing is changed.
///
/// `offset`: three floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_shift_origin(
    broadphase: *mut swath_broadphase,
    offset: *const f32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let offset: &[f32] = array(offset, 3, "offset")?;
            Ok(world.broadphase.shift_origin([offset[0], offset[1], offset[2]])?)
        })
    }
}

/// Writes how many bytes of memory the broadphase has allocated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_memory(
    broadphase: *const swath_broadphase,
    bytes: *mut usize,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        read(broadphase, |world| {
            let World { broadphase, swept, rejected, ids, proxies, .. } = world;
            let lists =
                allocated(swept) + allocated(rejected) + allocated(ids) + allocated(proxies);
            out(bytes, "bytes")?.write(broadphase.memory_usage() + lists);
            Ok(())
        })
    }
}
