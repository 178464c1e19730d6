//! Worlds of avian without a window, for tests and measurements of a broad phase.
//!
//! Two worlds that are made by the same calls have the same entities. They stay equal bit by bit under two broad phases
//! that find the same pairs, because [`SortNewPairs`] makes the order of the pairs independent of the broad phase.

mod pairs;
mod scenes;

pub use pairs::{SortNewPairs, pairs, poses};
pub use scenes::{Random, block, bodies, ground, pile, spread};

use avian3d::prelude::*;
use bevy::app::{PluginGroupBuilder, ScheduleRunnerPlugin, TaskPoolOptions, TaskPoolPlugin};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use std::time::Duration;

/// The steps of a second.
const STEPS: f64 = 60.0;

/// The index of the first entity of a scene. All entities of the plugins have lower ones.
const FIRST_BODY: u32 = 1 << 14;

/// Makes an empty world without a window. Each update of it is one step of the physics.
///
/// The compute tasks of all worlds of a process run on `threads` threads, which the first world decides.
pub fn world(threads: usize, physics: PluginGroupBuilder) -> App {
    let mut app = App::new();
    let step = Duration::from_secs_f64(1.0 / STEPS);
    let task_pool_options = TaskPoolOptions::with_num_threads(threads);
    app.add_plugins(
        MinimalPlugins.set(TaskPoolPlugin { task_pool_options }).disable::<ScheduleRunnerPlugin>(),
    )
    .add_plugins((TransformPlugin, physics, SortNewPairs))
    .insert_resource(Time::<Fixed>::from_duration(step))
    .insert_resource(TimeUpdateStrategy::ManualDuration(step));
    app.finish();
    app.cleanup();
    // A resource is an entity too, and one broad phase has more of them than another. The bodies start at the same index.
    while app.world_mut().spawn_empty().id().index_u32() < FIRST_BODY - 1 {}
    app
}

/// The plugins of avian, with the broad phase of avian.
#[must_use]
pub fn avian() -> PluginGroupBuilder {
    PhysicsPlugins::default().build()
}
