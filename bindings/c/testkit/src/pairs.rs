//! Calls of a pair finder, of fixed boxes, and of the kernels.

use crate::agree::{
    NO_REJECTED, agree, bits, fails, index, list, same_rejected, segment, word, works,
};
use crate::boxes::{Boxes, Extra};
use crate::exec::Settings;
use std::ptr::null;
use swath::batch::sweep::{self, SweepColumns};
use swath::batch::{Contact, Rejected, cast};
use swath::broadphase::FindError;
use swath::{FixedBoxes, Level, MovingBoxStore, Pair, PairFinder, Pairs};
use swath_c::*;
use testkit::finite::assert_finite;
use testkit::fuzz::bytes::Bytes;

const BOXES_MAX: usize = 40;

/// An order, which is sometimes unknown.
fn order(bytes: &mut Bytes<'_>) -> swath_order {
    let how = bytes.byte();
    if how < 8 { word(bytes) } else { u32::from(how % 2) }
}

/// Compares the pairs of a search in C with those in Rust, `Err` if the caller has made a mistake that Rust cannot make.
macro_rules! same_pairs {
    ($status:expr, $to:expr, $order:expr, $wrong:expr, $rust:expr) => {
        if $wrong || $order > SWATH_SORTED {
            fails($status, SWATH_ERROR_ARGUMENT);
            None
        } else {
            agree($rust, $status).map(|found| {
                let rejected = [found.rejected().to_vec(), found.rejected_of_second().to_vec()];
                let c = list($to.data, $to.count);
                if $order == SWATH_SORTED {
                    assert_eq!(bits(c), bits(found.sorted()));
                } else {
                    let mut pairs = Vec::new();
                    found.collect_into(&mut pairs);
                    assert_eq!(bits(c), bits(&pairs));
                }
                assert_finite(&c);
                rejected
            })
        }
    };
}

/// A search of one set or of two.
fn search<'f, P>(
    finder: &'f mut PairFinder,
    a: &Boxes,
    b: Option<&Boxes>,
    one: impl FnOnce(
        &'f mut PairFinder,
        swath::broadphase::PairInput<'_>,
    ) -> Result<Pairs<'f, P>, FindError>,
    two: impl FnOnce(
        &'f mut PairFinder,
        swath::broadphase::PairInput<'_>,
        swath::broadphase::PairInput<'_>,
    ) -> Result<Pairs<'f, P>, FindError>,
) -> Result<Pairs<'f, P>, FindError> {
    a.pair_input(|input| match b {
        None => one(finder, input),
        Some(b) => b.pair_input(|second| two(finder, input, second)),
    })
}

/// Searches of one finder.
pub(crate) fn finder(bytes: &mut Bytes<'_>) {
    let settings = Settings::new(bytes);
    let Some(finder) = settings.create(swath_pair_finder_create, swath_pair_finder_destroy) else {
        return;
    };
    let mut rust = PairFinder::with_exec(settings.rust());
    for _ in 0..3 {
        let a = Boxes::new(bytes, BOXES_MAX, Extra::All, false);
        let b =
            bytes.byte().is_multiple_of(2).then(|| Boxes::new(bytes, BOXES_MAX, Extra::All, false));
        let (order, is_swept) = (order(bytes), bytes.byte().is_multiple_of(2));
        let is_wrong = a.is_wrong() || b.as_ref().is_some_and(Boxes::is_wrong);
        let (c_a, c_b) = (a.c(), b.as_ref().map(Boxes::c));
        let c_b = c_b.as_ref().map_or(null(), std::ptr::from_ref);
        let rejected = if is_swept {
            let mut to = swath_swept_pairs { data: null(), count: 0 };
            let status =
                unsafe { swath_pair_finder_swept_pairs(finder.pointer, &c_a, c_b, order, &mut to) };
            same_pairs!(
                status,
                to,
                order,
                is_wrong,
                search(
                    &mut rust,
                    &a,
                    b.as_ref(),
                    |f, a| f.swept_pairs(a),
                    |f, a, b| f.swept_pairs_between(a, b)
                )
            )
        } else {
            let mut to = swath_pairs { data: null(), count: 0 };
            let status =
                unsafe { swath_pair_finder_union_pairs(finder.pointer, &c_a, c_b, order, &mut to) };
            same_pairs!(
                status,
                to,
                order,
                is_wrong,
                search(
                    &mut rust,
                    &a,
                    b.as_ref(),
                    |f, a| f.union_pairs(a),
                    |f, a, b| f.union_pairs_between(a, b)
                )
            )
        };
        if let Some([of_a, of_b]) = rejected {
            let mut rows = [NO_REJECTED; 2];
            let [to_a, to_b] = &mut rows;
            works(unsafe { swath_pair_finder_rejected(finder.pointer, to_a, to_b) });
            same_rejected(rows[0], &of_a);
            same_rejected(rows[1], &of_b);
        }
        let mut memory = 0;
        works(unsafe { swath_pair_finder_memory(finder.pointer, &mut memory) });
    }
}

