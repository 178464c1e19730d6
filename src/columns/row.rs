//! The trait of plain values that can be stored as one row of columns.

use crate::geom::{
    Aabb, AcceleratingBox, Body, COORD_MAX, Invalid, MovingBox, MovingSphere, Segment, Sphere,
};

/// A plain value that is one row of `K` columns of `f32`.
///
/// Implemented for [`Aabb`], [`MovingBox`], [`Body`], [`AcceleratingBox`], [`MovingSphere`] and
/// [`Segment`]. This trait cannot be implemented outside of the crate.
pub trait Row<const K: usize>: Sealed + Copy {
    /// The names of the columns, for error messages.
    const NAMES: [&'static str; K];
    /// The least valid number of each column.
    const LEAST: [f32; K] = [-COORD_MAX; K];
    /// The greatest valid number of each column.
    const GREATEST: [f32; K] = [COORD_MAX; K];
    /// Pairs of columns of which the first must not be greater than the second.
    const ORDERED: &'static [(usize, usize)] = &[];

    /// Creates the value from its numbers, without validation.
    fn from_row(numbers: [f32; K]) -> Self;

    /// Returns the numbers in the order of the columns.
    fn to_row(self) -> [f32; K];

    /// Validates the value by the rule of the constants above.
    ///
    /// # Errors
    ///
    /// The first error found.
    fn check(&self) -> Result<(), Invalid>;
}

/// The supertrait of [`Row`], which other crates cannot name. The functions of a [`Store`](super::Store) index its
/// columns by the constants of [`Row`], so they rely on them.
///
/// ```compile_fail,E0277
/// #[derive(Clone, Copy)]
/// struct Mine;
///
/// impl swath::batch::Row<1> for Mine {
///     const NAMES: [&'static str; 1] = ["x"];
///
///     fn from_row(_: [f32; 1]) -> Self {
///         Self
///     }
///
///     fn to_row(self) -> [f32; 1] {
///         [0.0]
///     }
///
///     fn check(&self) -> Result<(), swath::Invalid> {
///         Ok(())
///     }
/// }
/// ```
pub trait Sealed {}

impl Sealed for Aabb {}
impl Sealed for MovingBox {}
impl Sealed for Body {}
impl Sealed for AcceleratingBox {}
impl Sealed for MovingSphere {}
impl Sealed for Segment {}

/// The pairs of columns of a box that must be ordered: `min ≤ max` on each axis.
const CORNERS: &[(usize, usize)] = &[(0, 3), (1, 4), (2, 5)];

impl Row<6> for Aabb {
    const NAMES: [&'static str; 6] = ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z"];
    const ORDERED: &'static [(usize, usize)] = CORNERS;

    fn from_row([x0, y0, z0, x1, y1, z1]: [f32; 6]) -> Self {
        Self { min: [x0, y0, z0], max: [x1, y1, z1] }
    }

    fn to_row(self) -> [f32; 6] {
        let ([x0, y0, z0], [x1, y1, z1]) = (self.min, self.max);
        [x0, y0, z0, x1, y1, z1]
    }

    fn check(&self) -> Result<(), Invalid> {
        self.validate()
    }
}

impl Row<9> for MovingBox {
    const NAMES: [&'static str; 9] =
        ["min.x", "min.y", "min.z", "max.x", "max.y", "max.z", "delta.x", "delta.y", "delta.z"];
    const ORDERED: &'static [(usize, usize)] = CORNERS;

    fn from_row([x0, y0, z0, x1, y1, z1, dx, dy, dz]: [f32; 9]) -> Self {
        Self { aabb: Aabb { min: [x0, y0, z0], max: [x1, y1, z1] }, delta: [dx, dy, dz] }
    }

    fn to_row(self) -> [f32; 9] {
        let ([x0, y0, z0], [x1, y1, z1], [dx, dy, dz]) = (self.aabb.min, self.aabb.max, self.delta);
        [x0, y0, z0, x1, y1, z1, dx, dy, dz]
    }

    fn check(&self) -> Result<(), Invalid> {
        self.validate()
    }
}

impl Row<10> for Body {
    const NAMES: [&'static str; 10] = [
        "min.x",
        "min.y",
        "min.z",
        "max.x",
        "max.y",
        "max.z",
        "delta.x",
        "delta.y",
        "delta.z",
        "inverse_mass",
    ];
    const LEAST: [f32; 10] = {
        let low = -COORD_MAX;
        [low, low, low, low, low, low, low, low, low, 0.0]
    };
    const ORDERED: &'static [(usize, usize)] = CORNERS;

