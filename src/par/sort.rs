//! Sorts items that consist of a few words, compiled once for each number of words.
//!
//! Items are compared word by word, the first word first. Types whose order is that of their words are cast to arrays
//! of words, so that they share one compiled sort. A sort on several threads divides the items in advance:
//!
//! ```text
//! sample the items at fixed distances, sort the sample, and choose the divider of each two neighbouring parts
//! four times: divide each part in two at its divider          parts in parallel
//! sort each part                                              parts in parallel
//! ```
//!
//! Method: sample sort, Frazer et al. 1970, *Samplesort: a sampling approach to minimal storage tree sorting*; but
//! the items are divided in place.

#[cfg(feature = "std")]
use super::loops::fill_parts;
use super::threads::Threads;

/// How often all items are divided in two before the parts are sorted, the number of parts, and the items of the
/// sample for each part.
#[cfg(feature = "std")]
const DIVISIONS: usize = 4;
#[cfg(feature = "std")]
const PARTS: usize = 1 << DIVISIONS;
#[cfg(feature = "std")]
const SAMPLE: usize = 8;
/// How often a part is divided in a selection, at most.
const SELECT_ROUNDS: u32 = 48;
/// A part of a selection that is not longer than this is sorted.
const SELECT_SORTED: usize = 16;
/// Fewer items are sorted by the calling thread.
#[cfg(feature = "std")]
const PARALLEL_MIN: usize = 2048;

/// The words of an item as a number.
#[inline(always)]
fn key<const N: usize>(words: &[u32; N]) -> u128 {
    const { assert!(N <= 4, "four words fit in the number") }
    let mut key = 0;
    for &word in words {
        key = key << 32 | u128::from(word);
    }
    key
}

/// Sorts items on the calling thread.
pub(crate) fn sort<const N: usize>(items: &mut [[u32; N]]) {
    items.sort_unstable_by_key(key);
}

/// Sorts rows on the calling thread.
pub(crate) fn sort_rows(rows: &mut [u32]) {
    rows.sort_unstable();
}

/// Sorts numbers in the order of [`f32::total_cmp`] on the calling thread.
pub(crate) fn sort_floats(numbers: &mut [f32]) {
    let words = bytemuck::cast_slice_mut(numbers);
    words.iter_mut().for_each(|bits| *bits = ordered_bits(*bits));
    sort_rows(words);
    words.iter_mut().for_each(|bits| *bits = !ordered_bits(!*bits));
}

/// Sorts points coordinate by coordinate, in the order of [`f32::total_cmp`], on the calling thread.
pub(crate) fn sort_points(points: &mut [[f32; 3]]) {
    let words: &mut [[u32; 3]] = bytemuck::cast_slice_mut(points);
    words.as_flattened_mut().iter_mut().for_each(|bits| *bits = ordered_bits(*bits));
    sort(words);
    words.as_flattened_mut().iter_mut().for_each(|bits| *bits = !ordered_bits(!*bits));
}

/// Selects the number that is in place `at` when the numbers are sorted in the order of [`f32::total_cmp`]: those before
/// it are not greater then, and those after it are not less.
///
/// Method: quickselect, Hoare 1961, *Algorithm 65: FIND*. A part that does not become short in a few rounds is sorted.
pub(crate) fn select_float(numbers: &mut [f32], at: usize) -> f32 {
    let words: &mut [u32] = bytemuck::cast_slice_mut(numbers);
    words.iter_mut().for_each(|bits| *bits = ordered_bits(*bits));
    select(words, at);
    words.iter_mut().for_each(|bits| *bits = !ordered_bits(!*bits));
    numbers[at]
}

/// Does what [`select_float`] does, for words in their own order.
fn select(words: &mut [u32], at: usize) {
    let (mut from, mut to) = (0, words.len());
    for _ in 0..SELECT_ROUNDS {
        if to - from <= SELECT_SORTED {
            break;
        }
        let [a, b, c] = [words[from], words[from.midpoint(to)], words[to - 1]];
        let middle = a.min(b).max(c.min(a.max(b)));
        let below = from + divide(&mut words[from..to], |&word| word < middle);
        if at < below {
            to = below;
            continue;
        }
        from = below + divide(&mut words[below..to], |&word| word <= middle);
        if at < from {
            return;
        }
    }
    sort_rows(&mut words[from..to]);
}

/// Maps the bits of a number to a word such that words have the order of the numbers. `!ordered_bits(!word)` is the
/// number again: both functions invert the bits of a number with a sign, and the sign of any other.
#[inline(always)]
pub(crate) fn ordered_bits(bits: u32) -> u32 {
    bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31)
}