/// The highest row that a test may use; memory is proportional to it.
const ROWS: u32 = 64;

/// Rows of fixed boxes: small, or too large.
fn rows(bytes: &mut Bytes<'_>, count: usize) -> Vec<u32> {
    let row = |bytes: &mut Bytes<'_>| match bytes.byte() {
        255 => word(bytes) | 1 << 27,
        other => u32::from(other) % ROWS,
    };
    (0..count).map(|_| row(bytes)).collect()
}

/// Changes of fixed boxes, and their pairs with moving ones.
pub(crate) fn fixed_boxes(bytes: &mut Bytes<'_>) {
    let settings = Settings::new(bytes);
    let Some(fixed) = settings.create(swath_fixed_boxes_create, swath_fixed_boxes_destroy) else {
        return;
    };
    let mut rust = FixedBoxes::with_exec(settings.rust());
    for _ in 0..6 {
        let mut rejected: Option<Vec<Rejected>> = None;
        match bytes.byte() % 4 {
            0 => {
                let boxes = Boxes::new(bytes, BOXES_MAX, Extra::Filters, true);
                let rows = rows(bytes, boxes.len());
                let status =
                    unsafe { swath_fixed_boxes_put(fixed.pointer, rows.as_ptr(), &boxes.c()) };
                if boxes.is_wrong() {
                    fails(status, SWATH_ERROR_ARGUMENT);
                } else {
                    let put = boxes.fixed_input(|input| rust.put(&rows, input).map(<[_]>::to_vec));
                    rejected = agree(put, status);
                }
            }
            1 => {
                let count = usize::from(bytes.byte() % 8);
                let mut rows = rows(bytes, count);
                if !bytes.byte().is_multiple_of(4) {
                    rows.retain(|&row| rust.get(row).is_some());
                }
                let status =
                    unsafe { swath_fixed_boxes_remove(fixed.pointer, rows.as_ptr(), rows.len()) };
                agree(rust.remove(&rows), status);
            }
            how => {
                let movers = Boxes::new(bytes, BOXES_MAX, Extra::All, false);
                let (order, c, is_wrong) = (order(bytes), movers.c(), movers.is_wrong());
                let found = if how == 2 {
                    let mut to = swath_pairs { data: null(), count: 0 };
                    let status =
                        unsafe { swath_fixed_boxes_union_pairs(fixed.pointer, &c, order, &mut to) };
                    same_pairs!(
                        status,
                        to,
                        order,
                        is_wrong,
                        movers.pair_input(|input| rust.union_pairs(input))
                    )
                } else {
                    let mut to = swath_swept_pairs { data: null(), count: 0 };
                    let status =
                        unsafe { swath_fixed_boxes_swept_pairs(fixed.pointer, &c, order, &mut to) };
                    same_pairs!(
                        status,
                        to,
                        order,
                        is_wrong,
                        movers.pair_input(|input| rust.swept_pairs(input))
                    )
                };
                rejected = found.map(|[of_movers, _]| of_movers);
            }
        }
        if let Some(rejected) = rejected {
            let mut rows = NO_REJECTED;
            works(unsafe { swath_fixed_boxes_rejected(fixed.pointer, &mut rows) });
            same_rejected(rows, &rejected);
        }
        let mut len = 0;
        works(unsafe { swath_fixed_boxes_len(fixed.pointer, &mut len) });
        assert_eq!(len, rust.len());
    }
    crate::trees::fixed_queries(bytes, fixed.pointer, &rust);
}

