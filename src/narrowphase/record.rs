//! A shape as plain numbers, to write it to a file and read it again.
//!
//! The record is a form, up to nine numbers, a radius, and for a hull which one it is. Reading
//! restores the same shape to the bit. A caller's own support map is code and cannot be written.

use super::error::InvalidShape;
use super::hull::Hull;
use super::math::V3;
use super::shape::Shape;
use super::support::Core;
use crate::geom::COORD_MAX;

/// Greatest number of numbers of a form.
pub(crate) const NUMBERS_MAX: usize = 9;

/// A shape as numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recorded<'a> {
    pub(crate) form: u8,
    pub(crate) numbers: [f64; NUMBERS_MAX],
    pub(crate) radius: f64,
    pub(crate) hull: Option<&'a Hull>,
}

const BOX: u8 = 0;
const TRIANGLE: u8 = 1;
const DISCS: u8 = 2;
const HULL: u8 = 3;

/// Returns how many numbers a form has, and whether it has a hull; `None` for an unknown form.
pub(crate) fn form(form: u8) -> Option<(usize, bool)> {
    match form {
        BOX => Some((3, false)),
        TRIANGLE => Some((9, false)),
        DISCS => Some((7, false)),
        HULL => Some((3, true)),
        _ => None,
    }
}

impl<'a> Recorded<'a> {
    /// Returns the numbers of a shape; `None` for a caller's own support map.
    pub(crate) fn of(shape: &Shape<'a>) -> Option<Self> {
        let mut recorded =
            Self { form: BOX, numbers: [0.0; NUMBERS_MAX], radius: shape.radius, hull: None };
        let vectors = recorded.numbers.as_chunks_mut::<3>().0;
        match shape.core {
            Core::Box { half, .. } => vectors[0] = half.to_array(),
            Core::Triangle { points } => {
                recorded.form = TRIANGLE;
                vectors.iter_mut().zip(points).for_each(|(to, point)| *to = point.to_array());
            }
            Core::Discs { radius, top, low, high, scale } => {
                recorded.form = DISCS;
                vectors[0] = scale.to_array();
                recorded.numbers[3..7].copy_from_slice(&[radius, top, low, high]);
            }
            Core::Hull { hull, scale } => {
                (recorded.form, recorded.hull) = (HULL, Some(hull));
                vectors[0] = scale.to_array();
            }
            Core::Map { .. } | Core::Placed(_) => return None,
        }
        Some(recorded)
    }

