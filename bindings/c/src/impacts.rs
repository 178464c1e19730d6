//! What a tick of a pipeline finds: impacts, rows that were left out, and statistics.

use crate::values::{
    reason_of, swath_pair, swath_pairs, swath_proxy_id, swath_reason, swath_rejected,
    swath_rejected_rows,
};
use bytemuck::{Pod, Zeroable};
use std::time::Duration;
use swath::broadphase::ProxyPair;
use swath::pipeline::{ImpactKind, TickStats};
use swath::{Impact, Invalid, Pair, ProxyId};

/// The kind of an impact.
pub type swath_impact_kind = u32;
/// The bodies touch from `t` on, or touch at the start of the tick in a way that counts.
pub const SWATH_IMPACT_TOUCHING: u32 = 0;
/// The bodies overlap from the start of the tick on.
pub const SWATH_IMPACT_OVERLAPPING: u32 = 1;
/// The search reached its limit. The bodies do not touch before `t`, and the rest is unknown.
pub const SWATH_IMPACT_UNRESOLVED: u32 = 2;

fn kind_of(kind: ImpactKind) -> swath_impact_kind {
    match kind {
        ImpactKind::Overlapping => SWATH_IMPACT_OVERLAPPING,
        ImpactKind::Unresolved => SWATH_IMPACT_UNRESOLVED,
        _ => SWATH_IMPACT_TOUCHING,
    }
}

/// Two bodies that meet in a tick, by their rows.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct swath_impact {
    /// The time of impact: a fraction of the tick, never late.
    pub t: f32,
    /// The lower row.
    pub a: u32,
    /// The higher row.
    pub b: u32,
    /// The last time of contact, a fraction of the tick. For two plain boxes it is the end of this contact if they passed through each other; if one
    /// of them is accelerated, they may touch again later. For other bodies it is the last time of contact of their bounds, after which the bodies
    /// no longer touch.
    pub last: f32,
    /// The kind of the impact.
    pub kind: swath_impact_kind,
    /// The unit normal at `t`, from `a` to `b`; zero if the kind is `SWATH_IMPACT_UNRESOLVED`.
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b` at `t`, or deepest inside it, in world coordinates.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a` at `t`, or deepest inside it, in world coordinates.
    pub on_b: [f32; 3],
    /// The speed at which these points close along the normal, in length per tick; negative if they separate.
    pub closing: f32,
    /// How far `b` has to be moved along the normal until the distance of the two is the target distance; 0 except if the kind is
    /// `SWATH_IMPACT_OVERLAPPING`.
    pub depth: f32,
    /// The part of `a` that touches: the triangle of a mesh or height field, or the shape of a compound, else 0.
    pub part_a: u32,
    /// The part of `b` that touches.
    pub part_b: u32,
}

impl From<&Impact> for swath_impact {
    fn from(impact: &Impact) -> Self {
        let Pair { a, b } = impact.pair;
        let [part_a, part_b] = impact.parts;
        Self {
            t: impact.toi,
            a,
            b,
            last: impact.last,
            kind: kind_of(impact.kind),
            normal: impact.normal,
            on_a: impact.on_a,
            on_b: impact.on_b,
            closing: impact.closing,
            depth: impact.depth,
            part_a,
            part_b,
        }
    }
}

/// Two proxies that meet in a tick. The fields are those of `swath_impact`, with ids instead of rows.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct swath_proxy_impact {
    /// The time of impact: a fraction of the tick, never late.
    pub t: f32,
    /// The proxy with the lower index.
    pub a: swath_proxy_id,
    /// The proxy with the higher index.
    pub b: swath_proxy_id,
    /// The last time of contact, as in `swath_impact`.
    pub last: f32,
    /// The kind of the impact.
    pub kind: swath_impact_kind,
    /// The unit normal at `t`, from `a` to `b`; zero if the kind is `SWATH_IMPACT_UNRESOLVED`.
    pub normal: [f32; 3],
    /// The point of `a` nearest to `b` at `t`, or deepest inside it, in world coordinates.
    pub on_a: [f32; 3],
    /// The point of `b` nearest to `a` at `t`, or deepest inside it, in world coordinates.
    pub on_b: [f32; 3],
    /// The speed at which these points close along the normal, in length per tick; negative if they separate.
    pub closing: f32,
    /// How far `b` has to be moved along the normal until the distance of the two is the target distance; 0 except if the kind is
    /// `SWATH_IMPACT_OVERLAPPING`.
    pub depth: f32,
    /// The part of `a` that touches.
    pub part_a: u32,
    /// The part of `b` that touches.
    pub part_b: u32,
}