    fn from_row([x0, y0, z0, x1, y1, z1, dx, dy, dz, inverse_mass]: [f32; 10]) -> Self {
        Self { moving: MovingBox::from_row([x0, y0, z0, x1, y1, z1, dx, dy, dz]), inverse_mass }
    }

    fn to_row(self) -> [f32; 10] {
        let [x0, y0, z0, x1, y1, z1, dx, dy, dz] = self.moving.to_row();
        [x0, y0, z0, x1, y1, z1, dx, dy, dz, self.inverse_mass]
    }

    fn check(&self) -> Result<(), Invalid> {
        self.validate()
    }
}

impl Row<12> for AcceleratingBox {
    const NAMES: [&'static str; 12] = [
        "min.x", "min.y", "min.z", "max.x", "max.y", "max.z", "delta.x", "delta.y", "delta.z",
        "accel.x", "accel.y", "accel.z",
    ];
    const ORDERED: &'static [(usize, usize)] = CORNERS;

    fn from_row([x0, y0, z0, x1, y1, z1, dx, dy, dz, ax, ay, az]: [f32; 12]) -> Self {
        Self {
            aabb: Aabb { min: [x0, y0, z0], max: [x1, y1, z1] },
            delta: [dx, dy, dz],
            accel: [ax, ay, az],
        }
    }

    fn to_row(self) -> [f32; 12] {
        let ([x0, y0, z0], [x1, y1, z1]) = (self.aabb.min, self.aabb.max);
        let ([dx, dy, dz], [ax, ay, az]) = (self.delta, self.accel);
        [x0, y0, z0, x1, y1, z1, dx, dy, dz, ax, ay, az]
    }

    fn check(&self) -> Result<(), Invalid> {
        self.validate()
    }
}

impl Row<7> for MovingSphere {
    const NAMES: [&'static str; 7] =
        ["center.x", "center.y", "center.z", "radius", "delta.x", "delta.y", "delta.z"];
    const LEAST: [f32; 7] = {
        let low = -COORD_MAX;
        [low, low, low, 0.0, low, low, low]
    };

    fn from_row([x, y, z, radius, dx, dy, dz]: [f32; 7]) -> Self {
        Self { sphere: Sphere { center: [x, y, z], radius }, delta: [dx, dy, dz] }
    }

    fn to_row(self) -> [f32; 7] {
        let ([x, y, z], [dx, dy, dz]) = (self.sphere.center, self.delta);
        [x, y, z, self.sphere.radius, dx, dy, dz]
    }

    fn check(&self) -> Result<(), Invalid> {
        self.validate()
    }
}

impl Row<7> for Segment {
    const NAMES: [&'static str; 7] =
        ["start.x", "start.y", "start.z", "delta.x", "delta.y", "delta.z", "max_fraction"];
    const LEAST: [f32; 7] = {
        let low = -COORD_MAX;
        [low, low, low, low, low, low, 0.0]
    };
    const GREATEST: [f32; 7] = {
        let high = COORD_MAX;
        [high, high, high, high, high, high, f32::INFINITY]
    };

    fn from_row([x, y, z, dx, dy, dz, max_fraction]: [f32; 7]) -> Self {
        Self { start: [x, y, z], delta: [dx, dy, dz], max_fraction }
    }

    fn to_row(self) -> [f32; 7] {
        let ([x, y, z], [dx, dy, dz]) = (self.start, self.delta);
        [x, y, z, dx, dy, dz, self.max_fraction]
    }

    fn check(&self) -> Result<(), Invalid> {
        self.validate()
    }
}
