//! What the C interface costs: CPU time of the same calls through Rust and through C, in one process.
//!
//! ```text
//! cargo run --release --example cost
//! ```
//!
//! 100,000 moving boxes with about one pair each, in structures of the caller, on the calling thread. In each round both sides
//! make the call, in alternating order, so that other load of the machine affects both alike. A row of the output is the median of the
//! rounds, in CPU nanoseconds of the thread for a box, and the median of the quotients of the rounds. Before the clock starts, the
//! results of both sides are compared.

use cpu_time::ThreadTime;
use std::hint::black_box;
use std::mem::offset_of;
use std::ptr::{null, null_mut};
use swath::batch::{Hit, SegmentStore};
use swath::broadphase::{AabbRows, MovingBoxRows, VectorRows};
use swath::{Bvh, MovingBox, PairFinder, ProxyId, Segment, Threads};
use swath_c::*;

const BOXES: usize = 100_000;
const RAYS: usize = 10_000;
const ROUNDS: usize = 61;

/// A body of the caller.
#[derive(Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Body {
    min: [f32; 3],
    max: [f32; 3],
    delta: [f32; 3],
    id: u32,
}

struct Numbers(u32);

impl Numbers {
    /// A number from 0 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / (1 << 24) as f32
    }
}

fn bodies() -> Vec<Body> {
    let mut numbers = Numbers(1);
    let mut body = |id| {
        let mut body = Body { id, ..Body::default() };
        for axis in 0..3 {
            body.min[axis] = numbers.next() * 76.0;
            body.max[axis] = body.min[axis] + 1.0;
            body.delta[axis] = (numbers.next() - 0.5) * 0.5;
        }
        body
    };
    (0..BOXES as u32).map(&mut body).collect()
}

fn rust_rows(bodies: &[Body]) -> MovingBoxRows<'_> {
    let vector = |offset| VectorRows::new(bodies, offset).expect("the vector is in the structure");
    let boxes = AabbRows::new(vector(offset_of!(Body, min)), vector(offset_of!(Body, max)));
    let boxes = boxes.expect("both have a row for each body");
    boxes.moving(vector(offset_of!(Body, delta))).expect("there is a row for each body")
}

fn c_rows(bodies: &[Body]) -> swath_boxes {
    let vector = |offset| swath_vectors {
        x: bodies.as_ptr().cast(),
        y: null(),
        z: null(),
        stride: size_of::<Body>(),
        offset,
    };
    swath_boxes {
        count: bodies.len(),
        min: vector(offset_of!(Body, min)),
        max: vector(offset_of!(Body, max)),
        delta: vector(offset_of!(Body, delta)),
        tick_seconds: 0.0,
        centered: 0,
        moves: null(),
        filters: null(),
        labels: null(),
    }
}

/// Checks the status of a call, and returns what it wrote.
fn call<T>(write: impl FnOnce(*mut T) -> swath_status) -> T {
    let mut value = std::mem::MaybeUninit::uninit();
    assert_eq!(write(value.as_mut_ptr()), SWATH_OK);
    // SAFETY: a call that succeeds has written the value.
    unsafe { value.assume_init() }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Times both sides, which return the number of their results, and prints a row.
fn compare(name: &str, mut rust: impl FnMut() -> usize, mut c: impl FnMut() -> usize) {
    for _ in 0..3 {
        assert_eq!(rust(), c(), "{name}");
    }
    let time = |side: &mut dyn FnMut() -> usize| {
        let start = ThreadTime::now();
        black_box(side());
        start.elapsed().as_secs_f64() * 1e9
    };
    let (mut of_rust, mut of_c, mut quotients) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (rust, c) = if round % 2 == 0 {
            let first = time(&mut rust);
            (first, time(&mut c))
        } else {
            let first = time(&mut c);
            (time(&mut rust), first)
        };
        of_rust.push(rust);
        of_c.push(c);
        quotients.push(c / rust);
    }
    let per_box = |times: Vec<f64>| median(times) / BOXES as f64;
    println!("{name},{:.2},{:.2},{:.4}", per_box(of_rust), per_box(of_c), median(quotients));
}

