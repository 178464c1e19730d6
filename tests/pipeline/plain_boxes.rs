//! Tests of impacts of boxes without shape: points, speed, depth and settings, in large ticks and small ones.

use swath::batch::sweep;
use swath::convex::toi::Touch;
use swath::pipeline::{BodyFlags, Config, ImpactKind};
use swath::{MovingBoxColumns, Pair, Pipeline, Scene};

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    change(&mut config);
    config
}

/// Goal: the points, the closing speed and the depth of accelerated boxes are those at the reported time.
/// Method: closed forms; a box that falls on a slab, and one inside it, with a skin and without.
#[test]
fn accelerated_boxes_touch_on_their_curved_paths() {
    // The slab, a box that falls by 2 t², from a height of 0.5, and one that overlaps the slab by 0.25.
    let (min_x, max_x) = ([-9.0, 0.0, 5.0], [9.0, 1.0, 6.0]);
    let (min_y, max_y) = ([-1.0, 0.5, -0.25], [0.0, 1.5, 3.0]);
    let (low, high, still) = ([-1.0; 3], [1.0; 3], [0.0; 3]);
    let pull = [0.0, -4.0, -4.0];
    let boxes = MovingBoxColumns::new([&min_x, &min_y, &low], [&max_x, &max_y, &high], [&still; 3]);
    let scene = Scene::new(boxes.expect("columns")).accelerating([&still, &pull, &still]);
    for skin in [0.0, 0.125_f32] {
        let mut pipeline = Pipeline::new(config(|c| c.target_distance = skin));
        let ticked = pipeline.tick(&scene).expect("a tick");
        let [inside, falls] = ticked.impacts() else { panic!("{ticked:?}") };
        assert_eq!((inside.pair, falls.pair), (Pair { a: 0, b: 2 }, Pair { a: 0, b: 1 }));
        assert_eq!((inside.kind, inside.toi), (ImpactKind::Overlapping, 0.0));
        assert!((inside.depth - 0.25 - skin).abs() < 1e-6, "{inside:?}");
        let t = ((0.5 - skin) / 2.0).sqrt();
        assert!((falls.toi - t).abs() < 1e-5 && falls.kind == ImpactKind::Touching, "{falls:?}");
        assert!((falls.closing - 4.0 * t).abs() < 1e-4, "{falls:?}");
        assert_eq!(falls.normal, [0.0, 1.0, 0.0]);
        assert!((falls.on_b[1] - skin).abs() < 1e-5 && falls.on_a[1] == 0.0, "{falls:?}");
        // The middle of the common part.
        assert_eq!((falls.on_a[0], falls.on_b[0], falls.on_a[2]), (0.5, 0.5, 0.0));
        assert_eq!((inside.on_a[0], inside.on_b[0]), (5.5, 5.5));
    }
}

/// Goal: the points of an impact are in the middle of what the boxes share on the other axes, whichever of them is first. Method: a
/// box that flies at a greater one, which contains it on one axis and overlaps it on another.
#[test]
fn points_are_in_the_middle_of_the_common_part() {
    for flies in [0, 1] {
        let columns =
            |small: f32, great: f32| if flies == 0 { [small, great] } else { [great, small] };
        let (x, y, z) = (columns(0.0, 3.0), columns(2.0, 0.0), columns(2.0, 1.0));
        let (max_x, max_y, max_z) = (columns(1.0, 4.0), columns(3.0, 8.0), columns(3.0, 2.5));
        let (delta, still) = (columns(4.0, 0.0), [0.0; 2]);
        let max = [&max_x[..], &max_y, &max_z];
        let boxes = MovingBoxColumns::new([&x, &y, &z], max, [&delta, &still, &still]);
        let mut pipeline = Pipeline::default();
        let ticked = pipeline.tick(&Scene::new(boxes.expect("columns"))).expect("a tick");
        let [impact] = ticked.impacts() else { panic!("{ticked:?}") };
        for on in [impact.on_a, impact.on_b] {
            assert!((on[0] - 3.0).abs() < 1e-5, "{impact:?}");
            assert_eq!(on[1..], [2.5, 2.25]);
        }
    }
}

