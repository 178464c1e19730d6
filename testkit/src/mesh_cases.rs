//! Moving convex shapes and meshes, and a judge that tests every triangle with the specification.

use super::convex_asked::{motion, shape as asked_shape};
use super::convex_shapes::{PlainCore, PlainMotion, PlainShape, shape};
use super::draw::Draw;
use rand::RngExt;
use spec::{Core, FirstTime, MovingSolid, Solid};
use swath::convex::Hull;
use swath::convex::toi::{Settings, ToiResult, Touch};
use swath::mesh::toi::{self, PartToi};
use swath::mesh::{Geometry, Mesh};
use swath::{Motion, Shape};

/// The search for a first time of a convex shape and a mesh.
#[derive(Clone, Debug)]
pub struct MeshCase {
    pub shape: PlainShape,
    pub motion: PlainMotion,
    pub vertices: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub mesh_motion: PlainMotion,
    pub target: f32,
}

fn vector(draw: &mut Draw, most: f32) -> [f32; 3] {
    [0; 3].map(|_| draw.between(-most, most))
}

fn orientation(draw: &mut Draw) -> [f32; 4] {
    if draw.one_in(3) {
        return PlainMotion::REST.orientation;
    }
    let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
    let length = quaternion.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-3);
    quaternion.map(|x| x / length)
}

/// A bumpy or flat terrain of `side * side` cells.
pub fn terrain(draw: &mut Draw, side: u32, bump: f32) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
    let row = side + 1;
    let vertices = (0..row * row)
        .map(|k| {
            let (i, j) = ((k % row) as f32, (k / row) as f32);
            [i - side as f32 / 2.0, draw.between(-bump, bump), j - side as f32 / 2.0]
        })
        .collect();
    (vertices, grid_triangles(side))
}

/// The triangles of a grid of `side * side` cells, of which the vertices are in rows.
pub fn grid_triangles(side: u32) -> Vec<[u32; 3]> {
    let row = side + 1;
    let cell = |k: u32| {
        let v = k % side + k / side * row;
        [[v, v + row + 1, v + 1], [v, v + row, v + row + 1]]
    };
    (0..side * side).flat_map(cell).collect()
}

