//! Serialised hulls and shapes.
//!
//! A hull is the list of its points. A shape is the record of its numbers (`record.rs`), as the bits of `f64`: some readers of text
//! formats round an `f64`, and a shape must be restored to the bit. Both are read through the constructors, which reject what they would not create.

use super::hull::Hull;
use super::owned_shape::OwnedShape;
use super::record::{NUMBERS_MAX, Recorded, form};
use crate::geom::MapEach;
use crate::par::Arc;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A shape as it is serialised. The hull is borrowed where it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename = "OwnedShape")]
struct SerializedShape<'a> {
    /// The kind of the core, as in the record.
    form: u8,
    /// The bits of the numbers of the form.
    bits: Vec<u64>,
    /// The bits of the radius.
    radius_bits: u64,
    /// The hull of a shape that has one.
    hull: Option<Cow<'a, Hull>>,
}

impl Serialize for Hull {
    /// Serialises the points, as a list.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.vertices())
    }
}

impl<'de> Deserialize<'de> for Hull {
    /// Creates the hull of a list of points, as [`Hull::new`].
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(Vec::<[f32; 3]>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl Serialize for OwnedShape {
    /// Serialises the numbers of the shape and the points of its hull. A hull that several shapes share is written with each of them. A shape from a
    /// [`SupportMap`](super::SupportMap) is an error, because a map is code.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let shape = self.shape();
        let recorded = Recorded::of(&shape);
        let count = recorded.and_then(|recorded| form(recorded.form));
        let (Some(recorded), Some((count, _))) = (recorded, count) else {
            return Err(S::Error::custom("a support map of the caller cannot be serialised"));
        };
        let shape = SerializedShape {
            form: recorded.form,
            bits: recorded.numbers[..count].iter().map(|number| number.to_bits()).collect(),
            radius_bits: recorded.radius.to_bits(),
            hull: recorded.hull.map(Cow::Borrowed),
        };
        shape.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for OwnedShape {
    /// Restores a shape to the bit. It owns a hull of its own. Numbers that no shape has are an error.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = SerializedShape::deserialize(deserializer)?;
        let hull = read.hull.map(|hull| Arc::new(hull.into_owned()));
        if form(read.form) != Some((read.bits.len(), hull.is_some())) {
            return Err(D::Error::custom("invalid value, expected the numbers of a shape"));
        }
        let mut numbers = [0; NUMBERS_MAX];
        numbers[..read.bits.len()].copy_from_slice(&read.bits);
        let recorded = Recorded {
            form: read.form,
            numbers: numbers.map_each(f64::from_bits),
            radius: f64::from_bits(read.radius_bits),
            hull: hull.as_deref(),
        };
        let shape = recorded.shape().map_err(D::Error::custom)?;
        Ok(Self::with_hull(shape, hull.as_ref()))
    }
}
