//! Tests of `Pipeline::tick`: flags, filters, sensors, limits, invalid rows, captured ticks and proxies.

use std::sync::LazyLock;
use swath::batch::{AcceleratingBox, sweep};
use swath::convex::toi::{ToiResult, Touch};
use swath::convex::{Hull, toi};
use swath::pipeline::{BodyFlags, Capture, CaptureError, Config, ImpactKind, VERSION};
use swath::{
    Aabb, Broadphase, ConvexBody, Filter, Impact, Invalid, Level, Motion, MovingBoxColumns, Pair,
    Pipeline, Pose, Proxy, Scene, Shape, Threads,
};
use testkit::draw::Draw;

/// Bodies of every kind in columns.
struct BodyColumns {
    columns: [Vec<f32>; 12],
    convex: Vec<ConvexBody<'static>>,
    flags: Vec<BodyFlags>,
    filters: Vec<Filter>,
}

/// The hull of all scenes, which shapes borrow during the whole test.
static HULL: LazyLock<Hull> = LazyLock::new(|| {
    let mut draw = Draw::new(7);
    Hull::new((0..20).map(|_| vector(&mut draw, 0.8))).expect("a cloud")
});

fn vector(draw: &mut Draw, most: f32) -> [f32; 3] {
    [(); 3].map(|()| draw.between(-most, most))
}

impl BodyColumns {
    /// A crowd of boxes with and without acceleration, and of shapes with and without rotation.
    fn new(seed: u64, count: u32) -> Self {
        let mut draw = Draw::new(seed);
        let (columns, convex, flags, filters) = Default::default();
        let mut bodies = Self { columns, convex, flags, filters };
        for row in 0..count {
            let (at, half) = (vector(&mut draw, 7.0), vector(&mut draw, 0.7).map(f32::abs));
            let still = draw.one_in(4);
            let speed = draw.one_of(&[0.0, 1.0, 8.0]);
            let (delta, accel) = (vector(&mut draw, speed), vector(&mut draw, 2.0));
            let [delta, accel] = [delta, accel].map(|x| if still { [0.0; 3] } else { x });
            let accel = if draw.one_in(2) { [0.0; 3] } else { accel };
            for axis in 0..3 {
                bodies.columns[axis].push(at[axis] - half[axis]);
                bodies.columns[3 + axis].push(at[axis] + half[axis]);
                bodies.columns[6 + axis].push(delta[axis]);
                bodies.columns[9 + axis].push(accel[axis]);
            }
            if draw.one_in(2) {
                let shape = match row % 5 {
                    0 => Shape::sphere(half[0]),
                    1 => Shape::cuboid(half).and_then(|shape| shape.rounded(0.1)),
                    2 => Shape::cone(half[0], half[1]),
                    3 => Ok(Shape::hull(&HULL)),
                    _ => Shape::triangle([[0.0; 3], half, [half[0], 0.0, 0.3]]),
                };
                let spin = if still || draw.one_in(2) { [0.0; 3] } else { vector(&mut draw, 2.0) };
                let motion = Motion { pose: Pose::at(at).expect("one"), delta, accel, spin };
                bodies.convex.push(ConvexBody { row, shape: shape.expect("a shape"), motion });
            }
            let mut flags = if still { BodyFlags::STILL } else { BodyFlags::MOVES };
            flags = if draw.one_in(8) { flags | BodyFlags::SENSOR } else { flags };
            flags = if draw.one_in(8) { flags | BodyFlags::CCD } else { flags };
            bodies.flags.push(flags);
            bodies.filters.push(draw.one_of(&[
                Filter::ALL,
                Filter::ALL,
                Filter::new(1, 2),
                Filter::new(2, 1),
                Filter::new(1 << 20, 3),
                Filter::new(1 << 20 | 1, 1 << 21 | 2),
            ]));
        }
        bodies
    }

