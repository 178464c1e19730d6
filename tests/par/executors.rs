//! Tests that every executor gives the results of one thread, bit by bit, also an executor that breaks its contract.

use rand::RngExt;
use scenes::{Scene as Room, World};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;
use swath::batch::Hit;
use swath::broadphase::{Changes, FixedInput, PairInput, ProxyPair};
use swath::pipeline::Config;
use swath::{
    AabbColumns, Broadphase, Exec, Executor, FixedBoxes, Level, MovingBoxColumns, PairFinder,
    Pipeline, Proxy, ProxyId, ProxyKind, Scene, Segment, Threads,
};
use testkit::draw::Draw;

/// More boxes than a chunk, a run or a parallel sort has.
const BOXES: usize = 12_000;

/// The boxes of a scene.
struct Boxes([Vec<f32>; 9]);

impl Boxes {
    fn new(scene: Room) -> Self {
        let World { min, max, delta, .. } = World::new(scene, BOXES, 3);
        let mut columns = min.into_iter().chain(max).chain(delta);
        Self([(); 9].map(|()| columns.next().expect("three times three")))
    }

    fn columns(&self) -> MovingBoxColumns<'_> {
        MovingBoxColumns::from_columns(self.0.each_ref().map(Vec::as_slice)).expect("equally long")
    }
}

/// All words of the results of each engine object, in their order.
#[derive(Debug, PartialEq)]
struct Results {
    finder: Vec<[u32; 3]>,
    forest: Vec<[u32; 3]>,
    queries: Vec<[u32; 2]>,
    events: Vec<[u32; 4]>,
    cached: Vec<ProxyPair>,
    tick: (usize, u64),
    filled: Vec<usize>,
}

fn results(boxes: &Boxes, threads: &Threads) -> Results {
    let exec = Exec::from(threads.clone());
    let (columns, mut finder) = (boxes.columns(), PairFinder::with_exec(exec.clone()));
    let mut found = Vec::new();
    for _ in 0..2 {
        let pairs = finder.swept_pairs(PairInput::new(columns)).expect("there is no limit");
        found.extend(pairs.iter().map(|pair| [pair.a, pair.b, pair.first.to_bits()]));
    }
    let [low @ .., _, _, _] = boxes.0.each_ref().map(Vec::as_slice);
    let still = AabbColumns::from_columns(low).expect("equally long");
    let mut forest = FixedBoxes::with_exec(exec.clone());
    forest.extend(FixedInput::new(still)).expect("they fit");
    let pairs = forest.swept_pairs(PairInput::new(columns)).expect("there is no limit");
    let pairs = pairs.iter().map(|pair| [pair.a, pair.b, pair.first.to_bits()]);
    let (events, cached) = ticks(columns, exec.clone());
    let ticked = &mut Pipeline::with_exec(Config::default(), exec);
    let ticked = ticked.tick(&Scene::new(columns)).expect("the scene is valid");
    let mut filled = vec![0; 1000];
    threads.fill_chunks(&mut filled, 7, &|start, piece| {
        piece.iter_mut().zip(start..).for_each(|(to, index)| *to = index * index);
    });
    Results {
        finder: found,
        forest: pairs.collect(),
        queries: queries(columns, &forest),
        events,
        cached,
        tick: (ticked.impacts().len(), ticked.hash()),
        filled,
    }
}

/// The first boxes on segments along the displacements.
fn queries(columns: MovingBoxColumns<'_>, forest: &FixedBoxes) -> Vec<[u32; 2]> {
    let segments: Vec<Segment> = (0..columns.len())
        .map(|row| {
            let moving = columns.get(row);
            let far = moving.delta.map(|along| 20.0 * along + 1.0);
            Segment::new(moving.aabb.min, far).expect("the numbers are small")
        })
        .collect();
    let input = swath::batch::SegmentStore::from_iter(segments);
    let rejected = &mut Vec::new();
    let checked = input.columns().check(Level::detect(), rejected);
    let mut hits = vec![Hit::MISS; columns.len()];
    forest.queries().casts(&checked).closest(&mut hits).expect("equally long");
    hits.iter().map(|hit| [hit.row, hit.value.to_bits()]).collect()
}

