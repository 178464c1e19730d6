//! Whose bodies are taken through a tick?
//!
//! The caller's columns, or the proxies of a world (`proxies.rs`): either is rows here. Which of two
//! is `a`, and which of two impacts at once comes first, goes by the names of rows, not by where they
//! lie, so that both doors give the same bits.

use super::Mass;
use crate::geom::{Aabb, Filter};
use crate::pipeline::scene::ConvexBody;
use alloc::vec::Vec;

pub(super) trait Crowd<'s> {
    fn bodies(&self) -> &[ConvexBody<'s>];
    fn body_mut(&mut self, row: usize) -> &mut ConvexBody<'s>;
    fn mass(&self, row: usize) -> Mass;
    /// What it is called: of two the lower is `a`.
    fn name(&self, row: usize) -> u32;
    /// Whether what is told of the two lets them meet.
    fn allows(&self, a: usize, b: usize) -> bool;
    /// Adds to `others` the rows, some of them new, that rest where `row` comes and that `Near` does
    /// not know of.
    fn add_resting(&mut self, row: usize, reach: &Aabb, others: &mut Vec<usize>);

    /// Whether the two may meet, and one gives way.
    fn may_meet(&self, a: usize, b: usize) -> bool {
        (self.mass(a).inverse_mass > 0.0 || self.mass(b).inverse_mass > 0.0) && self.allows(a, b)
    }
}

/// Columns of the caller: each row is its own name, and all are known from the start.
pub(super) struct BodyRows<'a, 's> {
    pub(super) bodies: &'a mut [ConvexBody<'s>],
    pub(super) masses: &'a [Mass],
    pub(super) filters: Option<&'a [Filter]>,
}

impl<'s> Crowd<'s> for BodyRows<'_, 's> {
    fn bodies(&self) -> &[ConvexBody<'s>] {
        self.bodies
    }

    fn body_mut(&mut self, row: usize) -> &mut ConvexBody<'s> {
        &mut self.bodies[row]
    }

    fn mass(&self, row: usize) -> Mass {
        self.masses[row]
    }

    fn name(&self, row: usize) -> u32 {
        row as u32
    }

    fn allows(&self, a: usize, b: usize) -> bool {
        self.filters.is_none_or(|filters| filters[a].allows(filters[b]))
    }

    fn add_resting(&mut self, _: usize, _: &Aabb, _: &mut Vec<usize>) {}
}