/// A case of any kind: terrains, loose triangles, needles; at rest, moving and rotating.
pub fn mesh_case(draw: &mut Draw) -> MeshCase {
    let (mut vertices, mut triangles) = match draw.0.random_range(0..4) {
        0 => {
            let bump = draw.one_of(&[0.0, 0.1, 1.0]);
            terrain(draw, 4, bump)
        }
        1 => {
            let bump = draw.one_of(&[0.02, 0.5]);
            terrain(draw, 6, bump)
        }
        kind => {
            let count = draw.0.random_range(1..20_u32);
            let size = draw.one_of(&[0.3, 1.0, 4.0]);
            let mut vertices = Vec::new();
            for _ in 0..count {
                let at = vector(draw, 3.0);
                for _ in 0..3 {
                    let mut side = vector(draw, size);
                    if kind == 3 {
                        side[0] *= 1e-3;
                    }
                    vertices.push([0, 1, 2].map(|k| at[k] + side[k]));
                }
            }
            (vertices, (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
        }
    };
    if draw.one_in(8) {
        // A triangle without area, and one that is there twice.
        let again = triangles[0];
        triangles.extend([[again[0], again[1], again[1]], again]);
    }
    let scale = draw.one_of(&[1.0, 1.0, 1.0 / 1024.0, 65_536.0]);
    vertices.iter_mut().for_each(|vertex| *vertex = vertex.map(|x| x * scale));

    let size = draw.one_of(&[0.1, 0.5, 2.0]);
    let shape = shape(draw, size).scaled(scale);
    let mut start = vector(draw, 5.0);
    start[1] += draw.one_of(&[0.0, 3.0, -4.0]);
    let aim = vector(draw, 2.0);
    let speed = draw.one_of(&[0.5, 1.0, 2.0]);
    let delta = [0, 1, 2].map(|k| (aim[k] - start[k]) * speed * scale);
    let mut body = PlainMotion { position: start.map(|x| x * scale), delta, ..PlainMotion::REST };
    let mut mesh_motion = PlainMotion::REST;
    body.orientation = orientation(draw);
    if draw.one_in(3) {
        body.accel = vector(draw, 6.0 * scale);
    }
    if draw.one_in(3) {
        let rate = draw.one_of(&[0.1, 3.0, 12.0]);
        body.spin = vector(draw, rate);
    }
    if draw.one_in(2) {
        mesh_motion.orientation = orientation(draw);
    }
    if draw.one_in(3) {
        mesh_motion.delta = vector(draw, 3.0 * scale);
        mesh_motion.accel = vector(draw, scale);
    }
    if draw.one_in(6) {
        let rate = draw.one_of(&[0.05, 1.0, 4.0]);
        mesh_motion.spin = vector(draw, rate);
    }
    if draw.one_in(6) {
        let far = draw.one_of(&[100.0, 5000.0]) * scale;
        let place = vector(draw, far);
        for motion in [&mut body, &mut mesh_motion] {
            motion.position = [0, 1, 2].map(|k| motion.position[k] + place[k]);
        }
    }
    let target = draw.one_of(&[0.0, 0.0, 0.0, 0.05]) * scale;
    MeshCase { shape, motion: body, vertices, triangles, mesh_motion, target }
}

impl MeshCase {
    pub fn mesh(&self) -> Mesh<'_> {
        Mesh::new(&self.vertices[..], &self.triangles[..]).expect("a few triangles")
    }

    pub fn settings(&self) -> Settings {
        Settings { target_distance: self.target, touch: Touch::Hit, ..Settings::default() }
    }

    pub fn motions(&self) -> [Motion; 2] {
        [motion(&self.motion), motion(&self.mesh_motion)]
    }

    /// Calls `see` with the shape of the library.
    pub fn with_shape<T>(&self, visit: impl FnOnce(Shape<'_>) -> T) -> T {
        let hull = match &self.shape.core {
            PlainCore::Hull(points) => Hull::new(points.iter().copied()).ok(),
            _ => None,
        };
        visit(asked_shape(&self.shape, hull.as_ref()))
    }

    /// Computes the first time of the shape and a body that moves as the mesh does.
    pub fn asked(&self, body: &Geometry<'_>) -> PartToi {
        self.asked_with(body, &self.settings())
    }

    /// Does what [`MeshCase::asked`] does, with other settings.
    pub fn asked_with(&self, body: &Geometry<'_>, settings: &Settings) -> PartToi {
        let [of_shape, of_mesh] = self.motions();
        self.with_shape(|shape| {
            toi::one_to_one(&shape.into(), &of_shape, body, &of_mesh, settings).expect("valid")
        })
    }

    /// The shape and the mesh, for the judge.
    pub fn bodies(&self) -> [PlainBody; 2] {
        let triangles = self.triangles.iter().map(|triangle| {
            let corners = triangle.map(|k| self.vertices[k as usize].map(f64::from));
            Solid { core: Core::Hull(corners.into()), radius: 0.0 }
        });
        let of_shape = PlainBody::new([self.shape.solid()], &self.motion);
        [of_shape, PlainBody::new(triangles, &self.mesh_motion)]
    }
}

/// A body with parts, for the judge.
#[derive(Clone, Debug)]
pub struct PlainBody {
    pub parts: Vec<MovingSolid>,
    /// The radius of a ball about the position that contains all parts.
    reach: f64,
    /// At least half the diagonal of the box of all parts, at most the whole.
    size: f64,
    /// The greatest speed of a point because of the rotation.
    turning: f64,
}

impl PlainBody {
    pub fn new(parts: impl IntoIterator<Item = Solid>, motion: &PlainMotion) -> Self {
        let rest = PlainShape { core: PlainCore::Point, radius: 0.0 }.moving(motion);
        let parts: Vec<_> =
            parts.into_iter().map(|solid| MovingSolid { solid, ..rest.clone() }).collect();
        let (mut reach, mut ends) = (0.0_f64, [[f64::INFINITY, f64::NEG_INFINITY]; 3]);
        for part in &parts {
            let (center, radius) = ball(&part.solid);
            reach = reach.max(length(center) + radius);
            for k in 0..3 {
                ends[k][0] = ends[k][0].min(center[k] - radius);
                ends[k][1] = ends[k][1].max(center[k] + radius);
            }
        }
        let size = 0.5 * length(ends.map(|[low, high]| high - low));
        Self { parts, reach, size, turning: length(motion.spin.map(f64::from)) * reach }
    }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

/// The centre and the radius of a ball around a solid.
fn ball(solid: &Solid) -> ([f64; 3], f64) {
    let (center, core) = match &solid.core {
        Core::Hull(points) => {
            let end = |k: usize, sign: f64| {
                sign * points.iter().map(|p| sign * p[k]).fold(f64::NEG_INFINITY, f64::max)
            };
            let center = [0, 1, 2].map(|k| 0.5 * (end(k, 1.0) + end(k, -1.0)));
            (center, points.iter().map(|&p| length(minus(p, center))).fold(0.0, f64::max))
        }
        Core::Cylinder { half_height, radius } | Core::Cone { half_height, radius } => {
            ([0.0; 3], half_height.hypot(*radius))
        }
    };
    (center, core + solid.radius)
}

/// Rounds of the specification for one pair of parts.
const ROUNDS_MAX: usize = 400;

/// Whether `found` satisfies all guarantees, for a search over the whole tick in which every touch counts; otherwise which
/// one it violates. Every pair of parts is tested. Returns whether there is an impact.
pub fn judged(a: &PlainBody, b: &PlainBody, target: f64, found: &PartToi) -> Result<bool, String> {
    let end = match found.toi.result {
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => f64::from(t),
        ToiResult::Overlapping { .. } => 0.0,
        _ => 1.0,
    };
    let (of_a, of_b) = (&a.parts[0], &b.parts[0]);
    let speed = length(minus(of_a.delta, of_b.delta))
        + length(minus(of_a.accel, of_b.accel))
        + a.turning
        + b.turning;
    let balls =
        |body: &PlainBody| body.parts.iter().map(|part| ball(&part.solid)).collect::<Vec<_>>();
    let (balls_a, balls_b) = (balls(a), balls(b));
    for (i, part_a) in a.parts.iter().enumerate() {
        for (j, part_b) in b.parts.iter().enumerate() {
            let ((at_a, radius_a), (at_b, radius_b)) = (balls_a[i], balls_b[j]);
            let apart = length(minus(part_a.at(at_a, 0.5 * end), part_b.at(at_b, 0.5 * end)));
            if apart > (radius_a + radius_b + 0.5 * end * speed + target) * 1.000_001 {
                continue;
            }
            let first = spec::first_time_in_rounds(part_a, part_b, target, [0.0, end], ROUNDS_MAX);
            if let FirstTime::Hit { hit_at, .. } = first
                && (hit_at < end || found.toi.result == ToiResult::Separated)
            {
                return Err(format!("late or missed: parts {i} and {j} at {hit_at}"));
            }
        }
    }
    let numbers = length(minus(of_a.position, of_b.position)) + speed + a.reach + b.reach + target;
    let [part_a, part_b] = [(a, 0), (b, 1)].map(|(body, k)| &body.parts[found.parts[k] as usize]);
    match found.toi.result {
        ToiResult::Impact { t, on_a, on_b, .. } => {
            let there = spec::distance(part_a, part_b, t.into());
            let step = f64::from(t.next_up()) - f64::from(t);
            // A point has no size, so that of the other body counts.
            let size = match [a.size, b.size] {
                [0.0, size] | [size, 0.0] => size,
                [of_a, of_b] => of_a.min(of_b),
            };
            let allowed =
                2.0 * f64::from(Settings::TOLERANCE) * size + speed * step + 1e-10 * numbers;
            let over = there.lower - target - there.noise;
            if over > allowed {
                return Err(format!("the distance at the impact is {over:e}, above {allowed:e}"));
            }
            let [on_a, on_b] = [on_a, on_b].map(|point| point.map(f64::from));
            let between = length(minus(on_b, on_a));
            let rounding = 4e-7 * (length(on_a) + length(on_b));
            if between > target + 2.0 * allowed + rounding {
                return Err(format!("the points are {between:e} apart"));
            }
            Ok(true)
        }
        ToiResult::Overlapping { .. } => {
            let there = spec::distance(part_a, part_b, 0.0);
            let over = there.lower - target - there.noise;
            if over > 1e-10 * numbers { Err(format!("apart: {over:e}")) } else { Ok(true) }
        }
        _ => Ok(false),
    }
}
