//! Boxes in memory of the caller: columns, or rows of structures.

use crate::border::{array, optional_array};
use crate::error::{Failure, Outcome, SWATH_ERROR_INVALID};
use crate::values::swath_filter;
use std::ffi::c_void;
use swath::broadphase::{AabbInput, AabbRows, FixedInput, MovingBoxInput, PairInput, VectorRows};
use swath::{AabbColumns, Filter, MovingBoxColumns};

/// One vector for each row, in memory of the caller, in one of two layouts.
///
/// Rows: `x` points to the first structure of an array, `y` and `z` are NULL, a structure has `stride` bytes, and the vector is
/// three consecutive floats, `offset` bytes after the start of the structure. It need not be aligned. `swath_rows` creates it.
///
/// Columns: `x`, `y` and `z` point to an array of floats each, and `stride` and `offset` are zero. `swath_columns` creates it.
///
/// A structure of zeros is valid: there are no vectors.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_vectors {
    /// The array of structures, or the first components.
    pub x: *const c_void,
    /// NULL, or the second components.
    pub y: *const f32,
    /// NULL, or the third components.
    pub z: *const f32,
    /// Bytes from the start of a structure to the start of the next one, or zero for columns.
    pub stride: usize,
    /// Bytes from the start of a structure to the vector, or zero for columns.
    pub offset: usize,
}

/// Boxes, at rest or moving. The arrays are borrowed for the call only, and are not copied.
///
/// All vectors of a call have the same layout. Fields that are not named in an initialiser are zero, which is the default of
/// each. A structure of zeros is valid: there are no boxes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct swath_boxes {
    /// The number of boxes, and of elements of each array that is not NULL.
    pub count: usize,
    /// The least corner of each box; or its centre, if `centered` is 1.
    pub min: swath_vectors,
    /// The greatest corner of each box; or its half extents, if `centered` is 1.
    pub max: swath_vectors,
    /// The displacement of each box over the tick; or its velocity, if `tick_seconds` is not zero. Zero if no box moves.
    pub delta: swath_vectors,
    /// Zero, or the duration of the tick, which is above 0: then the displacement is the velocity times this, rounded to nearest.
    /// Only for rows: with columns that have a displacement it must be zero.
    pub tick_seconds: f32,
    /// 1 if boxes are given by centre and half extents, which is only possible for rows. The corners are rounded outwards.
    pub centered: u8,
    /// For each box 1 if it moves, or 0: two boxes that do not move are not a pair. NULL: all move. Only for pair finders and the
    /// movers of fixed boxes.
    pub moves: *const u8,
    /// The filter of each box. NULL: each may form pairs with each. Only for pair finders, fixed boxes, their movers, trees and pipelines.
    pub filters: *const swath_filter,
    /// For each box the number that stands for it in pairs, instead of its row, or NULL. Only for pair finders and the movers of
    /// fixed boxes.
    pub labels: *const u32,
}

impl swath_vectors {
    /// Whether all bytes are zero.
    pub(crate) fn is_none(&self) -> bool {
        let no_pointers = self.x.is_null() && self.y.is_null() && self.z.is_null();
        no_pointers && self.stride == 0 && self.offset == 0
    }

    pub(crate) fn are_columns(&self) -> bool {
        !self.y.is_null() && !self.z.is_null()
    }

    /// Checks that there are vectors, and that they are rows or columns.
    fn check(&self, name: &str) -> Outcome {
        let missing = match (self.y.is_null(), self.z.is_null()) {
            _ if self.is_none() => {
                let message = "no vectors; expected those of `swath_rows` or `swath_columns`";
                return Err(Failure::argument(format!("{name}: {message}")));
            }
            (true, false) => "y",
            (false, true) => "z",
            _ => return Ok(()),
        };
        Err(Failure::argument(format!(
            "{name}: {missing} is NULL; columns need x, y and z, and rows need only x"
        )))
    }

