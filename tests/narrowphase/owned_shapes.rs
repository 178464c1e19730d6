//! Tests that a shape that owns its hull gives the results of the shape that borrows it.

use std::sync::{Arc, LazyLock};

use swath::convex::{Hull, OwnedShape, gjk};
use swath::{Pose, Shape};
use testkit::ball_map::BallMap;

/// Goal: an owned shape gives the bits of the borrowed one, scaled and rounded too, also when the caller has
/// dropped the hull. Method: bounds and distances of both, for every kind of core.
#[test]
fn owned_shape_gives_the_results_of_the_borrowed_one() {
    let points: [[f32; 3]; 5] =
        [[0.0; 3], [1.0, 0.0, 0.25], [0.0, 2.0, 0.0], [0.0, 0.5, 1.0], [-1.0, 0.0, 0.5]];
    let hull = Hull::new(points).unwrap();
    let map = BallMap(0.75);
    let plain = [
        Shape::point(),
        Shape::cuboid([1.0, 2.0, 0.5]).unwrap(),
        Shape::capsule(1.0, 0.5).unwrap(),
        Shape::cylinder(1.0, 0.5).unwrap(),
        Shape::cone(1.0, 0.5).unwrap(),
        Shape::triangle([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unwrap(),
    ];
    let mut shapes: Vec<(Shape<'_>, OwnedShape)> =
        plain.iter().map(|&shape| (shape, shape.into())).collect();
    // The owned shapes are the only owners of their hulls.
    shapes.push((Shape::hull(&hull), OwnedShape::hull(hull.clone())));
    shapes
        .push((Shape::custom(&map).unwrap(), OwnedShape::custom(Arc::new(BallMap(0.75))).unwrap()));
    // These borrow something that is never freed.
    static BALL: BallMap = BallMap(0.75);
    static HULL: LazyLock<Hull> =
        LazyLock::new(|| Hull::new([[0.0; 3], [1.0, 0.0, 0.25], [0.0, 2.0, 0.5]]).unwrap());
    let fixed = [Shape::hull(&HULL), Shape::custom(&BALL).unwrap()];
    shapes.extend(fixed.map(|shape| (shape, OwnedShape::from(shape))));
    let pose = Pose::normalized([3.0, -1.0, 4.0], [0.1, 0.2, 0.3, 0.9]).unwrap();
    let mut compared = 0;
    for (borrowed, owned) in shapes {
        let mut pairs = vec![(borrowed, owned.clone())];
        let factors = [2.0, -2.0, 2.0];
        pairs.push((borrowed.scaled(factors).unwrap(), owned.scaled(factors).unwrap()));
        let (both, of_both) = (borrowed.rounded(0.5), owned.rounded(0.5));
        pairs.push((
            both.unwrap().scaled([0.5; 3]).unwrap(),
            of_both.unwrap().scaled([0.5; 3]).unwrap(),
        ));
        assert_eq!(borrowed.rounded(-1.0).err(), owned.rounded(-1.0).err());
        for (borrowed, owned) in pairs {
            assert_eq!(format!("{borrowed:?}"), format!("{:?}", owned.shape()));
            assert_eq!(borrowed.bounds(&pose), owned.shape().bounds(&pose));
            let distance =
                |a: &Shape<'_>| gjk::distance(a, &pose, &plain[1], &Pose::IDENTITY).unwrap();
            assert_eq!(distance(&borrowed), distance(&owned.shape()));
            compared += 1;
        }
    }
    assert_eq!(compared, 30);
    let rejected = OwnedShape::custom(Arc::new(BallMap(f64::NAN)));
    assert_eq!(rejected.err(), Shape::custom(&BallMap(f64::NAN)).err());
}
