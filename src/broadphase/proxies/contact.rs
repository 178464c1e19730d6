//! The contact of two proxies, computed on demand.

use super::Broadphase;
use super::error::BroadphaseError;
use super::id::{ProxyId, SweptProxyPair};
use crate::kernels::separate::{self, Separation};
use crate::kernels::sweep::{self, Sweep};

/// How two proxies touch in the tick, by their true boxes, without margins.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct ProxyContact {
    /// The first and the last time of contact, the axes, and the normal from `a` to `b`.
    /// [`Sweep::SEPARATED`] if only fat AABBs touch.
    pub sweep: Sweep,
    /// The shortest translation that separates the boxes at the start of the tick; `None` if they do not overlap then.
    pub separation: Option<Separation>,
}

impl Broadphase {
    /// How two proxies touch in the tick: times, normal and axes, and the separation if they overlap at its start.
    ///
    /// Computed from the true boxes, whether or not the pair is cached, and regardless of filters and kinds.
    ///
    /// # Errors
    ///
    /// [`BroadphaseError::Stale`].
    ///
    /// ```
    /// use swath::{Aabb, Broadphase, MovingBox, Proxy};
    ///
    /// let mut world = Broadphase::new();
    /// let wall = world.insert(Aabb::new([4.0, -5.0, -5.0], [5.0, 5.0, 5.0])?, Proxy::fixed())?;
    /// let moving = MovingBox::new(Aabb::new([0.0; 3], [1.0; 3])?, [4.0, 0.0, 0.0])?;
    /// let ball = world.insert_moving(moving, Proxy::dynamic())?;
    /// let contact = world.contact(ball, wall)?;
    /// assert!(contact.sweep.first <= 0.75 && contact.sweep.first > 0.74999); // never late
    /// assert_eq!(contact.sweep.last, 1.0);
    /// assert_eq!(contact.sweep.contact.normal(), [1.0, 0.0, 0.0]);
    /// assert!(contact.separation.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contact(&self, a: ProxyId, b: ProxyId) -> Result<ProxyContact, BroadphaseError> {
        let [a, b] = [self.state.find(a)?, self.state.find(b)?];
        let (a, b) = (self.state.moving_box(a), self.state.moving_box(b));
        let sweep = sweep::one_to_one(&a, &b)?;
        // A sweep alone may report a contact of boxes whose paths are disjoint, because of rounding.
        let sweep = if a.bounds().overlaps(&b.bounds()) { sweep } else { Sweep::SEPARATED };
        Ok(ProxyContact { sweep, separation: separate::one_to_one(&a.aabb, &b.aabb)? })
    }

    /// The pairs of the last update whose true boxes overlap at the start of the tick; touching surfaces count.
    ///
    /// These are the pairs of [`Changes::touching`](super::Changes::touching) without those that touch later in the tick,
    /// and without those of which only the fat AABBs touch. The boxes are the current ones.
    pub fn overlapping(&self) -> impl Iterator<Item = SweptProxyPair> {
        self.changes().touching().into_iter().filter(|pair| {
            let aabb = |id: ProxyId| self.moving_box(id).map(|moving| moving.aabb);
            let (a, b) = (aabb(pair.a), aabb(pair.b));
            a.zip(b).is_some_and(|(a, b)| a.overlaps(&b))
        })
    }
}
