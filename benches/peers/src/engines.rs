//! Box3D, Jolt and PhysX, and FCL if it is installed, if this crate is built with the feature `engines`; none of them otherwise.

use std::ops::Range;

use scenes::convex::{Form, Hulls};
use swath::Motion;

use crate::time::Call;

/// What is computed for a pair of shapes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Distance,
    Linear,
    Rotation,
}

/// Writes the results of some rows.
type Compute = dyn Fn(Range<usize>, &mut [f32]);

/// The calls of an engine.
pub struct Engine {
    pub name: &'static str,
    pub package: &'static str,
    call: Box<Compute>,
}

impl Engine {
    /// Writes a distance or a time for each row, infinity without a hit.
    pub fn call(&self) -> Call<'_, f32> {
        &*self.call
    }
}

/// The engines that can answer a question about pairs.
pub fn of_pairs(
    hulls: &Hulls,
    pairs: &[([Form; 2], [Motion; 2])],
    question: Question,
) -> Vec<Engine> {
    feature::of_pairs(hulls, pairs, question)
}

/// The engines that can sweep shapes against a mesh.
pub fn of_mesh(
    hulls: &Hulls,
    shapes: &[(Form, Motion)],
    mesh: (&[[f32; 3]], &[[u32; 3]]),
) -> Vec<Engine> {
    feature::of_mesh(hulls, shapes, mesh)
}

#[cfg(not(feature = "engines"))]
mod feature {
    use super::{Engine, Form, Hulls, Motion, Question};

    pub(super) fn of_pairs(_: &Hulls, _: &[([Form; 2], [Motion; 2])], _: Question) -> Vec<Engine> {
        Vec::new()
    }

    pub(super) fn of_mesh(
        _: &Hulls,
        _: &[(Form, Motion)],
        _: (&[[f32; 3]], &[[u32; 3]]),
    ) -> Vec<Engine> {
        Vec::new()
    }
}

#[cfg(feature = "engines")]
mod feature {
    use engines::{ENGINES, Kind, MovingShape, Work};

    use super::{Engine, Form, Hulls, Motion, Question};

    fn shape(form: Form, motion: &Motion, position: [f32; 3], delta: [f32; 3]) -> MovingShape {
        let (kind, size, hull) = match form {
            Form::Cuboid(half) => (Kind::Box, half, 0),
            Form::Sphere(radius) => (Kind::Sphere, [radius, 0.0, 0.0], 0),
            Form::Capsule { half_height, radius } => (Kind::Capsule, [half_height, radius, 0.0], 0),
            Form::Hull(row) => (Kind::Hull, [0.0; 3], row as u32),
            Form::Cylinder { .. } => panic!("Box3D and PhysX have no cylinders"),
        };
        let rotation = motion.pose.rotation;
        let rotation_at_end = motion.at(1.0).rotation;
        MovingShape { kind, hull, size, position, rotation, delta, rotation_at_end }
    }

    fn points(hulls: &Hulls) -> Vec<Vec<[f32; 3]>> {
        hulls.0.iter().map(|hull| hull.vertices().collect()).collect()
    }

    fn asked(question: Question) -> engines::Question {
        match question {
            Question::Distance => engines::Question::Distance,
            Question::Linear => engines::Question::Linear,
            Question::Rotation => engines::Question::Rotation,
        }
    }

    fn engine(of: engines::Engine, work: Work, question: engines::Question) -> Engine {
        let call = Box::new(move |rows, out: &mut [f32]| work.run(question, rows, out));
        Engine { name: of.name(), package: of.package(), call }
    }

    pub(super) fn of_pairs(
        hulls: &Hulls,
        pairs: &[([Form; 2], [Motion; 2])],
        question: Question,
    ) -> Vec<Engine> {
        // The first shape of a pair relative to the second, so that the engines lose nothing to large coordinates.
        let relative = |a: [f32; 3], b: [f32; 3]| -> [f32; 3] {
            std::array::from_fn(|axis| (f64::from(a[axis]) - f64::from(b[axis])) as f32)
        };
        let shapes: Vec<_> = pairs
            .iter()
            .flat_map(|([form_a, form_b], [a, b])| {
                let position = relative(a.pose.position, b.pose.position);
                let delta = relative(a.delta, b.delta);
                [shape(*form_a, a, position, delta), shape(*form_b, b, [0.0; 3], [0.0; 3])]
            })
            .collect();
        let hulls = points(hulls);
        let question = asked(question);
        let work = |&of: &_| engine(of, Work::pairs(of, &hulls, &shapes), question);
        ENGINES.iter().filter(|of| of.answers(question)).map(work).collect()
    }

    pub(super) fn of_mesh(
        hulls: &Hulls,
        shapes: &[(Form, Motion)],
        mesh: (&[[f32; 3]], &[[u32; 3]]),
    ) -> Vec<Engine> {
        let moved = |(form, motion): &(Form, Motion)| {
            shape(*form, motion, motion.pose.position, motion.delta)
        };
        let shapes: Vec<_> = shapes.iter().map(moved).collect();
        let hulls = points(hulls);
        let question = asked(Question::Linear);
        let work = |&of: &_| engine(of, Work::mesh(of, &hulls, &shapes, mesh), question);
        ENGINES.iter().filter(|of| of.sweeps_meshes()).map(work).collect()
    }
}
