//! Tests that memory grows with the input and the answer, and not with their product with the number of threads.

use std::sync::Arc;
use swath::{Aabb, Broadphase, Bvh, Executor, MovingBox, PairFinder, Proxy, Threads};
use testkit::draw::Draw;

const COUNT: usize = 200_000;

/// Runs the tasks of many threads one after the other.
struct InTurn(usize);

impl Executor for InTurn {
    fn threads(&self) -> usize {
        self.0
    }

    fn run(&self, tasks: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..tasks).for_each(task);
    }
}

fn threads(count: usize) -> Threads {
    Threads::of_executor(Arc::new(InTurn(count)))
}

/// Goal: a tree of boxes in one place takes about as much memory on many threads as on one. Method: points at one place, alone
/// and with as many that are spread evenly; 64 threads.
#[test]
fn tree_of_boxes_in_one_place_takes_no_memory_for_each_thread() {
    for spread in [0, COUNT] {
        let mut points = vec![Aabb::default(); COUNT];
        points.extend((0..spread).map(|k| {
            let at = [k % 58, k / 58 % 58, k / 58 / 58].map(|x| x as f32);
            Aabb { min: at, max: at }
        }));
        let [one, many] = [1, 64].map(|count| {
            let mut tree = Bvh::new();
            tree.exec.threads = threads(count);
            tree.build(&points[..]).expect("there is no filter");
            tree.memory_usage()
        });
        assert!(many < 2 * one, "{many} bytes on 64 threads, {one} on one");
    }
}

/// Goal: the pairs of one proxy with all others take about as much memory on many threads as on one, and the events are the same. Method:
/// a ground, which has the first slot, below many boxes; a first update, and one in which the ground is away.
#[test]
fn pairs_of_one_proxy_take_no_memory_for_each_thread() {
    let [(one, events), (many, other_events)] = [1, 64].map(|count| {
        let mut world = Broadphase::with_exec(threads(count));
        let side = 450.0;
        let ground = |y: f32| Aabb { min: [0.0, y - 1.0, 0.0], max: [2.0 * side, y, 2.0 * side] };
        let id = world.insert(ground(0.0), Proxy::fixed()).expect("the box is valid");
        let boxes: Vec<Aabb> = (0..COUNT)
            .map(|k| {
                let min = [2.0 * (k % 450) as f32, 0.0, 2.0 * (k / 450) as f32];
                Aabb { min, max: min.map(|x| x + 1.0) }
            })
            .collect();
        world.insert_many(&boxes[..], Proxy::dynamic(), &mut Vec::new()).expect("they fit");
        let mut events = Vec::new();
        for y in [0.0, -10.0, 0.0] {
            world.set(id, ground(y), [0.0; 3]).expect("the proxy exists");
            let found = world.update().expect("no limit");
            events.push((found.begun().to_vec(), found.ended().to_vec()));
        }
        (world.memory_usage(), events)
    });
    assert_eq!(events[0].0.len(), COUNT);
    assert_eq!(events[1].1.len(), COUNT);
    assert!(events == other_events, "the events depend on threads");
    assert!(5 * many < 12 * one, "{many} bytes on 64 threads, {one} on one");
}

/// Goal: a strip with most of the boxes takes memory on a few threads only. Method: boxes of which most are in a tower and the others are spread around it, on 64
/// threads and on one. With memory for the longest strip on each thread it would be 30 times that.
#[test]
fn long_strip_takes_no_memory_for_each_thread() {
    let mut draw = Draw::new(2);
    let boxes: Vec<MovingBox> = (0..COUNT / 2)
        .map(|k| {
            let (side, height) = if k % 10 < 3 { (3000.0, 1000.0) } else { (1.0, 50_000.0) };
            let min = [side, side, height].map(|extent| draw.between(0.0, extent));
            MovingBox { aabb: Aabb { min, max: min.map(|x| x + 1.0) }, delta: [0.05, 0.0, 0.1] }
        })
        .collect();
    let [(one, pairs), (many, other_pairs)] = [1, 64].map(|count| {
        let mut finder = PairFinder::with_exec(threads(count));
        finder.swept_pairs(&boxes[..]).expect("no limit");
        let pairs: Vec<_> = finder.swept_pairs(&boxes[..]).expect("no limit").iter().collect();
        (finder.memory_usage(), pairs)
    });
    assert!(pairs == other_pairs && !pairs.is_empty());
    assert!(many < 6 * one, "{many} bytes on 64 threads, {one} on one");
}

/// Goal: where all boxes are joined, the memory of a thread is for a part of them, which is at most a quarter. Method: sticks on three
/// axes, which no grid separates; on 64 threads and on one. With memory for a strip of all boxes it would be twice that.
#[test]
fn joined_boxes_take_memory_for_parts_of_them_for_each_thread() {
    let mut draw = Draw::new(1);
    let sticks: Vec<MovingBox> = (0..COUNT / 4)
        .map(|k| {
            let min = [(); 3].map(|()| draw.between(0.0, 1.0));
            let mut max = min.map(|x| x + 1e-5);
            max[k % 3] += 0.5;
            MovingBox::from(Aabb { min, max })
        })
        .collect();
    let [(one, pairs), (many, other_pairs)] = [1, 64].map(|count| {
        let mut finder = PairFinder::with_exec(threads(count));
        let pairs = finder.union_pairs(&sticks[..]).expect("no limit").sorted().to_vec();
        (finder.memory_usage(), pairs)
    });
    assert!(pairs == other_pairs && !pairs.is_empty());
    assert!(many < 16 * one, "{many} bytes on 64 threads, {one} on one");
}