/// Returns the float in the middle between two others in the order of all floats, in which there are as many floats before as after it.
#[inline(always)]
pub(crate) fn middle_float(low: f32, high: f32) -> f32 {
    let [low, high] = [ordered_bits(low.to_bits()), ordered_bits(high.to_bits())];
    f32::from_bits(!ordered_bits(!low.midpoint(high)))
}

/// Sorts items on the threads of the pool.
pub(crate) fn sort_parallel<const N: usize>(threads: &Threads, items: &mut [[u32; N]]) {
    #[cfg(feature = "std")]
    if threads.workers() > 1 && items.len() >= PARALLEL_MIN {
        let step = items.len() / (PARTS * SAMPLE);
        let mut sample = [[0; N]; PARTS * SAMPLE];
        for (to, from) in sample.iter_mut().zip(items.iter().step_by(step)) {
            *to = *from;
        }
        sort(&mut sample);
        // Part `part` of `PARTS >> shift` parts is divided at the sample in its middle.
        let divide = |part: usize, shift: usize, items: &mut [u32]| {
            let divider = key(&sample[((2 * part + 1) * SAMPLE) << (shift - 1)]);
            divide(items.as_chunks_mut::<N>().0, |item| key(item) < divider) * N
        };
        let sort = |items: &mut [u32]| sort(items.as_chunks_mut::<N>().0);
        sort_parts(threads, items.as_flattened_mut(), &divide, &sort);
        return;
    }
    let _ = threads;
    sort(items);
}

/// Divides all parts [`DIVISIONS`] times, and sorts the parts. It is compiled once for all numbers of words.
///
/// `divide(part, shift, words)` divides one of `PARTS >> shift` parts and returns where its second half starts.
#[cfg(feature = "std")]
fn sort_parts(
    threads: &Threads,
    words: &mut [u32],
    divide: &(dyn Fn(usize, usize, &mut [u32]) -> usize + Sync),
    sort: &(dyn Fn(&mut [u32]) + Sync),
) {
    use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    let mut starts = [0; PARTS + 1];
    starts[1] = words.len();
    for division in 0..DIVISIONS {
        let parts = 1 << division;
        // Each is written by the thread that divides its part.
        let middles = [const { AtomicUsize::new(0) }; PARTS / 2];
        fill_parts(threads, &starts[..=parts], words, 1, &|part, words| {
            middles[part].store(divide(part, DIVISIONS - division, words), Relaxed);
        });
        for part in (0..parts).rev() {
            starts[2 * part + 2] = starts[part + 1];
            starts[2 * part + 1] = starts[part] + middles[part].load(Relaxed);
        }
    }
    fill_parts(threads, &starts, words, 1, &|_, words| sort(words));
}

/// Moves the items for which `is_below` is true to the front, and returns their number.
///
/// Method: the partition of N. Lomuto (Bentley 1986, *Programming Pearls*, column 10), without a branch on the order.
#[inline(always)]
fn divide<T>(items: &mut [T], is_below: impl Fn(&T) -> bool) -> usize {
    let mut below = 0;
    for next in 0..items.len() {
        items.swap(next, below);
        below += usize::from(is_below(&items[below]));
    }
    below
}

