//! Plain values that C and the library share, and their conversion.
//!
//! The structures have the layout of the types of the library, so slices of them are reinterpreted and not copied.

use crate::error::{Failure, Outcome};
use bytemuck::{Pod, Zeroable};
use swath::batch::{Hit, Rejected};
use swath::broadphase::{ProxyHit, ProxyPair, SweptProxyPair};
use swath::{Aabb, Filter, Invalid, MovingBox, Pair, ProxyId, Segment, SweptPair};

/// The categories of a box, and those with which it may form pairs, one bit each. Two boxes may form a pair if each has a
/// category that is in the mask of the other. Zeros are valid: the box pairs with none.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_filter {
    /// The categories of the box.
    pub category: u32,
    /// The categories with which it may form pairs.
    pub mask: u32,
}

/// An axis-aligned box. Its surfaces belong to it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_aabb {
    /// The least corner.
    pub min: [f32; 3],
    /// The greatest corner.
    pub max: [f32; 3],
}

/// A box at the start of the tick, and its displacement over the tick. A structure of zeros is valid: a point at the origin, at rest.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_moving_box {
    /// The box at the start of the tick.
    pub aabb: swath_aabb,
    /// The displacement over the tick.
    pub delta: [f32; 3],
}

/// Two boxes, by their rows. Of one set, `a` is the lower row; of two sets, `a` is a row of the first.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_pair {
    /// The lower row, or that in the first set.
    pub a: u32,
    /// The higher row, or that in the second set.
    pub b: u32,
}

/// Two boxes that touch in the tick, as in `swath_pair`, and the first time at which they do.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_swept_pair {
    /// The lower row, or that in the first set.
    pub a: u32,
    /// The higher row, or that in the second set.
    pub b: u32,
    /// The first time of contact, a fraction of the tick from 0 to 1; never later than the exact time.
    pub first: f32,
}

/// A segment or a ray: the points `start + f * delta` for `f` from 0 to `max_fraction`, which is infinite for a ray. `swath_segment_to`
/// and `swath_ray` create one.
///
/// A structure of zeros is valid, but it is one point. So is one with only `start` and `delta`, whose greatest fraction is 0: set
/// `max_fraction`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_segment {
    /// The start point.
    pub start: [f32; 3],
    /// The vector from the start to the point at fraction 1.
    pub delta: [f32; 3],
    /// The greatest fraction.
    pub max_fraction: f32,
}

/// A box that a query found. For no box, the row is 4294967295 (`UINT32_MAX`) and the value is infinite.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_hit {
    /// The row of the box.
    pub row: u32,
    /// The fraction of a segment, the first time of a sweep, or the distance.
    pub value: f32,
}

/// The id of a proxy, 64 bits: the index of a slot, which is reused after a removal, and the number of proxies that used the
/// slot before. The index may be used as a row of arrays of the caller. No two proxies of a broadphase ever have the same id,
/// unless a snapshot is restored: ids that were created after it was saved may then belong to other proxies. An index of
/// `SWATH_NO_INDEX` stands for no proxy.
///
/// **A structure of zeros is valid: it is the id of the first proxy.** An id in memory of zeros is therefore no sign that there is no proxy: initialise
/// it by `SWATH_NO_ID`, which no proxy has.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_proxy_id {
    /// The index of the slot, less than the largest number of proxies that existed at once, plus one for each slot that was used 2^32 - 1 times.
    pub index: u32,
    /// How many proxies used the slot before.
    pub generation: u32,
}

/// Two proxies; `a` has the lower index.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_proxy_pair {
    /// The proxy with the lower index.
    pub a: swath_proxy_id,
    /// The proxy with the higher index.
    pub b: swath_proxy_id,
}

/// Two proxies that touch in the tick, and the first time at which their compared boxes do.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_swept_proxy_pair {
    /// The proxy with the lower index.
    pub a: swath_proxy_id,
    /// The proxy with the higher index.
    pub b: swath_proxy_id,
    /// The first time of contact, a fraction of the tick from 0 to 1; never late.
    pub first: f32,
}

/// A proxy that a query found. For none, the index is `SWATH_NO_INDEX` and the value is infinite.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_proxy_hit {
    /// The id of the proxy.
    pub id: swath_proxy_id,
    /// The fraction of a segment, the first time of a sweep, or the distance.
    pub value: f32,
}

/// Checks that structures have the layout of types of the library, and implements the conversions.
macro_rules! same_layout {
    ($($name:ident = $of:ty),* $(,)?) => {
        $(const _: () = assert!(size_of::<$name>() == size_of::<$of>() && align_of::<$name>() == align_of::<$of>());

        impl From<$of> for $name {
            fn from(value: $of) -> Self {
                bytemuck::cast(value)
            }
        }

        impl From<$name> for $of {
            fn from(value: $name) -> Self {
                bytemuck::cast(value)
            }
        })*
    };
}

