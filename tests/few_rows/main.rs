//! Calls each engine object and the batches once with few boxes, on each level and with threads of the caller.
//!
//! The other tests take too long in an interpreter. `.ci/miri` runs this one there, with the thresholds of a fuzz target
//! (`cfg(fuzzing)`), so that few boxes are joined, divided and shared among threads. Each function returns words, which are
//! the same for each level and number of threads.
#![cfg(feature = "std")]

use std::sync::Arc;
use std::thread;

use swath::batch::overlap::Bits;
use swath::batch::respond::{Member, slide_each};
use swath::batch::sweep::SweepColumns;
use swath::batch::{Body, BodyStore, Contact, Hit, Hits, SegmentStore, overlap, sweep};
use swath::broadphase::{Changes, FixedInput, PairInput, ProxyHit};
use swath::convex::Hull;
use swath::pipeline::Config;
use swath::{
    Aabb, Broadphase, ConvexBody, Exec, Executor, Filter, FixedBoxes, Level, Motion, MovingBox,
    MovingBoxStore, PairFinder, Pipeline, Pose, Proxy, ProxyId, ProxyKind, Scene, Segment, Shape,
    Threads,
};
use testkit::draw::Draw;
use testkit::layouts::Layouts;

/// More boxes than a node of a tree, a group of lanes and the thresholds have.
const BOXES: usize = 70;

/// Starts a thread for each task.
struct Scoped;

impl Executor for Scoped {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        thread::scope(|scope| {
            for index in 0..tasks {
                scope.spawn(move || task(index));
            }
        });
    }
}

/// Asserts that the words are the same on each level, and on two threads.
fn same_everywhere(words: impl Fn(Exec) -> Vec<u32>) {
    let one = |level: Level| {
        let mut exec = Exec::from(level);
        exec.threads = Threads::one();
        exec
    };
    let mut levels = Level::all();
    let first = levels.next().expect("there is one");
    let expected = words(one(first));
    assert!(!expected.is_empty());
    for level in levels {
        assert!(words(one(level)) == expected, "{level}");
    }
    let mut shared = one(first);
    shared.threads = Threads::of_executor(Arc::new(Scoped));
    assert!(words(shared) == expected, "two threads");
}

/// Boxes of which many meet; some are long, some cannot be seen to move, and one is invalid.
fn boxes(count: usize) -> Vec<MovingBox> {
    let mut draw = Draw::new(7);
    let mut all: Vec<MovingBox> = (0..count)
        .map(|row| {
            let min = [(); 3].map(|()| draw.between(0.0, 4.0));
            let mut max = min.map(|low| low + 0.5);
            max[row % 3] += if row % 9 == 0 { 3.0 } else { 0.0 };
            let speed = if row % 3 == 0 { 0.0 } else { 2.0 };
            let delta = [(); 3].map(|()| draw.between(-speed, speed));
            MovingBox { aabb: Aabb { min, max }, delta }
        })
        .collect();
    all[5].aabb.max[1] = f32::NAN;
    all
}

fn store(boxes: &[MovingBox]) -> MovingBoxStore {
    boxes.iter().copied().filter(|moving| moving.validate().is_ok()).collect()
}

/// Goal: pairs of moving boxes in each layout, with flags, filters and labels. Method: the pairs of each layout are those of columns, and
/// the pairs of the first set are those of brute force.
#[test]
fn pairs_of_moving_boxes() {
    let all = boxes(BOXES);
    let layouts = Layouts::new(all.iter().copied());
    let moves: Vec<bool> = all.iter().map(|moving| moving.delta != [0.0; 3]).collect();
    let filters: Vec<Filter> = (0..BOXES).map(|k| Filter::new(1 << (k % 3), 6)).collect();
    let labels: Vec<u32> = (0..BOXES as u32).map(|row| !row).collect();
    let expected: Vec<[u32; 2]> =
        spec::union_pairs(&all, Some(&moves)).iter().map(|pair| [pair.a, pair.b]).collect();
    assert!(expected.len() > BOXES);
    same_everywhere(|exec| {
        let mut finder = PairFinder::with_exec(exec);
        let mut words = Vec::new();
        for layout in 0..4 {
            let set = PairInput::new(layouts.any(layout)).moving(&moves);
            let found = finder.union_pairs(set).expect("a flag for each box");
            let sorted: Vec<_> = found.sorted().iter().map(|pair| [pair.a, pair.b]).collect();
            assert_eq!(sorted, expected);
            let set = set.filtered(&filters).labelled(&labels);
            let found = finder.swept_pairs(set).expect("a filter and a label for each box");
            let mut list = Vec::new();
            found.collect_into(&mut list);
            assert!(!list.is_empty() && list.len() == found.sorted().len());
            let of_layout: Vec<_> =
                list.iter().flat_map(|pair| [pair.a, pair.b, pair.first.to_bits()]).collect();
            assert!(layout == 0 || words == of_layout, "layout {layout}");
            words = of_layout;
        }
        words
    });
}

