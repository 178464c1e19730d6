//! Numbers, words and columns that a caller passes, and errors that name the argument.

use std::fmt::Display;
use std::ops::RangeInclusive;

use numpy::{Element, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PySequence, PyString};
use swath::{COORD_MAX, Filter};

use crate::arrays::{Numbers, flags, invalid, mistyped};

/// An error about the value of an argument.
pub(crate) fn wrong(name: &str, error: impl Display) -> PyErr {
    invalid(format!("{name}: {error}"))
}

/// An error about the type of an argument, or its value if it does not fit into the type.
fn mismatch(name: &str, wanted: &str, object: &Bound<'_, PyAny>, error: &PyErr) -> PyErr {
    let py = object.py();
    let is_value =
        error.is_instance_of::<PyOverflowError>(py) || error.is_instance_of::<PyValueError>(py);
    if is_value {
        return wrong(name, format!("expected {wanted}, got {object}"));
    }
    // What a method of the object raises otherwise, such as `KeyboardInterrupt`, is not an error of the argument.
    if !error.is_instance_of::<PyTypeError>(py) {
        return error.clone_ref(py);
    }
    mistyped(name, wanted, object)
}

/// Reads an object of a class of this module.
pub(crate) fn instance<'a, 'py, T: PyTypeInfo>(
    name: &str,
    object: &'a Bound<'py, PyAny>,
) -> PyResult<&'a Bound<'py, T>> {
    object.cast().map_err(|error| {
        let class = T::type_object(object.py()).name();
        let class = class.map_or_else(|_| "another object".to_owned(), |class| class.to_string());
        mismatch(name, &class, object, &error.into())
    })
}

/// Reads a number.
pub(crate) fn number(name: &str, object: &Bound<'_, PyAny>) -> PyResult<f64> {
    object.extract().map_err(|error| mismatch(name, "a number", object, &error))
}

/// Reads a number, or returns the default.
pub(crate) fn number_or(
    name: &str,
    object: Option<&Bound<'_, PyAny>>,
    default: f32,
) -> PyResult<f32> {
    object.map_or(Ok(default), |object| number(name, object).map(|number| number as f32))
}

/// Reads a limit that is not negative; `None` is infinite.
pub(crate) fn limit(name: &str, object: Option<&Bound<'_, PyAny>>) -> PyResult<f32> {
    let limit = number_or(name, object, f32::INFINITY)?;
    if limit >= 0.0 {
        return Ok(limit);
    }
    let wanted = "expected a number that is not negative, or infinity";
    Err(wrong(name, format!("{wanted}, got {limit}")))
}

/// Reads a length, such as a radius.
pub(crate) fn length(name: &str, object: &Bound<'_, PyAny>) -> PyResult<f32> {
    let length = number(name, object)? as f32;
    if (0.0..=COORD_MAX).contains(&length) {
        return Ok(length);
    }
    Err(wrong(name, format!("expected a length from 0 to 2**120, got {length}")))
}

/// Reads an integer in a range.
pub(crate) fn integer(
    name: &str,
    object: &Bound<'_, PyAny>,
    range: RangeInclusive<u64>,
) -> PyResult<u64> {
    let (least, most) = (range.start(), range.end());
    let wanted = format!("an integer from {least} to {most}");
    let number = object.extract().map_err(|error| mismatch(name, &wanted, object, &error))?;
    if range.contains(&number) {
        return Ok(number);
    }
    Err(wrong(name, format!("expected {wanted}, got {number}")))
}

/// Reads a limit on the number of pairs; `None` is no limit.
pub(crate) fn pairs_max(object: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let most = usize::MAX as u64;
    object
        .map(|object| integer("pairs_max", object, 0..=most).map(|number| number as usize))
        .transpose()
}

/// Reads `N` numbers, such as a point.
pub(crate) fn vector<const N: usize>(name: &str, object: &Bound<'_, PyAny>) -> PyResult<[f32; N]> {
    let wanted = format!("a sequence of {N} numbers");
    object.extract().map_err(|error| mismatch(name, &wanted, object, &error))
}

/// Reads a vector, or returns the default.
pub(crate) fn vector_or<const N: usize>(
    name: &str,
    object: Option<&Bound<'_, PyAny>>,
    default: [f32; N],
) -> PyResult<[f32; N]> {
    object.map_or(Ok(default), |object| vector(name, object))
}

