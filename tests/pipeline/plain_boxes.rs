//! Tests of impacts of boxes without shape: points, speed, depth and settings, in large ticks and small ones.

use swath::batch::sweep;
use swath::convex::toi::Touch;
use swath::pipeline::{BodyFlags, Config, ImpactKind};
use swath::{ConvexBody, Impact, Motion, MovingBoxColumns, Pair, Pipeline, Pose, Scene, Shape};
use testkit::draw::Draw;

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
        let stages = ticked.stats();
        assert_eq!((stages.candidates, stages.boxes, stages.apart), (2, 2, 0));
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
    for (touch, reported) in [(Touch::Hit, 2), (Touch::IfClosing, 0), (Touch::Ignore, 0)] {
        let mut pipeline = Pipeline::new(config(|c| c.touch = touch));
        let ticked = pipeline.tick(&Scene::new(boxes).flagged(&flags)).expect("a tick");
        let (impacts, sensed, stages) = (ticked.impacts(), ticked.sensed(), ticked.stats());
        assert_eq!((impacts.len(), sensed.len()), (reported, 1), "{touch:?}");
        assert_eq!(sensed[0].pair, Pair { a: 2, b: 3 });
        assert_eq!(
            (stages.candidates, stages.boxes, stages.apart),
            (3, reported + 1, 2 - reported)
        );
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
    for (fast, reported) in [(1.5_f32.next_down(), 1), (1.5, 1), (1.5_f32.next_up(), 0)] {
        let mut pipeline = Pipeline::new(config(|c| c.fast = fast));
        let ticked = pipeline.tick(&scene).expect("a tick");
        assert_eq!(
            (ticked.impacts().len(), ticked.slow().count()),
            (reported, 1 - reported),
            "{fast}"
        );
    }
}

