//! The settings of a search for the first contact of two bodies.

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use swath::convex::toi::{Settings, Touch};

use crate::arguments::{Words, integer, number_or, vector, word, wrong};
use crate::arrays::Rows;

/// Which touches at the start count.
const TOUCHES: Words<Touch, 3> =
    [("hit", Touch::Hit), ("if_closing", Touch::IfClosing), ("ignore", Touch::Ignore)];

/// Reads the argument `touch`.
pub(crate) fn touch(object: Option<&Bound<'_, PyAny>>) -> PyResult<Touch> {
    object.map_or(Ok(Touch::IfClosing), |object| word("touch", object, &TOUCHES))
}

/// Reads the argument `rounds_max`.
pub(crate) fn rounds_max(object: Option<&Bound<'_, PyAny>>, default: u32) -> PyResult<u32> {
    let most = u64::from(u32::MAX);
    object.map_or(Ok(default), |object| {
        integer("rounds_max", object, 1..=most).map(|rounds| rounds as u32)
    })
}

/// The arguments that say what counts as a contact, and where it is searched.
pub(crate) struct SearchArguments<'a, 'py> {
    pub(crate) target_distance: Option<&'a Bound<'py, PyAny>>,
    pub(crate) tolerance: Option<&'a Bound<'py, PyAny>>,
    pub(crate) touch: Option<&'a Bound<'py, PyAny>>,
    pub(crate) window: Option<&'a Bound<'py, PyAny>>,
    pub(crate) rounds_max: Option<&'a Bound<'py, PyAny>>,
}

impl SearchArguments<'_, '_> {
    /// Reads the settings of a search with one window.
    pub(crate) fn settings(&self) -> PyResult<Settings> {
        let settings = self.settings_without_window()?;
        let window = self.window.map_or(Ok(settings.window), |window| vector("window", window))?;
        validated("window", Settings { window, ..settings })
    }

    /// Reads the settings of many searches, and the window of each if there is one for each of `count` pairs.
    pub(super) fn settings_of_pairs(
        &self,
        count: usize,
    ) -> PyResult<(Settings, Option<Vec<[f32; 2]>>)> {
        let is_table = |window: &&Bound<'_, PyAny>| {
            window.cast::<PyUntypedArray>().is_ok_and(|array| array.ndim() == 2)
        };
        let Some(window) = self.window.filter(is_table) else {
            return Ok((self.settings()?, None));
        };
        let settings = self.settings_without_window()?;
        let windows = Rows::<f32, 2>::new("window", window)?.rows().to_vec();
        if windows.len() != count {
            let got = windows.len();
            let wanted = format!("expected one row for each of {count} pairs, got {got}");
            return Err(wrong("window", wanted));
        }
        for (row, &window) in windows.iter().enumerate() {
            let valid = Settings { window, ..settings }.validate();
            valid.map_err(|error| wrong("window", format!("row {row}: {error}")))?;
        }
        Ok((settings, Some(windows)))
    }

    fn settings_without_window(&self) -> PyResult<Settings> {
        let of = Settings::default();
        let target_distance =
            number_or("target_distance", self.target_distance, of.target_distance)?;
        let of = Settings { target_distance, touch: touch(self.touch)?, ..of };
        let of = validated("target_distance", of)?;
        let tolerance = number_or("tolerance", self.tolerance, Settings::TOLERANCE)?;
        let of = validated("tolerance", Settings { tolerance, ..of })?;
        Ok(Settings { rounds_max: rounds_max(self.rounds_max, of.rounds_max)?, ..of })
    }
}

/// Returns settings, or an error that names the argument that was set last.
fn validated(name: &str, settings: Settings) -> PyResult<Settings> {
    settings.validate().map_err(|error| wrong(name, error))?;
    Ok(settings)
}
