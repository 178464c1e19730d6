//! Tests of the examples at the command line.

mod command;
mod conjunctions;
mod engine;
mod mesh;
mod mesh_first_times;
mod page;
mod picture;
mod same_world;
mod tick;
mod viewer;
mod viewer_captures;
mod viewer_meshes;
mod viewer_server;
