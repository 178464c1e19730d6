//! Tests of how boxes are divided into cells.
//!
//! Queries return the same results for all cells, so tests of other layers notice a poor division only by the number of visited nodes.

use super::{BinAxis, Builder, CentreSample, LENGTHS, SAMPLES, parts, share};
use crate::broadphase::bvh::BvhItem;
use crate::broadphase::bvh::build::median::Packer;
use crate::geom::{Aabb, MapEach};
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec;
use alloc::vec::Vec;

/// A box with this centre and length.
fn item(row: usize, centre: [f32; 3], length: [f32; 3]) -> BvhItem {
    let end = |side: f32| [0, 1, 2].map(|k| centre[k] + side * length[k]);
    BvhItem { aabb: Aabb { min: end(-0.5), max: end(0.5) }, id: row as u32, filter: 0 }
}

fn axis(bins: usize, parts: usize, width: f32) -> BinAxis {
    BinAxis { low: 0.0, scale: 1.0, bins, last: (bins - 1) as f32, parts, width }
}

/// Goal: space is divided into the requested number of cells with equal sides, and an axis shorter than a cell is not divided. Method: parts
/// by hand for cubes, plates, rods, flat boxes, a line and a point, with the axes in several orders.
#[test]
fn parts_of_axes_are_as_long_as_each_other() {
    for (lengths, cells, expected) in [
        ([1.0, 1.0, 1.0], 27, [3, 3, 3]),
        ([2.0, 8.0, 8.0], 128, [2, 8, 8]),
        ([4.0, 4.0, 1.0], 16, [4, 4, 1]),
        ([8.0, 8.0, 1.0], 16, [4, 4, 1]),
        ([100.0, 1.0, 0.001], 64, [64, 1, 1]),
        ([4.0, 1.0, 0.0], 16, [8, 2, 1]),
        ([1.0, 0.0, 4.0], 16, [2, 1, 8]),
        ([5.0, 0.0, 0.0], 20, [20, 1, 1]),
        ([0.0, 0.0, 5.0], 20, [1, 1, 20]),
        ([0.0, 0.0, 0.0], 20, [1, 1, 1]),
    ] {
        assert_eq!(parts(lengths, cells), expected, "{lengths:?} {cells}");
    }
}

/// Goal: the parts of each histogram have about equal numbers of boxes, and a bin belongs to the part of its middle box. Method: parts by
/// hand. The middle of the bin with eight of sixteen boxes is the first of the second half; the second histogram is empty.
#[test]
fn parts_of_histograms_have_equal_numbers_of_boxes() {
    let counts = [4, 8, 2, 2, 0, 0, 0, 0, 0, 1, 0, 3];
    let mut own = vec![9; 2];
    share(&counts, &axis(4, 2, 1.0), &mut own);
    assert_eq!(own, [0, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 5]);
}

/// Goal: the range of the bins is exact for boxes at equal distances, and distant boxes do not lengthen it. Method: a box for each one of
/// the sample. Without sixteen at both ends, doubled centres are from 32 to 2014 on x, which is lengthened by a sixtieth on both ends.
#[test]
fn range_of_bins_is_that_of_nearly_all_boxes() {
    let centre = |k: usize| {
        let place = k * 619 % SAMPLES;
        let far = if place >= SAMPLES - 10 { 1e6 } else { 3.0 };
        [place as f32, -0.5 * place as f32, far]
    };
    let boxes: Vec<_> = (0..SAMPLES).map(|k| item(k, centre(k), [1.0, 2.0, 0.5])).collect();
    let ends = CentreSample { boxes: &boxes, line: &mut Vec::new() }.ends();
    let expected = [
        [32.0 - 1982.0 / 60.0, 2014.0 + 1982.0 / 60.0],
        [-1007.0 - 991.0 / 60.0, -16.0 + 991.0 / 60.0],
        [6.0, 6.0],
    ];
    for (own, expected) in ends.as_flattened().iter().zip(expected.as_flattened()) {
        assert!((own - expected).abs() < 1e-3_f32, "{ends:?}");
    }
}