/// The events of some updates in which proxies move, fall asleep and are removed.
fn ticks(columns: MovingBoxColumns<'_>, exec: Exec) -> (Vec<[u32; 4]>, Vec<ProxyPair>) {
    let mut broadphase = Broadphase::with_exec(exec);
    let (mut ids, mut draw, mut events) = (Vec::new(), Draw::new(5), Vec::new());
    let proxies: Vec<Proxy> = (0..columns.len())
        .map(|k| match k % 8 {
            0 => Proxy::fixed(),
            1 => Proxy::sleeping(),
            2 => Proxy::kinematic(),
            _ => Proxy::dynamic().with_margin((k % 3) as f32 * 0.25),
        })
        .collect();
    broadphase.insert_many(columns, &proxies, &mut ids).expect("they fit");
    let mut list = |changes: Changes<'_>| {
        let begun = changes.touching();
        events.extend(begun.iter().map(|p| [0, p.a.index(), p.b.index(), p.first.to_bits()]));
        let begun = changes.begun().iter();
        events.extend(begun.map(|p| [1, p.a.index(), p.b.index(), p.first.to_bits()]));
        events.extend(changes.ended().iter().map(|p| [2, p.a.index(), p.b.index(), 0]));
    };
    for tick in 0..4 {
        list(match tick {
            0 => broadphase.update().expect("there is no limit"),
            _ => {
                let odd = |pair: ProxyPair| (pair.a.index() ^ pair.b.index()) % 5 != 3;
                broadphase.update_with(odd).expect("there is no limit")
            }
        });
        for _ in 0..BOXES / 16 {
            let id: ProxyId = draw.one_of(&ids);
            let Some(moving) = broadphase.moving_box(id) else { continue };
            match draw.0.random_range(0..4) {
                0 => broadphase.remove(id).expect("it exists"),
                1 => broadphase.set_kind(id, ProxyKind::Sleeping).expect("it exists"),
                _ => broadphase.set(id, moving.aabb, [0.5, -0.5, 0.25]).expect("it is valid"),
            }
        }
    }
    broadphase.validate().expect("no invariant is violated");
    (events, broadphase.pairs().to_vec())
}

/// How an executor runs its tasks.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// Each task on a thread of its own.
    Threads,
    /// On the calling thread, from the last to the first.
    Reversed,
    /// Parts of random size, each on a thread of its own.
    RandomSizes,
    /// Not at all.
    None,
    /// Only the last.
    Last,
    /// Each twice, on two threads at the same time, and some with numbers that are too large.
    TooOften,
    /// Panics by itself, before it has run any task.
    PanicsFirst,
    /// Panics by itself, after it has run all tasks but one.
    PanicsLate,
}

/// An executor, how many loops it has run, and how many of them had one task.
struct Test {
    way: Way,
    threads: usize,
    loops: AtomicUsize,
    of_one_task: AtomicUsize,
    draw: Mutex<Draw>,
}

impl Test {
    fn new(way: Way, threads: usize) -> Arc<Self> {
        let draw = Mutex::new(Draw::new(8));
        let (loops, of_one_task) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Arc::new(Self { way, threads, loops, of_one_task, draw })
    }
}

impl Executor for Test {
    fn threads(&self) -> usize {
        self.threads
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        self.loops.fetch_add(1, Relaxed);
        self.of_one_task.fetch_add(usize::from(tasks < 2), Relaxed);
        match self.way {
            Way::Threads => thread::scope(|scope| {
                (0..tasks).for_each(|index| drop(scope.spawn(move || task(index))));
            }),
            Way::Reversed => (0..tasks).rev().for_each(task),
            Way::RandomSizes => thread::scope(|scope| {
                let (mut next, mut draw) = (0, self.draw.lock().expect("not poisoned"));
                while next < tasks {
                    let end = draw.0.random_range(next + 1..=tasks);
                    let part = next..end;
                    scope.spawn(move || part.for_each(task));
                    next = end;
                }
            }),
            Way::None => (),
            Way::Last => task(tasks - 1),
            Way::TooOften => thread::scope(|scope| {
                for index in (0..tasks).chain(0..tasks).chain([tasks, usize::MAX]) {
                    scope.spawn(move || task(index));
                }
            }),
            Way::PanicsFirst => panic!("the executor has no thread"),
            Way::PanicsLate => {
                (1..tasks).for_each(task);
                panic!("the executor has lost a thread");
            }
        }
    }
}

