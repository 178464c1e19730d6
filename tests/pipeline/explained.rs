//! Tests of the texts of explanations, and of the impact that a single search gives.

use swath::convex::toi::{Toi, ToiResult};
use swath::pipeline::ImpactKind;
use swath::{Impact, MovingBoxColumns, Pair, Pipeline, Scene};

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
