//! Shapes and motions in the types of parry.

use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::NonlinearRigidMotion;
use parry3d::shape::SharedShape;
use scenes::convex::{Form, Hulls};
use swath::Motion;
use swath::convex::Hull;

pub fn hulls(hulls: &Hulls) -> Vec<SharedShape> {
    let of_points = |hull: &Hull| {
        let points: Vec<_> = hull.vertices().map(Vector::from_array).collect();
        SharedShape::convex_hull(&points).expect("a hull has an inside")
    };
    hulls.0.iter().map(of_points).collect()
}

/// `hulls` are those of [`hulls`].
pub fn shape(form: Form, hulls: &[SharedShape]) -> SharedShape {
    match form {
        Form::Cuboid([x, y, z]) => SharedShape::cuboid(x, y, z),
        Form::Sphere(radius) => SharedShape::ball(radius),
        Form::Capsule { half_height, radius } => SharedShape::capsule_y(half_height, radius),
        Form::Cylinder { half_height, radius } => SharedShape::cylinder(half_height, radius),
        Form::Hull(row) => hulls[row].clone(),
    }
}

pub fn motion(motion: &Motion) -> NonlinearRigidMotion {
    let rotation = Rotation::from_array(motion.pose.rotation).normalize();
    let pose = Pose::from_parts(Vector::from_array(motion.pose.position), rotation);
    let [along, spin] = [motion.delta, motion.spin].map(Vector::from_array);
    NonlinearRigidMotion::new(pose, Vector::ZERO, along, spin)
}