    fn boxes(&self) -> MovingBoxColumns<'_> {
        let [boxes @ .., _, _, _] = self.columns.each_ref().map(Vec::as_slice);
        MovingBoxColumns::from_columns(boxes).expect("equally long")
    }

    fn scene(&self) -> Scene<'_, '_> {
        let [.., x, y, z] = self.columns.each_ref().map(Vec::as_slice);
        Scene::new(self.boxes())
            .accelerating([x, y, z])
            .convex(&self.convex)
            .flagged(&self.flags)
            .filtered(&self.filters)
    }

    fn accelerating(&self, row: u32) -> AcceleratingBox {
        let of = |k: usize| std::array::from_fn(|axis| self.columns[3 * k + axis][row as usize]);
        AcceleratingBox { aabb: Aabb { min: of(0), max: of(1) }, delta: of(2), accel: of(3) }
    }

    fn is_convex(&self, row: u32) -> bool {
        self.convex.binary_search_by_key(&row, |convex| convex.row).is_ok()
    }

    fn body(&self, row: u32) -> (Shape<'_>, Motion) {
        if let Ok(at) = self.convex.binary_search_by_key(&row, |convex| convex.row) {
            return (self.convex[at].shape, self.convex[at].motion);
        }
        let AcceleratingBox { aabb, delta, accel } = self.accelerating(row);
        let pose = Pose::at(aabb.center()).expect("a pose");
        let shape = Shape::cuboid(aabb.half_extents()).expect("a box");
        (shape, Motion { pose, delta, accel, spin: [0.0; 3] })
    }
}

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config::default();
    change(&mut config);
    config
}

/// Goal: impacts of accelerated and rotating bodies are never missed and never late, in the window of their
/// boxes as without it. Method: every pair is tested alone over the whole tick; if the results differ, the
/// distance at the reported time is within the tolerance.
#[test]
fn windows_lose_no_impact() {
    let mut told = 0;
    for seed in 0..12 {
        let bodies = BodyColumns::new(seed, 120);
        let target_distance = [0.0, 0.05][seed as usize % 2];
        let config = config(|config| config.target_distance = target_distance);
        let mut pipeline = Pipeline::new(config);
        let ticked = pipeline.tick(&bodies.scene()).expect("a scene");
        let all: Vec<Impact> = ticked.impacts().iter().chain(ticked.sensed()).copied().collect();
        for b in 0..120_u32 {
            for a in 0..b {
                let pair = Pair { a, b };
                let [of_a, of_b] = [a, b].map(|row| bodies.flags[row as usize]);
                let (p, q) = (bodies.filters[a as usize], bodies.filters[b as usize]);
                let found: Vec<_> = all.iter().filter(|impact| impact.pair == pair).collect();
                if !(of_a | of_b).has(BodyFlags::MOVES) || !p.allows(q) {
                    assert!(found.is_empty(), "{pair:?} may not meet");
                    continue;
                }
                let sensor = (of_a | of_b).has(BodyFlags::SENSOR);
                let told_apart = ticked.sensed().iter().any(|impact| impact.pair == pair);
                assert_eq!(told_apart, sensor && !found.is_empty());
                let ((s, from), (m, n)) = (bodies.body(a), bodies.body(b));
                let touch = if sensor { Touch::Hit } else { Touch::IfClosing };
                let settings = toi::Settings { target_distance, touch, ..Default::default() };
                let whole = toi::one_to_one(&s, &from, &m, &n, &settings).expect("valid").result;
                let near = |t: f32| {
                    let apart = swath::convex::gjk::distance(&s, &from.at(t), &m, &n.at(t));
                    apart.expect("poses").distance - target_distance
                };
                match (found[..].first(), whole) {
                    (None, ToiResult::Separated) => {}
                    (Some(impact), ToiResult::Separated | ToiResult::Impact { .. }) => {
                        told += 1;
                        // The skin of two boxes without shape is measured per axis: it is up to √3 times as
                        // long.
                        let plain = [a, b].iter().all(|row| !bodies.is_convex(*row));
                        let skin = if plain { 0.75 * target_distance } else { 0.0 };
                        let early = near(impact.toi);
                        assert!(early < 2e-3 + skin, "{impact:?} is {early} early");
                        if let ToiResult::Impact { t, .. } = whole {
                            let early = near(t) - 2e-4;
                            assert!(
                                impact.toi <= t || early > 0.0 || impact.toi - t < 2e-5,
                                "{impact:?} {t}"
                            );
                        }
                    }
                    (Some(impact), ToiResult::Overlapping { .. }) => {
                        told += 1;
                        assert_eq!(impact.toi, 0.0, "{impact:?}");
                    }
                    // Boxes without shape have a skin per axis, shapes one by distance: never less.
                    (None, missed) => panic!("{pair:?} is missed: {missed:?}"),
                    (Some(_), ToiResult::Unresolved { .. }) => {}
                    (Some(impact), other) => panic!("{impact:?} {other:?}"),
                }
            }
        }
    }
    assert!(told > 200, "{told}");
}

