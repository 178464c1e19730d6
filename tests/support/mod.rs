//! What the tests of promises share: answers without rounding, hostile cases, and columns.

#![allow(dead_code, reason = "each includer uses a part")]

pub(crate) mod accelerating;
pub(crate) mod cases;
pub(crate) mod columns;
pub(crate) mod exact;
pub(crate) mod promises;
