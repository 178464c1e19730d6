//! Exact times of contact of two boxes under constant acceleration.
//!
//! On each axis there are two comparisons, each of which is true between the roots of a quadratic or outside
//! of them; their intervals are intersected. Neither code nor formulas are those of `swath`.

use std::cmp::Ordering;

use super::roots::{Difference, Root, Span, Time, discriminant};
use swath::batch::{AcceleratingBox, ContactState};

/// An interval of time in which an axis overlaps.
#[derive(Clone, Copy, Debug)]
struct Piece {
    from: Time,
    until: Time,
    /// Whether `b` approaches from below.
    rises: bool,
}

/// One axis of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    pub d: Difference,
    pub g: Difference,
    pub below: Difference,
    pub above: Difference,
}

/// The contact of a tick.
#[derive(Clone, Debug)]
pub struct Exact {
    pub state: ContactState,
    /// Start and end.
    pub contact: Option<[Time; 2]>,
    pub axes: [Axis; 3],
    /// The axes of contact, and those of them with a normal that points down.
    pub mask: u8,
    pub down: u8,
    pub closing: bool,
}

impl Axis {
    fn new(a: &AcceleratingBox, b: &AcceleratingBox, axis: usize) -> Self {
        let difference = |x: [f32; 3], y: [f32; 3]| Difference::new(x[axis], y[axis]);
        Self {
            d: difference(b.delta, a.delta),
            g: difference(b.accel, a.accel),
            below: difference(a.aabb.min, b.aabb.max),
            above: difference(a.aabb.max, b.aabb.min),
        }
    }

    /// The intervals in which `x` is at most (`rises` false) or at least (true) the height `n`, each with its
    /// start.
    fn side(&self, n: Difference, rises: bool) -> Vec<Piece> {
        let all = Piece { from: Time::Always, until: Time::Never, rises };
        let wanted = if rises { Ordering::Greater } else { Ordering::Less };
        let root = |greater| Root::at(self.d, self.g, n, greater);
        match self.g.sign() {
            Ordering::Equal => match self.d.sign() {
                Ordering::Equal => {
                    // Zero compared with n.
                    let holds = n.sign() == Ordering::Equal || n.sign().reverse() == wanted;
                    if holds { vec![all] } else { vec![] }
                }
                // x moves into the half-line, or leaves it.
                towards if towards == wanted => vec![Piece { from: root(true), ..all }],
                _ => vec![Piece { until: root(true), ..all }],
            },
            ends => match (discriminant(self.d, self.g, n), ends == wanted) {
                (Ordering::Less | Ordering::Equal, true) => vec![all],
                (Ordering::Less, false) => vec![],
                (Ordering::Greater, true) => {
                    let (until, from) = (root(false), root(true));
                    vec![Piece { until, ..all }, Piece { from, ..all }]
                }
                (_, false) => vec![Piece { from: root(false), until: root(true), rises }],
            },
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        intersect(&self.side(self.below, true), &self.side(self.above, false))
    }

    /// Whether `b` nearly rests at `t`, relative to its acceleration.
    pub fn turns_near(&self, t: f64, within: f64) -> bool {
        let speed = self.d.span() + self.g.span() * Span::of(t);
        speed.abs().0 <= within * self.g.span().abs().1.max(self.d.span().abs().1)
    }

    /// Position of `b` at `t`, relative to its start.
    pub fn x(&self, t: f64) -> Span {
        let t = Span::of(t);
        self.d.span() * t + Span::of(0.5) * self.g.span() * t * t
    }
}

fn intersect(some: &[Piece], others: &[Piece]) -> Vec<Piece> {
    let mut common = Vec::new();
    for x in some {
        for y in others {
            let later = if x.from >= y.from { x } else { y };
            let until = x.until.min(y.until);
            if later.from <= until {
                common.push(Piece { until, ..*later });
            }
        }
    }
    common
}

/// The contact of `a` and `b`. Both must be valid.
pub fn sweep(a: &AcceleratingBox, b: &AcceleratingBox) -> Exact {
    let axes: [Axis; 3] = std::array::from_fn(|axis| Axis::new(a, b, axis));
    let pieces = axes.map(|axis| axis.pieces());
    let tick = Piece { from: Time::At(0.0), until: Time::At(1.0), rises: false };
    let mut common = vec![tick];
    for pieces in &pieces {
        common = intersect(&common, pieces);
    }
    let contact = common.iter().min_by(|x, y| x.from.cmp(&y.from));
    let contact = contact.map(|piece| [piece.from, piece.until]);

    let apart =
        |axis: &Axis| axis.below.sign() == Ordering::Greater || axis.above.sign() == Ordering::Less;
    let apart = axes.iter().any(apart);
    let (mut mask, mut down, mut closing) = (0, 0, true);
    for (k, axis) in axes.iter().enumerate() {
        if apart {
            let starts = |piece: &&Piece| contact.is_some_and(|[first, _]| piece.from == first);
            for piece in pieces[k].iter().filter(starts) {
                mask |= 1 << k;
                down |= u8::from(piece.rises) << k;
            }
            continue;
        }
        let at_top = axis.above.sign() == Ordering::Equal;
        let at_bottom = axis.below.sign() == Ordering::Equal;
        if at_top || at_bottom {
            mask |= 1 << k;
            down |= u8::from(!at_top) << k;
            let inwards = if at_top { Ordering::Less } else { Ordering::Greater };
            // The motion just afterwards: by the velocity, or by the acceleration if that is zero.
            closing &= axis.d.sign().then(axis.g.sign()) == inwards && at_top != at_bottom;
        }
    }
    let state = match (contact, apart) {
        (None, _) => ContactState::Separated,
        (Some(_), true) => ContactState::Touching,
        (Some(_), false) => ContactState::Overlapping,
    };
    Exact { state, contact, axes, mask, down, closing }
}
