//! Tests of the texts of explanations, and of the impact that a single search gives.

use swath::convex::SupportMap;
use swath::convex::toi::{Toi, ToiResult};
use swath::mesh::{Compound, HeightField};
use swath::pipeline::{BodyFlags, Config, GeometryBody, ImpactKind, PartImpacts};
use swath::{ConvexBody, Impact, Motion, MovingBoxColumns, Pair, Pipeline, Pose, Scene, Shape};

/// Goal: boxes that do not touch are explained by their times on each axis. Method: on x they would touch in the second half of the
/// tick, on y they overlap, and on z they are four apart; the other box is first, too.
#[test]
fn times_of_each_axis_are_explained() {
    let (x, y, z) = ([0.0, 3.0], [0.0, 0.25], [0.0, 5.0]);
    let max = [x, y, z].map(|column| column.map(|min| min + 1.0));
    let (delta, still) = ([0.0, -4.0], [0.0; 2]);
    let boxes = MovingBoxColumns::new(
        [&x, &y, &z],
        max.each_ref().map(|column| &column[..]),
        [&delta, &still, &still],
    );
    let scene = Scene::new(boxes.expect("columns"));
    assert_eq!((scene.len(), scene.is_empty()), (2, false));
    let empty = MovingBoxColumns::new([&[]; 3], [&[]; 3], [&[]; 3]);
    assert!(Scene::new(empty.expect("columns")).is_empty());
    for (a, b) in [(0, 1), (1, 0)] {
        let explanation = Pipeline::default().explain(&scene, Pair { a, b }).expect("two boxes");
        assert_eq!(explanation.impact(), None);
        let text = explanation.to_string();
        for line in [
            "on axis x they would touch from 0.5 to 1 of the tick",
            "on axis y they overlap all the time",
            "on axis z they are 4 apart and stay so",
        ] {
            assert!(text.contains(line), "{text}");
        }
    }
}

/// Goal: a limit of impacts is mentioned if there is one and the pair has an impact. Method: boxes that overlap, and boxes that are apart.
#[test]
fn limit_of_impacts_is_explained_for_an_impact_alone() {
    let (low, still) = ([0.0; 3], [0.0; 3]);
    let (x, max_x, high) = ([0.0, 0.5, 9.0], [1.0, 1.5, 10.0], [1.0; 3]);
    let boxes = MovingBoxColumns::new([&x, &low, &low], [&max_x, &high, &high], [&still; 3]);
    let scene = Scene::new(boxes.expect("columns"));
    for (limit, b, is_mentioned) in [(1, 1, true), (0, 1, false), (1, 2, false), (0, 2, false)] {
        let mut config = Config::default();
        config.impacts_per_body = limit;
        let explanation = Pipeline::new(config).explain(&scene, Pair { a: 0, b });
        let explanation = explanation.expect("rows of the scene");
        assert_eq!(explanation.impact().is_some(), b == 1, "{explanation}");
        let text = explanation.to_string();
        assert_eq!(text.contains("among the first 1 impacts"), is_mentioned, "{text}");
        assert_eq!(text.contains("among the first"), is_mentioned, "{text}");
    }
}

/// Goal: a limit of impacts is not mentioned for a sensor, because its impacts are all reported. Method: two boxes that
/// overlap, of which either, both or none is a sensor, and as many impacts as the tick reports.
#[test]
fn limit_of_impacts_is_not_explained_for_sensors() {
    let boxes = MovingBoxColumns::new([&[0.0; 2]; 3], [&[1.0; 2]; 3], [&[0.0; 2]; 3]);
    let boxes = boxes.expect("columns");
    let mut config = Config::default();
    config.impacts_per_body = 1;
    let mut pipeline = Pipeline::new(config);
    let (plain, sensor) = (BodyFlags::MOVES, BodyFlags::MOVES | BodyFlags::SENSOR);
    for flags in [[plain; 2], [sensor, plain], [plain, sensor], [sensor; 2]] {
        let scene = Scene::new(boxes).flagged(&flags);
        let explanation = pipeline.explain(&scene, Pair { a: 0, b: 1 }).expect("two boxes");
        let is_limited = flags == [plain; 2];
        let text = explanation.to_string();
        assert_eq!(text.contains("among the first 1 impacts"), is_limited, "{text}");
        let ticked = pipeline.tick(&scene).expect("a scene");
        assert_eq!(
            (ticked.impacts().len(), ticked.sensed().len()),
            match is_limited {
                true => (1, 0),
                false => (0, 1),
            }
        );
    }
}

/// Goal: a body with parts is named by its kind. Method: a height field below a box.
#[test]
fn height_field_is_named() {
    let field = HeightField::new(vec![0.0; 4], [2, 2], [1.0, 1.0]).expect("a field");
    let body = GeometryBody { row: 1, geometry: (&field).into(), motion: Motion::default() };
    let boxes = MovingBoxColumns::new([&[0.0; 2]; 3], [&[1.0; 2]; 3], [&[0.0; 2]; 3]);
    let bodies = [body];
    let scene = Scene::new(boxes.expect("columns")).geometries(&bodies);
    let explanation = Pipeline::default().explain(&scene, Pair { a: 0, b: 1 });
    let text = explanation.expect("rows of the scene").to_string();
    assert!(
        text.contains("Row 0 is a box.") && text.contains("Row 1 is a height field."),
        "{text}"
    );
}

