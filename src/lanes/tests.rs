//! Tests that every level gives the same bits as the scalar one.
//!
//! Each operation is tested on every pair of hostile numbers, in every lane, on every level of this
//! CPU. Panics are tested too: a slice that is too short must never be accessed past its end.

extern crate std;

use super::*;
use alloc::{format, string::String, vec, vec::Vec};
use core::str::FromStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Floats at which an operation changes. Each is tested with its neighbours and with both signs.
/// The one after infinity is a signalling NaN: operations that only move bits must not quieten it.
const FLOATS: [f32; 17] = [
    f32::from_bits(1),
    f32::MIN_POSITIVE,
    1e-30,
    1.0 / 3.0,
    0.5,
    1.0,
    1.5,
    2.0,
    3.0,
    255.0,
    8_388_608.0,
    16_777_216.0,
    2_147_483_648.0,
    4_294_967_296.0,
    f32::from_bits((127 + 120) << 23),
    f32::INFINITY,
    f32::NAN,
];

/// Integers at which an operation changes.
const WHOLE: [u32; 14] = [
    0,
    1,
    2,
    3,
    0xff,
    0x100,
    0xffff,
    0x1fff_ffff,
    0x2000_0000,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0xaaaa_5555,
    u32::MAX,
];

/// The content of memory that must not be written.
const UNTOUCHED: u32 = 0xdead_beef;

fn floats() -> Vec<f32> {
    let all = FLOATS.map(f32::to_bits).into_iter().flat_map(|x| [x - 1, x, x + 1]);
    all.flat_map(|x| [x, x | 1 << 31]).step_by(tests_f64::STEP).map(f32::from_bits).collect()
}

/// Returns every pair of `all` in two columns, after `shift` filler rows, padded to whole groups of
/// every level. Over all shifts each pair is in each lane.
fn every_pair<T: Copy>(all: &[T], shift: usize) -> [Vec<T>; 2] {
    let mut columns = [vec![all[0]; shift], vec![all[0]; shift]];
    for &a in all {
        for &b in all {
            columns[0].push(a);
            columns[1].push(b);
        }
    }
    for column in &mut columns {
        column.resize(column.len().next_multiple_of(LANES_MAX), all[0]);
    }
    columns
}

/// Returns one where `mask` is set, by a select.
#[inline(always)]
fn ones<I: Isa>(isa: I, mask: I::Mask) -> I::U32 {
    I::U32::select(mask, isa.splat_u32(1), isa.splat_u32(0))
}

/// Returns one where `mask` is set, by the bits of the mask.
#[inline(always)]
fn bits<I: Isa>(isa: I, mask: I::Mask) -> I::U32 {
    assert_eq!(u64::from(mask.bits()) >> I::LANES, 0, "bits past the lanes");
    assert_eq!(mask.count(), mask.bits().count_ones() as usize);
    let mut lanes = [0; LANES_MAX];
    for (k, lane) in lanes.iter_mut().enumerate() {
        *lane = mask.bits() >> k & 1;
    }
    isa.load_u32(&lanes)
}

