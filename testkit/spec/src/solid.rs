//! Convex solids, and their motion over the tick.
//!
//! A solid is the Minkowski sum of a *core* and a ball. A core is the convex hull of points or of
//! two discs, so its farthest point in a direction is the farthest of finitely many points or of
//! two circles. That is all that a separating plane requires.
//!
//! Conventions, in the frame of the body: the axis of a cylinder and of a cone is `y`, the origin
//! is in the middle of their height, and the apex of a cone is at `+half_height`.
//!
//! The origin of a body is at `position + delta·t + ½·accel·t²`. Its frame is rotated by
//! `orientation` and then about the direction of `spin` by the length of `spin` times `t`, in
//! radians; `spin` is in the world frame. The quaternion `[x, y, z, w]` is normalised first, so a
//! length other than one does not scale anything.

use super::vector::{
    Turn, Vector, dot, length, minus, plus, times, turn_of, turned, turned_back, turned_by,
};

/// A convex set of points, in the frame of its body.
#[derive(Clone, Debug, PartialEq)]
pub enum Core {
    /// The convex hull of at least one point: points, segments, triangles, boxes, polyhedra.
    Hull(Vec<[f64; 3]>),
    /// A cylinder from `-half_height` to `half_height` along `y`.
    Cylinder {
        /// Half of the height.
        half_height: f64,
        /// The radius around the axis.
        radius: f64,
    },
    /// A cone with its apex at `half_height` on the `y` axis and its base at `-half_height`.
    Cone {
        /// Half of the height.
        half_height: f64,
        /// The radius of the base.
        radius: f64,
    },
}

impl Core {
    /// Creates the box from `-half` to `half`.
    #[must_use]
    pub fn cuboid(half: [f64; 3]) -> Self {
        let sign = |corner: usize, k: usize| if corner >> k & 1 == 0 { -half[k] } else { half[k] };
        Self::Hull((0..8).map(|corner| [0, 1, 2].map(|k| sign(corner, k))).collect())
    }

    pub(super) fn is_round(&self) -> bool {
        !matches!(self, Self::Hull(_))
    }

    /// Returns the heights and radii of the two discs of a round core.
    fn discs(&self) -> [[f64; 2]; 2] {
        match *self {
            Self::Hull(_) => [[0.0; 2]; 2],
            Self::Cylinder { half_height, radius } => {
                [[-half_height, radius], [half_height, radius]]
            }
            Self::Cone { half_height, radius } => [[-half_height, radius], [half_height, 0.0]],
        }
    }

    /// Returns a farthest point along `direction`, and its distance along it.
    pub(super) fn farthest(&self, direction: Vector) -> (Vector, f64) {
        let mut best = ([0.0; 3], f64::NEG_INFINITY);
        if let Self::Hull(points) = self {
            for &point in points {
                let far = dot(point, direction);
                if far > best.1 {
                    best = (point, far);
                }
            }
            return best;
        }
        let [x, y, z] = direction;
        let across = libm::sqrt(x * x + z * z);
        let rim = if across > 0.0 { [x / across, z / across] } else { [0.0; 2] };
        for [height, radius] in self.discs() {
            let far = height * y + radius * across;
            if far > best.1 {
                best = ([rim[0] * radius, height, rim[1] * radius], far);
            }
        }
        best
    }

    /// Returns the point of the rim at `height` that is on the side of `point`, if there is one.
    fn rim_beyond(&self, point: Vector, height: f64) -> Option<Vector> {
        let across = libm::sqrt(point[0] * point[0] + point[2] * point[2]);
        let mut discs = self.discs().into_iter();
        let [_, radius] = discs.find(|&[at, radius]| at == height && radius > 0.0)?;
        let [x, z] = [point[0], point[2]].map(|along| along / across * radius);
        (across > 0.0).then_some([x, height, z])
    }

    /// Returns the greatest distance of a point of the core from the line through the origin along
    /// the unit vector `axis`, or from the origin itself if `axis` is zero. An upper bound for
    /// round cores.
    pub(super) fn reach(&self, axis: Vector) -> f64 {
        let away = |point: Vector| length(minus(point, times(axis, dot(point, axis))));
        match self {
            Self::Hull(points) => points.iter().map(|&point| away(point)).fold(0.0, f64::max),
            _ => {
                let of = |[height, radius]: [f64; 2]| away([0.0, height, 0.0]) + radius;
                self.discs().map(of).into_iter().fold(0.0, f64::max)
            }
        }
    }
}