/// Goal: pairs of movers with fixed boxes, and all queries of rows.
#[test]
fn fixed_boxes_and_queries() {
    let all = boxes(BOXES);
    let still: Vec<Aabb> = all.iter().map(|moving| moving.aabb).collect();
    let movers = store(&all[BOXES / 2..]);
    let segment = Segment::new([-1.0; 3], [6.0; 3]).expect("valid");
    same_everywhere(|exec| {
        let mut forest = FixedBoxes::with_exec(exec.clone());
        for part in still.chunks(BOXES / 2) {
            forest.extend(FixedInput::new(part)).expect("they fit");
        }
        let pairs = forest.swept_pairs(PairInput::new(&movers)).expect("there is no limit");
        let mut words: Vec<u32> =
            pairs.iter().flat_map(|pair| [pair.a, pair.b, pair.first.to_bits()]).collect();
        let (mut hits, mut rows) = (Vec::new(), Vec::new());
        let queries = forest.queries();
        queries.cast(&segment).expect("valid").all(&mut hits);
        queries.cast(&segment).expect("valid").sorted(&mut rows);
        hits.append(&mut rows);
        assert!(hits.len() > 3);
        let mut rows = Vec::new();
        queries.overlap(&still[0]).expect("valid").all(&mut rows);
        let nearest = &mut [Hit::MISS; 9];
        hits.extend(queries.proximity(&still[1], 9.0).expect("valid").k_nearest(nearest));
        let segments = SegmentStore::from_iter([segment; 3]);
        let mut closest = [Hit::MISS; 3];
        queries.casts(&segments.checked()).closest(&mut closest).expect("equally long");
        hits.extend(closest);
        words.extend(rows);
        words.extend(hits.iter().flat_map(|hit| [hit.row, hit.value.to_bits()]));
        words
    });
}

/// Goal: updates of proxies of each kind, their events, queries, a snapshot, and a tick over proxies.
#[test]
fn proxies() {
    let mut all = boxes(BOXES);
    all.retain(|moving| moving.validate().is_ok());
    let segment = Segment::new([-1.0; 3], [6.0; 3]).expect("valid");
    let ball = Shape::sphere(0.25).expect("valid");
    same_everywhere(|exec| {
        let mut world = Broadphase::with_exec(exec.clone());
        let proxies: Vec<Proxy> = (0..all.len())
            .map(|k| match k % 8 {
                0 => Proxy::fixed(),
                1 => Proxy::sleeping(),
                _ => Proxy::dynamic().with_margin((k % 3) as f32 * 0.25),
            })
            .collect();
        let (mut ids, mut words) = (Vec::new(), Vec::new());
        world.insert_many(&all, &proxies, &mut ids).expect("they fit");
        let movers: Vec<ProxyId> = world.movers().ids.to_vec();
        let mut list = |changes: Changes<'_>| {
            words.extend(
                changes
                    .touching()
                    .iter()
                    .flat_map(|p| [p.a.index(), p.b.index(), p.first.to_bits()]),
            );
            words.extend(changes.begun().iter().flat_map(|p| [p.a.index(), p.b.index()]));
            words.extend(changes.ended().iter().flat_map(|p| [p.a.index(), p.b.index()]));
        };
        list(world.update().expect("there is no limit"));
        let moved: Vec<MovingBox> = movers
            .iter()
            .filter_map(|&id| world.moving_box(id))
            .map(|moving| MovingBox { delta: moving.delta.map(|x| -x), ..moving })
            .collect();
        world.set_many(&movers, &moved).expect("the ids are valid");
        let odd = |a: ProxyId, b: ProxyId| (a.index() ^ b.index()) % 5 != 3;
        list(world.update_with(|pair| odd(pair.a, pair.b)).expect("there is no limit"));
        world.remove(movers[3]).expect("it exists");
        world.set_kind(movers[4], ProxyKind::Sleeping).expect("it exists");
        world.set(movers[5], all[0].aabb, [0.5; 3]).expect("it is valid");
        list(world.update().expect("there is no limit"));
        let mut restored = Broadphase::with_exec(exec.clone());
        restored.restore(&world.snapshot());
        restored.set(movers[6], all[1].aabb, [0.5; 3]).expect("it is valid");
        list(restored.update().expect("there is no limit"));
        restored.validate().expect("no invariant is violated");
        for pair in restored.pairs_of(movers[5]).to_vec().iter().chain(restored.pairs()) {
            words.extend([pair.a.index(), pair.b.index()]);
        }
        let (mut hits, mut found) = (Vec::new(), Vec::new());
        let queries = restored.queries();
        queries.cast(&segment).expect("valid").all(&mut hits);
        queries.cast(&segment).expect("valid").sorted(&mut found);
        hits.append(&mut found);
        let near = &mut [ProxyHit::MISS; 9];
        hits.extend(queries.proximity(&all[0].aabb, 9.0).expect("valid").k_nearest(near));
        let mut overlapping = Vec::new();
        queries.overlap(&all[0].aabb).expect("valid").all(&mut overlapping);
        let segments = SegmentStore::from_iter([segment; 3]);
        let mut closest = [ProxyHit::MISS; 3];
        queries.casts(&segments.checked()).closest(&mut closest).expect("equally long");
        hits.extend(closest);
        words.extend(hits.iter().flat_map(|hit| [hit.id.index(), hit.value.to_bits()]));
        words.extend(overlapping.iter().map(|id| id.index()));
        let motion = Motion::new(Pose::at([0.0; 3]).expect("valid"), [3.0; 3]).expect("valid");
        let mut pipeline = Pipeline::with_exec(Config::default(), exec);
        let output = pipeline
            .tick_proxies(&mut restored, |id| (id == movers[7]).then_some((ball, motion)))
            .expect("there is no limit");
        words.extend(output.impacts().iter().map(|impact| impact.toi.to_bits()));
        words
    });
}