/// Sweeps and casts of many rows.
pub(crate) fn kernels(bytes: &mut Bytes<'_>) {
    let level = Level::detect();
    let boxes = Boxes::new(bytes, BOXES_MAX, Extra::None, false);
    let (one, segment) = (bytes.row(&boxes.rows), segment(bytes));
    let pairs: Vec<Pair> = (0..bytes.byte() % 32)
        .map(|_| Pair { a: index(bytes, boxes.len() as u32), b: index(bytes, boxes.len() as u32) })
        .collect();
    let c_pairs: &[swath_pair] = bytemuck::cast_slice(&pairs);
    let c = boxes.c();
    let most = boxes.len().max(pairs.len());
    let (mut first, mut last, mut contact) = (vec![7.0; most], vec![7.0; most], vec![0; most]);
    let store: MovingBoxStore =
        boxes.rust(|boxes| (0..boxes.len()).map(|row| boxes.get(row)).collect());
    let mut rejected = Vec::new();
    let checked = store.columns().check(level, &mut rejected);

    let status = unsafe {
        swath_sweep_one_to_many(
            null(),
            &one.into(),
            &c,
            first.as_mut_ptr(),
            last.as_mut_ptr(),
            contact.as_mut_ptr(),
        )
    };
    if boxes.is_wrong() {
        fails(status, SWATH_ERROR_ARGUMENT);
        return;
    }
    let count = boxes.len();
    let mut rust = Sweeps::new(count);
    if agree(sweep::one_to_many(level, &one, &checked, rust.columns()), status).is_some() {
        rust.same(&first, &last, &contact);
    }

    let status = unsafe {
        swath_sweep_pairs(
            null(),
            &c,
            c_pairs.as_ptr(),
            c_pairs.len(),
            first.as_mut_ptr(),
            last.as_mut_ptr(),
            contact.as_mut_ptr(),
        )
    };
    let mut rust = Sweeps::new(pairs.len());
    if agree(sweep::pairs(level, &checked, &pairs, rust.columns()), status).is_some() {
        rust.same(&first, &last, &contact);
    }

    let status = unsafe {
        swath_cast_one_to_many(null(), &segment.into(), &c, first.as_mut_ptr(), last.as_mut_ptr())
    };
    let (mut entry, mut exit) = (vec![0.0_f32; count], vec![0.0_f32; count]);
    let output = cast::Fractions { entry: &mut entry, exit: &mut exit };
    if agree(cast::one_to_many(level, &segment, &checked, output), status).is_some() {
        assert_eq!(bits(&first[..count]), bits(&entry));
        assert_eq!(bits(&last[..count]), bits(&exit));
        assert!(entry.iter().chain(&exit).all(|fraction| !fraction.is_nan()));
    }
}

/// The results of sweeps in Rust.
struct Sweeps {
    first: Vec<f32>,
    last: Vec<f32>,
    contact: Vec<Contact>,
}

impl Sweeps {
    fn new(count: usize) -> Self {
        Self {
            first: vec![0.0; count],
            last: vec![0.0; count],
            contact: vec![Contact::default(); count],
        }
    }

    fn columns(&mut self) -> SweepColumns<'_> {
        SweepColumns { first: &mut self.first, last: &mut self.last, contact: &mut self.contact }
    }

    fn same(&self, first: &[f32], last: &[f32], contact: &[u32]) {
        let count = self.first.len();
        assert_eq!(bits(&first[..count]), bits(&self.first));
        assert_eq!(bits(&last[..count]), bits(&self.last));
        assert_eq!(&contact[..count], bits(&self.contact));
        for (&first, &last) in self.first.iter().zip(&self.last) {
            // A row that does not touch has infinite times.
            assert!(
                (0.0..=last).contains(&first) && (last <= 1.0 || first == last),
                "{first} {last}"
            );
        }
    }
}
