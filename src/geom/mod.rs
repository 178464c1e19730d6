//! Plain values: boxes, spheres, segments, planes, bodies, motions, pairs, and the packed results
//! of a pair.

mod aabb;
mod arrays;
mod axes;
mod body;
mod contact;
#[cfg(feature = "serde")]
pub(crate) mod deserialize;
mod enclosure;
mod faces;
mod filter;
mod fnv;
mod moving;
mod pair;
mod plane;
mod pose;
mod segment;
mod sphere;
mod transform;

pub use aabb::{Aabb, COORD_MAX, Invalid};
pub(crate) use aabb::{add_up, check_margin, is_magnitude};
pub(crate) use arrays::{
    MapEach, append_each, count_of, descending, each_axis, lengthen_by_default, most_of,
    sample_index, saturating_sum_of, sum_of, uneven_index,
};
pub(crate) use body::check_inverse_mass;
pub use body::{Body, Member};
pub use contact::{Contact, ContactState};
pub(crate) use enclosure::{Enclosure, PlaneInFront};
pub use faces::{Faces, Facets, PlaneSide, SegmentStart};
pub use filter::Filter;
pub(crate) use fnv::{FNV_START, fnv};
pub use moving::{AcceleratingBox, MovingBox};
pub use pair::{Pair, SweptPair};
pub use plane::Plane;
pub use pose::{Motion, Pose, SPIN_MAX};
pub use segment::Segment;
pub use sphere::{MovingSphere, Sphere};

/// The names of the axes, for error messages.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];