/// Sorts items of any type by a key, with little code and two to three times as slowly as [`sort`]: for short lists,
/// and for types that few lists have. Items with equal keys are in arbitrary order.
///
/// Method: heapsort, Williams 1964, *Algorithm 232*.
pub(crate) fn sort_rare<T: Copy, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    // The first half of the steps builds the heap, the others move its greatest item behind it.
    for step in (0..items.len() + items.len() / 2).rev() {
        let (mut parent, end) = if step >= items.len() {
            (step - items.len(), items.len())
        } else {
            items.swap(0, step);
            (0, step)
        };
        loop {
            let mut child = 2 * parent + 1;
            if child >= end {
                break;
            }
            if child + 1 < end && key(&items[child]) < key(&items[child + 1]) {
                child += 1;
            }
            if key(&items[parent]) >= key(&items[child]) {
                break;
            }
            items.swap(parent, child);
            parent = child;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{key, sort_rare};
    use alloc::vec;
    use alloc::vec::Vec;

    /// Lists that are random, sorted, in descending order, nearly equal, and made of few different items.
    fn lists<const N: usize>(len: usize) -> Vec<Vec<[u32; N]>> {
        let mut seed = 1_u32;
        let mut draw = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed >> 7
        };
        let random: Vec<[u32; N]> = (0..len).map(|_| core::array::from_fn(|_| draw())).collect();
        let mut sorted = random.clone();
        sorted.sort_unstable();
        let descending = sorted.iter().rev().copied().collect();
        let last = (0..len)
            .map(|k| core::array::from_fn(|word| if word + 1 < N { 7 } else { k as u32 ^ 85 }));
        let few = random.iter().map(|words| words.map(|word| word % 3)).collect();
        [random.clone(), sorted, descending, last.collect(), few].into()
    }

    fn check<const N: usize>() {
        // An interpreter sorts the short lists, and a long one of pairs.
        let is_tested = |&len: &usize| !cfg!(miri) || len < 100 || (len == 2049 && N == 2);
        let lens = [0, 1, 2, 3, 20, 2047, 2048, 2049, 5000, 100_000];
        for len in lens.into_iter().filter(is_tested) {
            for list in lists::<N>(len) {
                let mut expected = list.clone();
                expected.sort_unstable();
                let mut sorted = list.clone();
                super::sort(&mut sorted);
                assert!(sorted == expected, "{N} words, {len} items");
                let mut rare = list.clone();
                sort_rare(&mut rare, key);
                assert!(rare == expected, "{N} words, {len} items");
                #[cfg(feature = "rayon")]
                for threads in [1, 2, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                    let threads = super::Threads::of_pool(pool.expect("the pool starts").into());
                    let mut sorted = list.clone();
                    super::sort_parallel(&threads, &mut sorted);
                    assert!(sorted == expected, "{N} words, {len} items, {threads:?}");
                }
            }
        }
    }

    #[test]
    fn numbers_and_points_are_sorted_in_the_total_order() {
        let specials = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            -f32::NAN,
            1e-45,
            -1e-45,
        ];
        let mut numbers = specials.to_vec();
        super::sort_floats(&mut numbers);
        let mut expected = specials.to_vec();
        expected.sort_unstable_by(f32::total_cmp);
        let bits =
            |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&numbers), bits(&expected));

        let mut points = Vec::new();
        for x in specials {
            points.extend(specials.iter().map(|&y| [x, y, x - y]));
        }
        let mut expected = points.clone();
        super::sort_points(&mut points);
        let compare = |a: &f32, b: &f32| a.total_cmp(b);
        let by = |a: &[f32; 3], b: &[f32; 3]| {
            compare(&a[0], &b[0]).then(compare(&a[1], &b[1])).then(compare(&a[2], &b[2]))
        };
        expected.sort_unstable_by(by);
        assert_eq!(bits(points.as_flattened()), bits(expected.as_flattened()));
    }

    /// Goal: the selected number is that of the sorted list, in its place, between those that are not greater and those that are
    /// not less. Method: all places of short lists and some of long ones, with equal numbers and NaN among them; lists of ten
    /// different numbers, and of the least alone.
    #[test]
    fn selected_number_is_that_of_the_sorted_list() {
        for len in [1, 2, 16, 17, 40, 1000, 5000].into_iter().filter(|&len| !cfg!(miri) || len < 99)
        {
            let numbers = |list: Vec<[u32; 1]>| {
                list.into_iter().map(|[word]| f32::from_bits(word << 7)).collect()
            };
            let mut lists: Vec<Vec<f32>> = lists::<1>(len).into_iter().map(numbers).collect();
            lists.push((0..len).map(|k| (k * 7 % 10) as f32).collect());
            lists.push(vec![f32::from_bits(u32::MAX); len]);
            for numbers in lists {
                let mut sorted = numbers.clone();
                sorted.sort_unstable_by(f32::total_cmp);
                for at in (0..len).step_by(1 + len / 40) {
                    let mut line = numbers.clone();
                    let found = super::select_float(&mut line, at);
                    assert_eq!(found.to_bits(), sorted[at].to_bits(), "{at} of {len}");
                    assert_eq!(line[at].to_bits(), found.to_bits());
                    assert!(line[..at].iter().all(|x| x.total_cmp(&found).is_le()));
                    assert!(line[at..].iter().all(|x| x.total_cmp(&found).is_ge()));
                    line.sort_unstable_by(f32::total_cmp);
                    let bits = |x: &f32| x.to_bits();
                    assert!(line.iter().map(bits).eq(sorted.iter().map(bits)));
                }
            }
        }
    }

    #[test]
    fn items_of_one_to_four_words_are_sorted_like_arrays() {
        check::<1>();
        check::<2>();
        check::<3>();
        check::<4>();
    }
}
