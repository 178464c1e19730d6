//! Writes a tick to a file and reads it again.
//!
//! All numbers are little-endian. The format of a file is
//!
//! ```text
//! magic      8 bytes   "SWATHTIC"
//! version    u32       2 if the tick has what is marked below, otherwise 1
//! length     u64       of the whole file
//! config     f32 target, f32 tolerance, u32 touch, f32 fast, u32 impacts per body
//! parts      u32       bit 0: accelerations, bit 1: flags, bit 2: filters, bit 3: upper halves of filters,
//!                      bit 4: a number of rounds that is not the default
//! counts     u32 rows, u32 hulls, u32 convex bodies
//! rounds     u32 greatest number of rounds of a search, if present
//! columns    9 of f32, then accelerations (3 of f32), flags (u8), filters (u32: lower halves of category and mask), their
//!            upper halves (u32), if present. Each is a byte 0 and one value for all rows, or a byte 1 and one value for each row.
//!            The first column always has one value for each row
//! hulls      u32 points, then that many points
//! bodies     u32 row, 16 f32 of the motion, u8 form, its f64 numbers, f64 radius, u32 hull
//!
//! version 2 only:
//! impacts    u32       0: of each pair the first, 1: each pair of parts
//! counts     u32 geometries, u32 bodies with parts, which are not fewer
//! geometries u8 kind, then
//!            0  a convex shape: u8 form, its f64 numbers, f64 radius, u32 hull
//!            1  a compound: u32 parts, each 7 f32 of the pose, and its shape as above
//!            2  a mesh: u8 one-sided, u32 vertices, u32 triangles, 3 f32 per vertex, 3 u32 per triangle
//!            3  a height field: u8 one-sided, 2 u32 samples, 2 f32 spacing, f32 heights
//! bodies     u32 row, 16 f32 of the motion, u32 geometry
//!
//! checksum   u64       64-bit FNV-1a of everything before
//! ```
//!
//! A shape is written as the numbers that define it; a hull or a geometry with parts is written once, however many bodies use it.
//! Hierarchies are not written; they are built again. The tick that is read is the same bit by bit, and so are its impacts. An invalid file is rejected with one reason, and nothing of it is used.
//!
//! A column with a single value is expanded when it is read, so without a limit a file of 109 bytes could request any amount
//! of memory. Therefore a file may not have more rows than bytes, unless the caller allows more. Every file that this module
//! writes has at least four bytes for each row, because its first column always has one value for each row.

mod contents;
mod error;
mod hash;
mod reader;
mod writer;

pub use contents::Capture;
pub use error::{CaptureError, VERSION};