/// A core and the radius of the ball that is added to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// The convex core.
    pub core: Core,
    /// The radius of the ball. Zero for a solid with sharp edges.
    pub radius: f64,
}

/// A solid and its motion over the tick. Lengths are in any one unit, times in ticks.
///
/// ```
/// use spec::{Core, FirstTime, MovingSolid, Solid, first_time};
///
/// let ball = Solid { core: Core::Hull(vec![[0.0; 3]]), radius: 0.5 };
/// let wall = Solid { core: Core::cuboid([1.0, 9.0, 9.0]), radius: 0.0 };
/// let thrown = MovingSolid { delta: [8.0, 0.0, 0.0], ..MovingSolid::resting(ball, [-3.5, 0.0, 0.0]) };
/// let fixed = MovingSolid::resting(wall, [0.0; 3]);
/// let FirstTime::Hit { free_until, hit_at } = first_time(&thrown, &fixed, 0.0, [0.0, 1.0]) else {
///     panic!("it hits");
/// };
/// assert!(free_until <= 0.25 && 0.25 <= hit_at && hit_at - free_until < 1e-9);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MovingSolid {
    /// The solid in the frame of the body.
    pub solid: Solid,
    /// The position of the body's origin at time zero.
    pub position: [f64; 3],
    /// The displacement over the tick without the acceleration: the velocity at the start.
    pub delta: [f64; 3],
    /// The acceleration, in length per tick².
    pub accel: [f64; 3],
    /// The orientation at time zero, a quaternion `[x, y, z, w]`.
    pub orientation: [f64; 4],
    /// The rotation vector in the world frame, in radians per tick.
    pub spin: [f64; 3],
}

impl MovingSolid {
    /// Creates a solid that is not rotated and does not move.
    #[must_use]
    pub fn resting(solid: Solid, position: [f64; 3]) -> Self {
        let orientation = [0.0, 0.0, 0.0, 1.0];
        let rest = [0.0; 3];
        Self { solid, position, delta: rest, accel: rest, orientation, spin: rest }
    }

    /// Returns the position in the world of the body's `point` at time `t`.
    #[must_use]
    pub fn at(&self, point: [f64; 3], t: f64) -> [f64; 3] {
        let turn = turned_by(times(self.spin, t), &turn_of(self.orientation));
        plus(moved(self.position, self.delta, self.accel, t), turned(&turn, point))
    }
}

fn moved(position: Vector, delta: Vector, accel: Vector, t: f64) -> Vector {
    plus(position, plus(times(delta, t), times(accel, 0.5 * t * t)))
}

/// The core of one body at one time.
#[derive(Clone, Copy)]
pub(super) struct Placed<'a> {
    pub(super) core: &'a Core,
    pub(super) turn: Turn,
    pub(super) origin: Vector,
}

impl Placed<'_> {
    /// Creates the vertex of a point given in the frame of the body.
    pub(super) fn vertex(&self, body: Vector) -> Vertex {
        Vertex { body, at: plus(self.origin, turned(&self.turn, body)) }
    }

    /// Returns the vertex of the rim at `height` that is on the side of the body's `point`.
    pub(super) fn rim_beyond(&self, point: Vector, height: f64) -> Option<Vertex> {
        self.core.rim_beyond(point, height).map(|body| self.vertex(body))
    }

    /// Returns the tangent directions of the surface at `point`, which is a convex combination of
    /// `corners`.
    ///
    /// They are the directions of the edges between the corners. For a round core they are the
    /// tangent of the rim and the line from disc to disc.
    pub(super) fn spans(&self, corners: &[Vertex], point: Vertex) -> Vec<Vector> {
        let height = corners[0].body[1];
        let level = corners.iter().all(|corner| corner.body[1] == height);
        let [x, _, z] = point.body;
        if !self.core.is_round() || level && corners.len() == 3 || x == 0.0 && z == 0.0 {
            return corners[1..].iter().map(|corner| minus(corner.at, corners[0].at)).collect();
        }
        let mut spans = Vec::new();
        if level && self.rim_beyond(point.body, height).is_none() {
            return spans; // the apex
        }
        spans.push(turned(&self.turn, [-z, 0.0, x]));
        if !level {
            let ends = self.core.discs().map(|[height, _]| {
                self.core.rim_beyond(point.body, height).unwrap_or([0.0, height, 0.0])
            });
            spans.push(turned(&self.turn, minus(ends[1], ends[0])));
        }
        spans
    }

    /// Returns a farthest point along `direction`, and its distance along it.
    pub(super) fn farthest(&self, direction: Vector) -> (Vertex, f64) {
        let (body, far) = self.core.farthest(turned_back(&self.turn, direction));
        (self.vertex(body), far + dot(self.origin, direction))
    }
}

