//! Bodies that are cloned, and with the feature `serde` written and read again.

use swath::convex::toi::Settings;
use swath::mesh::{Compound, Geometry, HeightField, Mesh, toi};
use swath::{Motion, Pose, Shape};
use testkit::draw::Draw;
use testkit::mesh_cases::terrain;

/// Asserts that two bodies give the same results to the bit, for shapes that move around and through them.
fn assert_same(one: Geometry<'_>, other: Geometry<'_>) {
    assert_eq!((one.bounds(), one.part_count()), (other.bounds(), other.part_count()));
    assert_eq!(one.size().to_bits(), other.size().to_bits());
    let (mut draw, mut hits) = (Draw::new(4), 0);
    let ball = Shape::sphere(0.3).expect("a ball").into();
    for _ in 0..2000 {
        let mut vector = || [0; 3].map(|_| draw.between(-3.0, 3.0));
        let (at, delta) = (Pose::at(vector()).expect("valid"), vector());
        let motion = Motion::new(at, delta).expect("valid");
        let [a, b] = [one, other].map(|body| {
            toi::one_to_one(&ball, &motion, &body, &Motion::default(), &Settings::default())
                .expect("valid")
        });
        assert_eq!(a, b);
        hits += usize::from(a.toi.impact().is_some());
        let [a, b] = [one, other].map(|body| ball.distance(&at, &body, &Pose::IDENTITY, 9.0));
        assert_eq!(a, b);
    }
    assert!(hits > 10, "{hits}");
}

fn mesh() -> Mesh<'static> {
    let (vertices, mut triangles) = terrain(&mut Draw::new(9), 5, 0.5);
    triangles[3] = [0, 1, 70_000];
    Mesh::new(vertices, triangles).expect("a terrain").one_sided()
}

fn field() -> HeightField<'static> {
    let mut draw = Draw::new(8);
    let mut heights: Vec<f32> = (0..64).map(|_| draw.between(-0.5, 0.5)).collect();
    (heights[11], heights[40]) = (f32::NAN, f32::INFINITY);
    HeightField::new(heights, [8, 8], [0.5, 0.75]).expect("a grid").one_sided()
}

fn compound() -> Compound {
    let hull = std::sync::Arc::new(
        swath::convex::Hull::new([[0.0; 3], [1.1, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.1, 0.9]])
            .expect("a hull"),
    );
    let hull = swath::convex::OwnedShape::hull(hull);
    let third = [1.0 / 3.0, 0.1, 0.7];
    let shapes = [
        hull.scaled(third).and_then(|hull| hull.rounded(0.1)).expect("valid"),
        hull.scaled([-0.3, 0.3, 1.7]).expect("valid"),
        Shape::cuboid(third).and_then(|cuboid| cuboid.scaled(third)).expect("valid").into(),
        Shape::cone(0.9, 0.2).and_then(|cone| cone.scaled(third)).expect("valid").into(),
        Shape::capsule(1.3, 0.2).expect("valid").into(),
        Shape::triangle([third, [0.0; 3], [1.0, 0.0, 0.1]]).expect("valid").into(),
        Shape::point().into(),
    ];
    let mut draw = Draw::new(2);
    Compound::new(shapes.map(|shape| {
        let at = [0; 3].map(|_| draw.between(-2.0, 2.0));
        (shape, Pose::normalized(at, [0.1, 0.7, -0.3, 0.2]).expect("valid"))
    }))
    .expect("valid")
}

/// Goal: a clone gives the same results, also after the original is gone, and borrows what is borrowed.
#[test]
fn clones_of_bodies_give_the_same_results() {
    let (original, field, compound) = (mesh(), field(), compound());
    let copy = original.clone();
    assert_same((&original).into(), (&copy).into());
    assert_eq!(copy.rejected(), original.rejected());
    assert!(copy.is_one_sided() && copy.rejected().len() == 1);
    let kept = original.bounds();
    drop(original);
    assert_eq!(copy.clone().bounds(), kept);
    assert_same((&field).into(), (&field.clone()).into());
    assert_same((&compound).into(), (&compound.clone()).into());
    let borrowed = Mesh::new(copy.vertices(), copy.triangles()).expect("a mesh");
    assert_eq!(borrowed.clone().vertices().as_ptr(), copy.vertices().as_ptr());
    assert_ne!(copy.clone().vertices().as_ptr(), copy.vertices().as_ptr());
}

#[cfg(feature = "serde")]
mod serialized {
    use super::*;
    use serde_json::{Value, from_value, json, to_value};
    use swath::convex::{Hull, OwnedShape, SupportMap};

