//! Tests that queries give the result of testing each box one after the other.

mod proxies;
mod segments;
mod shapes;
