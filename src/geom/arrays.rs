//! Maps the elements of short arrays, and sorts those of three axes; sums, maxima and lengths of lists.
//!
//! The standard library's `map`, `from_fn`, `sum` and `max` are chains of half a dozen generic functions, compiled again for
//! each closure. The functions here are inlined by rustc itself, before LLVM sees them, because elements and closures
//! are `Copy`: nothing has to be dropped when a closure panics. Library code uses these, because short arrays are
//! everywhere.

use alloc::vec::Vec;

/// An array of 2, 3, 4, 6, 7 or 9 elements.
pub(crate) trait MapEach<T: Copy> {
    /// The array of the same length with other elements.
    type Of<U: Copy>;

    /// Returns the results of `apply` for all elements, in order.
    fn map_each<U: Copy>(self, apply: impl Fn(T) -> U + Copy) -> Self::Of<U>;
}

/// Implements [`MapEach`] for arrays of one length.
macro_rules! map_each {
    ($count:literal: $($element:ident)*) => {
        impl<T: Copy> MapEach<T> for [T; $count] {
            type Of<U: Copy> = [U; $count];

            #[inline(always)]
            fn map_each<U: Copy>(self, apply: impl Fn(T) -> U + Copy) -> [U; $count] {
                let [$($element),*] = self;
                [$(apply($element)),*]
            }
        }
    };
}

map_each!(2: a b);
map_each!(3: a b c);
map_each!(4: a b c d);
map_each!(6: a b c d e f);
map_each!(7: a b c d e f g);
map_each!(9: a b c d e f g h i);

/// Returns the results of `of` for the axes 0, 1 and 2.
#[inline(always)]
pub(crate) fn each_axis<T: Copy>(of: impl Fn(usize) -> T + Copy) -> [T; 3] {
    [of(0), of(1), of(2)]
}

/// Returns the axes from the one with the greatest number to the one with the least, in the order of [`f64::total_cmp`], in which -0 is
/// less than 0. Of numbers that are equal in it, that of the lower axis is first.
pub(crate) fn descending(numbers: [f64; 3]) -> [usize; 3] {
    // A sorting network. An axis that is moved up is lower than those with an equal number.
    let mut order = [0, 1, 2];
    for (k, next) in [(0, 1), (1, 2), (0, 1)] {
        if numbers[order[next]].total_cmp(&numbers[order[k]]).is_gt() {
            order.swap(k, next);
        }
    }
    order
}

/// Returns the sum of the results of `number` for all items.
#[inline(always)]
pub(crate) fn sum_of<T>(items: &[T], number: impl Fn(&T) -> usize + Copy) -> usize {
    let mut sum = 0;
    for item in items {
        sum += number(item);
    }
    sum
}

/// Returns the sum as [`sum_of`] does, or the greatest `usize` if it is greater. On 32-bit CPUs, counts of pairs may be.
#[inline(always)]
pub(crate) fn saturating_sum_of<T>(items: &[T], number: impl Fn(&T) -> usize + Copy) -> usize {
    let mut sum = 0_usize;
    for item in items {
        sum = sum.saturating_add(number(item));
    }
    sum
}

/// Returns the greatest result of `number` for an item, or 0 if there is no item.
#[inline(always)]
pub(crate) fn most_of<T>(items: &[T], number: impl Fn(&T) -> usize + Copy) -> usize {
    let mut most = 0;
    for item in items {
        most = most.max(number(item));
    }
    most
}

/// Returns the number of items for which `is` is true.
#[inline(always)]
pub(crate) fn count_of<T>(items: &[T], is: impl Fn(&T) -> bool + Copy) -> usize {
    sum_of(items, |item| usize::from(is(item)))
}

/// Returns the index of sample `k` of `samples` that are evenly spaced among `count` elements. On 32-bit CPUs, products of
/// `usize` would overflow.
#[inline(always)]
pub(crate) fn sample_index(k: usize, samples: usize, count: usize) -> usize {
    (k as u64 * count as u64 / samples as u64) as usize
}

/// Returns the index of sample `k` of `samples` among `count` elements: one of each of so many equal parts, at uneven distances. The elements
/// may be of several kinds by turns, and at even distances all samples could be of one kind.
#[inline(always)]
pub(crate) fn uneven_index(k: usize, samples: usize, count: usize) -> usize {
    let [first, next] = [k, k + 1].map_each(|part| sample_index(part, samples, count));
    first + ((k * 0x9E37) >> 4) % (next - first).max(1)
}

/// Appends the result of `of` for each item to a list. It is for lists that are short, or whose items take longer than
/// the check of the capacity: `extend` would be four functions for each closure.
#[inline(always)]
pub(crate) fn append_each<T, U: Copy>(to: &mut Vec<U>, items: &[T], of: impl Fn(&T) -> U + Copy) {
    to.reserve(items.len());
    for item in items {
        to.push(of(item));
    }
}

