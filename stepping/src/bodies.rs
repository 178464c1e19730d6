//! The bodies of a tick as rows.
//!
//! They are the caller's columns, or the proxies of a broadphase (`proxies.rs`). Which of two bodies
//! is `a`, and which of two simultaneous impacts comes first, depends on the labels of rows, not on
//! their positions, so both public functions give the same bits.

use crate::mass::Mass;
use alloc::vec::Vec;
use swath::pipeline::GeometryBody;
use swath::{Aabb, Filter};

/// Bodies as rows. It is used through a pointer, so that a step is compiled once.
pub(crate) trait Bodies<'s> {
    fn bodies(&self) -> &[GeometryBody<'s>];
    fn body_mut(&mut self, row: usize) -> &mut GeometryBody<'s>;
    fn mass(&self, row: usize) -> Mass;
    /// Label of the row: the body with the lower one is `a` of a pair.
    fn label(&self, row: usize) -> u32;
    /// The filter of each row that is present from the start, if there are any.
    fn filters(&self) -> Option<&[Filter]>;
    /// Whether filters and owners allow the two to meet.
    fn allows(&self, a: usize, b: usize) -> bool;
    /// Appends to `neighbours` the resting rows near the path of `row` that are not in
    /// `RemainingPaths`. Some of the rows may be new.
    fn add_resting(&mut self, row: usize, path: &Aabb, neighbours: &mut Vec<usize>);

    /// Whether the two may meet, and at least one of them can be pushed.
    fn may_meet(&self, a: usize, b: usize) -> bool {
        (self.mass(a).inverse_mass > 0.0 || self.mass(b).inverse_mass > 0.0) && self.allows(a, b)
    }
}

/// Columns of the caller: each row is its own label, and all rows are present from the start.
pub(crate) struct BodyRows<'a, 's> {
    pub(crate) bodies: &'a mut [GeometryBody<'s>],
    pub(crate) masses: &'a [Mass],
    pub(crate) filters: Option<&'a [Filter]>,
}

impl<'s> Bodies<'s> for BodyRows<'_, 's> {
    fn bodies(&self) -> &[GeometryBody<'s>] {
        self.bodies
    }

    fn body_mut(&mut self, row: usize) -> &mut GeometryBody<'s> {
        &mut self.bodies[row]
    }

    fn mass(&self, row: usize) -> Mass {
        self.masses[row]
    }

    fn label(&self, row: usize) -> u32 {
        row as u32
    }

    fn filters(&self) -> Option<&[Filter]> {
        self.filters
    }

    fn allows(&self, a: usize, b: usize) -> bool {
        self.filters.is_none_or(|filters| filters[a].allows(filters[b]))
    }

    fn add_resting(&mut self, _: usize, _: &Aabb, _: &mut Vec<usize>) {}
}

/// Empties a vector of bodies, so that its memory can be used for bodies with another lifetime.
pub(crate) fn emptied<'s>(mut bodies: Vec<GeometryBody<'_>>) -> Vec<GeometryBody<'s>> {
    bodies.clear();
    let nothing = |_| -> GeometryBody<'s> { unreachable!("it is empty") };
    bodies.into_iter().map(nothing).collect()
}