/// Goal: boxes are counted that are longer than a part of an axis, but not those that are exactly as long. Method: some boxes of each kind.
#[test]
fn boxes_longer_than_a_cell_are_counted() {
    let axes = [axis(8, 4, 8.0), axis(1, 1, f32::INFINITY), axis(8, 4, 1.0)];
    let length = |k| match k {
        0..30 => [4.5, 0.0, 0.0],
        30..70 => [0.0, 1e30, 0.75],
        70..80 => [5.0, 0.0, 2.0],
        _ => [4.0, 1e30, 0.5],
    };
    let boxes: Vec<_> = (0..LENGTHS).map(|k| item(k, [0.0; 3], length(k))).collect();
    assert_eq!(CentreSample { boxes: &boxes, line: &mut Vec::new() }.long(&axes), 80);
}

/// Goal: cells are narrow if more than one of 64 boxes is more than twice as long as the extent of the centres of its cell, on an axis that
/// is divided. Method: 64 cells of eight boxes, which are all tested. Seven are the extents of the centres, and the lengths, but for
/// those of no, eight or nine boxes; an axis that is not divided is flat. All is small, so that no length is near that of a unit.
#[test]
fn cells_are_narrow_for_more_than_a_few_long_boxes() {
    let axes = [axis(32, 4, 1.0), axis(32, 4, 1.0), axis(1, 1, f32::INFINITY)];
    for (long, expected) in [(0, false), (8, false), (9, true)] {
        let boxes: Vec<_> = (0..512)
            .map(|row| {
                let (cell, k) = (row / 8, row % 8);
                let centre = [100.0 + (10 * cell + k) as f32, 50.0 + (k * 5 % 8) as f32, 5.0];
                let length = if row * 7 % 512 < long { 14.5 } else { 14.0 };
                let small = |x: [f32; 3]| x.map_each(|x| x / 1024.0);
                item(row, small(centre), small([length, 1.0, 2.0]))
            })
            .collect();
        let mut builder = Builder { counted: vec![8; 64], ..Builder::default() };
        let mut at: Vec<u32> = (0..512).map(|row| row / 8).collect();
        let workers = (&Threads::one(), &mut [()][..]);
        builder.ordered.sort(&mut at, |cell| cell, &builder.counted, workers);
        assert_eq!(builder.are_narrow(&boxes, &axes), expected, "{long}");
    }
}

/// Goal: boxes on a grid and in one place are divided into these cells, with up to one of sixteen boxes that is longer than a cell, which
/// then is in no cell; with more they are not. Method: the sample of the lengths are the boxes of every sixteenth row.
#[test]
fn few_boxes_longer_than_a_cell_are_in_no_cell() {
    let ordered = |boxes: &[BvhItem]| {
        let mut builder = Builder { packers: vec![Packer::default()], ..Builder::default() };
        let is_good = builder.order(boxes, (Level::detect(), &Threads::one()));
        let large: Vec<u32> = builder.large.iter().map(|item| item.id).collect();
        (is_good, large, builder.counted.iter().sum::<u32>())
    };
    for long in [0, 1, LENGTHS / 16, LENGTHS / 16 + 1] {
        let boxes: Vec<_> = (0..16 * LENGTHS)
            .map(|row| {
                let centre = [row % 16, row / 16 % 16, row / 256].map(|k| k as f32);
                let is_long = row % 16 == 0 && row < 16 * long;
                item(row, centre, if is_long { [8.0, 0.5, 0.5] } else { [0.5; 3] })
            })
            .collect();
        let rows: Vec<u32> = (0..long as u32).map(|k| 16 * k).collect();
        let (is_good, large, inside) = ordered(&boxes);
        assert_eq!(is_good, long <= LENGTHS / 16, "{long}");
        if is_good {
            assert_eq!((large, inside as usize), (rows, boxes.len() - long));
        }
    }
    let same = vec![item(0, [3.0; 3], [0.5; 3]); 16 * LENGTHS];
    assert_eq!(ordered(&same), (true, Vec::new(), 16 * LENGTHS as u32));
}