/// Goal: an unresolved search gives the time that it has proved free, an overlap the start of the window, and a separation no impact.
#[test]
fn unresolved_search_gives_the_time_that_is_free() {
    let pair = Pair { a: 1, b: 2 };
    let of = |result| Impact::from_toi(pair, [0.25, 0.75], &Toi { result, ..Toi::default() });
    let impact = of(ToiResult::Unresolved { t_safe: 0.5 }).expect("an impact");
    assert_eq!((impact.pair, impact.toi, impact.last), (pair, 0.5, 0.75));
    assert_eq!(impact.kind, ImpactKind::Unresolved);
    let (normal, on_a, on_b) = ([0.0, 1.0, 0.0], [1.0; 3], [2.0; 3]);
    let overlap = ToiResult::Overlapping { depth: 3.0, normal, on_a, on_b, closing: 4.0 };
    let impact = of(overlap).expect("an impact");
    assert_eq!((impact.kind, impact.toi, impact.depth), (ImpactKind::Overlapping, 0.25, 3.0));
    assert_eq!((impact.normal, impact.on_a, impact.on_b), (normal, on_a, on_b));
    assert_eq!(of(ToiResult::Separated), None);
}

/// A ball of radius 1 whose support points are only numbers for directions along an axis.
#[derive(Debug)]
struct Faulty;

impl SupportMap for Faulty {
    fn support(&self, direction: [f64; 3]) -> [f64; 3] {
        let is_along_an_axis = direction.iter().filter(|&&x| x == 0.0).count() == 2;
        direction.map(|x| if is_along_an_axis { x.signum() * x.abs().min(1.0) } else { f64::NAN })
    }

    fn bounding_radius(&self) -> f64 {
        1.0
    }
}

/// Goal: searches without a result are counted, each once. Method: three bodies that overlap, whose support points are not numbers.
#[test]
fn unresolved_searches_are_counted() {
    let bodies: Vec<_> = (0..3)
        .map(|row| {
            let pose = Pose::at([0.4, 0.3, 0.2].map(|x| x * row as f32)).expect("a pose");
            let motion = Motion::new(pose, [0.25; 3]).expect("a motion");
            ConvexBody { row, shape: Shape::custom(&Faulty).expect("a ball"), motion }
        })
        .collect();
    let zeros = [0.0; 3];
    let boxes = MovingBoxColumns::new([&zeros; 3], [&zeros; 3], [&zeros; 3]).expect("columns");
    let mut pipeline = Pipeline::default();
    let output = pipeline.tick(&Scene::new(boxes).convex(&bodies)).expect("a scene");
    let is_unresolved = |impact: &Impact| impact.kind == ImpactKind::Unresolved;
    assert_eq!(output.impacts().len(), 3);
    assert!(output.impacts().iter().all(is_unresolved), "{:?}", output.impacts());
    assert_eq!(output.stats().unresolved, 3);
}

/// Goal: a pair is counted once as unresolved, however many of its parts are. Method: a ball whose support points are not
/// numbers, and a compound of two cuboids that overlap it.
#[test]
fn pair_with_unresolved_parts_is_counted_once() {
    let pose = |at| Pose::at(at).expect("a pose");
    let motion = |at| Motion::new(pose(at), [0.25; 3]).expect("a motion");
    let part = |x: f32| (Shape::cuboid([0.5; 3]).expect("a cuboid").into(), pose([x, 0.3, 0.2]));
    let compound = Compound::new([part(0.4), part(-0.4)]).expect("valid");
    let ball = Shape::custom(&Faulty).expect("a ball");
    let convex = [ConvexBody { row: 0, shape: ball, motion: motion([0.0; 3]) }];
    let geometries =
        [GeometryBody { row: 1, geometry: (&compound).into(), motion: Motion::default() }];
    let boxes = MovingBoxColumns::new([&[0.0; 2]; 3], [&[0.0; 2]; 3], [&[0.0; 2]; 3]);
    let scene = Scene::new(boxes.expect("columns")).convex(&convex).geometries(&geometries);
    let mut config = Config::default();
    config.part_impacts = PartImpacts::Each;
    let mut pipeline = Pipeline::new(config);
    let output = pipeline.tick(&scene).expect("a scene");
    let is_unresolved = |impact: &Impact| impact.kind == ImpactKind::Unresolved;
    assert_eq!(output.impacts().len(), 2);
    assert!(output.impacts().iter().all(is_unresolved), "{:?}", output.impacts());
    let stats = output.stats();
    assert_eq!((stats.convex, stats.unresolved, stats.separated), (1, 1, 0));
}

/// Goal: pairs of bodies that do not meet although their boxes do are counted, each once. Method: a ball between two others on a diagonal.
#[test]
fn pairs_of_bodies_that_do_not_meet_are_counted() {
    let ball = Shape::sphere(0.5).expect("a ball");
    let body = |row: u32| {
        let pose = Pose::at([0.8 * row as f32; 3]).expect("a pose");
        ConvexBody { row, shape: ball, motion: Motion::new(pose, [0.0; 3]).expect("a motion") }
    };
    let bodies = [body(0), body(1), body(2)];
    let boxes = MovingBoxColumns::new([&[0.0; 3]; 3], [&[0.0; 3]; 3], [&[0.0; 3]; 3]);
    let scene = Scene::new(boxes.expect("columns")).convex(&bodies);
    let mut pipeline = Pipeline::default();
    let output = pipeline.tick(&scene).expect("a scene");
    assert!(output.impacts().is_empty());
    let stats = output.stats();
    assert_eq!((stats.convex, stats.unresolved, stats.separated), (2, 0, 2));
}
