//! Boxes with displacements in arrays of a caller.

use pyo3::prelude::*;
use swath::broadphase::{AabbRows, MovingBoxInput};

use crate::arguments::same_rows;
use crate::arrays::{Vectors, invalid};

/// Borrowed corners and displacements, with the same number of rows.
pub(crate) struct Boxes<'py> {
    pub(crate) min: Vectors<'py>,
    pub(crate) max: Vectors<'py>,
    pub(crate) delta: Option<Vectors<'py>>,
}

impl<'py> Boxes<'py> {
    /// Borrows the arguments `min`, `max` and `delta`.
    pub(crate) fn new(
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        Self::named(["min", "max", "delta"], min, max, delta)
    }

    /// Borrows arguments with these names.
    pub(crate) fn named(
        [of_min, of_max, of_delta]: [&str; 3],
        min: &Bound<'py, PyAny>,
        max: &Bound<'py, PyAny>,
        delta: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let (min, max) = (Vectors::new(of_min, min)?, Vectors::new(of_max, max)?);
        let delta = delta.map(|delta| Vectors::new(of_delta, delta)).transpose()?;
        let rows = min.rows().len();
        same_rows(of_max, max.rows().len(), of_min, rows)?;
        if let Some(delta) = &delta {
            same_rows(of_delta, delta.rows().len(), of_min, rows)?;
        }
        Ok(Self { min, max, delta })
    }

    /// Returns the number of rows.
    pub(crate) fn len(&self) -> usize {
        self.min.rows().len()
    }

    /// Returns the boxes as input of the library, which reads them where they are.
    pub(crate) fn input(&self) -> PyResult<MovingBoxInput<'_>> {
        let boxes = AabbRows::new(self.min.rows(), self.max.rows()).map_err(invalid)?;
        Ok(match &self.delta {
            Some(delta) => boxes.moving(delta.rows()).map_err(invalid)?.into(),
            None => boxes.into(),
        })
    }
}
