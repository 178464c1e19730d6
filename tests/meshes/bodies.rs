//! Random bodies of each kind, and their parts as convex shapes in the world.

use swath::convex::OwnedShape;
use swath::mesh::{Compound, Geometry, HeightField, Mesh};
use swath::{Pose, Shape};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Difference of distances, relative to the sizes and the distance of the positions, that the rounding of composed poses to `f32` explains.
pub(crate) const ROUNDING: f64 = 1e-5;

pub(crate) fn vector(draw: &mut Draw, most: f32) -> [f32; 3] {
    [0; 3].map(|_| draw.between(-most, most))
}

pub(crate) fn pose(draw: &mut Draw, most: f32) -> Pose {
    let at = vector(draw, most);
    if draw.one_in(3) {
        return Pose::at(at).expect("finite");
    }
    let quaternion = [0; 4].map(|_| draw.between(-1.0, 1.0));
    Pose::normalized(at, quaternion).expect("not zero")
}

/// The pose of a part of a body, in the world.
fn placed(body: &Pose, part: &Pose) -> Pose {
    let [[px, py, pz, pw], [x, y, z, w]] =
        [body.rotation, part.rotation].map(|quaternion| quaternion.map(f64::from));
    let square = px * px + py * py + pz * pz + pw * pw;
    let [vx, vy, vz] = part.position.map(f64::from);
    let cross = [py * vz - pz * vy, pz * vx - px * vz, px * vy - py * vx];
    let [cx, cy, cz] = [0, 1, 2].map(|k| cross[k] + pw * [vx, vy, vz][k]);
    let turned = [py * cz - pz * cy, pz * cx - px * cz, px * cy - py * cx];
    let position =
        [0, 1, 2].map(|k| f64::from(body.position[k]) + [vx, vy, vz][k] + 2.0 * turned[k] / square);
    let rotation = [
        pw * x + px * w + py * z - pz * y,
        pw * y - px * z + py * w + pz * x,
        pw * z + px * y - py * x + pz * w,
        pw * w - px * x - py * y - pz * z,
    ];
    Pose::from_f64(position, rotation).expect("valid")
}

/// The parts of a body as convex shapes in the world.
pub(crate) fn parts<'g>(body: &Geometry<'g>, pose: &Pose) -> Vec<(Shape<'g>, Pose)> {
    let triangles = |corners: &dyn Fn(u32) -> Option<[[f32; 3]; 3]>| {
        let corners = (0..body.part_count() as u32).filter_map(corners);
        corners.map(|corners| (Shape::triangle(corners).expect("valid"), *pose)).collect()
    };
    match body {
        Geometry::Convex(shape) => vec![(*shape, *pose)],
        Geometry::Compound(of) => {
            of.parts().iter().map(|(shape, at)| (shape.shape(), placed(pose, at))).collect()
        }
        Geometry::Mesh(mesh) => triangles(&|part| mesh.corners(part)),
        Geometry::HeightField(field) => triangles(&|part| field.corners(part)),
        _ => unreachable!("there is no other kind"),
    }
}

/// A mesh, a height field and a compound.
pub(crate) struct Bodies {
    pub(crate) mesh: Mesh<'static>,
    pub(crate) field: HeightField<'static>,
    pub(crate) compound: Compound,
}

impl Bodies {
    pub(crate) fn new(draw: &mut Draw, one_sided: bool) -> Self {
        let bump = draw.one_of(&[0.0, 0.3, 1.0]);
        let (vertices, triangles) = terrain(draw, 4, bump);
        let mut mesh = Mesh::new(vertices, triangles).expect("a terrain");
        let heights: Vec<f32> = (0..20)
            .map(|_| if draw.one_in(9) { f32::NAN } else { draw.between(-bump, bump) })
            .collect();
        let mut field = HeightField::new(heights, [5, 4], [1.0, 1.5]).expect("a grid");
        if one_sided {
            (mesh, field) = (mesh.one_sided(), field.one_sided());
        }
        let count = draw.one_of(&[1, 3, 40]);
        let compound = (0..count).map(|_| (shape(draw, 0.5).into(), pose(draw, 2.0)));
        let compound = Compound::new(compound.collect::<Vec<(OwnedShape, Pose)>>());
        Self { mesh, field, compound: compound.expect("near") }
    }

    pub(crate) fn all(&self, draw: &mut Draw) -> [Geometry<'_>; 4] {
        let convex = shape(draw, 1.0).into();
        [(&self.mesh).into(), (&self.field).into(), (&self.compound).into(), convex]
    }
}

pub(crate) fn shape(draw: &mut Draw, size: f32) -> Shape<'static> {
    let half = [0; 3].map(|_| size * draw.between(0.1, 1.0));
    let shape = match draw.one_of(&[0, 1, 2, 3, 4, 5]) {
        0 => Shape::sphere(half[0]),
        1 => Shape::capsule(half[0], half[1]),
        2 => Shape::cuboid(half),
        3 => Shape::cylinder(half[0], half[1]),
        4 => Shape::cone(half[0], half[1]),
        _ => Shape::cuboid(half).and_then(|shape| shape.rounded(0.1 * size)),
    };
    shape.expect("valid lengths")
}
