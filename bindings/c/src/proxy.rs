//! Descriptions of proxies: kind, filter, owner, margin and data.

use crate::boxes::flag;
use crate::error::{Failure, Outcome};
use crate::values::swath_filter;
use swath::{Proxy, ProxyKind};

/// The kind of a proxy. A pair needs a dynamic proxy, or a kinematic and a sleeping one, unless `swath_broadphase_set_kind_pairs`
/// changes it.
pub type swath_kind = u32;
/// Moves and reacts to contacts. By default it pairs with every kind.
pub const SWATH_KIND_DYNAMIC: u32 = 0;
/// Moves on a path that the caller prescribes, such as a door. By default it does not pair with kinematic or fixed proxies.
pub const SWATH_KIND_KINEMATIC: u32 = 1;
/// A dynamic body at rest. Costs almost nothing while unchanged.
pub const SWATH_KIND_SLEEPING: u32 = 2;
/// Does not move, such as a wall. Costs almost nothing while unchanged.
pub const SWATH_KIND_FIXED: u32 = 3;

/// The description of a proxy. `swath_proxy_of_kind` creates one with which nothing is excluded.
///
/// A structure of zeros, or one with only `kind`, is valid, but it has no pairs and no query finds it: it is disabled and its filter is empty.
/// Begin with `swath_proxy_of_kind`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct swath_proxy {
    /// Its kind.
    pub kind: swath_kind,
    /// Its categories, and those with which it may form pairs. With both zero it has no pairs.
    pub filter: swath_filter,
    /// Proxies of the same owner do not form pairs, such as the limbs of a body. 0: no owner.
    pub owner: u32,
    /// By how much the box that is compared is larger than the bounds of the path, on each side; a length. With a margin, a
    /// proxy that moves little costs little.
    pub margin: f32,
    /// Data of the caller, which the library does not use.
    pub data: u64,
    /// 1 if it takes part in pairs and queries, else 0.
    pub enabled: u8,
}

pub(crate) fn kind(kind: swath_kind) -> Outcome<ProxyKind> {
    match kind {
        SWATH_KIND_DYNAMIC => Ok(ProxyKind::Dynamic),
        SWATH_KIND_KINEMATIC => Ok(ProxyKind::Kinematic),
        SWATH_KIND_SLEEPING => Ok(ProxyKind::Sleeping),
        SWATH_KIND_FIXED => Ok(ProxyKind::Fixed),
        other => Err(Failure::argument(format!("kind: {other}; expected 0 to 3"))),
    }
}

fn kind_of(kind: ProxyKind) -> swath_kind {
    match kind {
        ProxyKind::Kinematic => SWATH_KIND_KINEMATIC,
        ProxyKind::Sleeping => SWATH_KIND_SLEEPING,
        ProxyKind::Fixed => SWATH_KIND_FIXED,
        _ => SWATH_KIND_DYNAMIC,
    }
}

impl swath_proxy {
    pub(crate) fn get(&self) -> Outcome<Proxy> {
        let mut proxy = Proxy::dynamic();
        proxy.kind = kind(self.kind)?;
        proxy.filter = self.filter.into();
        (proxy.owner, proxy.margin, proxy.data) = (self.owner, self.margin, self.data);
        proxy.enabled = flag(self.enabled, "enabled")?;
        Ok(proxy)
    }

    pub(crate) fn of(proxy: &Proxy) -> Self {
        Self {
            kind: kind_of(proxy.kind),
            filter: proxy.filter.into(),
            owner: proxy.owner,
            margin: proxy.margin,
            data: proxy.data,
            enabled: proxy.enabled.into(),
        }
    }
}

/// The index of an id that no proxy has. `SWATH_NO_ID` is such an id, whose generation is the same number.
pub const SWATH_NO_INDEX: u32 = 0xffff_ffff;
