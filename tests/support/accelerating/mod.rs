//! What the tests of boxes under acceleration share: hostile pairs, exact times, promises.

pub(crate) mod cases;
pub(crate) mod columns;
pub(crate) mod exact;
pub(crate) mod promises;
pub(crate) mod roots;