    /// Returns the shape with these numbers, or a point if it is too small, as [`Shape::scaled`] does.
    ///
    /// # Errors
    ///
    /// [`InvalidShape`] if no shape has these numbers.
    pub(crate) fn shape(&self) -> Result<Shape<'a>, InvalidShape> {
        // Scaled lengths are products, but none exceeds what a shape may reach. The scale of a tiny shape may.
        let most = 4.0 * f64::from(COORD_MAX);
        let scales = if matches!(self.form, DISCS | HULL) { 3 } else { 0 };
        let (scales, lengths) = self.numbers.split_at(scales);
        // NaN is outside of every range.
        let valid = |x: &f64| (-most..=most).contains(x);
        let is_finite = scales.iter().all(|x| x.is_finite());
        if !is_finite || !lengths.iter().all(valid) || !valid(&self.radius) {
            return Err(InvalidShape::Number);
        }
        let [x, y, z, radius, top, low, high, ..] = self.numbers;
        let first = V3::new(x, y, z);
        let negative = match self.form {
            BOX => x < 0.0 || y < 0.0 || z < 0.0,
            DISCS => radius < 0.0 || low > high,
            _ => false,
        };
        if negative || self.radius < 0.0 {
            return Err(InvalidShape::Negative);
        }
        let core = match (self.form, self.hull) {
            (BOX, _) => Core::of_box(first),
            (TRIANGLE, _) => {
                let point = |at: usize| {
                    V3::new(self.numbers[at], self.numbers[at + 1], self.numbers[at + 2])
                };
                Core::Triangle { points: [point(0), point(3), point(6)] }
            }
            (DISCS, _) if top == 0.0 || top == 1.0 => {
                Core::Discs { radius, top, low, high, scale: first }
            }
            (HULL, Some(hull)) => Core::Hull { hull, scale: first },
            (HULL, None) => return Err(InvalidShape::NoPoints),
            _ => return Err(InvalidShape::Number),
        };
        let shape = Shape::of(core, self.radius)?;
        // A shape without lengths keeps its scale.
        let is_empty_core = match core {
            Core::Box { half, .. } => half == V3::ZERO,
            Core::Triangle { points } => points == [V3::ZERO; 3],
            Core::Discs { radius, low, high, .. } => [radius, low, high] == [0.0; 3],
            Core::Hull { hull, .. } => hull.extent() == V3::ZERO,
            Core::Map { .. } | Core::Placed(_) => true,
        };
        let is_empty = is_empty_core && self.radius == 0.0;
        if shape.vanishes() && !is_empty { shape.scaled([0.0; 3]) } else { Ok(shape) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::narrowphase::math::random::numbers_f32;

    /// Goal: a shape that was rounded several times is restored to the bit. Method: random boxes and radii.
    #[test]
    fn shape_that_was_rounded_twice_is_restored() {
        let mut draw = numbers_f32(17);
        for _ in 0..20_000 {
            let mut length = || draw().abs();
            let half = [length(), length(), length()];
            let (first, second) = (4.0 * length(), 4.0 * length());
            let shape = Shape::cuboid(half).and_then(|shape| shape.rounded(first));
            let shape = shape.and_then(|shape| shape.rounded(second)).expect("valid lengths");
            let restored = Recorded::of(&shape).expect("a box").shape().expect("valid");
            assert_eq!(restored.size().to_bits(), shape.size().to_bits(), "{shape:?}");
        }
    }

    /// Goal: a shape that is scaled up from tiny lengths is restored, and a scale that is not finite is rejected. Method: a hull and a
    /// cylinder of 2⁻¹⁰⁰ that are scaled by 2¹⁰⁰ twice, and the same records with other scales.
    #[test]
    fn shape_scaled_up_from_tiny_lengths_is_restored() {
        let (tiny, up) = (f32::from_bits((127 - 100) << 23), f32::from_bits((127 + 100) << 23));
        let corners = [[0.0; 3], [tiny, 0.0, 0.0], [0.0, tiny, 0.0], [0.0, 0.0, tiny]];
        let hull = Hull::new(corners).expect("a hull");
        let cylinder = Shape::cylinder(tiny, tiny).expect("a cylinder");
        for small in [Shape::hull(&hull), cylinder] {
            let large = small.scaled([up; 3]).and_then(|shape| shape.scaled([up; 3]));
            let large = large.expect("it is as large as a scale");
            let recorded = Recorded::of(&large).expect("it is no support map");
            let restored = recorded.shape().expect("valid");
            assert_eq!(alloc::format!("{restored:?}"), alloc::format!("{large:?}"));
            for scale in [f64::INFINITY, f64::NAN, 1e300] {
                let mut other = recorded;
                other.numbers[1] = scale;
                assert_eq!(other.shape().err(), Some(InvalidShape::Number), "{scale}");
            }
        }
        let mut long = Recorded::of(&Shape::point()).expect("a box");
        long.numbers[0] = 8.0 * f64::from(COORD_MAX);
        assert_eq!(long.shape().err(), Some(InvalidShape::Number));
    }

    /// Goal: a recorded shape that is nearer to its position than any that can be made is restored as a point, as scaling makes it, and a
    /// shape without lengths is restored to the bit. Method: records of each form with tiny lengths or a tiny scale, and shapes of zero.
    #[test]
    fn recorded_shape_of_tiny_reach_is_a_point() {
        let tiny = f64::from_bits((1023 - 201) << 52);
        let hull = Hull::new([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.5]]).expect("a hull");
        let shapes = [
            Shape::cuboid([1.0, 0.5, 0.0]).expect("a box"),
            Shape::triangle([[0.5, 0.0, 0.0], [0.0, 0.25, 0.0], [0.0; 3]]).expect("a triangle"),
            Shape::cylinder(0.5, 0.5).expect("a cylinder"),
            Shape::hull(&hull),
        ];
        for shape in shapes {
            for (by, is_point) in
                [(tiny, true), (tiny * tiny, true), (tiny * tiny * tiny, true), (4.0 * tiny, false)]
            {
                let mut recorded = Recorded::of(&shape).expect("it is no support map");
                let numbers = if matches!(recorded.form, DISCS | HULL) { 3 } else { NUMBERS_MAX };
                recorded.numbers[..numbers].iter_mut().for_each(|number| *number *= by);
                let restored = recorded.shape().expect("valid");
                let points = [V3::X, V3::new(-1.0, -1.0, 1.0)].map(|d| restored.core.support(d));
                assert_eq!(points == [V3::ZERO; 2], is_point, "{by} {restored:?}");
                assert_eq!(restored.reach() == 0.0, is_point, "{by} {restored:?}");
                let again = Recorded::of(&restored).expect("a shape").shape().expect("valid");
                assert_eq!(alloc::format!("{again:?}"), alloc::format!("{restored:?}"));
            }
        }
        let mut ball = Recorded::of(&Shape::point()).expect("a box");
        for (radius, restored) in [(tiny, 0.0), (4.0 * tiny, 4.0 * tiny)] {
            ball.radius = radius;
            assert_eq!(ball.shape().expect("valid").radius, restored);
        }
        let origin = Hull::new([[0.0; 3]]).expect("a hull");
        for shape in [
            Shape::point(),
            Shape::triangle([[0.0; 3], [-0.0; 3], [0.0; 3]]).expect("a triangle"),
            Shape::cylinder(0.0, 0.0).expect("a cylinder"),
            Shape::cone(0.0, 0.0).and_then(|cone| cone.scaled([2.0, -3.0, 2.0])).expect("a cone"),
            Shape::hull(&origin),
            Shape::hull(&hull).scaled([0.0, -0.0, 0.0]).expect("a scale"),
        ] {
            let restored = Recorded::of(&shape).expect("a shape").shape().expect("valid");
            assert_eq!(alloc::format!("{restored:?}"), alloc::format!("{shape:?}"));
        }
    }
}
