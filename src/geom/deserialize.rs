//! Deserialisation of types whose constructors enforce more than their fields can express.
//!
//! A type with private fields is checked when it is deserialised. A plain value with public fields is not: the caller
//! can write anything into it at any time, so each function that takes one checks it.

use serde::de::{Deserialize, Deserializer, Error};

/// Deserialises a `T` and converts it by `check`, which returns nothing if it breaks a rule. `expected` is that rule.
pub(crate) fn checked<'de, D: Deserializer<'de>, T: Deserialize<'de>, U>(
    deserializer: D,
    expected: &'static str,
    check: impl FnOnce(T) -> Option<U>,
) -> Result<U, D::Error> {
    check(T::deserialize(deserializer)?)
        .ok_or_else(|| Error::custom(format_args!("invalid value, expected {expected}")))
}
