//! Tests that earlier ticks do not change the results of a pipeline, and that its counts add up.

use std::time::Duration;
use swath::batch::sweep;
use swath::pipeline::{BodyFlags, Config, ImpactKind, TickOutput};
use swath::{ConvexBody, Level, Motion, MovingBoxColumns, Pair, Pipeline, Pose, Scene, Shape};
use testkit::draw::Draw;

/// A tick: bodies in a room of this size.
struct Room {
    columns: [Vec<f32>; 9],
    convex: Vec<ConvexBody<'static>>,
    flags: Vec<BodyFlags>,
}

impl Room {
    fn new(seed: u64, rows: u32, half: f32, shaped: bool) -> Self {
        let mut draw = Draw::new(seed);
        let mut columns: [Vec<f32>; 9] = Default::default();
        let (mut convex, mut flags) = (Vec::new(), Vec::new());
        for row in 0..rows {
            let mut three = |most: f32| [(); 3].map(|()| draw.between(-most, most));
            let (position, side, delta) = (three(half), three(0.5).map(f32::abs), three(1.0));
            for axis in 0..3 {
                columns[axis].push(position[axis] - side[axis]);
                columns[3 + axis].push(position[axis] + side[axis]);
                columns[6 + axis].push(delta[axis]);
            }
            if shaped && draw.one_in(3) {
                let shape = Shape::cuboid(side).expect("sides are lengths");
                let motion = Motion::new(Pose::at(position).expect("a place"), delta);
                convex.push(ConvexBody { row, shape, motion: motion.expect("a motion") });
            }
            let sensor = if draw.one_in(6) { BodyFlags::SENSOR } else { BodyFlags::STILL };
            flags.push(BodyFlags::MOVES | sensor);
        }
        Self { columns, convex, flags }
    }

    fn boxes(&self) -> MovingBoxColumns<'_> {
        MovingBoxColumns::from_columns(self.columns.each_ref().map(Vec::as_slice))
            .expect("equally long")
    }

    fn scene(&self) -> Scene<'_, '_> {
        Scene::new(self.boxes()).convex(&self.convex).flagged(&self.flags)
    }
}

/// Crowds of equal and different numbers, in which bodies have many contacts or very few.
fn rooms() -> Vec<Room> {
    let kinds = [
        (300, 3.0, true),
        (300, 60.0, true),
        (300, 3.0, false),
        (300, 60.0, false),
        (40, 1.0, true),
        (0, 1.0, false),
        (900, 20.0, true),
        (900, 4.0, true),
        (33, 1.0, false),
    ];
    (1..)
        .zip(kinds)
        .map(|(seed, (rows, half, shaped))| Room::new(seed, rows, half, shaped))
        .collect()
}

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    change(&mut config);
    config
}

/// Goal: the contents of a pipeline's memory after a tick change no later one. Method: crowded and empty
/// rooms alternate, some with slow bodies, with one pipeline and with a new one for each; sensors are
/// recognised in all of them.
#[test]
fn used_pipeline_gives_the_results_of_a_new_one() {
    let rooms = rooms();
    let mut used = Pipeline::default();
    let (mut met, mut sparse) = (Vec::new(), 0);
    for turn in 0..4 {
        for (k, room) in rooms.iter().enumerate().cycle().skip(turn).take(rooms.len()) {
            let settings = config(|config| {
                config.fast = if turn % 2 == 1 { 0.8 } else { 0.0 };
                config.impacts_per_body = turn as u32 / 2;
            });
            used.set_config(settings);
            let mut new = Pipeline::new(settings);
            let [told, wanted] = [&mut used, &mut new].map(|pipeline| {
                let ticked = pipeline.tick(&room.scene()).expect("a tick");
                let slow: Vec<_> = ticked.slow().collect();
                (ticked.hash(), slow, ticked.impacts().to_vec(), ticked.sensed().to_vec())
            });
            assert_eq!(told, wanted, "room {k}, turn {turn}");
            let is_sensed = |pair: Pair| {
                let of = |row: u32| room.flags[row as usize];
                (of(pair.a) | of(pair.b)).has(BodyFlags::SENSOR)
            };
            assert!(told.2.iter().all(|impact| !is_sensed(impact.pair)), "room {k}");
            assert!(told.3.iter().all(|impact| is_sensed(impact.pair)), "room {k}");
            sparse += usize::from(told.3.len() > 3 && told.3.len() < 40 && room.flags.len() == 900);
            met.push(told.2.len());
        }
    }
    assert!(sparse > 0, "few meet sensors among many");
    assert!(met.iter().any(|&met| met > 500) && met.iter().any(|&met| met < 20), "{met:?}");
}

