//! Tests that warm calls do not allocate, and that the reported memory is what was allocated.
//!
//! The counting allocator is that of the whole program, and the test harness of Rust allocates on threads of
//! its own. So these tests run one after the other on the main thread. Arguments are those of the harness
//! that matter here: parts of names, `--exact`, `--skip NAME` and `--list`.

mod captures;
mod convex_batches;
mod finder;
mod fixed_boxes;
mod memory_usage;
mod proxies;
mod queries;
mod ticks;

use testkit::counting::Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

const TESTS: [(&str, fn()); 17] = [
    // The first, because the threads of the others free memory when they end.
    (
        "memory_usage::memory_usage_equals_allocated_bytes",
        memory_usage::memory_usage_equals_allocated_bytes,
    ),
    ("memory_usage::memory_of_a_crowd_is_freed", memory_usage::memory_of_a_crowd_is_freed),
    (
        "memory_usage::memory_of_very_different_worlds_is_bounded",
        memory_usage::memory_of_very_different_worlds_is_bounded,
    ),
    ("captures::a_short_file_takes_little_memory", captures::a_short_file_takes_little_memory),
    (
        "convex_batches::a_warm_batch_allocates_nothing",
        convex_batches::a_warm_batch_allocates_nothing,
    ),
    (
        "convex_batches::overlaps_of_geometries_allocate_nothing",
        convex_batches::overlaps_of_geometries_allocate_nothing,
    ),
    (
        "convex_batches::nearest_geometries_allocate_nothing",
        convex_batches::nearest_geometries_allocate_nothing,
    ),
    ("finder::a_warm_tick_allocates_nothing", finder::a_warm_tick_allocates_nothing),
    ("finder::slices_of_a_tick_free_nothing", finder::slices_of_a_tick_free_nothing),
    (
        "fixed_boxes::a_warm_tick_against_fixed_boxes_allocates_nothing",
        fixed_boxes::a_warm_tick_against_fixed_boxes_allocates_nothing,
    ),
    (
        "fixed_boxes::a_warm_tick_of_joined_movers_allocates_nothing",
        fixed_boxes::a_warm_tick_of_joined_movers_allocates_nothing,
    ),
    ("proxies::a_warm_world_allocates_nothing", proxies::a_warm_world_allocates_nothing),
    (
        "proxies::a_warm_settled_world_allocates_nothing",
        proxies::a_warm_settled_world_allocates_nothing,
    ),
    (
        "proxies::a_warm_world_with_resting_pairs_allocates_nothing",
        proxies::a_warm_world_with_resting_pairs_allocates_nothing,
    ),
    ("queries::questions_allocate_nothing", || {
        queries::questions_allocate_nothing().expect("boxes and columns are valid");
    }),
    ("ticks::a_warm_tick_allocates_nothing", ticks::a_warm_tick_allocates_nothing),
    (
        "ticks::a_warm_tick_of_meshes_allocates_nothing",
        ticks::a_warm_tick_of_meshes_allocates_nothing,
    ),
];

/// Runs the tests that the arguments select. A test that fails panics, which ends the program with an error.
fn main() {
    let (mut wanted, mut skipped, mut exact, mut list) = (Vec::new(), Vec::new(), false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => list = true,
            "--exact" => exact = true,
            "--skip" => skipped.extend(arguments.next()),
            // These options take a value that is not the name of a test.
            "--test-threads" | "--format" | "--color" | "--logfile" | "-Z" => {
                arguments.next();
            }
            flag if flag.starts_with('-') => {}
            _ => wanted.push(argument),
        }
    }
    let named = |name: &str, part: &String| if exact { name == part } else { name.contains(part) };
    let selected = TESTS.iter().filter(|(name, _)| {
        (wanted.is_empty() || wanted.iter().any(|part| named(name, part)))
            && !skipped.iter().any(|part| named(name, part))
    });
    for (name, test) in selected {
        if list {
            println!("{name}: test");
            continue;
        }
        test();
        println!("test {name} ... ok");
    }
}