/// The results of each operation, by row.
type Answers = Vec<(&'static str, Vec<u32>)>;

/// Appends the lanes of each result to its column.
#[inline(always)]
fn record<I: Isa, const N: usize>(out: &mut Answers, answers: [(&'static str, I::U32); N]) {
    if out.is_empty() {
        out.extend(answers.map(|(name, _)| (name, Vec::new())));
    }
    for ((_, answer), (_, column)) in answers.into_iter().zip(out) {
        let mut lanes = [0; LANES_MAX];
        answer.store(&mut lanes);
        column.extend_from_slice(&lanes[..I::LANES]);
    }
}

/// All operations on two floats per row.
#[derive(Clone, Copy)]
struct OnFloats<'a>(&'a [Vec<f32>; 2]);

impl Kernel for OnFloats<'_> {
    type Output = Answers;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Answers {
        let (Self([a, b]), mut out) = (self, Vec::new());
        let zero = isa.splat(0.0);
        for row in (0..a.len()).step_by(I::LANES) {
            let (a, b) = (isa.load(&a[row..]), isa.load(&b[row..]));
            let (lt, le, eq, nan) = (a.lt(b), a.le(b), a.eq(b), a.unordered(b));
            let b_is_nan = b.unordered(b);
            // The integer value of other lanes is unspecified.
            let whole = zero.le(a) & a.lt(isa.splat(2_147_483_648.0));
            let answers = [
                ("a + b", (a + b).to_bits()),
                ("a - b", (a - b).to_bits()),
                ("a * b", (a * b).to_bits()),
                ("a / b", (a / b).to_bits()),
                ("min", a.min(b).to_bits()),
                ("max", a.max(b).to_bits()),
                ("abs", a.abs().to_bits()),
                ("sqrt", a.sqrt().to_bits()),
                ("lt", ones(isa, lt)),
                ("le", ones(isa, le)),
                ("eq", ones(isa, eq)),
                ("unordered", ones(isa, nan)),
                ("bits of lt", bits(isa, lt)),
                ("bits of le", bits(isa, le)),
                ("bits of eq", bits(isa, eq)),
                ("bits of unordered", bits(isa, nan)),
                ("not", ones(isa, !lt)),
                ("bits of not", bits(isa, !lt)),
                ("and", ones(isa, !le & b_is_nan)),
                ("or", ones(isa, lt | b_is_nan)),
                ("select floats", I::F32::select(lt, a, b).to_bits()),
                ("select floats by not", I::F32::select(!lt, a, b).to_bits()),
                ("select whole numbers", I::U32::select(lt, a.to_bits(), b.to_bits())),
                ("trunc", I::F32::select(whole, a, zero).trunc()),
                ("to_bits", a.to_bits()),
                ("from_bits", I::F32::from_bits(a.to_bits()).to_bits()),
            ];
            record::<I, _>(&mut out, answers);
        }
        out
    }
}

/// All operations on two integers per row.
#[derive(Clone, Copy)]
struct OnWhole<'a>(&'a [Vec<u32>; 2]);

impl Kernel for OnWhole<'_> {
    type Output = Answers;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Answers {
        let (Self([a, b]), mut out) = (self, Vec::new());
        for row in (0..a.len()).step_by(I::LANES) {
            let (a, b) = (isa.load_u32(&a[row..]), isa.load_u32(&b[row..]));
            let half = isa.splat_u32(0x7fff_ffff);
            let answers = [
                ("wrapping_add", a.wrapping_add(b)),
                ("wrapping_mul", a.wrapping_mul(b)),
                ("eq", ones(isa, a.eq(b))),
                ("a & b", a & b),
                ("a | b", a | b),
                ("min", (a & half).min(b & half)),
                ("max", (a & half).max(b & half)),
                ("shl 0", a.shl::<0>()),
                ("shl 1", a.shl::<1>()),
                ("shl 8", a.shl::<8>()),
                ("shl 16", a.shl::<16>()),
                ("shl 24", a.shl::<24>()),
                ("shl 31", a.shl::<31>()),
                ("disjoint", ones(isa, a.disjoint(b))),
                ("bits of disjoint", bits(isa, a.disjoint(b))),
                ("halves_meet", ones(isa, a.halves_meet(b))),
                ("select", I::U32::select(a.disjoint(b), a, b)),
            ];
            record::<I, _>(&mut out, answers);
        }
        out
    }
}

/// Asserts that every level gives the bits of the scalar one. A NaN of arithmetic may have any bits.
fn compare<K: Kernel<Output = Answers> + Copy>(kernel: K, show: impl Fn(usize) -> String) {
    let expected = run_scalar(kernel);
    for level in Level::all().filter(|&level| level != Level::SCALAR) {
        for ((name, answers), (_, expected)) in level.run(kernel).into_iter().zip(&expected) {
            assert_eq!(answers.len(), expected.len());
            let arithmetic = ["a + b", "a - b", "a * b", "a / b", "sqrt"].contains(&name);
            for (row, (&answer, &expected)) in answers.iter().zip(expected).enumerate() {
                let is_nan = |bits| arithmetic && f32::from_bits(bits).is_nan();
                assert!(
                    answer == expected || is_nan(answer) && is_nan(expected),
                    "{level}, {name} of {}, lane {}: {answer:#x}, not {expected:#x}",
                    show(row),
                    row % level.lanes()
                );
            }
        }
    }
}