/// Goal: a tick of boxes and convex shapes, among them hulls.
#[test]
fn ticks() {
    let all = store(&boxes(24));
    let mut draw = Draw::new(3);
    let points: Vec<[f32; 3]> =
        (0..20).map(|_| [(); 3].map(|()| draw.between(-0.5, 0.5))).collect();
    let hull = Hull::new(points).expect("a cloud");
    let shapes = [Shape::hull(&hull), Shape::cuboid([0.25; 3]).expect("valid")];
    let convex: Vec<ConvexBody<'_>> = (0..8)
        .map(|row| {
            let moving = all.columns().get(row as usize);
            let at = Pose::at(moving.aabb.min).expect("valid");
            let motion = Motion::new(at, moving.delta).expect("valid");
            ConvexBody { row, shape: shapes[row as usize % 2], motion }
        })
        .collect();
    same_everywhere(|exec| {
        let mut pipeline = Pipeline::with_exec(Config::default(), exec);
        let scene = Scene::new(all.columns()).convex(&convex);
        let output = pipeline.tick(&scene).expect("the scene is valid");
        let toi = |impact: &swath::Impact| [impact.pair.a, impact.pair.b, impact.toi.to_bits()];
        output.impacts().iter().flat_map(toi).collect()
    });
}

/// Goal: batches with packed contacts, lists of hits that are full, and sets of bits.
#[test]
fn batches() {
    let all = boxes(BOXES);
    let many = store(&all);
    let rows = many.len();
    let body = |row| Body { moving: many.columns().get(row), inverse_mass: 1.0 };
    let bodies: BodyStore = (0..rows).map(body).collect();
    same_everywhere(|Exec { level, .. }| {
        let mut times = [(); 2].map(|()| vec![0.0; rows]);
        let mut contacts = vec![Contact::SEPARATED; rows];
        let [first, last] = &mut times;
        let output = SweepColumns { first, last, contact: &mut contacts };
        sweep::one_to_many(level, &all[0], &many.checked(), output).expect("equally long");
        let mut moves = [(); 3].map(|()| vec![0.0; rows]);
        let to = moves.each_mut().map(Vec::as_mut_slice);
        let checked = bodies.checked();
        slide_each(level, &checked, &times[0], &contacts, Member::B, to).expect("equally long");
        let mut hits = vec![Hit::MISS; rows];
        let mut list = Hits::new(&mut hits[..9]);
        assert!(sweep::one_to_many(level, &all[0], &many.checked(), &mut list).is_err());
        let mut bits = vec![0; Bits::words_for(rows)];
        let set = Bits { words: &mut bits };
        overlap::one_to_many(level, &all[0].aabb, &many.checked(), set).expect("long enough");
        let mut words: Vec<u32> = bits;
        words.extend(contacts.iter().map(|contact| contact.bits()));
        words.extend(times.iter().chain(&moves).flatten().map(|number| number.to_bits()));
        words.extend(hits.iter().flat_map(|hit| [hit.row, hit.value.to_bits()]));
        words
    });
}
