//! Calls that change what a proxy is: its kind, filter, owner, margin, data, and whether it is enabled.

use crate::border::array;
use crate::boxes::flag;
use crate::broadphase::{change, swath_broadphase};
use crate::error::swath_status;
use crate::proxy::{kind, swath_kind};
use crate::values::{swath_filter, swath_proxy_id};

/// Sets the kind of a proxy. One that becomes fixed or sleeping stays where it was at the start of the tick, and loses its displacement;
/// a fixed or sleeping one that becomes dynamic or kinematic has none until it is set, and one that was
/// dynamic or kinematic before keeps its own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_kind(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    kind_of_proxy: swath_kind,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            Ok(world.broadphase.set_kind(id.into(), kind(kind_of_proxy)?)?)
        })
    }
}

/// Sets the categories of a proxy, and those with which it may form pairs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_filter(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    filter: swath_filter,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| Ok(world.broadphase.set_filter(id.into(), filter.into())?))
    }
}

/// Sets the owner of a proxy; 0: no owner.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_owner(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    owner: u32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { change(broadphase, |world| Ok(world.broadphase.set_owner(id.into(), owner)?)) }
}

/// Sets the margin of a proxy: a length from 0 to 2 to the power of 120, by which the box that is compared is larger than the bounds of the path, on
/// each side. Any other value, also NaN, is an error, and so is one with which that box would reach past 2 to the power of 120; then nothing is
/// changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_margin(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    margin: f32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { change(broadphase, |world| Ok(world.broadphase.set_margin(id.into(), margin)?)) }
}

/// Sets the data of a proxy. This changes no pair.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_data(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    data: u64,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { change(broadphase, |world| Ok(world.broadphase.set_data(id.into(), data)?)) }
}

/// Sets the kind of many proxies to the same one, as `swath_broadphase_set_kind` does. An id may occur several times. If one of them is
/// stale, nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_kind_many(
    broadphase: *mut swath_broadphase,
    ids: *const swath_proxy_id,
    count: usize,
    kind_of_proxies: swath_kind,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let (ids, kind) = (array(ids, count, "ids")?, kind(kind_of_proxies)?);
            Ok(world.broadphase.set_kind_many(bytemuck::cast_slice(ids), kind)?)
        })
    }
}

/// Enables a proxy (1) or disables it (0): then it has no pairs and is not found by queries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_enabled(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
    enabled: i32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            Ok(world.broadphase.set_enabled(id.into(), flag(enabled, "enabled")?)?)
        })
    }
}

/// Enables (1) or disables (0) many proxies, as `swath_broadphase_set_enabled` does. An id may occur several times. If one of them is stale,
/// nothing is changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_enabled_many(
    broadphase: *mut swath_broadphase,
    ids: *const swath_proxy_id,
    count: usize,
    enabled: i32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let (ids, enabled) = (array(ids, count, "ids")?, flag(enabled, "enabled")?);
            Ok(world.broadphase.set_enabled_many(bytemuck::cast_slice(ids), enabled)?)
        })
    }
}

/// Sets whether proxies of two kinds form pairs: `pairs` is 1 if they do, else 0. The next update finds all pairs of moving proxies anew, and ends
/// those whose kinds no longer pair. A resting pair stays as long as both proxies rest and touch.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_set_kind_pairs(
    broadphase: *mut swath_broadphase,
    a: swath_kind,
    b: swath_kind,
    pairs: i32,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe {
        change(broadphase, |world| {
            let (a, b, table) = (kind(a)?, kind(b)?, world.broadphase.kind_table());
            let pairs = flag(pairs, "pairs")?;
            let table = if pairs { table.with(a, b) } else { table.without(a, b) };
            world.broadphase.set_kind_table(table);
            Ok(())
        })
    }
}

/// Makes the next update report the pairs of a proxy that touch then as begun once more, without an end.
///
/// Drop the pairs that you have of this proxy: one that no longer touches at the next update, or whose proxy is removed, disabled or
/// filtered out before it, has neither a begin nor an end. A pair of two resting proxies begins when one of them moves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_broadphase_renew(
    broadphase: *mut swath_broadphase,
    id: swath_proxy_id,
) -> swath_status {
    // SAFETY: the caller keeps the rules of the header.
    unsafe { change(broadphase, |world| Ok(world.broadphase.renew(id.into())?)) }
}
