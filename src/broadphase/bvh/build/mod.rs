//! Builds the nodes of a tree.
//!
//! ```text
//! build (cells, classes, bins, median):
//!     if there are many boxes:
//!         divide them into cells of about two hundred boxes: a histogram along x gives slabs, one in
//!         each slab along y gives columns, one in each column along z gives cells
//!         move boxes that are longer than a cell to classes, one for each set of axes on which they are long;
//!         if many boxes are in crowds, move each crowd to a class
//!         build a subtree of each class in the same way, with cells of its own
//!     build a subtree of each cell, in parallel: halve at the median of the longest axis,
//!         at multiples of a full leaf, so that leaves are full
//!     build the upper nodes over the cells in the same way, and a root over the subtrees
//! ```
//!
//! The cells are those of STR (Leutenegger, Lopez and Edgington 1997), but with bins instead of
//! sorting. The position of a box is its centre. Boxes longer than a cell are separated because
//! each of them would enlarge the bounds of all nodes above it.
//!
//! Guarantee: the tree depends on the boxes and their order alone, not on threads or levels.

mod bins;
mod cells;
mod classes;
mod median;

pub(crate) use cells::Builder;
