//! Do spatial queries give the answer of each box tried one after the other?

mod proxies;
mod segments;
mod shapes;