/// Goal: impacts have the same bits on every level and any threads, and invalid rows affect no other row.
/// Method: a crowd with invalid rows, for every reason, compared with the crowd in which those rows are far
/// away; on every level, on 1 to 3 threads of a pool.
#[test]
fn levels_threads_and_invalid_rows_change_nothing() {
    let mut good = BodyColumns::new(7, 900);
    let mut bad = BodyColumns::new(7, 900);
    let far = 1e6;
    for (k, row) in [3_u32, 40, 41, 300, 301, 899].into_iter().enumerate() {
        let at = row as usize;
        for axis in 0..3 {
            good.columns[axis][at] = far + 1e3 * k as f32;
            good.columns[3 + axis][at] = far + 1e3 * k as f32;
            good.columns[6 + axis][at] = 0.0;
            good.columns[9 + axis][at] = 0.0;
        }
        good.convex.retain(|convex| convex.row != row);
        if let Some(convex) = bad.convex.iter_mut().find(|convex| convex.row == row) {
            match k % 3 {
                0 => convex.motion.spin[0] = f32::NAN,
                1 => convex.motion.pose.rotation = [0.0; 4],
                _ => convex.motion.delta[2] = f32::INFINITY,
            }
        } else {
            match k % 3 {
                0 => bad.columns[0][at] = f32::NAN,
                1 => bad.columns[9][at] = f32::INFINITY,
                _ => bad.columns[4][at] = -1e9,
            }
        }
    }
    let settings = config(|config| {
        config.fast = 0.3;
        config.impacts_per_body = 2;
    });
    let mut first = None;
    for level in Level::all() {
        let pools = [Threads::one()].into_iter();
        #[cfg(feature = "rayon")]
        let pools = pools.chain((1..=3).map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            Threads::of_pool(std::sync::Arc::new(pool.expect("a pool")))
        }));
        for threads in pools {
            let mut pipeline = Pipeline::with_exec(settings, level);
            pipeline.exec.threads = threads;
            for bodies in [&good, &bad, &good] {
                let ticked = pipeline.tick(&bodies.scene()).expect("a scene");
                let told = (ticked.impacts().to_vec(), ticked.sensed().to_vec(), ticked.hash());
                assert!(ticked.impacts().iter().chain(ticked.sensed()).all(|impact| {
                    impact.toi.is_finite() && impact.closing.is_finite() && impact.depth.is_finite()
                }));
                let wanted = first.get_or_insert_with(|| told.clone());
                assert_eq!(*wanted, told, "{level}");
                let rejected: Vec<_> = ticked.rejected().iter().map(|bad| bad.row).collect();
                let bad_rows: &[u32] =
                    if std::ptr::eq(bodies, &bad) { &[3, 40, 41, 300, 301, 899] } else { &[] };
                assert_eq!(rejected, bad_rows);
                let reasons = ticked.rejected().iter().map(|bad| bad.reason);
                for reason in reasons {
                    assert!(!matches!(reason, Invalid::Radius | Invalid::InverseMass), "{reason}");
                }
            }
        }
    }
    let (impacts, sensed, _) = first.expect("a level");
    assert!(impacts.len() > 100 && sensed.len() > 20, "{} {}", impacts.len(), sensed.len());
}

