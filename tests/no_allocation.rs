//! Does a warm finder leave the allocator alone?
//!
//! A test binary of its own: the allocator that counts is the whole program's.

#[path = "../benches/worlds/mod.rs"]
mod worlds;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use swath::{Boxes, PairFinder};
use worlds::{Scene, World};

/// The system's allocator, and how often it was asked for memory.
struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator cannot be written without")]
// SAFETY: every call is passed on to `System` unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Goal: after a warm-up tick no tick on the same boxes allocates, in either form, sorted or not.
///
/// Method: count. The ticks run inside the pool, as an engine's would: to hand a job to a pool
/// from outside, rayon itself allocates a little once in some sixty jobs.
#[test]
fn a_warm_tick_allocates_nothing() {
    for threads in 1..=3 {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let world = World::new(Scene::Dense, 20_000, 1);
        let [min, max, delta] =
            [&world.min, &world.max, &world.delta].map(|of| of.each_ref().map(Vec::as_slice));
        let boxes = Boxes::new(min, max, delta).unwrap();
        let mut finder = PairFinder::new();
        let counts = pool.install(|| {
            let mut tick = || {
                let union = finder.union_pairs(boxes, Some(&world.moves)).unwrap().sorted().len();
                union + finder.swept_pairs(boxes, Some(&world.moves)).unwrap().sorted().len()
            };
            // Which worker gets which strips is open, so each needs a few ticks to have seen the
            // largest.
            let warm_up: usize = (0..30).map(|_| tick()).sum();
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let counted: usize = (0..30).map(|_| tick()).sum();
            let during = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert_eq!(warm_up, counted);
            during
        });
        assert_eq!(counts, 0, "with {threads} threads");
    }
}
