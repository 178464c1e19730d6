//! The axes that can separate two boxes.
//!
//! Two boxes with a volume are disjoint if and only if they are apart along an axis of one of them, or along a direction perpendicular
//! to an edge of each (Gottschalk, Lin and Manocha 1996): 15 axes.

use super::boxes::{BoxPair, BoxPoints, EDGES_SINE_SQUARE_MIN};
use crate::geom::MapEach;
use crate::narrowphase::math::{M3, V3};

/// An axis of a box, or the direction perpendicular to one edge of each box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::narrowphase) enum Axis {
    OfA(usize),
    OfB(usize),
    Edges(usize, usize),
}

/// Which directions perpendicular to two edges count as axes.
#[derive(Clone, Copy, Debug)]
pub(in crate::narrowphase) struct EdgeAxes {
    /// The square of the sine between the edges must be greater: otherwise the direction is not exact.
    pub(in crate::narrowphase) sine_square_min: f64,
    /// Factor of the square of a depth along such an axis. If it is above 1, an axis of a box is preferred to one that differs from it
    /// by rounding only.
    pub(in crate::narrowphase) factor: f64,
}

/// Those of edges that are clearly not parallel.
pub(in crate::narrowphase) const CLEAR_EDGES: EdgeAxes =
    EdgeAxes { sine_square_min: EDGES_SINE_SQUARE_MIN, factor: 1.0 };