impl From<&Impact<ProxyPair>> for swath_proxy_impact {
    fn from(impact: &Impact<ProxyPair>) -> Self {
        let swath_impact {
            t, last, kind, normal, on_a, on_b, closing, depth, part_a, part_b, ..
        } = (&impact.with_pair(Pair::default())).into();
        let (a, b) = (impact.pair.a.into(), impact.pair.b.into());
        Self { t, a, b, last, kind, normal, on_a, on_b, closing, depth, part_a, part_b }
    }
}

/// Impacts, in memory of the pipeline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_impacts {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_impact,
    /// The number of elements.
    pub count: usize,
}

/// Impacts of proxies, in memory of the pipeline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_proxy_impacts {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_proxy_impact,
    /// The number of elements.
    pub count: usize,
}

/// A proxy that a tick left out.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct swath_rejected_proxy {
    /// The id of the proxy.
    pub id: swath_proxy_id,
    /// Why it is invalid.
    pub reason: swath_reason,
    /// The axis of the number: 0, 1 or 2; 3 if it is not of an axis.
    pub axis: u32,
}

impl From<&(ProxyId, Invalid)> for swath_rejected_proxy {
    fn from((id, invalid): &(ProxyId, Invalid)) -> Self {
        let (reason, axis) = reason_of(invalid);
        Self { id: (*id).into(), reason, axis }
    }
}

/// Proxies that a tick left out, ordered by id, in memory of the pipeline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_rejected_proxies {
    /// The first element. Do not read it if `count` is zero.
    pub data: *const swath_rejected_proxy,
    /// The number of elements.
    pub count: usize,
}

/// What a tick of columns or rows found, in memory of the pipeline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_tick {
    /// The impacts, ordered by time, then by pair.
    pub impacts: swath_impacts,
    /// All impacts with a sensor, ordered by time, then by pair.
    pub sensed: swath_impacts,
    /// The pairs that were dropped because neither body is fast, in the order in which they were found. Their bounds touch in the tick.
    pub slow: swath_pairs,
    /// The invalid rows, in order. They have no impacts.
    pub rejected: swath_rejected_rows,
}

/// What a tick over a broadphase found, in memory of the pipeline.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_proxy_tick {
    /// The impacts, ordered by time, then by pair.
    pub impacts: swath_proxy_impacts,
    /// All impacts with a sensor, ordered by time, then by pair.
    pub sensed: swath_proxy_impacts,
    /// The proxies with an invalid motion, or whose bounds with half the target distance reach past 2 to the power of 120, although their box is
    /// valid. They have no impacts.
    pub rejected: swath_rejected_proxies,
}

