//! What the tests of boxes under acceleration share: hostile pairs, exact times, promises.

pub mod cases;
pub mod columns;
pub mod exact;
pub mod promises;
pub mod roots;