/// Goal: a limit keeps the first impacts of both bodies, slow pairs are dropped unless marked, and nothing
/// else is; impacts with sensors are not affected. Method: the same crowd with and without, by simple rules.
#[test]
fn limits_and_thresholds_follow_their_rules() {
    let bodies = BodyColumns::new(9, 400);
    let mut all = Pipeline::default();
    let ticked = all.tick(&bodies.scene()).expect("a scene");
    let (impacts, sensed) = (ticked.impacts().to_vec(), ticked.sensed().to_vec());
    assert_eq!((ticked.stats().slow, ticked.slow().count()), (0, 0));
    for limit in 1..4_usize {
        let mut pipeline = Pipeline::new(config(|c| c.impacts_per_body = limit as u32));
        let ticked = pipeline.tick(&bodies.scene()).expect("a scene");
        let mut seen = vec![0; 400];
        let wanted: Vec<Impact> = impacts
            .iter()
            .filter(|impact| {
                let rows = [impact.pair.a, impact.pair.b].map(|row| row as usize);
                let kept = rows.iter().any(|&row| seen[row] < limit);
                rows.iter().for_each(|&row| seen[row] += 1);
                kept
            })
            .copied()
            .collect();
        assert_eq!(ticked.impacts(), wanted);
        assert_eq!(ticked.sensed(), sensed);
        assert_eq!(ticked.stats().limited, impacts.len() - wanted.len());
    }
    let mut pipeline = Pipeline::new(config(|c| c.fast = 4.0));
    let ticked = pipeline.tick(&bodies.scene()).expect("a scene");
    let is_fast = |row: u32| {
        let (AcceleratingBox { delta, accel, .. }, motion) =
            (bodies.accelerating(row), bodies.body(row).1);
        let spins = motion.spin != [0.0; 3];
        let along = |k: usize| delta[k].abs() + 0.5 * accel[k].abs();
        // A rotation may make a body fast; those bodies are left out of the comparison.
        ((0..3).any(|k| along(k) >= 4.0), spins)
    };
    let mut dropped = 0;
    for impact in &impacts {
        let rows = [impact.pair.a, impact.pair.b];
        let fast = rows.map(is_fast);
        let marked = rows.iter().any(|&row| bodies.flags[row as usize].has(BodyFlags::CCD));
        let told = ticked.impacts().contains(impact);
        if marked || fast.iter().any(|&(fast, _)| fast) {
            assert!(told, "{impact:?} is fast or marked");
        } else if fast.iter().all(|&(_, spins)| !spins) {
            assert!(!told, "{impact:?} is slow");
            assert!(ticked.slow().any(|pair| pair == impact.pair));
            dropped += 1;
        }
    }
    assert_eq!(ticked.sensed(), sensed);
    let told = ticked.impacts().len();
    assert!(dropped > 5 && told > 20, "{dropped} dropped, {told} told");
    let bad = [
        config(|c| c.fast = f32::NAN),
        config(|c| c.target_distance = -1.0),
        config(|c| c.tolerance = 2.0),
    ];
    for bad in bad {
        assert!(Pipeline::new(bad).tick(&bodies.scene()).is_err());
    }
    let twice = [bodies.convex[0], bodies.convex[0]];
    assert!(all.tick(&Scene::new(bodies.boxes()).convex(&twice)).is_err());
    assert!(all.tick(&Scene::new(bodies.boxes()).flagged(&bodies.flags[1..])).is_err());
}

