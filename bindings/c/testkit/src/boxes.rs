//! Sets of boxes, in the layouts of the interface.

use crate::agree::{filter, index};
use std::ptr::null;
use swath::batch::Row as _;
use swath::broadphase::{AabbRows, FixedInput, MovingBoxInput, PairInput, VectorRows};
use swath::{AabbColumns, Filter, MovingBox, MovingBoxColumns};
use swath_c::*;
use testkit::fuzz::bytes::Bytes;

/// Which arrays a call may have besides the vectors.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extra {
    None,
    Filters,
    All,
}

/// Where the vectors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    Columns,
    /// Rows of this many bytes, with the first vector at this offset; floats may be misaligned.
    Rows {
        stride: usize,
        offset: usize,
    },
}

/// A set of boxes.
pub(crate) struct Boxes {
    /// The vectors of each row: corners and displacement; or centre, half extents and velocity.
    pub(crate) rows: Vec<MovingBox>,
    filters: Option<Vec<Filter>>,
    moves: Option<Vec<u8>>,
    labels: Option<Vec<u32>>,
    layout: Layout,
    centered: u8,
    tick_seconds: f32,
    is_at_rest: bool,
    /// What is wrong with the set, if something is.
    defect: u8,
    columns: [Vec<f32>; 9],
    bytes: Vec<u8>,
}