/// Goal: a kernel gives the same results on every level. Method: every pair of hostile numbers,
/// every operation and every lane, compared with the scalar level.
#[test]
fn operations_on_every_level_give_the_same_bits() {
    for shift in 0..LANES_MAX {
        let floats = every_pair(&floats(), shift);
        let [a, b] = &floats;
        compare(OnFloats(&floats), |row| format!("{:e} and {:e}", a[row], b[row]));
        let whole = every_pair(&WHOLE, shift);
        let [a, b] = &whole;
        compare(OnWhole(&whole), |row| format!("{:#x} and {:#x}", a[row], b[row]));
    }
}

/// Goal: special values obey the definitions of the traits. Method: expected values by hand.
#[test]
fn operations_on_special_values_obey_their_definitions() {
    let same = |a: f32, b: f32| a.to_bits() == b.to_bits();
    let nan = f32::NAN;
    assert!(same(F32Lanes::min(0.0, -0.0), -0.0) && same(F32Lanes::min(-0.0, 0.0), 0.0));
    assert!(same(F32Lanes::max(0.0, -0.0), -0.0) && same(F32Lanes::max(-0.0, 0.0), 0.0));
    assert!(same(F32Lanes::min(nan, 1.0), 1.0) && same(F32Lanes::min(1.0, nan), nan));
    assert!(same(F32Lanes::max(nan, 1.0), 1.0) && same(F32Lanes::max(1.0, nan), nan));
    assert!(same(F32Lanes::abs(-nan), nan) && same(F32Lanes::abs(-0.0), 0.0));
    assert!(same(F32Lanes::sqrt(2.25), 1.5) && same(F32Lanes::sqrt(-0.0), -0.0));
    assert!(F32Lanes::sqrt(-1.0).is_nan());
    assert!(F32Lanes::unordered(nan, 1.0) && F32Lanes::unordered(1.0, nan));
    assert!(!F32Lanes::lt(nan, nan) && !F32Lanes::le(nan, nan) && !F32Lanes::eq(nan, nan));
    assert_eq!(F32Lanes::trunc(255.999), 255);
}

/// Loads and stores of whole groups. No other memory may be read or written.
struct ThroughMemory;

impl Kernel for ThroughMemory {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let from: Vec<u32> = (0..I::LANES as u32).map(|k| 0x7f80_0001 + k).collect();
        let floats: Vec<f32> = from.iter().map(|&bits| f32::from_bits(bits)).collect();
        let mut to = [0; LANES_MAX];
        isa.splat_u32(from[0]).store(&mut to);
        assert!(to[..I::LANES].iter().all(|&word| word == from[0]));
        isa.splat(floats[0]).to_bits().store(&mut to);
        assert!(to[..I::LANES].iter().all(|&word| word == from[0]));

        for more in [0, 1, LANES_MAX] {
            let mut to = vec![UNTOUCHED; I::LANES + more];
            isa.load_u32(&from).store(&mut to);
            assert_eq!(to[..I::LANES], from);
            assert!(to[I::LANES..].iter().all(|&word| word == UNTOUCHED));

            let mut to = vec![f32::from_bits(UNTOUCHED); I::LANES + more];
            isa.load(&floats).store(&mut to);
            let to: Vec<u32> = to.into_iter().map(f32::to_bits).collect();
            assert_eq!(to[..I::LANES], from);
            assert!(to[I::LANES..].iter().all(|&word| word == UNTOUCHED));
        }

        let (a, b) =
            (isa.load_u32(&from), isa.load_u32(&from).wrapping_add(isa.splat_u32(0x1_0000)));
        for count in 0..=I::LANES {
            let mut to = vec![[UNTOUCHED; 2]; I::LANES + 2];
            isa.store_pairs(a, b, count, &mut to);
            for k in 0..count {
                assert_eq!(to[k], [from[k], from[k] + 0x1_0000], "pair {k} of {count}");
            }
            assert_eq!(to[I::LANES..], [[UNTOUCHED; 2]; 2]);
            let mut to = vec![[UNTOUCHED; 3]; I::LANES + 2];
            isa.store_triples([a, b, a], count, &mut to);
            for (to, &word) in to.iter().zip(&from).take(count) {
                assert_eq!(*to, [word, word + 0x1_0000, word]);
            }
            assert_eq!(to[I::LANES..], [[UNTOUCHED; 3]; 2]);
        }