/// Goal: the results for boxes are those of sweeping single boxes. Method: a crowd of plain boxes, each pair
/// swept alone; times, kinds and normals have the same bits.
#[test]
fn impacts_of_boxes_are_those_of_their_sweep() {
    for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
        let mut draw = Draw::new(11);
        let mut columns: [Vec<f32>; 9] = Default::default();
        for _ in 0..200 {
            for axis in 0..3 {
                let (low, side) = (draw.whole(-6, 6), draw.whole(0, 2));
                columns[axis].push(low);
                columns[3 + axis].push(low + side);
                columns[6 + axis].push(draw.whole(-3, 3));
            }
        }
        let boxes =
            MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice)).expect("columns");
        let mut pipeline = Pipeline::new(config(|config| config.touch = touch));
        let ticked = pipeline.tick(&Scene::new(boxes)).expect("a scene");
        let mut impacts = ticked.impacts().iter().collect::<Vec<_>>();
        impacts.sort_by_key(|impact| impact.pair);
        let mut impacts = impacts.into_iter().peekable();
        let mut counts = [0; 3];
        for a in 0..200_u32 {
            for b in a + 1..200 {
                let [p, q] = [a, b].map(|row| boxes.get(row as usize));
                let swept = sweep::one_to_one(&p, &q).expect("boxes");
                let surface = swept.contact.is_surface();
                let counts_as = match touch {
                    Touch::Hit => true,
                    _ => !surface || swept.contact.is_closing(),
                };
                let found = impacts.next_if(|impact| impact.pair == Pair { a, b });
                assert_eq!(found.is_some(), swept.contact.is_hit() && counts_as, "{p:?} {q:?}");
                let Some(impact) = found else { continue };
                assert_eq!((impact.toi, impact.last), (swept.first, swept.last));
                match impact.kind {
                    ImpactKind::Overlapping if surface => {
                        assert_eq!((touch, impact.depth), (Touch::Ignore, 0.0));
                        assert_eq!(impact.normal, swept.contact.normal());
                        counts[2] += 1;
                    }
                    ImpactKind::Overlapping => {
                        let push = swath::batch::separate::one_to_one(&p.aabb, &q.aabb);
                        let push = push.expect("boxes").expect("they overlap");
                        assert_eq!(
                            (impact.depth, impact.normal),
                            (push.depth, push.contact.normal())
                        );
                        counts[0] += 1;
                    }
                    _ => {
                        assert_eq!(impact.normal, swept.contact.normal());
                        assert_eq!(impact.depth, 0.0);
                        assert!(!surface || touch != Touch::Ignore);
                        counts[1 + usize::from(surface)] += 1;
                    }
                }
                let [at_p, at_q] = [p, q].map(|moving| moving.at(impact.toi));
                for axis in 0..3 {
                    for (point, of) in [(impact.on_a, at_p), (impact.on_b, at_q)] {
                        let inside = of.min[axis] - 1e-5..=of.max[axis] + 1e-5;
                        assert!(inside.contains(&point[axis]), "{impact:?} {of:?}");
                    }
                }
                let closing: f32 =
                    (0..3).map(|axis| (p.delta[axis] - q.delta[axis]) * impact.normal[axis]).sum();
                assert_eq!(impact.closing, closing);
            }
        }
        assert!(impacts.next().is_none());
        assert!(counts[0] > 5 && counts[1] > 50 && counts[2] > 5, "{counts:?}");
    }
}

/// Goal: an explanation describes what the tick does. Method: every pair of a crowd, with thresholds and
/// without; the explained result has the bits of the reported one, and each stage is mentioned.
#[test]
fn explanations_agree_with_the_tick() {
    for seed in 20..23 {
        let bodies = BodyColumns::new(seed, 180);
        let fast = [0.0, 3.0, 0.0][seed as usize - 20];
        let mut pipeline = Pipeline::new(config(|c| c.fast = fast));
        let ticked = pipeline.tick(&bodies.scene()).expect("a scene");
        let all: Vec<Impact> = ticked.impacts().iter().chain(ticked.sensed()).copied().collect();
        let mut words = String::new();
        for b in 0..180 {
            for a in 0..b {
                let why = pipeline.explain(&bodies.scene(), Pair { a, b }).expect("a pair");
                let told = all.iter().find(|impact| impact.pair == Pair { a, b });
                assert_eq!(why.impact(), told, "{why}");
                words += &why.to_string();
            }
        }
        for word in ["filters", "on axis", "rounds", "Decided by the boxes", "sensor", "move"] {
            assert!(words.contains(word), "{word}");
        }
        assert_eq!(words.contains("Dropped"), fast > 0.0);
        for (a, b) in [(0, 180), (5, 5)] {
            assert!(pipeline.explain(&bodies.scene(), Pair { a, b }).is_err());
        }
    }
}