    /// Borrows columns.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states, for `count` rows.
    pub(crate) unsafe fn columns<'a>(&self, count: usize, name: &str) -> Outcome<[&'a [f32]; 3]> {
        self.check(name)?;
        if !self.are_columns() || self.stride != 0 || self.offset != 0 {
            let message =
                "expected columns like the vectors before: x, y and z, with stride and offset 0";
            return Err(Failure::argument(format!("{name}: {message}")));
        }
        let column = |pointer: *const f32| {
            // SAFETY: the caller promises it.
            unsafe { array(pointer, count, name) }
        };
        Ok([column(self.x.cast())?, column(self.y)?, column(self.z)?])
    }

    /// Borrows rows.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states, for `count` rows.
    pub(crate) unsafe fn rows<'a>(&self, count: usize, name: &str) -> Outcome<VectorRows<'a>> {
        self.check(name)?;
        if !(self.y.is_null() && self.z.is_null()) {
            let message =
                "expected rows like the vectors before: x, stride and offset, with y and z NULL";
            return Err(Failure::argument(format!("{name}: {message}")));
        }
        let Some(bytes) = count.checked_mul(self.stride) else {
            let message =
                format!("{name}: {count} rows of {} bytes are more than memory has", self.stride);
            return Err(Failure::argument(message));
        };
        // SAFETY: the rows are of the caller. Bytes between the vectors may be padding, which is not read.
        let bytes: &[u8] = unsafe { array(self.x.cast(), bytes, name) }?;
        VectorRows::from_bytes(bytes, self.stride, self.offset)
            .map_err(|error| Failure::from(error).of(name))
    }
}

/// Reads a flag of C.
pub(crate) fn flag(value: impl Into<i32>, name: &str) -> Outcome<bool> {
    match value.into() {
        0 => Ok(false),
        1 => Ok(true),
        other => Err(Failure::argument(format!("{name}: {other}; expected 0 or 1"))),
    }
}

/// The arrays of a set of boxes besides their vectors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    /// None of them is possible.
    None,
    /// Filters are possible.
    Filters,
    /// All of them are possible.
    All,
}

impl swath_boxes {
    /// Checks the arrays that are given against those that are possible.
    fn check(&self, possible: Extra) -> Outcome {
        let given = [
            ("moves", !self.moves.is_null(), possible == Extra::All),
            ("filters", !self.filters.is_null(), possible != Extra::None),
            ("labels", !self.labels.is_null(), possible == Extra::All),
        ];
        match given.iter().find(|(_, given, possible)| *given && !possible) {
            Some((name, ..)) => Err(Failure::argument(format!(
                "{name}: must be NULL in this call, which does not use it"
            ))),
            None => Ok(()),
        }
    }