/// Words that a caller may pass, and their values.
pub(crate) type Words<T, const N: usize> = [(&'static str, T); N];

/// Returns the value of a word.
fn value_of<T: Copy, const N: usize>(
    name: &str,
    object: &Bound<'_, PyString>,
    words: &Words<T, N>,
) -> PyResult<T> {
    let word = object.to_cow()?;
    if let Some(&(_, value)) = words.iter().find(|(known, _)| *known == word) {
        return Ok(value);
    }
    Err(wrong(name, format!("expected {}, got '{word}'", listed(words))))
}

/// Returns the words as a list for an error.
fn listed<T, const N: usize>(words: &Words<T, N>) -> String {
    let words: Vec<String> = words.iter().map(|(word, _)| format!("'{word}'")).collect();
    let (last, others) = words.split_last().expect("there are words");
    format!("{} or {last}", others.join(", "))
}

/// Reads one of some words.
pub(crate) fn word<T: Copy, const N: usize>(
    name: &str,
    object: &Bound<'_, PyAny>,
    words: &Words<T, N>,
) -> PyResult<T> {
    match object.cast::<PyString>() {
        Ok(string) => value_of(name, string, words),
        Err(error) => Err(mismatch(name, &listed(words), object, &error.into())),
    }
}

/// A value for all rows, or one for each.
pub(crate) enum Each<T> {
    All(T),
    Rows(Vec<T>),
}

impl<T: Copy> Each<T> {
    /// Checks that there is one value for all rows, or one for each of `rows` rows.
    pub(crate) fn check(&self, name: &str, rows: usize) -> PyResult<()> {
        match self {
            Self::Rows(values) if values.len() != rows => {
                let got = values.len();
                Err(wrong(name, format!("expected one value for each of {rows} rows, got {got}")))
            }
            _ => Ok(()),
        }
    }

    /// Returns the value of a row.
    pub(crate) fn get(&self, row: usize) -> T {
        match self {
            Self::All(value) => *value,
            Self::Rows(values) => values[row],
        }
    }

    /// Returns the value for all rows, if there is one.
    pub(crate) fn one(&self) -> Option<T> {
        if let Self::All(value) = self { Some(*value) } else { None }
    }

    /// Reads one word, or a sequence of words.
    pub(crate) fn words<const N: usize>(
        name: &str,
        object: Option<&Bound<'_, PyAny>>,
        default: T,
        words: &Words<T, N>,
    ) -> PyResult<Self> {
        let Some(object) = object else { return Ok(Self::All(default)) };
        if let Ok(string) = object.cast::<PyString>() {
            return value_of(name, string, words).map(Self::All);
        }
        let wanted = format!("{}, or a sequence with one of them for each row", listed(words));
        let all = object.try_iter().map_err(|error| mismatch(name, &wanted, object, &error))?;
        all.map(|item| word(name, &item?, words)).collect::<PyResult<_>>().map(Self::Rows)
    }
}

impl<T: Scalar> Each<T> {
    /// Reads one number, or an array with a number for each row.
    pub(crate) fn new(name: &str, object: Option<&Bound<'_, PyAny>>, default: T) -> PyResult<Self> {
        let Some(object) = object else { return Ok(Self::All(default)) };
        match object.cast::<PyUntypedArray>() {
            Ok(array) if array.ndim() > 0 => T::rows(name, object).map(Self::Rows),
            _ if object.cast::<PySequence>().is_ok() => {
                Err(mistyped(name, "one value, or a numpy array with one for each row", object))
            }
            _ => T::read(name, object).map(Self::All),
        }
    }
}

/// A type of numpy numbers of which a caller may pass one or an array.
pub(crate) trait Scalar: Element + Copy {
    /// Reads one number.
    fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self>;

    /// Reads an array.
    fn rows(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        Ok(Numbers::<Self>::new(name, object)?.numbers().to_vec())
    }
}

impl Scalar for f32 {
    fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        number(name, object).map(|number| number as Self)
    }
}

impl Scalar for u32 {
    fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        integer(name, object, 0..=u64::from(Self::MAX)).map(|number| number as Self)
    }
}

impl Scalar for u64 {
    fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        integer(name, object, 0..=Self::MAX)
    }
}

impl Scalar for bool {
    fn read(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Self> {
        object.extract().map_err(|error| mismatch(name, "True or False", object, &error))
    }

    fn rows(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        flags(name, object)
    }
}

/// Categories and masks: of all rows, or of each.
pub(crate) struct Filters {
    /// The names of the two arguments.
    names: [&'static str; 2],
    categories: Each<u32>,
    masks: Each<u32>,
}

impl Filters {
    /// Reads categories and masks, with all bits by default.
    pub(crate) fn new(
        names: [&'static str; 2],
        categories: Option<&Bound<'_, PyAny>>,
        masks: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let categories = Each::new(names[0], categories, u32::MAX)?;
        let masks = Each::new(names[1], masks, u32::MAX)?;
        Ok(Self { names, categories, masks })
    }

    /// Checks that there is one for all rows, or one for each of `rows` rows.
    pub(crate) fn check(&self, rows: usize) -> PyResult<()> {
        self.categories.check(self.names[0], rows)?;
        self.masks.check(self.names[1], rows)
    }

    /// Returns the filter of a row.
    pub(crate) fn get(&self, row: usize) -> Filter {
        Filter::new(self.categories.get(row), self.masks.get(row))
    }

    /// Returns the filter of all rows, if there is one.
    pub(crate) fn one(&self) -> Option<Filter> {
        self.categories.one().zip(self.masks.one()).map(|(c, m)| Filter::new(c, m))
    }

    /// Returns a filter for each of `rows` rows, or nothing if all rows may pair.
    pub(crate) fn rows(&self, rows: usize) -> Option<Vec<Filter>> {
        if self.one() == Some(Filter::ALL) {
            return None;
        }
        Some((0..rows).map(|row| self.get(row)).collect())
    }
}

/// Reads the categories and the mask of a query, or nothing if both have all bits.
pub(crate) fn query_filter(
    categories: Option<&Bound<'_, PyAny>>,
    mask: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Filter>> {
    let read = |name, object: Option<&Bound<'_, PyAny>>| {
        object.map_or(Ok(u32::MAX), |object| u32::read(name, object))
    };
    let filter = Filter::new(read("categories", categories)?, read("mask", mask)?);
    Ok((filter != Filter::ALL).then_some(filter))
}

/// Checks that two arrays have the same number of rows.
pub(crate) fn same_rows(name: &str, rows: usize, as_in: &str, wanted: usize) -> PyResult<()> {
    if rows == wanted {
        return Ok(());
    }
    Err(wrong(name, format!("expected {wanted} rows, as {as_in} has, got {rows}")))
}