        rows::<I, 4>(isa, 0);
        for at in 0..=1 {
            rows::<I, 5>(isa, at);
        }
        for at in 0..=4 {
            rows::<I, 8>(isa, at);
        }
        for at in 0..=8 {
            rows::<I, 12>(isa, at);
        }
        columns::<I, 5, 1>(isa);
        columns::<I, 8, 2>(isa);
        columns::<I, 12, 3>(isa);
    }
}

/// Checks four columns that are written as words `at..at + 4` of rows.
#[inline(always)]
fn rows<I: Isa, const WORDS: usize>(isa: I, at: usize) {
    let word = |k: usize, column: usize| (100 * column + k) as u32 | 0x8000_0000;
    let mut columns = [isa.splat_u32(0); 4];
    for (c, column) in columns.iter_mut().enumerate() {
        let lanes: Vec<u32> = (0..I::LANES).map(|k| word(k, c)).collect();
        *column = isa.load_u32(&lanes);
    }
    let mut to = vec![[UNTOUCHED; WORDS]; I::LANES + 1];
    isa.store_rows(columns, &mut to, at);
    for (k, row) in to.iter().enumerate() {
        for (w, &found) in row.iter().enumerate() {
            let written = k < I::LANES && (at..at + 4).contains(&w);
            let expected = if written { word(k, w - at) } else { UNTOUCHED };
            assert_eq!(found, expected, "row {k}, word {w} of {WORDS}, at {at}");
        }
    }
}

/// Checks columns that are gathered from arbitrary rows.
#[inline(always)]
fn columns<I: Isa, const WORDS: usize, const QUADS: usize>(isa: I) {
    let words = |row: usize| core::array::from_fn(|w| (100 * row + w) as u32 | 0x8000_0000);
    let rows: Vec<[u32; WORDS]> = (0..I::LANES + 7).map(words).collect();
    for step in [0, 1, 5] {
        let which: Vec<u32> = (0..I::LANES).map(|k| (step * k % rows.len()) as u32).collect();
        let mut lanes = [0; LANES_MAX];
        let columns = isa.gather_rows::<WORDS, QUADS>(&rows, &which);
        for (w, column) in columns.iter().flatten().enumerate() {
            column.store(&mut lanes);
            for (lane, &row) in lanes.iter().zip(&which) {
                assert_eq!(*lane, rows[row as usize][w], "word {w} of row {row}, step {step}");
            }
        }
    }
}

/// Goal: loads and stores access one group and no memory beyond it. Method: exact lengths and
/// longer ones, each row width and each offset in a row.
#[test]
fn loads_and_stores_access_one_group() {
    for level in Level::all() {
        level.run(ThroughMemory);
    }
}

/// Compresses distinct lanes by every possible mask.
struct Compress;

impl Kernel for Compress {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let lanes: Vec<u32> = (0..I::LANES as u32).map(|k| 0xf000_0000 + 37 * k).collect();
        let (one, mut front) = (isa.splat_u32(1), [0; LANES_MAX]);
        for expected in 0..1_u32 << I::LANES {
            let mut clear = [0; LANES_MAX];
            for (k, lane) in clear.iter_mut().enumerate() {
                *lane = !expected >> k & 1;
            }
            let mask = isa.load_u32(&clear).disjoint(one);
            assert_eq!(mask.bits(), expected);
            isa.load_u32(&lanes).compress(mask).store(&mut front);
            let mut count = 0;
            for (k, &lane) in lanes.iter().enumerate() {
                if expected >> k & 1 == 1 {
                    assert_eq!(front[count], lane, "lane {k} of mask {expected:#b}");
                    count += 1;
                }
            }
            assert_eq!(mask.count(), count);
        }
    }
}

/// Goal: no pair is lost when it is appended to a list. Method: all 2^lanes masks of every level.
#[test]
fn compress_of_every_mask_keeps_the_order() {
    for level in Level::all() {
        level.run(Compress);
    }
}