/// The times of the stages of a tick in nanoseconds, and what the stages did with the pairs.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct swath_tick_stats {
    /// Time to compute the bounds of the bodies.
    pub bounds_ns: u64,
    /// Time to find the pairs of these bounds, or to update the broadphase.
    pub pairs_ns: u64,
    /// Time to sweep the bounds, and to decide about pairs of plain boxes.
    pub windows_ns: u64,
    /// Time to find the first times of contact of shapes.
    pub shapes_ns: u64,
    /// Time to sort the impacts.
    pub sort_ns: u64,
    /// Pairs whose bounds touch in the tick.
    pub candidates: u64,
    /// Candidates that were dropped because neither body is fast, marked or a sensor.
    pub slow: u64,
    /// Impacts of two plain boxes.
    pub boxes: u64,
    /// Pairs that the boxes proved apart, or touching in a way that does not count.
    pub apart: u64,
    /// Pairs whose shapes were tested.
    pub shapes: u64,
    /// Tested pairs that are apart for the whole tick, or touch in a way that does not count.
    pub separated: u64,
    /// Tested pairs whose search reached its limit.
    pub unresolved: u64,
    /// Rounds of the searches for the first impact of each tested pair.
    pub rounds: u64,
    /// Impacts that are reported.
    pub impacts: u64,
    /// Impacts that are left out because both bodies have reached the limit.
    pub limited: u64,
    /// Impacts with sensors that are reported.
    pub sensed: u64,
}

impl From<&TickStats> for swath_tick_stats {
    fn from(stats: &TickStats) -> Self {
        let ns = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        Self {
            bounds_ns: ns(stats.bounds_time),
            pairs_ns: ns(stats.pairs_time),
            windows_ns: ns(stats.windows_time),
            shapes_ns: ns(stats.convex_time),
            sort_ns: ns(stats.sort_time),
            candidates: stats.candidates as u64,
            slow: stats.slow as u64,
            boxes: stats.boxes as u64,
            apart: stats.apart as u64,
            shapes: stats.convex as u64,
            separated: stats.separated as u64,
            unresolved: stats.unresolved as u64,
            rounds: stats.rounds,
            impacts: stats.impacts as u64,
            limited: stats.limited as u64,
            sensed: stats.sensed as u64,
        }
    }
}

/// Results of ticks, in the form that C reads.
#[derive(Default)]
pub(crate) struct TickLists {
    pub(crate) impacts: Vec<swath_impact>,
    pub(crate) sensed: Vec<swath_impact>,
    pub(crate) slow: Vec<Pair>,
    pub(crate) rejected: Vec<swath_rejected>,
}

impl TickLists {
    /// Replaces the contents by the results of a tick.
    pub(crate) fn fill(&mut self, output: &swath::pipeline::TickOutput<'_>) -> swath_tick {
        replace(&mut self.impacts, output.impacts());
        replace(&mut self.sensed, output.sensed());
        self.slow.clear();
        self.slow.extend(output.slow());
        replace(&mut self.rejected, output.rejected());
        let slow: &[swath_pair] = bytemuck::cast_slice(&self.slow);
        swath_tick {
            impacts: self.impacts.as_slice().into(),
            sensed: self.sensed.as_slice().into(),
            slow: slow.into(),
            rejected: self.rejected.as_slice().into(),
        }
    }
}

/// Results of ticks over a broadphase, in the form that C reads.
#[derive(Default)]
pub(crate) struct ProxyTickLists {
    pub(crate) impacts: Vec<swath_proxy_impact>,
    pub(crate) sensed: Vec<swath_proxy_impact>,
    pub(crate) rejected: Vec<swath_rejected_proxy>,
}

impl ProxyTickLists {
    /// Replaces the contents by the results of a tick.
    pub(crate) fn fill(
        &mut self,
        output: &swath::pipeline::ProxyTickOutput<'_>,
    ) -> swath_proxy_tick {
        replace(&mut self.impacts, output.impacts());
        replace(&mut self.sensed, output.sensed());
        replace(&mut self.rejected, output.rejected());
        swath_proxy_tick {
            impacts: self.impacts.as_slice().into(),
            sensed: self.sensed.as_slice().into(),
            rejected: self.rejected.as_slice().into(),
        }
    }
}

/// Replaces the contents of a list by converted values.
fn replace<'a, T, C: From<&'a T>>(to: &mut Vec<C>, from: &'a [T]) {
    to.clear();
    to.extend(from.iter().map(C::from));
}

crate::values::lists! {
    swath_impacts = swath_impact,
    swath_proxy_impacts = swath_proxy_impact,
    swath_rejected_proxies = swath_rejected_proxy,
}