impl Boxes {
    /// Decodes at most `most` boxes. `extra`: which arrays it may have besides the vectors. `at_rest`: they have no
    /// displacements.
    pub(crate) fn new(bytes: &mut Bytes<'_>, most: usize, extra: Extra, at_rest: bool) -> Self {
        let how = bytes.byte();
        let count = usize::from(bytes.byte()) % (most + 1);
        let mut rows = Vec::with_capacity(count);
        for _ in 0..count {
            rows.push(bytes.row(&rows));
        }
        let layout = match how % 4 {
            0 => Layout::Columns,
            1 => Layout::Rows { stride: 36, offset: 0 },
            _ => {
                let offset = usize::from(bytes.byte()) % 8;
                Layout::Rows { stride: 36 + offset + usize::from(bytes.byte()) % 8, offset }
            }
        };
        let is_at_rest = at_rest || how & 0x10 != 0;
        let centered = u8::from(layout != Layout::Columns && how & 0x20 != 0);
        let tick_seconds = match how & 0x40 {
            0 => 0.0,
            _ if layout == Layout::Columns => 0.0,
            // An invalid duration is an error for the call, not for a row; `tests/hostile.rs` tests it.
            _ => Some(bytes.number()).filter(|&s| s >= 0.0 && s.is_finite()).unwrap_or(0.0),
        };
        let which = bytes.byte();
        let some = |bit: u8, possible: bool| possible && which & bit != 0;
        let filters =
            some(1, extra != Extra::None).then(|| rows.iter().map(|_| filter(bytes)).collect());
        let moves =
            some(2, extra == Extra::All).then(|| rows.iter().map(|_| bytes.byte() % 2).collect());
        let labels =
            some(4, extra == Extra::All).then(|| rows.iter().map(|_| index(bytes, 1000)).collect());
        let mut boxes = Self {
            columns: core::array::from_fn(|c| rows.iter().map(|row| numbers(row)[c]).collect()),
            bytes: Vec::new(),
            rows,
            filters,
            moves,
            labels,
            layout,
            centered,
            tick_seconds,
            is_at_rest,
            defect: if count == 0 { 0 } else { (which / 8).saturating_sub(24) },
        };
        if let Layout::Rows { stride, offset } = layout {
            boxes.bytes = vec![0xa5; stride * count];
            for (to, row) in boxes.bytes.chunks_exact_mut(stride).zip(&boxes.rows) {
                let floats = numbers(row).map(f32::to_ne_bytes);
                to[offset..offset + 36].copy_from_slice(floats.as_flattened());
            }
        }
        boxes
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The filters, if there are any.
    pub(crate) fn filters(&self) -> Option<&[Filter]> {
        self.filters.as_deref()
    }

    /// Whether a call with the set is a wrong argument.
    pub(crate) fn is_wrong(&self) -> bool {
        self.defect != 0
    }

    /// Whether the boxes are columns of corners.
    pub(crate) fn are_columns(&self) -> bool {
        self.layout == Layout::Columns
    }

    /// The set for C.
    pub(crate) fn c(&self) -> swath_boxes {
        let vectors = |first: usize| match self.layout {
            Layout::Columns => swath_vectors {
                x: self.columns[first].as_ptr().cast(),
                y: self.columns[first + 1].as_ptr(),
                z: self.columns[first + 2].as_ptr(),
                stride: 0,
                offset: 0,
            },
            Layout::Rows { stride, offset } => swath_vectors {
                x: self.bytes.as_ptr().cast(),
                offset: offset + 4 * first,
                stride,
                ..NO_VECTORS
            },
        };
        let array = |array: &Option<Vec<u8>>| array.as_ref().map_or(null(), Vec::as_ptr);
        let mut boxes = swath_boxes {
            count: self.len(),
            min: vectors(0),
            max: vectors(3),
            delta: if self.is_at_rest { NO_VECTORS } else { vectors(6) },
            tick_seconds: self.tick_seconds,
            centered: self.centered,
            moves: array(&self.moves),
            filters: self.filters.as_ref().map_or(null(), |filters| filters.as_ptr().cast()),
            labels: self.labels.as_ref().map_or(null(), Vec::as_ptr),
        };
        match self.defect {
            0 => {}
            1 => boxes.centered = 2,
            2 => boxes.centered = 255,
            // More boxes than memory has.
            3 => boxes.count = usize::MAX,
            4 => boxes.count = usize::MAX / 4,
            // Vectors that are not within a row, or of another layout than those before.
            5 => boxes.max.offset = usize::MAX,
            6 => boxes.max = NO_VECTORS,
            _ if self.layout == Layout::Columns => boxes.min.stride = 4,
            _ => boxes.max.offset = boxes.max.stride - 11,
        }
        boxes
    }

    /// Calls `with` with the boxes for Rust.
    pub(crate) fn rust<T>(&self, with: impl FnOnce(MovingBoxInput<'_>) -> T) -> T {
        let still = if self.is_at_rest { 0.0 } else { 1.0 };
        let vectors: [Vec<[f32; 3]>; 3] = [
            self.rows.iter().map(|row| row.aabb.min).collect(),
            self.rows.iter().map(|row| row.aabb.max).collect(),
            self.rows.iter().map(|row| row.delta).collect(),
        ];
        let [min, max, delta] = vectors
            .each_ref()
            .map(|vectors| VectorRows::new(vectors, 0).expect("a row is a vector"));
        if self.centered == 1 || self.tick_seconds != 0.0 {
            let corners = if self.centered == 1 { AabbRows::from_center } else { AabbRows::new };
            let boxes = corners(min, max).expect("they have the same length");
            return with(if self.is_at_rest {
                boxes.into()
            } else if self.tick_seconds == 0.0 {
                boxes.moving(delta).expect("they have the same length").into()
            } else {
                boxes.moving_at(delta, self.tick_seconds).expect("they have the same length").into()
            });
        }
        let zeros = vec![0.0; self.len()];
        let column = |c: usize| {
            if c >= 6 && still == 0.0 { zeros.as_slice() } else { self.columns[c].as_slice() }
        };
        let columns = MovingBoxColumns::from_columns(core::array::from_fn(column));
        with(columns.expect("they have the same length").into())
    }

    /// Calls `with` with the boxes, their filters, flags and labels for Rust.
    pub(crate) fn pair_input<T>(&self, with: impl FnOnce(PairInput<'_>) -> T) -> T {
        let moves: Option<Vec<bool>> =
            self.moves.as_ref().map(|moves| moves.iter().map(|&moves| moves == 1).collect());
        self.rust(|boxes| {
            let mut input = PairInput::new(boxes);
            if let Some(moves) = &moves {
                input = input.moving(moves);
            }
            if let Some(filters) = &self.filters {
                input = input.filtered(filters);
            }
            if let Some(labels) = &self.labels {
                input = input.labelled(labels);
            }
            with(input)
        })
    }

    /// Calls `with` with the boxes without displacements, as columns.
    pub(crate) fn at_rest<T>(&self, with: impl FnOnce(AabbColumns<'_>) -> T) -> T {
        let rows: Vec<[f32; 6]> =
            self.rust(|boxes| (0..boxes.len()).map(|row| boxes.get(row).aabb.to_row()).collect());
        let columns: [Vec<f32>; 6] =
            core::array::from_fn(|c| rows.iter().map(|row| row[c]).collect());
        let columns = AabbColumns::from_columns(columns.each_ref().map(Vec::as_slice));
        with(columns.expect("they have the same length"))
    }

    /// Calls `with` with the boxes without displacements, and their filters.
    pub(crate) fn fixed_input<T>(&self, with: impl FnOnce(FixedInput<'_>) -> T) -> T {
        self.at_rest(|columns| {
            let input = FixedInput::new(columns);
            with(match &self.filters {
                Some(filters) => input.filtered(filters),
                None => input,
            })
        })
    }
}

fn numbers(row: &MovingBox) -> [f32; 9] {
    let ([a, b, c], [d, e, f], [g, h, i]) = (row.aabb.min, row.aabb.max, row.delta);
    [a, b, c, d, e, f, g, h, i]
}

pub(crate) const NO_VECTORS: swath_vectors =
    swath_vectors { x: null(), y: null(), z: null(), stride: 0, offset: 0 };
