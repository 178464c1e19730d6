//! How deep are two cores in each other, and which way is out?
//!
//! For every unit `n` moving `B` by `h(n) − n·x` along `n` parts the cores, where `h` is the
//! support of `A − B`: an upper bound of the depth, whatever `n`. Asked are the guess, the way
//! between the origins and the axes of both bodies; the best is bettered by pulling `B` out along
//! it and asking for the nearest point from outside: the normal there is that of a face or an edge,
//! and exact for shallow contact. Expanding a polytope (van den Bergen 2001) finds the least for
//! deep contact too, at a cost that a question about first times does not repay.

use super::gjk::{Gap, Two};
use super::math::{V3, greater, lesser};
use super::simplex::Simplex;

/// How often the best direction is bettered.
const REFINEMENTS: u32 = 8;

/// The least depth that was found, as a gap below zero; it may also find that the cores are apart.
pub(super) fn shallowest(two: &Two<'_>, x: V3, guess: V3) -> Gap {
    let mut best = along(two, x, guess);
    let mut offer = |direction: V3| {
        if let Some(direction) = direction.unit() {
            let gap = along(two, x, direction);
            best = if gap.lower > best.lower { gap } else { best };
        }
    };
    offer(x);
    for rotation in [&two.a.rotation, &two.b.rotation] {
        for axis in 0..3 {
            let direction = rotation.axis(axis);
            offer(if direction.dot(x) < 0.0 { -direction } else { direction });
        }
    }
    let size = two.a.shape.reach + two.b.shape.reach;
    for _ in 0..REFINEMENTS {
        // A little further than out, as far as it is in: from there the nearest point has a direction,
        // and it is not far from where the bodies touch.
        let out = lesser(size * PULL, greater(-best.lower, size * LEAST));
        let pulled = x + best.normal * (out - best.lower);
        let tiny = two.rounding(pulled.length());
        let mut simplex = Simplex::default();
        let found = two.nearest(
            pulled,
            &mut simplex,
            (best.normal, f64::NEG_INFINITY),
            tiny,
            |lower, upper| upper - lower <= tiny,
        );
        // A way that is as short as can be told may still be askew, its plane is not.
        let (gap, plane) = (along(two, x, found.toward()), along(two, x, found.plane));
        let gap = if gap.lower > plane.lower { gap } else { plane };
        let better = gap.lower > best.lower;
        if found.upper > 0.0 && gap.lower >= best.lower - size * SHARP {
            // Where the faces touch is told by the simplex, not by one of the furthest vertices.
            let shown = if better { gap } else { best };
            let weights = simplex.weights(pulled);
            best = Gap { on_a: simplex.on_a(&weights), on_b: simplex.on_b(&weights), ..shown };
        }
        if !better {
            break;
        }
    }
    best
}

/// How far out a body is pulled at most, of the sizes of both: small beside their faces.
const PULL: f64 = 1.0 / 1024.0;

/// And at least: what rounding does to a way is small beside it.
const LEAST: f64 = 1.0 / (1_u64 << 38) as f64;

/// The way from outside is never the worse one; but rounding tilts it by so much.
const SHARP: f64 = 1.0 / (1_u64 << 40) as f64;

fn along(two: &Two<'_>, x: V3, direction: V3) -> Gap {
    let vertex = two.support(direction);
    if vertex.is_none() {
        return two.balls(x);
    }
    Gap {
        lower: direction.dot(x - vertex.at),
        normal: direction,
        out: direction,
        on_a: vertex.on_a,
        on_b: vertex.on_b,
    }
}