impl BoxPair<'_> {
    /// Returns the axis along which boxes at relative position `x` are farthest apart, or overlap least.
    #[inline(always)]
    pub(in crate::narrowphase) fn widest_axis(&self, x: V3, edges: EdgeAxes) -> Axis {
        let r = self.rotation.rows.map_each(V3::to_array);
        let abs = self.rotation.rows.map_each(V3::abs);
        let of_a = abs.map_each(|row| row.dot(self.b));
        let of_b = (abs[0] * self.a.x + abs[1] * self.a.y + abs[2] * self.a.z).to_array();
        let abs = abs.map_each(V3::to_array);
        let x_of_b = self.rotation.rotate_back(x).to_array();
        let [a, b, x] = [self.a, self.b, x].map_each(V3::to_array);
        // Squares of the gaps with their signs: so no square root is needed.
        let (mut best, mut most) = (0, f64::NEG_INFINITY);
        let mut add = |number: usize, gap: f64, square: f64, factor: f64| {
            let gap = gap * gap.abs() * (1.0 / square) * factor;
            if gap > most {
                (best, most) = (number, gap);
            }
        };
        for i in 0..3 {
            add(i, x[i].abs() - (a[i] + of_a[i]), 1.0, 1.0);
            add(3 + i, x_of_b[i].abs() - (b[i] + of_b[i]), 1.0, 1.0);
        }
        for j in 0..3 {
            let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
            for i in 0..3 {
                let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
                let at = x[i2] * r[i1][j] - x[i1] * r[i2][j];
                let reach = a[i1] * abs[i2][j]
                    + a[i2] * abs[i1][j]
                    + b[j1] * abs[i][j2]
                    + b[j2] * abs[i][j1];
                let square = r[i1][j] * r[i1][j] + r[i2][j] * r[i2][j];
                // The direction across two edges that are almost parallel is not exact.
                let gap = if square > edges.sine_square_min {
                    at.abs() - reach
                } else {
                    f64::NEG_INFINITY
                };
                add(6 + 3 * i + j, gap, square, edges.factor);
            }
        }
        match best {
            0..3 => Axis::OfA(best),
            3..6 => Axis::OfB(best - 3),
            _ => Axis::Edges((best - 6) / 3, (best - 6) % 3),
        }
    }

    /// Returns the unit vector along an axis, from the first box to the second.
    pub(in crate::narrowphase) fn toward(&self, axis: Axis, x: V3) -> V3 {
        let unit = |i: usize| M3::IDENTITY.axis(i);
        let normal = match axis {
            Axis::OfA(i) => unit(i),
            Axis::OfB(j) => self.rotation.axis(j),
            Axis::Edges(i, j) => unit(i).cross(self.rotation.axis(j)).unit().unwrap_or(V3::X),
        };
        if normal.dot(x) < 0.0 { -normal } else { normal }
    }

    /// Returns two points near each other, for boxes that touch across an axis.
    pub(in crate::narrowphase) fn meeting(&self, x: V3, axis: Axis, normal: V3) -> BoxPoints {
        let on_a = self.a.copysign(normal);
        let on_b = self.b.copysign(-self.rotation.rotate_back(normal));
        let (of_a, of_b) = (self.nearest_to_b(x, on_b), self.nearest_to_a(x, on_a));
        match axis {
            Axis::Edges(i, j) => {
                let unit = |i: usize| M3::IDENTITY.axis(i);
                let between = x + self.rotation.rotate(on_b) - on_a;
                let points = BoxPoints { on_a, on_b, between };
                self.nearest_on_edges(&points, unit(i), unit(j))
            }
            // The corner of one box and the face of the other. If that face is the smaller one, it is the other way round.
            _ if of_a.between.square() < of_b.between.square() => of_a,
            _ => of_b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::gjk::{Accuracy, RotatedPair, RotatedShape};
    use crate::narrowphase::math::random::numbers_f32;
    use crate::narrowphase::shape::Shape;
    use crate::narrowphase::simplex::Simplex;

    /// Goal: of the axes of two boxes, that along which they are farthest apart is found, and it separates them if they do not touch.
    /// Method: boxes, flat ones, segments and points among them, in arbitrary rotations, almost parallel, and parallel; the gaps along
    /// all 15 axes; the search for the distance.
    #[test]
    fn widest_axis_separates_boxes_that_are_apart() {
        let mut draw = numbers_f32(5);
        let (mut apart, mut touching, mut across_edges) = (0, 0, 0);
        for case in 0..4000 {
            let mut cuboid = |bits: usize| {
                let half =
                    [0, 1, 2].map(|bit| if bits >> bit & 1 == 1 { 0.0 } else { draw().abs() });
                Shape::cuboid(half).expect("a box")
            };
            let flat = if case % 4 == 0 { [case / 4, case / 32] } else { [0, 0] };
            let (a, b) = (cuboid(flat[0]), cuboid(flat[1]));
            let angle = [1.0, 1.0, 1e-4, 0.0][case / 3 % 4];
            let mut rotated = |shape| {
                let quaternion = [draw() * angle, draw() * angle, draw() * angle, 0.5];
                RotatedShape { shape, rotation: M3::of_quaternion(quaternion) }
            };
            let pair = RotatedPair { a: rotated(&a), b: rotated(&b) };
            let x = V3::new(draw().into(), draw().into(), draw().into()) * 1.5;
            let boxes = BoxPair::new(&pair).expect("two boxes");
            let own = boxes.own(x);
            let axis = boxes.widest_axis(own, CLEAR_EDGES);
            let normal = boxes.toward(axis, own);
            assert!((normal.length() - 1.0).abs() < 1e-12, "{case} {axis:?}");
            let gap = boxes.width(own, normal);
            for number in 0..15 {
                let other = match number {
                    0..3 => Axis::OfA(number),
                    3..6 => Axis::OfB(number - 3),
                    _ => Axis::Edges(number / 3 - 2, number % 3),
                };
                let of_edges = match other {
                    Axis::Edges(i, j) => {
                        M3::IDENTITY.axis(i).cross(boxes.rotation.axis(j)).square()
                    }
                    _ => 1.0,
                };
                let less =
                    of_edges < 1e-5 || boxes.width(own, boxes.toward(other, own)) <= gap + 1e-12;
                assert!(less, "{case}: {other:?} instead of {axis:?}, {gap}");
            }
            let mut simplex = Simplex::default();
            let guess = (x.unit().expect("apart"), f64::NEG_INFINITY);
            let accuracy = Accuracy::Within { share: 1e-9, of: 0.0, least: 1e-12 };
            let found = pair.nearest_within(x, &mut simplex, guess, 1e-9, accuracy);
            if found.upper > 1e-3 {
                apart += 1;
                // A corner may be nearest, which is across none of the axes.
                assert!(
                    gap > 0.4 * found.upper && gap <= found.upper + 1e-9,
                    "{case} {axis:?} {found:?}"
                );
            } else if found.upper == 0.0 {
                touching += 1;
                assert!(gap <= 1e-9, "{case} {axis:?} {gap}");
            }
            across_edges += usize::from(matches!(axis, Axis::Edges(..)));
        }
        assert!(
            apart > 1500 && touching > 500 && across_edges > 300,
            "{apart} {touching} {across_edges}"
        );
    }
}