/// Goal: the flags of each row are read in a large tick, and results are counted. Method: ten thousand pairs of boxes that overlap, or
/// merely touch and are at rest, of which some rows are sensors.
#[test]
fn sensors_are_recognised_among_many_rows() {
    let pairs = 10_000_usize;
    let is_sensor = |row: usize| row % 7 == 3;
    let touches = |k: usize| k % 5 == 4;
    let mut columns: [Vec<f32>; 9] = Default::default();
    for row in 0..2 * pairs {
        let beside = row >= pairs && touches(row % pairs);
        let x = 4.0 * (row % pairs) as f32 + if beside { 1.0 } else { 0.0 };
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
    let wanted: Vec<_> = (0..pairs).filter(|&k| !sensed(k) && !touches(k)).map(pair).collect();
    assert!(ticked.impacts().iter().map(|of| of.pair).eq(wanted.iter().copied()));
    let (stages, reported) = (ticked.stats(), wanted.len() + ticked.sensed().len());
    assert_eq!((stages.candidates, stages.convex), (pairs, 0));
    assert_eq!((stages.boxes, stages.apart), (reported, pairs - reported));
}

/// The impacts of two boxes, given by their corners, of which the second has this displacement and acceleration.
fn impacts_of(
    pipeline: &mut Pipeline,
    [a, b]: [[[f32; 3]; 2]; 2],
    [delta, accel]: [[f32; 3]; 2],
) -> Vec<Impact> {
    let columns = |first: [f32; 3], second: [f32; 3]| [0, 1, 2].map(|k| [first[k], second[k]]);
    let (min, max) = (columns(a[0], b[0]), columns(a[1], b[1]));
    let (delta, accel) = (columns([0.0; 3], delta), columns([0.0; 3], accel));
    let [min, max, delta, accel] =
        [&min, &max, &delta, &accel].map(|columns| columns.each_ref().map(|column| &column[..]));
    let boxes = MovingBoxColumns::new(min, max, delta).expect("columns");
    let ticked = pipeline.tick(&Scene::new(boxes).accelerating(accel));
    ticked.expect("a tick").impacts().to_vec()
}

/// Goal: two boxes that touch at the start, part and meet again have an impact when they meet again, however short the way
/// between is, and also with a target distance. Method: closed forms; a box that is thrown off the top, the side or the
/// corner of another, and returns after less than the tolerance of a search of shapes, within rounding, or not at all.
#[test]
fn boxes_that_part_and_meet_again_have_an_impact_then() {
    let cube = [[0.0; 3], [1.0; 3]];
    let at = |[x, y]: [f32; 2]| [[x, y, 0.0], [x + 1.0, y + 1.0, 1.0]];
    let up = |delta: f32, accel: f32| [[0.0, delta, 0.0], [0.0, accel, 0.0]];
    let corner = [[1.0, 2.0, 0.0], [-4.0, -4.0, 0.0]];
    // Target distance, place of the second box, its displacement and acceleration; time and axis of the impact.
    let cases = [
        (1.0, [2.0, 0.0], [[4.0, 1.9, 0.0], [-8.2, 0.0, 0.0]], Some((0.975_609_8, 0))),
        (0.0, [0.0, 1.0], up(2e-4, -8e-4), Some((0.5, 1))),
        (0.0, [0.0, 1.0], up(2e-4, -4.4e-4), Some((0.909_090_9, 1))),
        (0.0, [0.0, 1.0], up(2e-4, -3.9e-4), None),
        (0.5, [0.0, 1.5], up(2e-4, -8e-4), Some((0.5, 1))),
        (0.0, [0.0, 1.0], up(2.0, 1.0), None),
        (0.0, [1.0, 0.0], [[2.0, 0.0, 0.0], [-8.0, 0.0, 0.0]], Some((0.5, 0))),
        // Above the other when it returns on x, and back on both axes.
        (0.0, [1.0, 0.0], [[2.0, 3.0, 0.0], [-8.0, 0.0, 0.0]], None),
        (0.0, [1.0, 1.0], corner, Some((1.0, 1))),
        // The time of the return is rounded to the start.
        (0.0, [0.0, 1.0], up(1e-20, -1.0), Some((0.0, 1))),
        (0.0, [0.0, 1.0], up(f32::from_bits(1), -1.0), Some((0.0, 1))),
        // It slides as long as it is above the other.
        (0.0, [0.0, 1.0], [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], None),
    ];
    for (case, (target, place, motion, wanted)) in cases.into_iter().enumerate() {
        for touch in [Touch::IfClosing, Touch::Ignore] {
            let mut pipeline = Pipeline::new(config(|c| {
                (c.touch, c.target_distance) = (touch, target);
            }));
            let impacts = impacts_of(&mut pipeline, [cube, at(place)], motion);
            let text = format!("{case}, {touch:?}: {impacts:?}");
            let Some((toi, axis)) = wanted else {
                assert!(impacts.is_empty(), "{text}");
                continue;
            };
            let [impact] = impacts[..] else { panic!("{text}") };
            // The displacements are rounded, and so are the times.
            assert!(impact.toi <= toi + 1e-6 && impact.toi >= toi - 1e-5, "{text}");
            assert_eq!(impact.normal, [0, 1, 2].map(|k| f32::from(u8::from(k == axis))), "{text}");
            let ignores = toi == 0.0 && touch == Touch::Ignore;
            let kind = if ignores { ImpactKind::Overlapping } else { ImpactKind::Touching };
            assert_eq!((impact.kind, impact.depth), (kind, 0.0), "{text}");
            assert!(impact.last >= impact.toi && (impact.closing > 0.0 || toi == 0.0), "{text}");
        }
    }
}

/// Goal: no second contact of accelerated boxes is missed or late. Method: boxes at multiples of a half that touch at the
/// start without closing, compared with their gap at 2,049 times.
#[test]
fn second_contacts_are_those_of_the_gap() {
    let mut state = 7_u64;
    let mut whole = |low: i32, high: i32| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        0.5 * (low + (state >> 33) as i32 % (high - low + 1)) as f32
    };
    let mut counts = [0; 2];
    for target in [0.0, 0.5, 1.0_f32] {
        let mut pipeline = Pipeline::new(config(|c| c.target_distance = target));
        for _ in 0..20_000 {
            let mut draw = || {
                let min = [(); 3].map(|()| whole(-4, 4));
                [min, min.map(|x| x + whole(0, 4))]
            };
            let (a, b) = (draw(), draw());
            let motion = [16, 32].map(|most| [(); 3].map(|()| whole(-most, most)));
            let gap_at = |t: f64| {
                (0..3).fold(f64::NEG_INFINITY, |gap, k| {
                    let wide = |x: f32| f64::from(x);
                    let by = t * (wide(motion[0][k]) + 0.5 * t * wide(motion[1][k]));
                    let gaps = [wide(b[0][k] - a[1][k]) + by, wide(a[0][k] - b[1][k]) - by];
                    gap.max(gaps[0]).max(gaps[1])
                })
            };
            let over = |step: i32| gap_at(f64::from(step) / 2048.0) - f64::from(target);
            // At the start they touch, and part at once.
            if over(0) != 0.0 || over(1) <= 0.0 {
                continue;
            }
            let impacts = impacts_of(&mut pipeline, [a, b], motion);
            let text = || format!("{target}: {a:?} {b:?} {motion:?}: {impacts:?}");
            let meets = (1..=2048).find(|&step| over(step) <= 0.0);
            if let Some(step) = meets {
                assert_eq!(impacts.len(), 1, "{}", text());
                assert!(impacts[0].toi <= step as f32 / 2048.0, "{}", text());
                counts[0] += 1;
            }
            for impact in &impacts {
                assert!(impact.toi > 0.0 && impact.kind == ImpactKind::Touching, "{}", text());
                assert!(gap_at(impact.toi.into()) <= f64::from(target) + 1e-3, "{}", text());
                counts[1] += 1;
            }
        }
    }
    assert!(counts[0] > 200 && counts[1] < counts[0] + counts[0] / 10, "{counts:?}");
}

