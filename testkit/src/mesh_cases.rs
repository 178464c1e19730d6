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
    let mut triangles = Vec::new();
    for k in 0..side * side {
        let v = k % side + k / side * row;
        triangles.extend([[v, v + row + 1, v + 1], [v, v + row, v + row + 1]]);
    }
    (vertices, triangles)
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
    pub fn with_shape<T>(&self, see: impl FnOnce(Shape<'_>) -> T) -> T {
        let hull = match &self.shape.core {
            PlainCore::Hull(points) => Hull::new(points.iter().copied()).ok(),
            _ => None,
        };
        see(asked_shape(&self.shape, hull.as_ref()))
    }

    pub fn asked(&self) -> PartToi {
        let mesh = self.mesh();
        let [of_shape, of_mesh] = self.motions();
        self.with_shape(|shape| {
            let body = Geometry::from(&mesh);
            toi::one_to_one(&shape.into(), &of_shape, &body, &of_mesh, &self.settings())
                .expect("valid")
        })
    }

    fn solid(&self, triangle: usize) -> MovingSolid {
        let points = self.triangles[triangle].map(|k| self.vertices[k as usize].map(f64::from));
        let mut solid = self.shape.moving(&self.mesh_motion);
        solid.solid = Solid { core: Core::Hull(points.into()), radius: 0.0 };
        solid
    }
}

fn length(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|k| a[k] - b[k])
}

/// The radius of a ball around the points of a solid, about the centre of their box, and that centre.
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

/// Whether `found` satisfies all guarantees; otherwise which one it violates. Every triangle is tested. Returns whether
/// there is an impact.
pub fn judged(case: &MeshCase, found: &PartToi) -> Result<bool, String> {
    let a = case.shape.moving(&case.motion);
    let target = f64::from(case.target);
    let end = match found.toi.result {
        ToiResult::Impact { t, .. } | ToiResult::Unresolved { t_safe: t } => f64::from(t),
        ToiResult::Overlapping { .. } => 0.0,
        _ => 1.0,
    };
    let (center, radius) = ball(&a.solid);
    let corners = case.vertices.iter().map(|&v| length(v.map(f64::from)));
    let reach = corners.fold(0.0, f64::max);
    let speed = length(minus(a.delta, case.solid(0).delta))
        + length(minus(a.accel, case.solid(0).accel))
        + length(a.spin) * (radius + length(center))
        + length(case.solid(0).spin) * reach;
    for triangle in 0..case.triangles.len() {
        let b = case.solid(triangle);
        let (of_b, radius_b) = ball(&b.solid);
        let apart = length(minus(a.at(center, 0.5 * end), b.at(of_b, 0.5 * end)));
        if apart > (radius + radius_b + 0.5 * end * speed + target) * 1.000_001 {
            continue;
        }
        if let FirstTime::Hit { hit_at, .. } =
            spec::first_time_in_rounds(&a, &b, target, [0.0, end], 400)
            && hit_at < end
        {
            return Err(format!("late or missed: triangle {triangle} at {hit_at}"));
        }
    }
    match found.toi.result {
        ToiResult::Impact { t, on_a, on_b, .. } => {
            let b = case.solid(found.parts[1] as usize);
            let there = spec::distance(&a, &b, t.into());
            let step = f64::from(t.next_up()) - f64::from(t);
            let numbers = length(minus(a.position, b.position)) + speed + reach + radius + target;
            // A point has no size, so that of the mesh counts.
            let size = if radius > 0.0 { (2.0 * radius).min(2.0 * reach) } else { 2.0 * reach };
            let allowed = f64::from(Settings::TOLERANCE) * size + speed * step + 1e-10 * numbers;
            let over = there.lower - target - there.noise;
            if over > allowed {
                return Err(format!(
                    "the distance at the impact is {over:e}, more than {allowed:e}"
                ));
            }
            let between = length(minus(on_b.map(f64::from), on_a.map(f64::from)));
            let rounding = 4e-7 * (length(on_a.map(f64::from)) + length(on_b.map(f64::from)));
            if between > target + 2.0 * allowed + rounding {
                return Err(format!("the points are {between:e} apart"));
            }
            Ok(true)
        }
        ToiResult::Overlapping { .. } => {
            let b = case.solid(found.parts[1] as usize);
            let there = spec::distance(&a, &b, 0.0);
            let over = there.lower - target - there.noise;
            if over > 1e-10 * (reach + radius) { Err(format!("apart: {over:e}")) } else { Ok(true) }
        }
        _ => Ok(false),
    }
}