/// A point of a body, in the frame of the body and in that of the encounter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    pub(super) body: Vector,
    pub(super) at: Vector,
}

/// Two moving cores in the frame of the first, so that numbers are no larger than necessary.
pub(super) struct Encounter<'a> {
    pub(super) a: &'a MovingSolid,
    pub(super) b: &'a MovingSolid,
    turns: [Turn; 2],
    place: Vector,
    delta: Vector,
    pub(super) accel: Vector,
    /// Upper bound of the part of the second derivative of any distance that is due to rotation.
    pub(super) bend: f64,
    /// Upper bound of the relative speed of a point of one body and a point of the other.
    pub(super) speed_max: f64,
    /// The sum of the greatest distances of points of both solids from their origins.
    pub(super) size: f64,
    /// Upper bound of the rounding error of any distance and any position.
    pub(super) noise: f64,
}

/// Relative to the lengths of which a distance consists: about twenty rounding errors of 2⁻⁵³ and
/// the errors of libm's sines.
const NOISE: f64 = 1.0 / (1_u64 << 47) as f64;

impl<'a> Encounter<'a> {
    pub(super) fn new(a: &'a MovingSolid, b: &'a MovingSolid) -> Self {
        let place = minus(b.position, a.position);
        let delta = minus(b.delta, a.delta);
        let accel = minus(b.accel, a.accel);
        let (mut bend, mut size, mut turning, mut radii) = (0.0, 0.0, 0.0, 0.0);
        let turns = [a, b].map(|body| turn_of(body.orientation));
        for (body, turn) in [a, b].into_iter().zip(&turns) {
            let rate = length(body.spin);
            let axis = if rate > 0.0 { times(body.spin, 1.0 / rate) } else { [0.0; 3] };
            let arm = body.solid.core.reach(turned_back(turn, axis)) * (1.0 + 1e-12);
            if rate > 0.0 {
                bend += rate * rate * arm;
                turning += rate * arm;
            }
            size += body.solid.core.reach([0.0; 3]);
            radii += body.solid.radius;
        }
        let going = length(delta) + length(accel);
        let noise = NOISE * (length(place) + going + size + turning + radii);
        Self {
            a,
            b,
            turns,
            place,
            delta,
            accel,
            bend,
            speed_max: going + turning,
            size: size + radii,
            noise,
        }
    }

    /// Returns both cores at `t`. The origin is that of `a`.
    pub(super) fn at(&self, t: f64) -> [Placed<'a>; 2] {
        let turn = |body: &MovingSolid, turn: &Turn| turned_by(times(body.spin, t), turn);
        let origin = moved(self.place, self.delta, self.accel, t);
        [
            Placed {
                core: &self.a.solid.core,
                turn: turn(self.a, &self.turns[0]),
                origin: [0.0; 3],
            },
            Placed { core: &self.b.solid.core, turn: turn(self.b, &self.turns[1]), origin },
        ]
    }

    /// Returns the velocity of the origin of `b` relative to that of `a`.
    pub(super) fn velocity(&self, t: f64) -> Vector {
        plus(self.delta, times(self.accel, t))
    }

    /// Returns the position of the origin of `a` in the world.
    pub(super) fn origin(&self, t: f64) -> Vector {
        moved(self.a.position, self.a.delta, self.a.accel, t)
    }
}