/// Goal: a mere touch at the start is reported according to the setting, for sensors always, and is counted.
/// Method: cubes side by side, one of them a sensor, at rest, for each setting.
#[test]
fn touches_at_the_start_follow_the_setting() {
    let (min, max) = ([0.0, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, 4.0]);
    let (low, high, still) = ([0.0; 4], [1.0; 4], [0.0; 4]);
    let boxes = MovingBoxColumns::new([&min, &low, &low], [&max, &high, &high], [&still; 3])
        .expect("columns");
    let mut flags = [BodyFlags::MOVES; 4];
    flags[3] = BodyFlags::MOVES | BodyFlags::SENSOR;
    for (touch, told) in [(Touch::Hit, 2), (Touch::IfClosing, 0), (Touch::Ignore, 0)] {
        let mut pipeline = Pipeline::new(config(|c| c.touch = touch));
        let ticked = pipeline.tick(&Scene::new(boxes).flagged(&flags)).expect("a tick");
        let (impacts, sensed, stages) = (ticked.impacts(), ticked.sensed(), ticked.stats());
        assert_eq!((impacts.len(), sensed.len()), (told, 1), "{touch:?}");
        assert_eq!(sensed[0].pair, Pair { a: 2, b: 3 });
        assert_eq!((stages.candidates, stages.boxes, stages.apart), (3, told + 1, 2 - told));
    }
}

/// Goal: an explanation has no impact of two boxes that touch by rounding alone, as the tick has none. Method: a box that
/// separates so fast from one below it that the time of contact before the tick is rounded to its start.
#[test]
fn boxes_that_touch_by_rounding_alone_have_no_explained_impact() {
    let (low, high, still) = ([0.0; 2], [1.0; 2], [0.0; 2]);
    let (min_z, max_z, delta_z) = ([0.0, 2.3e-38], [2.7e-40, 2.4e-38], [0.0, 1.4e13]);
    let boxes = MovingBoxColumns::new(
        [&low, &low, &min_z],
        [&high, &high, &max_z],
        [&still, &still, &delta_z],
    )
    .expect("columns");
    let swept = sweep::one_to_one(&boxes.get(0), &boxes.get(1)).expect("valid boxes");
    assert!(swept.contact.is_hit() && !boxes.get(0).bounds().overlaps(&boxes.get(1).bounds()));
    let (scene, pair) = (Scene::new(boxes), Pair { a: 0, b: 1 });
    let mut pipeline = Pipeline::new(config(|c| c.touch = Touch::Hit));
    assert!(pipeline.tick(&scene).expect("a tick").impacts().is_empty());
    let why = pipeline.explain(&scene, pair).expect("rows of the scene");
    assert_eq!(why.impact(), None, "{why}");
    assert!(why.to_string().contains("do not touch"), "{why}");
}

/// Goal: a displacement of exactly the threshold counts as fast. Method: two boxes that touch, with
/// thresholds near the displacement of one.
#[test]
fn displacement_of_the_threshold_is_fast() {
    let (min, max, delta) = ([0.0, 2.0], [1.0, 3.0], [1.5, 0.0]);
    let (low, high, still) = ([0.0; 2], [1.0; 2], [0.0; 2]);
    let boxes =
        MovingBoxColumns::new([&min, &low, &low], [&max, &high, &high], [&delta, &still, &still]);
    let scene = Scene::new(boxes.expect("columns"));
    for (fast, told) in [(1.5_f32.next_down(), 1), (1.5, 1), (1.5_f32.next_up(), 0)] {
        let mut pipeline = Pipeline::new(config(|c| c.fast = fast));
        let ticked = pipeline.tick(&scene).expect("a tick");
        assert_eq!((ticked.impacts().len(), ticked.slow().count()), (told, 1 - told), "{fast}");
    }
}

/// Goal: the flags of each row are read in a large tick. Method: twenty thousand pairs of overlapping boxes,
/// of which some rows are sensors.
#[test]
fn sensors_are_recognised_among_many_rows() {
    let pairs = 10_000_usize;
    let is_sensor = |row: usize| row % 7 == 3;
    let mut columns: [Vec<f32>; 9] = Default::default();
    for row in 0..2 * pairs {
        let x = 4.0 * (row % pairs) as f32;
        for (k, number) in [x, 0.0, 0.0, x + 1.0, 1.0, 1.0, 0.0, 0.0, 0.0].into_iter().enumerate() {
            columns[k].push(number);
        }
    }
    let flags: Vec<_> =
        (0..2 * pairs)
            .map(|row| {
                if is_sensor(row) { BodyFlags::MOVES | BodyFlags::SENSOR } else { BodyFlags::MOVES }
            })
            .collect();
    let boxes =
        MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("columns");
    let mut pipeline = Pipeline::default();
    let ticked = pipeline.tick(&Scene::new(boxes).flagged(&flags)).expect("a tick");
    let sensed = |k: usize| is_sensor(k) || is_sensor(k + pairs);
    let pair = |k: usize| Pair { a: k as u32, b: (k + pairs) as u32 };
    let wanted: Vec<_> = (0..pairs).filter(|&k| sensed(k)).map(pair).collect();
    assert!(ticked.sensed().iter().map(|of| of.pair).eq(wanted));
    assert_eq!(ticked.impacts().len() + ticked.sensed().len(), pairs);
}