fn count(ticked: &TickOutput<'_>, limited: bool, slow: bool) {
    let stages = ticked.stats();
    assert_eq!(stages.candidates, stages.slow + stages.boxes + stages.apart + stages.convex);
    assert_eq!(stages.slow, ticked.slow().count());
    assert_eq!((stages.impacts, stages.sensed), (ticked.impacts().len(), ticked.sensed().len()));
    let told = stages.impacts + stages.sensed + stages.limited;
    assert_eq!(told, stages.boxes + stages.convex - stages.separated);
    assert_eq!((stages.limited > 0, stages.slow > 0), (limited, slow));
    let open = ticked.impacts().iter().chain(ticked.sensed());
    assert_eq!(stages.unresolved, open.filter(|of| of.kind == ImpactKind::Unresolved).count());
    assert!(stages.separated <= stages.convex && stages.rounds >= stages.convex as u64);
    let times = [stages.bounds_time, stages.pairs_time, stages.windows_time, stages.convex_time];
    assert_eq!(stages.total(), times.iter().sum::<Duration>() + stages.sort_time);
    assert!(stages.total() > Duration::ZERO);
    assert!(ticked.into_iter().eq(ticked.impacts()));
}

/// Goal: each candidate is counted once, by its result. Method: crowded rooms, with and without a threshold
/// and a limit; the counts are added up.
#[test]
fn counts_add_up() {
    for (fast, limit) in [(0.0, 0), (0.8, 0), (0.0, 1), (0.8, 1)] {
        for touch in [swath::convex::toi::Touch::Hit, swath::convex::toi::Touch::Ignore] {
            let settings = config(|c| (c.fast, c.impacts_per_body, c.touch) = (fast, limit, touch));
            let mut pipeline = Pipeline::new(settings);
            for room in [&rooms()[0], &rooms()[7]] {
                let ticked = pipeline.tick(&room.scene()).expect("a tick");
                assert!(ticked.stats().boxes > 50 && ticked.stats().convex > 50);
                count(&ticked, limit > 0, fast > 0.0);
            }
        }
    }
}

/// Goal: with a skin, an impact of two plain boxes is reported when their gap is the skin, at points of their
/// own faces. Method: a crowd on every level; the points are on the boxes at that time, the gap is the skin,
/// and the time is that of the sweep of an enlarged box.
#[test]
fn skin_is_the_gap_between_boxes() {
    let room = Room::new(3, 300, 4.0, false);
    let skin = 0.125;
    for level in Level::all() {
        let mut pipeline = Pipeline::with_exec(config(|c| c.target_distance = skin), level);
        let ticked = pipeline.tick(&room.scene()).expect("a tick");
        let mut apart = 0;
        for impact in ticked.impacts() {
            let Pair { a, b } = impact.pair;
            let [p, q] = [a, b].map(|row| room.boxes().get(row as usize));
            let larger = p.aabb.grown(skin).expect("a box");
            let grown = swath::MovingBox { aabb: larger, ..p };
            let wanted = sweep::one_to_one(&grown, &q).expect("boxes").first;
            assert!((impact.toi - wanted).abs() < 1e-5, "{impact:?}: {wanted}");
            let [at_p, at_q] = [p, q].map(|moving| moving.at(impact.toi));
            for axis in 0..3 {
                for (point, of) in [(impact.on_a, at_p), (impact.on_b, at_q)] {
                    let inside = of.min[axis] - 1e-5..=of.max[axis] + 1e-5;
                    assert!(inside.contains(&point[axis]), "{impact:?} {of:?}");
                }
            }
            let gap: f32 =
                (0..3).map(|k| (impact.on_b[k] - impact.on_a[k]) * impact.normal[k]).sum();
            if impact.kind == ImpactKind::Overlapping {
                assert!((gap + impact.depth - skin).abs() < 1e-4, "{impact:?}: {gap}");
            } else {
                assert!((gap - skin).abs() < 1e-4, "{impact:?}: {gap}");
                apart += 1;
            }
        }
        assert!(apart > 20 && ticked.impacts().len() - apart > 20, "{apart}");
    }
}