/// Goal: the results are the same for any executor, also if it breaks its contract. Method: every word of the results
/// of each engine object, compared with those of one thread; the executors are used, each many times, and never for a loop
/// of one piece.
#[test]
fn any_executor_gives_the_results_of_one_thread() {
    for scene in [Room::Mixed, Room::Pile] {
        let boxes = Boxes::new(scene);
        let expected = results(&boxes, &Threads::one());
        assert!(expected.finder.len() > BOXES && expected.forest.len() > BOXES, "{scene}");
        assert!(expected.events.len() > BOXES && expected.tick.0 > 100, "{scene}");
        assert!(expected.filled.iter().enumerate().all(|(index, of)| *of == index * index));
        assert!(expected.queries.iter().filter(|hit| hit[0] != Hit::MISS.row).count() > 1000);
        let ways = [
            (Way::Threads, 2),
            (Way::Threads, 5),
            (Way::Reversed, 4),
            (Way::RandomSizes, 40),
            (Way::None, 3),
            (Way::Last, 3),
            (Way::TooOften, 2),
            (Way::PanicsFirst, 3),
            (Way::PanicsLate, 3),
        ];
        for (way, count) in ways {
            let executor = Test::new(way, count);
            let found = results(&boxes, &Threads::of_executor(executor.clone()));
            assert!(found == expected, "{scene}: {way:?}, {count} threads");
            assert!(executor.loops.load(Relaxed) > 20, "{way:?}: too few loops were run");
            assert_eq!(executor.of_one_task.load(Relaxed), 0, "{way:?}: a loop has one piece");
        }
    }
}

/// Goal: an executor without threads is not called, and an unlimited number of threads does not exhaust the memory.
#[test]
fn number_of_threads_is_limited() {
    let boxes = Boxes::new(Room::Uniform);
    let pairs = |threads: Threads| {
        let mut finder = PairFinder::with_exec(threads);
        finder.swept_pairs(boxes.columns()).expect("there is no limit").iter().count()
    };
    let expected = pairs(Threads::one());
    for (threads, loops) in [(0, false), (1, false), (usize::MAX, true)] {
        let executor = Test::new(Way::Reversed, threads);
        assert_eq!(pairs(Threads::of_executor(executor.clone())), expected);
        assert_eq!(executor.loops.load(Relaxed) > 0, loops, "{threads} threads");
    }
}

/// Goal: the debug text of an executor contains its number of threads. Method: compare the text.
#[test]
fn executor_is_printed_with_its_threads() {
    let executor: Arc<dyn Executor> = Test::new(Way::Reversed, 3);
    assert_eq!(format!("{executor:?}"), "Executor { threads: 3 }");
}

/// Catches and drops the panics of tasks.
struct DropsPanics;

impl Executor for DropsPanics {
    fn threads(&self) -> usize {
        2
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        for index in 0..tasks {
            let _ = catch_unwind(AssertUnwindSafe(|| task(index)));
        }
    }
}

/// Goal: if an executor drops the panic of the caller's function, the update panics instead of giving a result, and the
/// broadphase is as before. Method: the function panics for one pair, and for all pairs.
#[test]
fn dropped_panic_of_a_task_becomes_a_panic_of_the_call() {
    let boxes = Boxes::new(Room::Pile);
    let mut broadphase = Broadphase::with_exec(Threads::of_executor(Arc::new(DropsPanics)));
    let mut ids = Vec::new();
    broadphase.insert_many(boxes.columns(), Proxy::dynamic(), &mut ids).expect("they fit");
    let mut alone = Broadphase::with_exec(Threads::one());
    alone.restore(&broadphase.snapshot());
    let calls = AtomicUsize::new(0);
    for every in [1, 5000] {
        let panics = AssertUnwindSafe(|| {
            let _ = broadphase.update_with(|_| {
                assert!(calls.fetch_add(1, Relaxed) % every != every - 1, "as the test wants");
                true
            });
        });
        assert!(catch_unwind(panics).is_err());
        broadphase.validate().expect("no invariant is violated");
    }
    let found = broadphase.update().expect("there is no limit").begun().to_vec();
    assert!(found.len() > BOXES);
    assert_eq!(found, alone.update().expect("there is no limit").begun());
}
