//! Does a whole tick find the impacts of its references?

mod captures;
mod event_reference;
mod far_rows;
mod plain_boxes;
mod reuse;
mod tick;
