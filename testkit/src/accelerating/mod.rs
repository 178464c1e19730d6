//! Hostile pairs, exact times and guarantees for the tests of boxes under acceleration.

pub mod cases;
pub mod columns;
pub mod exact;
pub mod promises;
pub mod roots;