same_layout! {
    swath_filter = Filter,
    swath_aabb = Aabb,
    swath_moving_box = MovingBox,
    swath_pair = Pair,
    swath_swept_pair = SweptPair,
    swath_segment = Segment,
    swath_hit = Hit,
    swath_proxy_id = ProxyId,
    swath_proxy_pair = ProxyPair,
    swath_swept_proxy_pair = SweptProxyPair,
    swath_proxy_hit = ProxyHit,
}

/// The order of the pairs of a search.
pub type swath_order = u32;
/// The order in which they were found, which is the same for any number of threads and any instruction set.
pub const SWATH_AS_FOUND: u32 = 0;
/// By `a`, then by `b`.
pub const SWATH_SORTED: u32 = 1;

/// Reads an order: whether pairs are sorted.
pub(crate) fn is_sorted(order: swath_order) -> Outcome<bool> {
    match order {
        SWATH_AS_FOUND => Ok(false),
        SWATH_SORTED => Ok(true),
        other => Err(Failure::argument(format!(
            "order: {other}; expected SWATH_AS_FOUND or SWATH_SORTED"
        ))),
    }
}

/// Why a row is invalid.
pub type swath_reason = u32;
/// A coordinate is NaN or infinite.
pub const SWATH_REASON_NOT_FINITE: u32 = 1;
/// The magnitude of a coordinate is greater than 2 to the power of 120.
pub const SWATH_REASON_TOO_LARGE: u32 = 2;
/// The least corner is greater than the greatest one on an axis, or a half extent is negative.
pub const SWATH_REASON_INVERTED: u32 = 3;
/// Another number is out of its range, such as a rotation that is not a unit quaternion.
pub const SWATH_REASON_RANGE: u32 = 4;

/// A row of the input that was left out because it is invalid.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct swath_rejected {
    /// The row.
    pub row: u32,
    /// Why it is invalid.
    pub reason: swath_reason,
    /// The axis of the number: 0, 1 or 2; 3 if it is not of an axis.
    pub axis: u32,
}

impl From<&Rejected> for swath_rejected {
    fn from(rejected: &Rejected) -> Self {
        let (reason, axis) = reason_of(&rejected.reason);
        Self { row: rejected.row, reason, axis }
    }
}

/// Returns why a row is invalid, and the axis of the number, or 3.
pub(crate) fn reason_of(invalid: &Invalid) -> (swath_reason, u32) {
    let (reason, axis) = match *invalid {
        Invalid::NotFinite { axis } => (SWATH_REASON_NOT_FINITE, axis),
        Invalid::TooLarge { axis } => (SWATH_REASON_TOO_LARGE, axis),
        Invalid::Inverted { axis } => (SWATH_REASON_INVERTED, axis),
        _ => (SWATH_REASON_RANGE, 3),
    };
    (reason, axis.into())
}

/// Replaces the contents of a list by rejected rows.
pub(crate) fn copy_rejected(from: &[Rejected], to: &mut Vec<swath_rejected>) {
    to.clear();
    to.extend(from.iter().map(swath_rejected::from));
}

/// Returns the bytes that a list has allocated.
pub(crate) fn allocated<T>(list: &Vec<T>) -> usize {
    list.capacity() * size_of::<T>()
}

/// Pairs in memory of the object that found them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_pairs {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_pair,
    /// The number of elements.
    pub count: usize,
}

/// Pairs with times, in memory of the object that found them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_swept_pairs {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_swept_pair,
    /// The number of elements.
    pub count: usize,
}

/// Pairs of proxies, in memory of the broadphase.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_proxy_pairs {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_proxy_pair,
    /// The number of elements.
    pub count: usize,
}

/// Pairs of proxies with times, in memory of the broadphase.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_swept_proxy_pairs {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_swept_proxy_pair,
    /// The number of elements.
    pub count: usize,
}

/// Rows that were left out, in order, in memory of the object of the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_rejected_rows {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_rejected,
    /// The number of elements.
    pub count: usize,
}

/// Implements the conversion of slices to structures of a pointer and a length.
macro_rules! lists {
    ($($name:ident = $item:ty),* $(,)?) => {
        $(impl From<&[$item]> for $name {
            fn from(items: &[$item]) -> Self {
                Self { data: items.as_ptr(), count: items.len() }
            }
        })*
    };
}
pub(crate) use lists;

lists! {
    swath_pairs = swath_pair,
    swath_swept_pairs = swath_swept_pair,
    swath_proxy_pairs = swath_proxy_pair,
    swath_swept_proxy_pairs = swath_swept_proxy_pair,
    swath_rejected_rows = swath_rejected,
}