/// Goal: an invalid body stays invalid, whatever skin or acceleration enlarges it. Method: boxes that are
/// inverted by less than they are enlarged, and motions whose too large parts cancel each other. Each is
/// reported with the reason of the row alone, and nothing changes for the others.
#[test]
fn enlarged_invalid_bodies_stay_invalid() {
    let far = 1.5 * swath::COORD_MAX;
    let tiny = f32::from_bits(1);
    // Least and greatest x, displacement and acceleration.
    let bad = [
        [1.0, 0.5, 0.0, 8.0],
        [tiny, 0.0, 0.0, 1.0],
        [0.25, 0.125, 0.0, 0.0],
        [0.0, 1.0, far, -swath::COORD_MAX],
        [0.0, 1.0, 0.0, far],
        [f32::NAN, 1.0, 0.0, 1.0],
    ];
    let good = [[-3.0, -2.0, 4.0, 1.0], [0.0, 1.0, 0.0, 0.0]];
    for (skin, is_pulled) in [(0.0, true), (0.5, true), (0.5, false), (0.0, false)] {
        let rows: Vec<_> = bad.into_iter().chain(good).collect();
        let column = |k: usize| -> Vec<f32> { rows.iter().map(|row| row[k]).collect() };
        let (low, high, still) = ([0.0; 8], [1.0; 8], [0.0; 8]);
        let [min, max, delta, accel] = [0, 1, 2, 3].map(column);
        let boxes = MovingBoxColumns::new(
            [&min, &low, &low],
            [&max, &high, &high],
            [&delta, &still, &still],
        );
        let scene = Scene::new(boxes.expect("columns"));
        let scene = if is_pulled { scene.accelerating([&accel, &still, &still]) } else { scene };
        let mut pipeline = Pipeline::new(config(|c| c.target_distance = skin));
        let ticked = pipeline.tick(&scene).expect("a tick");
        let wanted: Vec<_> = (0..)
            .zip(&rows)
            .filter_map(|(row, &[min, max, delta, accel])| {
                let aabb = swath::Aabb { min: [min, 0.0, 0.0], max: [max, 1.0, 1.0] };
                let accel = [if is_pulled { accel } else { 0.0 }, 0.0, 0.0];
                let of = swath::batch::AcceleratingBox { aabb, delta: [delta, 0.0, 0.0], accel };
                Some((row, of.validate().err()?))
            })
            .collect();
        let told: Vec<_> = ticked.rejected().iter().map(|of| (of.row, of.reason)).collect();
        assert_eq!(told, wanted, "skin {skin}, pulled {is_pulled}");
        assert!(ticked.impacts().iter().any(|of| of.pair == Pair { a: 6, b: 7 }));
        for a in 0..6 {
            let why = pipeline.explain(&scene, Pair { a, b: 7 }).expect("there are such rows");
            assert!(is_pulled || a == 4 || why.impact().is_none(), "{why}");
        }
    }
}