/// Goal: with `Touch::Ignore`, boxes that touch at the start and then overlap are reported as an overlap, whether one is
/// accelerated or not; boxes that part or slide are not. Method: two cubes side by side that close, rest and part, with an
/// acceleration that changes nothing and without.
#[test]
fn overlap_after_an_ignored_touch_is_reported() {
    let cubes = [[[0.0; 3], [1.0; 3]], [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0]]];
    for accel in [0.0, -1e-30] {
        for (delta, reported) in [([-0.5, 0.0, 0.0], 1), ([0.0, 1.0, 0.0], 0), ([0.5, 0.0, 0.0], 0)]
        {
            let mut pipeline = Pipeline::new(config(|c| c.touch = Touch::Ignore));
            let impacts = impacts_of(&mut pipeline, cubes, [delta, [0.0, 0.0, accel]]);
            assert_eq!(impacts.len(), reported, "{accel} {delta:?}: {impacts:?}");
            for Impact { toi, kind, depth, normal, closing, .. } in impacts {
                assert_eq!((toi, kind, depth), (0.0, ImpactKind::Overlapping, 0.0));
                assert_eq!((normal, closing), ([1.0, 0.0, 0.0], 0.5));
            }
        }
    }
}

/// Goal: boxes that rest on each other, separate and touch again within the tick are reported at the second
/// contact. Method: a box thrown up from a floor that it touches: not closing at the start, back at two
/// thirds.
#[test]
fn second_contact_in_a_tick_is_reported() {
    let (min_y, max_y) = ([-1.0, 0.0], [0.0, 1.0]);
    let (low, high, still) = ([-1.0; 2], [1.0; 2], [0.0; 2]);
    let (up, pull) = ([0.0, 4.0], [0.0, -12.0]);
    let boxes =
        MovingBoxColumns::new([&low, &min_y, &low], [&high, &max_y, &high], [&still, &up, &still]);
    let scene = Scene::new(boxes.expect("columns")).accelerating([&still, &pull, &still]);
    let mut pipeline = Pipeline::default();
    let ticked = pipeline.tick(&scene).expect("a scene");
    let [impact] = ticked.impacts() else { panic!("{ticked:?}") };
    assert!(impact.toi <= 2.0 / 3.0 && impact.toi > 0.666, "{impact:?}");
    assert!(impact.closing > 3.9 && impact.normal[1] > 0.999, "{impact:?}");
}

/// Goal: a plain box that meets a convex shape is the box itself, although its centre has more digits than an `f32`. Method: balls that
/// fly at the upper or the lower face of boxes at random heights touch it within the tolerance, in `f64`; balls that rest on the upper
/// face exactly, and slide, have no impact.
#[test]
fn plain_box_is_not_enlarged_for_convex_shapes() {
    let mut draw = Draw::new(3);
    let mut pipeline = Pipeline::new(Config::default());
    let (mut touched, mut resting) = (0, 0);
    for case in 0..4000 {
        let low = draw.between(-1000.0, 1000.0);
        let high = low + draw.between(0.1, 2.0);
        let (lows, highs) = ([low, 0.0], [high, 1.0]);
        let boxes = MovingBoxColumns::new(
            [&[-9.0, 0.0], &lows, &[-9.0, 0.0]],
            [&[9.0, 1.0], &highs, &[9.0, 1.0]],
            [&[0.0; 2]; 3],
        );
        let boxes = boxes.expect("the columns are equally long");
        let mut tick = |radius: f32, y: f32, delta: [f32; 3]| {
            let motion = Motion::new(Pose::at([0.5, y, 0.5]).expect("a pose"), delta);
            let motion = motion.expect("a motion");
            let shape = Shape::sphere(radius).expect("a ball");
            let bodies = [ConvexBody { row: 1, shape, motion }];
            let ticked = pipeline.tick(&Scene::new(boxes).convex(&bodies)).expect("a scene");
            ticked.impacts().to_vec()
        };
        let up = case % 2 == 0;
        let (y, toward) = if up { (high + 0.9, -2.0) } else { (low - 0.9, 2.0) };
        let [impact] = tick(0.1, y, [0.0, toward, 0.0])[..] else { panic!("{low} {high}") };
        assert_eq!(impact.kind, ImpactKind::Touching, "{low} {high}");
        let at = f64::from(y) + f64::from(toward) * f64::from(impact.toi);
        let gap = if up { at - f64::from(high) } else { f64::from(low) - at } - f64::from(0.1_f32);
        let tolerance = f64::from(Config::default().tolerance) * 0.1 * 3.0_f64.sqrt();
        assert!((0.0..=tolerance).contains(&gap), "{low} {high} {gap}");
        touched += 1;
        if f64::from(high + 0.5) == f64::from(high) + 0.5 {
            assert!(tick(0.5, high + 0.5, [1.0, 0.0, 0.0]).is_empty(), "{low} {high}");
            resting += 1;
        }
    }
    assert!(touched == 4000 && resting > 1000, "{touched} {resting}");
}