/// Goal: a captured tick gives the same results, and nothing else is accepted as one. Method: a crowd of
/// every kind; then each byte changed, each length cut, other versions, and other files.
#[test]
fn captures_are_the_same_tick_or_an_error() {
    let bodies = BodyColumns::new(30, 60);
    let settings = config(|c| (c.fast, c.impacts_per_body, c.touch) = (0.5, 3, Touch::Hit));
    let mut pipeline = Pipeline::new(settings);
    let bytes = pipeline.capture(&bodies.scene()).expect("no shapes of the caller");
    let hash = pipeline.tick(&bodies.scene()).expect("a scene").hash();
    let capture = Capture::read(&bytes).expect("a capture");
    assert_eq!(*capture.config(), settings);
    let convex = capture.convex();
    let mut again = Pipeline::new(*capture.config());
    assert_eq!(again.tick(&capture.scene(&convex, &[])).expect("a scene").hash(), hash);
    assert_eq!(again.capture(&capture.scene(&convex, &[])).expect("again"), bytes);
    for end in 0..bytes.len() {
        let wanted = matches!(
            Capture::read(&bytes[..end]),
            Err(CaptureError::Truncated { .. }) | Err(CaptureError::NoCapture)
        );
        assert!(
            wanted
                && (end == 0
                    || !matches!(Capture::read(&bytes[..end]), Err(CaptureError::NoCapture))),
            "{end}"
        );
    }
    for at in (0..bytes.len()).step_by(7).chain(0..64) {
        for flip in [1, 0x80] {
            let mut changed = bytes.clone();
            changed[at] ^= flip;
            assert!(Capture::read(&changed).is_err(), "byte {at}");
        }
    }
    for (version, wanted) in [
        (0, CaptureError::TooOld { version: 0 }),
        (VERSION + 1, CaptureError::TooNew { version: VERSION + 1 }),
    ] {
        let mut other = bytes.clone();
        other[8..12].copy_from_slice(&version.to_le_bytes());
        assert_eq!(Capture::read(&other).err(), Some(wanted));
        assert!(wanted.to_string().contains("version") && !wanted.to_string().contains('\n'));
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(Capture::read(&longer).err(), Some(CaptureError::Damaged));
    for other in [&b""[..], b"SWTRACE1 and more than twenty bytes", &[0; 4096]] {
        assert_eq!(Capture::read(other).err(), Some(CaptureError::NoCapture));
    }
    #[derive(Debug)]
    struct Own;
    impl swath::convex::SupportMap for Own {
        fn support(&self, direction: [f64; 3]) -> [f64; 3] {
            direction.map(f64::signum)
        }
        fn bounding_radius(&self) -> f64 {
            2.0
        }
    }
    let own = [ConvexBody {
        row: 4,
        shape: Shape::custom(&Own).expect("one"),
        motion: Motion::default(),
    }];
    let refused = pipeline.capture(&Scene::new(bodies.boxes()).convex(&own));
    assert_eq!(refused.err(), Some(CaptureError::OwnShape { row: 4 }));
}

/// Goal: a tick of proxies gives the result of a tick of columns. Method: the bodies of a crowd as proxies
/// with their boxes; times, pairs and points have the same bits, over ticks with removals.
#[test]
fn tick_of_proxies_gives_the_result_of_columns() {
    let mut bodies = BodyColumns::new(40, 300);
    for column in &mut bodies.columns[9..] {
        column.iter_mut().for_each(|accel| *accel = 0.0);
    }
    let mut world = Broadphase::new();
    let mut pipeline = Pipeline::default();
    let mut ids = Vec::new();
    for row in 0..300_u32 {
        let of = bodies.accelerating(row);
        let convex = bodies.convex.iter().find(|convex| convex.row == row);
        let held = convex.map(|convex| Pipeline::bounds_of(&convex.shape, &convex.motion, 0.0));
        let (aabb, delta) =
            held.map_or((of.aabb, of.delta), |held| held.map(|h| (h.aabb, h.delta)).expect("one"));
        let moves = bodies.flags[row as usize].has(BodyFlags::MOVES);
        let proxy = if moves { Proxy::dynamic() } else { Proxy::fixed() };
        let proxy = proxy.filtered(bodies.filters[row as usize]);
        let id = world.insert(aabb, proxy).expect("a proxy");
        if moves {
            world.set(id, aabb, delta).expect("a mover");
        }
        ids.push(id);
    }
    for tick in 0..3 {
        let scene = bodies.scene();
        let ticked = pipeline.tick(&scene).expect("a scene");
        let wanted = [ticked.impacts().to_vec(), ticked.sensed().to_vec()];
        let mut of_world = Pipeline::default();
        let told = of_world
            .tick_proxies(&mut world, |id| {
                let row = ids.iter().position(|&one| one == id).expect("ours") as u32;
                let convex = bodies.convex.iter().find(|convex| convex.row == row);
                swath::pipeline::BodyInfo {
                    shape: convex.map(|convex| (convex.shape.into(), convex.motion)),
                    flags: bodies.flags[row as usize],
                }
            })
            .expect("a world");
        for (wanted, told) in wanted.iter().zip([told.impacts(), told.sensed()]) {
            assert_eq!(wanted.len(), told.len(), "tick {tick}");
            for (wanted, told) in wanted.iter().zip(told) {
                let rows =
                    [told.pair.a, told.pair.b].map(|id| ids.iter().position(|&one| one == id));
                assert_eq!(
                    rows.map(|row| row.map(|row| row as u32)),
                    [Some(wanted.pair.a), Some(wanted.pair.b)]
                );
                assert_eq!(
                    (wanted.toi, wanted.last, wanted.normal, wanted.on_a, wanted.depth),
                    (told.toi, told.last, told.normal, told.on_a, told.depth)
                );
            }
        }
        assert!(wanted[0].len() > 30);
        // The next tick is without some of them.
        for row in (tick..300).step_by(17) {
            if world.contains(ids[row]) {
                world.remove(ids[row]).expect("there");
            }
            bodies.filters[row] = Filter::NONE;
        }
    }
    assert!(ids.iter().filter(|&&id| !world.contains(id)).count() > 20);
}

/// Goal: a touch in the last instant of the tick, of an edge and a point that approach obliquely, is reported
/// with every setting. Method: numbers on a lattice, where the boxes touch a few rounding errors before the
/// shapes do, and the nearest points separate then.
#[test]
fn touch_at_the_very_end_is_reported() {
    for touch in [Touch::Hit, Touch::IfClosing, Touch::Ignore] {
        let pose = |at: [f32; 3]| Pose::at(at).expect("a pose");
        let motions = [
            Motion::new(pose([2.0, 2.0, -2.5]), [1.0, 0.5, 0.5]).expect("a motion"),
            Motion::new(pose([3.0, 3.0, -1.5]), [-0.5, 0.0, -0.5]).expect("a motion"),
        ];
        let plate = Shape::cuboid([0.5, 0.5, 0.0]).expect("a plate");
        let shapes = [plate, Shape::point()];
        let convex = [0, 1].map(|row| ConvexBody {
            row: row as u32,
            shape: shapes[row],
            motion: motions[row],
        });
        let unread = [0.0; 2];
        let boxes = MovingBoxColumns::from_columns([&unread[..]; 9]).expect("columns");
        let mut pipeline = Pipeline::new(config(|config| config.touch = touch));
        let ticked = pipeline.tick(&Scene::new(boxes).convex(&convex)).expect("a scene");
        let [impact] = ticked.impacts() else { panic!("{touch:?}: {ticked:?}") };
        assert!(impact.toi <= 1.0 && impact.toi > 0.99999, "{impact:?}");
    }
}