    fn through_text<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
        let text = serde_json::to_string(value).expect("it can be written");
        serde_json::from_str(&text).expect("it can be read")
    }

    /// Goal: bodies that are read from a text give the same results to the bit as those that were written.
    #[test]
    fn bodies_are_restored_to_the_bit() {
        let (mesh, field, compound) = (mesh(), field(), compound());
        let read = through_text(&mesh);
        assert_same((&mesh).into(), (&read).into());
        assert_eq!((read.rejected(), read.is_one_sided()), (mesh.rejected(), true));
        let read = through_text(&field);
        assert_same((&field).into(), (&read).into());
        assert!(read.is_one_sided() && read.heights()[11].is_nan() && read.heights()[40].is_nan());
        let read = through_text(&compound);
        assert_same((&compound).into(), (&read).into());
        for ((a, one), (b, other)) in compound.parts().iter().zip(read.parts()) {
            assert_eq!(one, other);
            assert_eq!(format!("{:?}", a.shape()), format!("{:?}", b.shape()));
        }
        let hull =
            Hull::new((0..99).map(|k| [k as f32, 0.1 * (k * k) as f32, 0.3])).expect("valid");
        assert!(through_text(&hull).vertices().eq(hull.vertices()));
    }

    /// Goal: damaged values are errors. Method: one change of a valid value at a time.
    #[test]
    fn damaged_bodies_are_errors() {
        fn rejects<T: serde::de::DeserializeOwned>(value: &Value, pointer: &str, by: Value) {
            assert!(from_value::<T>(value.clone()).is_ok(), "{pointer}");
            let mut damaged = value.clone();
            *damaged.pointer_mut(pointer).expect("it exists") = by;
            assert!(from_value::<T>(damaged).is_err(), "{pointer}");
        }
        let field = to_value(field()).expect("written");
        rejects::<HeightField<'_>>(&field, "/samples/0", json!(9));
        rejects::<HeightField<'_>>(&field, "/spacing/1", json!(0.0));
        rejects::<HeightField<'_>>(&field, "/spacing/1", json!(1e38));
        rejects::<HeightField<'_>>(&field, "/heights", json!([1.0]));
        let mesh = to_value(mesh()).expect("written");
        rejects::<Mesh<'_>>(&mesh, "/triangles/0", json!([0, 1]));
        rejects::<Mesh<'_>>(&mesh, "/triangles/0/0", json!(-1));
        rejects::<Mesh<'_>>(&mesh, "/vertices", Value::Null);
        let hull = to_value(Hull::new([[1.0; 3], [0.0; 3]]).expect("valid")).expect("written");
        rejects::<Hull>(&hull, "", json!([]));
        rejects::<Hull>(&hull, "/0/0", json!(1e38));
        let compound = to_value(compound()).expect("written");
        rejects::<Compound>(&compound, "/0/1/rotation/3", json!(7.0));
        rejects::<Compound>(&compound, "/0/1/position/0", json!(1e38));
        rejects::<Compound>(&compound, "/0/0/form", json!(4));
        rejects::<Compound>(&compound, "/0/0/hull", Value::Null);
        rejects::<Compound>(&compound, "/0/0/radius_bits", json!((-1.0_f64).to_bits()));
        let cuboid: OwnedShape = Shape::cuboid([1.0; 3]).expect("valid").into();
        let cuboid = to_value(&cuboid).expect("written");
        for number in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            rejects::<OwnedShape>(&cuboid, "/bits/1", json!(number.to_bits()));
        }
        rejects::<OwnedShape>(&cuboid, "/bits", json!([0, 0]));
        rejects::<OwnedShape>(&cuboid, "/hull", json!([[0.0, 0.0, 0.0]]));
        rejects::<OwnedShape>(&cuboid, "/form", json!(3));
    }

    /// A map of the caller.
    #[derive(Debug)]
    struct Origin;

    impl SupportMap for Origin {
        fn support(&self, _: [f64; 3]) -> [f64; 3] {
            [0.0; 3]
        }

        fn bounding_radius(&self) -> f64 {
            1.0
        }
    }

    /// Goal: a shape that is code cannot be written.
    #[test]
    fn support_maps_are_not_written() {
        let custom = OwnedShape::custom(std::sync::Arc::new(Origin)).expect("valid");
        assert!(serde_json::to_string(&custom).is_err());
        let compound = Compound::new([(custom, Pose::IDENTITY)]).expect("valid");
        assert!(serde_json::to_string(&compound).is_err());
    }
}