fn main() {
    let bodies = bodies();
    let exec = swath_exec { level: null(), threads: 1, pairs_max: 0, executor: null() };
    let (rows, boxes) = (rust_rows(&bodies), c_rows(&bodies));
    println!("call,rust_cpu_ns_per_box,c_cpu_ns_per_box,c_over_rust");

    // SAFETY: all pointers in this function are to values that live longer than the call, and each object lives until the end.
    unsafe {
        let mut of_rust = PairFinder::with_exec(Threads::one());
        let finder = call(|to| swath_pair_finder_create(&exec, to));
        let mut pairs = Vec::new();
        compare(
            "union pairs as found",
            || {
                of_rust.union_pairs(rows).expect("they are found").collect_into(&mut pairs);
                pairs.len()
            },
            || {
                call(|to| swath_pair_finder_union_pairs(finder, &boxes, null(), SWATH_AS_FOUND, to))
                    .count
            },
        );
        compare(
            "swept pairs sorted",
            || of_rust.swept_pairs(rows).expect("they are found").sorted().len(),
            || {
                call(|to| swath_pair_finder_swept_pairs(finder, &boxes, null(), SWATH_SORTED, to))
                    .count
            },
        );
        swath_pair_finder_destroy(finder);

        let mut world = swath::Broadphase::with_exec(Threads::one());
        let broadphase = call(|to| swath_broadphase_create(&exec, to));
        let mut ids: Vec<ProxyId> = Vec::new();
        world.insert_many(rows, swath::Proxy::dynamic(), &mut ids).expect("they are inserted");
        let all = swath_filter { category: u32::MAX, mask: u32::MAX };
        let (kind, owner, margin, data) = (SWATH_KIND_DYNAMIC, 0, 0.0, 0);
        let proxy = swath_proxy { kind, filter: all, owner, margin, data, enabled: 1 };
        let mut c_ids = vec![swath_proxy_id { index: 0, generation: 0 }; BOXES];
        let (to, none) = (c_ids.as_mut_ptr(), null_mut());
        assert_eq!(swath_broadphase_insert_many(broadphase, &boxes, &proxy, 1, to), SWATH_OK);
        compare(
            "broadphase: set all; update; pairs as columns",
            || {
                world.set_many(&ids, rows).expect("they are set");
                world.update().expect("they are found");
                world.touching_columns().a.len()
            },
            || {
                assert_eq!(swath_broadphase_set_many(broadphase, c_ids.as_ptr(), &boxes), SWATH_OK);
                assert_eq!(swath_broadphase_update(broadphase, null(), none), SWATH_OK);
                call(|to| swath_broadphase_touching_columns(broadphase, to)).count
            },
        );
        let moving: Vec<MovingBox> = (0..BOXES).map(|row| rows.get(row)).collect();
        let c_moving: Vec<swath_moving_box> = moving.iter().map(|&one| one.into()).collect();
        compare(
            "broadphase: a call for each box",
            || {
                for (id, one) in ids.iter().zip(&moving) {
                    world.set(*id, one.aabb, one.delta).expect("it is set");
                }
                BOXES
            },
            || {
                for (id, one) in c_ids.iter().zip(&c_moving) {
                    assert_eq!(swath_broadphase_set(broadphase, *id, one), SWATH_OK);
                }
                BOXES
            },
        );
        swath_broadphase_destroy(broadphase);

        let mut tree = Bvh::with_exec(Threads::one());
        let bvh = call(|to| swath_bvh_create(&exec, to));
        let mut at_rest = boxes;
        at_rest.delta = swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };
        let aabbs: Vec<_> = moving.iter().map(|one| one.aabb).collect();
        tree.build(&aabbs).expect("it is built");
        assert_eq!(swath_bvh_build(bvh, &at_rest), SWATH_OK);
        let mut numbers = Numbers(2);
        let mut vector = |scale: f32| [(); 3].map(|()| numbers.next() * scale);
        let mut ray =
            || swath_segment { start: vector(76.0), delta: vector(9.0), max_fraction: 1.0 };
        let rays: Vec<swath_segment> = (0..RAYS).map(|_| ray()).collect();
        let mut hits = vec![Hit::MISS; RAYS];
        let mut c_hits = vec![swath_hit::from(Hit::MISS); RAYS];
        compare(
            "tree: 10000 segments",
            || {
                let mut store = SegmentStore::with_capacity(RAYS);
                rays.iter()
                    .for_each(|&ray| _ = store.push(Segment::from(ray)).expect("it is valid"));
                tree.queries()
                    .casts(&store.checked())
                    .closest(&mut hits)
                    .expect("it is long enough");
                hits.iter().filter(|hit| hit.is_hit()).count()
            },
            || {
                let status = swath_bvh_casts(bvh, rays.as_ptr(), RAYS, null(), c_hits.as_mut_ptr());
                assert_eq!(status, SWATH_OK);
                c_hits.iter().filter(|hit| hit.row != SWATH_NO_INDEX).count()
            },
        );
        swath_bvh_destroy(bvh);
    }
}
