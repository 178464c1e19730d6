//! Builds the nodes of a tree.
//!
//! ```text
//! build (cells, cell_order, kd_tree, bins, median, free_nodes):
//!     if there are many boxes:
//!         divide them into cells of about two hundred boxes: a histogram along x gives parts, one in
//!         each part along y gives columns, one in each column along z gives cells
//!         boxes that are longer than a cell, or all boxes if many are long or in crowds:
//!             divide them into cells by a k-d tree of a sample, which separates long boxes and crowds
//!         the boxes stay where they are, and their indices are sorted by cell
//!     build a subtree of each cell, in parallel: halve at the median of the longest axis,
//!         at multiples of a full leaf, so that leaves are full
//!         the leaves of triangles are written with their corners             (../triangle_leaf.rs)
//!     build the upper nodes over the cells in the same way, or as the k-d tree divides them
//! ```
//!
//! The cells are those of STR (Leutenegger, Lopez and Edgington 1997), but with bins instead of
//! sorting. The position of a box is its centre. Boxes longer than a cell are separated because
//! each of them would enlarge the bounds of all nodes above it. Each box is assigned to a cell at most twice.
//!
//! Guarantee: the tree depends on the boxes and their order alone, not on threads or levels.

mod bins;
mod cell_order;
mod cells;
mod free_nodes;
mod kd_tree;
mod median;

pub(crate) use cells::Builder;