    /// Borrows boxes that do not move.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn at_rest<'a>(&self) -> Outcome<AabbInput<'a>> {
        if self.count > 0 && !self.delta.is_none() {
            return Err(Failure::argument(
                "delta: must be zero in this call, which is about boxes at rest",
            ));
        }
        let centered = flag(self.centered, "centered")?;
        if self.min.are_columns() {
            if centered {
                return Err(Failure::argument("centered: expected rows; columns have corners"));
            }
            // SAFETY: the caller promises it.
            let (min, max) = unsafe {
                (self.min.columns(self.count, "min")?, self.max.columns(self.count, "max")?)
            };
            return Ok(AabbColumns::new(min, max)?.into());
        }
        // SAFETY: the caller promises it.
        Ok(unsafe { self.aabb_rows(centered) }?.into())
    }

    /// Borrows boxes at rest that are given as columns.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn columns_at_rest<'a>(&self) -> Outcome<AabbColumns<'a>> {
        self.check(Extra::None)?;
        if self.count == 0 {
            return Ok(AabbColumns::new([&[]; 3], [&[]; 3])?);
        }
        // SAFETY: the caller promises it.
        match unsafe { self.at_rest() }? {
            AabbInput::Columns(boxes) => Ok(boxes),
            _ => Err(Failure::argument("min: expected columns in this call")),
        }
    }

    /// Borrows rows of boxes at rest.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    unsafe fn aabb_rows<'a>(&self, centered: bool) -> Outcome<AabbRows<'a>> {
        if self.count == 0 {
            let none: &[[f32; 3]] = &[];
            return Ok(AabbRows::new(none, none)?);
        }
        // SAFETY: the caller promises it.
        let (min, max) =
            unsafe { (self.min.rows(self.count, "min")?, self.max.rows(self.count, "max")?) };
        Ok(if centered { AabbRows::from_center(min, max)? } else { AabbRows::new(min, max)? })
    }

    /// Borrows boxes that may move.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn moving<'a>(&self) -> Outcome<MovingBoxInput<'a>> {
        let seconds = self.tick_seconds;
        if !(seconds >= 0.0 && seconds.is_finite()) {
            let message =
                format!("tick_seconds: {seconds}; expected 0, or a duration above 0 in seconds");
            return Err(Failure::new(SWATH_ERROR_INVALID, message));
        }
        if self.delta.is_none() || self.count == 0 {
            // SAFETY: the caller promises it.
            let at_rest = unsafe { Self { delta: swath_vectors::NONE, ..*self }.at_rest() }?;
            return Ok(match at_rest {
                AabbInput::Columns(boxes) => boxes.into(),
                AabbInput::Rows(boxes) => boxes.into(),
                _ => return Err(Failure::argument("boxes: unknown layout")),
            });
        }
        let centered = flag(self.centered, "centered")?;
        if self.min.are_columns() {
            if centered || seconds != 0.0 {
                let message =
                    "centered, tick_seconds: expected rows; columns have corners and displacements";
                return Err(Failure::argument(message));
            }
            let count = self.count;
            // SAFETY: the caller promises it.
            let [min, max, delta] = unsafe {
                [
                    self.min.columns(count, "min")?,
                    self.max.columns(count, "max")?,
                    self.delta.columns(count, "delta")?,
                ]
            };
            return Ok(MovingBoxColumns::new(min, max, delta)?.into());
        }
        // SAFETY: the caller promises it.
        let (boxes, delta) =
            unsafe { (self.aabb_rows(centered)?, self.delta.rows(self.count, "delta")?) };
        Ok(match seconds {
            0.0 => boxes.moving(delta)?.into(),
            seconds => boxes.moving_at(delta, seconds)?.into(),
        })
    }

    /// Borrows boxes without filters, flags and labels.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn only_moving<'a>(&self) -> Outcome<MovingBoxInput<'a>> {
        self.check(Extra::None)?;
        // SAFETY: the caller promises it.
        unsafe { self.moving() }
    }

    /// Borrows the input of a pair finder.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn pair_input<'a>(&self) -> Outcome<PairInput<'a>> {
        // SAFETY: the caller promises it.
        let mut input = PairInput::new(unsafe { self.moving() }?);
        // SAFETY: the caller promises it.
        if let Some(moves) = unsafe { optional_array(self.moves, self.count, "moves") }? {
            let moves = bytemuck::checked::try_cast_slice(moves);
            input = input.moving(
                moves.map_err(|_| Failure::argument("moves: expected 0 or 1 in each row"))?,
            );
        }
        // SAFETY: the caller promises it.
        if let Some(given) = unsafe { optional_array(self.filters, self.count, "filters") }? {
            input = input.filtered(bytemuck::cast_slice(given));
        }
        // SAFETY: the caller promises it.
        if let Some(labels) = unsafe { optional_array(self.labels, self.count, "labels") }? {
            input = input.labelled(labels);
        }
        Ok(input)
    }

    /// Borrows the filters of boxes that have neither flags nor labels.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn filters<'a>(&self) -> Outcome<Option<&'a [Filter]>> {
        self.check(Extra::Filters)?;
        // SAFETY: the caller promises it.
        let filters = unsafe { optional_array(self.filters, self.count, "filters") }?;
        Ok(filters.map(bytemuck::cast_slice))
    }

    /// Borrows the input of a tree.
    ///
    /// # Safety
    ///
    /// The pointers are as the header states.
    pub(crate) unsafe fn fixed_input<'a>(&self) -> Outcome<FixedInput<'a>> {
        // SAFETY: the caller promises it.
        let (filters, boxes) = unsafe { (self.filters()?, self.at_rest()?) };
        let input = FixedInput::new(boxes);
        Ok(filters.map_or(input, |filters| input.filtered(filters)))
    }
}

impl swath_vectors {
    const NONE: Self = Self {
        x: std::ptr::null(),
        y: std::ptr::null(),
        z: std::ptr::null(),
        stride: 0,
        offset: 0,
    };
}