/// Reads tables of several lengths at every row.
struct Tables;

impl Kernel for Tables {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        for rows in I::LANES..I::LANES + 5 {
            let whole = |k: usize| (0..rows + k).map(move |row| (1000 * k + row) as u32);
            let whole: [Vec<u32>; 3] = [whole(0).collect(), whole(1).collect(), whole(7).collect()];
            let floats = whole.clone().map(|column| {
                let column: Vec<f32> = column.into_iter().map(|x| x as f32).collect();
                column
            });
            let words = Table::new([&whole[0][..], &whole[1], &whole[2]], rows);
            let table = Table::new([&floats[0][..], &floats[1], &floats[2]], rows);
            assert_eq!((table.rows(), words.rows()), (rows, rows));

            let mut lanes = [0.0; LANES_MAX];
            for row in 0..=rows - I::LANES {
                let read = (table.load(isa, row), words.load_u32(isa, row));
                for (k, (float, word)) in read.0.into_iter().zip(read.1).enumerate() {
                    float.store(&mut lanes);
                    assert_eq!(lanes[..I::LANES], floats[k][row..row + I::LANES]);
                    let mut lanes = [0; LANES_MAX];
                    word.store(&mut lanes);
                    assert_eq!(lanes[..I::LANES], whole[k][row..row + I::LANES]);
                }
            }
            for row in 0..rows {
                for (k, float) in table.splat(isa, row).into_iter().enumerate() {
                    float.store(&mut lanes);
                    assert!(lanes[..I::LANES].iter().all(|&lane| lane == floats[k][row]));
                }
                let at: Vec<u32> = (0..I::LANES).map(|k| ((row + 3 * k) % rows) as u32).collect();
                for (k, float) in table.gather(isa, &at).into_iter().enumerate() {
                    float.store(&mut lanes);
                    for (lane, &row) in lanes.iter().zip(&at) {
                        assert_eq!(*lane, floats[k][row as usize]);
                    }
                }
            }
        }
    }
}

/// Goal: one bounds check covers all columns, and the right rows are read. Method: columns of
/// unequal length, every row.
#[test]
fn tables_with_columns_of_unequal_length_load_the_right_rows() {
    for level in Level::all() {
        level.run(Tables);
    }
}

/// An out-of-range access.
#[derive(Clone, Copy, Debug)]
enum Misuse {
    Load,
    LoadWhole,
    Store,
    StoreWhole,
    StorePairs,
    StoreRows,
    StoreRowsAt(usize),
    NewTable,
    LoadRow(usize),
    LoadWholeRow(usize),
    LoadFromShort,
    Splat(usize),
    Gather(u32),
    GatherFew,
    GatherRows(u32),
    GatherFewRows,
    GatherPastTheWords,
}

impl Kernel for Misuse {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        const ROWS: usize = 2 * LANES_MAX;
        let (mut floats, mut whole) = ([0.0; ROWS], [0; ROWS]);
        let (mut pairs, mut rows) = ([[0; 2]; LANES_MAX], [[0; 8]; ROWS]);
        let (x, n) = (isa.splat(1.0), isa.splat_u32(1));
        let mut at = [0; LANES_MAX];
        let few = I::LANES - 1;
        let table = Table::new([&floats[..]], ROWS);
        match self {
            Self::Load => _ = isa.load(&floats[..few]),
            Self::LoadWhole => _ = isa.load_u32(&whole[..few]),
            Self::Store => x.store(&mut floats[..few]),
            Self::StoreWhole => n.store(&mut whole[..few]),
            Self::StorePairs => isa.store_pairs(n, n, 0, &mut pairs[..few]),
            Self::StoreRows => isa.store_rows([n; 4], &mut rows[..few], 0),
            // There are rows on both sides, so that even a stray write corrupts nothing else.
            Self::StoreRowsAt(at) => isa.store_rows([n; 4], &mut rows[4..], at),
            Self::NewTable => _ = Table::new([&floats[..], &floats[1..]], ROWS),
            Self::LoadRow(past) => _ = table.load(isa, (ROWS - few).wrapping_add(past)),
            Self::LoadWholeRow(past) => {
                let row = (ROWS - few).wrapping_add(past);
                _ = Table::new([&whole[..]], ROWS).load_u32(isa, row);
            }
            Self::LoadFromShort => _ = Table::new([&floats[..]], few).load(isa, 0),
            Self::Splat(past) => _ = table.splat(isa, ROWS.wrapping_add(past)),
            Self::Gather(row) => {
                at[few] = row;
                _ = table.gather(isa, &at);
            }
            Self::GatherFew => _ = table.gather(isa, &at[..few]),
            Self::GatherRows(row) => {
                at[few] = row;
                _ = isa.gather_rows::<8, 2>(&rows, &at);
            }
            Self::GatherFewRows => _ = isa.gather_rows::<8, 2>(&rows, &at[..few]),
            Self::GatherPastTheWords => _ = isa.gather_rows::<8, 3>(&rows, &at),
        }
    }
}

