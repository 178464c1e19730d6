//! Numpy arrays as slices, and results as numpy arrays.

use std::fmt::Display;

use numpy::ndarray::Array2;
use numpy::{
    Element, PyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray, PyUntypedArray,
};
use numpy::{IntoPyArray, PyArrayDescrMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;

/// An error about the value of an argument.
pub(crate) fn invalid(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// An error about the type of an argument.
pub(crate) fn mistyped(name: &str, wanted: &str, object: &Bound<'_, PyAny>) -> PyErr {
    let got = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("{name}: expected {wanted}, got {got}"))
}

/// Borrows an array of `D` dimensions whose numbers can be read as a slice, or states what was passed instead.
fn borrow<'py, T: Element, D: numpy::ndarray::Dimension>(
    name: &str,
    wanted: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<PyReadonlyArray<'py, T, D>> {
    if let Ok(array) = object.cast::<PyArray<T, D>>() {
        // The mask of `numpy.ma` would be ignored.
        if !object.is_exact_instance_of::<PyUntypedArray>() && object.hasattr("mask")? {
            let fix = format!("{name}.filled(value) or {name}.data");
            return Err(invalid(format!(
                "{name}: expected {wanted}, got an array with a mask; pass {fix}"
            )));
        }
        let array = array.try_readonly().map_err(|_| {
            PyValueError::new_err(format!("{name} is being changed by another thread"))
        })?;
        if !array.is_c_contiguous() {
            let fix = format!("numpy.ascontiguousarray({name})");
            return Err(invalid(format!(
                "{name}: expected {wanted}, got an array with gaps; pass {fix}"
            )));
        }
        if array.as_slice().is_err() {
            let fix = format!("{name}.copy()");
            return Err(invalid(format!(
                "{name}: expected {wanted}, got one that is not aligned; pass {fix}"
            )));
        }
        return Ok(array);
    }
    Err(unfit(name, wanted, object))
}

/// The error about an object that is no array, or one of another type or shape.
fn unfit(name: &str, wanted: &str, object: &Bound<'_, PyAny>) -> PyErr {
    if let Ok(array) = object.cast::<PyUntypedArray>() {
        let (dtype, shape) = (array.dtype(), array.shape());
        return invalid(format!("{name}: expected {wanted}, got {dtype} with shape {shape:?}"));
    }
    mistyped(name, wanted, object)
}

/// Reads a `(n,)` array of `bool`. Its bytes are read as numbers, because an array can be made of bytes other than 0
/// and 1.
pub(crate) fn flags(name: &str, object: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    let wanted = "a contiguous numpy array of bool with shape (n,)";
    let is_bool = |array: &Bound<'_, PyUntypedArray>| {
        array.ndim() == 1 && array.dtype().is_equiv_to(&bool::get_dtype(object.py()))
    };
    if !object.cast::<PyUntypedArray>().is_ok_and(is_bool) {
        return Err(unfit(name, wanted, object));
    }
    let bytes = object.call_method1("view", ("uint8",))?;
    let bytes = borrow::<u8, numpy::Ix1>(name, wanted, &bytes)?;
    Ok(slice(&bytes).iter().map(|&byte| byte != 0).collect())
}

/// The numbers of an array that [`borrow`] returned.
fn slice<'a, T: Element, D: numpy::ndarray::Dimension>(
    array: &'a PyReadonlyArray<'_, T, D>,
) -> &'a [T] {
    array.as_slice().expect("`borrow` returns only arrays that can be read as slices")
}

/// An array of rows of `K` numbers, borrowed.
pub(crate) struct Rows<'py, T: Element, const K: usize>(PyReadonlyArray<'py, T, numpy::Ix2>);

/// An `(n, 3)` array of `float32`, borrowed.
pub(crate) type Vectors<'py> = Rows<'py, f32, 3>;

impl<'py, T: Element, const K: usize> Rows<'py, T, K> {
    /// Borrows an `(n, K)` array of `T`.
    pub(crate) fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let dtype = T::get_dtype(object.py());
        let wanted = format!("a contiguous numpy array of {dtype} with shape (n, {K})");
        let array = borrow::<T, numpy::Ix2>(name, &wanted, object)?;
        if array.shape()[1] != K {
            let shape = array.shape();
            return Err(invalid(format!("{name}: expected {wanted}, got shape {shape:?}")));
        }
        Ok(Self(array))
    }

    pub(crate) fn rows(&self) -> &[[T; K]] {
        slice(&self.0).as_chunks().0
    }
}

/// An array of numbers with one dimension, borrowed.
pub(crate) struct Numbers<'py, T: Element>(PyReadonlyArray<'py, T, numpy::Ix1>);

impl<'py, T: Element> Numbers<'py, T> {
    /// Borrows an `(n,)` array of `T`.
    pub(crate) fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let dtype = T::get_dtype(object.py());
        let wanted = format!("a contiguous numpy array of {dtype} with shape (n,)");
        borrow::<T, numpy::Ix1>(name, &wanted, object).map(Self)
    }

    pub(crate) fn numbers(&self) -> &[T] {
        slice(&self.0)
    }
}

/// A table of numbers with any number of rows and columns, borrowed.
pub(crate) struct Grid<'py, T: Element>(PyReadonlyArray<'py, T, numpy::Ix2>);

impl<'py, T: Element> Grid<'py, T> {
    /// Borrows an array of `T` with two dimensions.
    pub(crate) fn new(name: &str, object: &Bound<'py, PyAny>) -> PyResult<Self> {
        let dtype = T::get_dtype(object.py());
        let wanted = format!("a contiguous numpy array of {dtype} with two dimensions");
        borrow::<T, numpy::Ix2>(name, &wanted, object).map(Self)
    }

    /// The numbers of the first row, then those of the second.
    pub(crate) fn numbers(&self) -> &[T] {
        slice(&self.0)
    }

    /// The number of rows and the number of columns.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.0.shape()[0], self.0.shape()[1]]
    }
}

/// Returns columns of vectors: `[axis][row]`.
pub(crate) fn columns(rows: &[[f32; 3]]) -> [Vec<f32>; 3] {
    [0, 1, 2].map(|axis| rows.iter().map(|row| row[axis]).collect())
}

/// Memory for `count` values that are all the same, or a `MemoryError`.
pub(crate) fn filled<T: Clone>(value: T, count: usize) -> PyResult<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count).map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    values.resize(count, value);
    Ok(values)
}

/// Collects results, or returns a `MemoryError`.
pub(crate) fn collected<T>(results: impl ExactSizeIterator<Item = T>) -> PyResult<Vec<T>> {
    let mut values = Vec::new();
    let reserved = values.try_reserve_exact(results.len());
    reserved.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
    values.extend(results);
    Ok(values)
}

/// Returns a new array with one dimension.
pub(crate) fn array<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// Returns a new `(n, K)` array.
pub(crate) fn table<T: Element, const K: usize>(
    py: Python<'_>,
    values: Vec<[T; K]>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = (values.len(), K);
    let array = Array2::from_shape_vec(shape, values.into_flattened()).map_err(invalid)?;
    Ok(array.into_pyarray(py))
}