/// Lengthens a list with default items, and never shortens it.
#[inline(never)]
pub(crate) fn lengthen_by_default<T: Default>(items: &mut Vec<T>, len: usize) {
    items.reserve(len.saturating_sub(items.len()));
    while items.len() < len {
        items.push(T::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// Goal: sums, maxima and counts of lists, and lists that are lengthened. Method: short lists, the empty one among them.
    #[test]
    fn lists_are_summed_counted_and_lengthened() {
        for (items, sum, most, odd) in [
            (vec![], 0, 0, 0),
            (vec![3], 3, 3, 1),
            (vec![2, 7, 5], 14, 7, 2),
            (vec![9, 1], 10, 9, 2),
        ] {
            assert_eq!(sum_of(&items, |&item| item), sum);
            assert_eq!(saturating_sum_of(&items, |&item| item), sum);
            assert_eq!(most_of(&items, |&item| item), most);
            assert_eq!(count_of(&items, |&item| item % 2 == 1), odd);
            let mut longer = vec![4];
            append_each(&mut longer, &items, |&item| 2 * item);
            assert_eq!(
                (longer.len(), longer.iter().sum::<usize>()),
                (1 + items.len(), 4 + 2 * sum)
            );
            for len in 0..5 {
                let mut longer = items.clone();
                lengthen_by_default(&mut longer, len);
                assert_eq!(longer.len(), len.max(items.len()));
                assert_eq!(longer[..items.len()], items);
                assert!(longer[items.len()..].iter().all(|&item| item == 0));
            }
        }
        assert_eq!(saturating_sum_of(&[usize::MAX / 2 + 1; 2], |&item| item), usize::MAX);
        assert_eq!(each_axis(|axis| axis + 1).map_each(|x| 2 * x), [2, 4, 6]);
    }

    /// Goal: axes are in the order of their numbers, and of equal numbers the lower axis is first. Method: all triples of four numbers, two of
    /// which are zeros of different sign.
    #[test]
    fn axes_descend_and_equal_ones_keep_their_order() {
        let numbers = [-1.0_f64, -0.0, 0.0, 7.5];
        for [i, j, k] in (0..64).map(|n| [n % 4, n / 4 % 4, n / 16]) {
            let of = [numbers[i], numbers[j], numbers[k]];
            let mut sorted = [0, 1, 2];
            sorted.sort_by(|&a: &usize, &b| of[b].total_cmp(&of[a]));
            assert_eq!(descending(of), sorted, "{of:?}");
        }
        assert_eq!(descending([-0.0, 0.0, 1.0]), [2, 1, 0]);
    }

    /// Goal: samples are evenly spaced, also among so many elements that products have more than 32 bits. Method: the most boxes
    /// of a tree, and as many samples as builds and joins take.
    #[test]
    fn samples_of_many_elements_are_evenly_spaced() {
        let count = (1 << 27) - 1;
        for samples in [512, 1024] {
            let last = sample_index(samples - 1, samples, count);
            assert_eq!(last, count - count / samples - 1);
            assert_eq!(sample_index(samples / 2, samples, count), count / 2);
        }
    }

    /// Goal: uneven samples are one of each equal part, also among few elements.
    #[test]
    fn uneven_samples_are_one_of_each_part() {
        for count in [1, 7, 511, 512, 513, 5000] {
            for samples in [1, 16, 512] {
                for k in 0..samples {
                    let [first, next] = [k, k + 1].map_each(|k| sample_index(k, samples, count));
                    let index = uneven_index(k, samples, count);
                    assert!((first..next.max(first + 1)).contains(&index));
                }
            }
        }
    }

    /// Goal: uneven samples have all kinds of elements that are of several kinds by turns, about in proportion. Method: numbers of elements of which the distance of
    /// the samples is a multiple of the kinds, and others.
    #[test]
    fn uneven_samples_have_all_kinds_by_turns() {
        for count in [24_576, 65_536, 100_000, 1 << 19] {
            for samples in [count / 32, count / 64, count / 256] {
                for kinds in [2, 3, 4, 6, 8, 16, 32] {
                    let mut counts = [0; 32];
                    (0..samples).for_each(|k| counts[uneven_index(k, samples, count) % kinds] += 1);
                    let range = samples / kinds / 2..=samples / kinds * 2 + 2;
                    let all = counts[..kinds].iter().all(|of| range.contains(of));
                    assert!(all, "{samples} of {count}, {kinds} kinds: {counts:?}");
                }
            }
        }
    }
}