/// Goal: no out-of-range access happens. Method: one element too few, one too far, and the far end
/// of the address space, on every level.
#[test]
#[cfg_attr(panic = "abort", ignore = "the panic cannot be caught")]
fn access_out_of_range_panics() {
    let mut misuses = vec![
        Misuse::Load,
        Misuse::LoadWhole,
        Misuse::Store,
        Misuse::StoreWhole,
        Misuse::StorePairs,
        Misuse::StoreRows,
        Misuse::NewTable,
        Misuse::LoadFromShort,
        Misuse::GatherFew,
        Misuse::GatherFewRows,
        Misuse::GatherPastTheWords,
    ];
    misuses.extend([5, 8, 100, usize::MAX - 3, usize::MAX].map(Misuse::StoreRowsAt));
    for row in [2 * LANES_MAX as u32, 1 << 31, u32::MAX] {
        misuses.extend([Misuse::Gather(row), Misuse::GatherRows(row)]);
    }
    // Each of these is past the end when it is added to the last row.
    for past in [0, 1, 1000, usize::MAX / 2] {
        misuses.extend([Misuse::LoadRow(past), Misuse::LoadWholeRow(past)]);
        misuses.push(Misuse::Splat(past));
    }
    for level in Level::all() {
        for &misuse in &misuses {
            let run = catch_unwind(AssertUnwindSafe(|| level.run(misuse)));
            assert!(run.is_err(), "{level}: {misuse:?} did not panic");
        }
    }
}

/// Goal: a prefetch changes nothing. Method: an empty slice, a slice, and addresses far outside.
#[test]
fn prefetch_of_any_address_changes_nothing() {
    let items = [1_u64, 2, 3];
    prefetch::<u64>(&[]);
    prefetch(&items);
    for at in [0, 3, 1000, usize::MAX / 64] {
        prefetch_to_write(&items, at);
    }
    assert_eq!(items, [1, 2, 3]);
}

/// Returns the number of lanes of the level that it runs on.
struct Lanes;

impl Kernel for Lanes {
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> usize {
        I::LANES
    }
}

/// Goal: each level reports its own name and width. Method: names, widths and order of all levels.
#[test]
fn levels_report_their_names_and_widths_in_order() {
    let levels: Vec<Level> = Level::all().collect();
    assert_eq!(levels[..3], [Level::SCALAR, Level::PORTABLE4, Level::PORTABLE8]);
    assert!(levels.contains(&Level::detect()));
    assert_eq!(Level::default(), Level::detect());
    assert!(levels.is_sorted_by_key(|level| level.lanes()), "narrow to wide");
    for (k, level) in levels.iter().enumerate() {
        assert_eq!(Level::from_str(level.name()), Ok(*level));
        assert_eq!(format!("{level}/{level:?}"), format!("{0}/{0}", level.name()));
        assert_eq!(format!("{level:>12}").len(), 12);
        assert_eq!(level.lanes(), level.run(Lanes));
        assert!(level.lanes() <= LANES_MAX);
        assert!(!levels[..k].contains(level));
        assert_eq!(level.lanes(), level.run_rows(level.lanes(), Lanes));
        assert_eq!(1, level.run_rows(level.lanes() - 1, Lanes));
    }
    for name in ["", "Scalar", "avx", "scalar "] {
        assert_eq!(Level::from_str(name), Err(UnknownLevel), "{name:?}");
    }
}
