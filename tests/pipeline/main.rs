//! Tests of `Pipeline`: whole ticks.

mod bodies_with_parts;
mod captured_geometries;
mod captures;
mod event_reference;
mod explained;
mod far_rows;
mod memory;
mod plain_boxes;
mod proxy_rules;
mod proxy_ticks;
mod reuse;
mod tick;
