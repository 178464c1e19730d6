//! Tests joins of boxes that filters or owners exclude from each other.

use super::divided::DividedJoin;
use super::excluded::{Exclusion, FilterParts, SAMPLE};
use super::tests::{NOT_FIRST, Row, columns, divided_pairs, input, pairs_by_brute_force, pairs_of};
use super::{Join, JoinInput};
use crate::broadphase::pairs::flags::{NOT_FIRST_U, OF_FIRST, OF_SECOND, STILL};
use crate::geom::{Filter, Pair};
use crate::lanes::Level;
use crate::par::Threads;
use alloc::vec::Vec;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

/// Returns the words of some filters, each of one or two categories below `categories`.
fn words(random: &mut Xoshiro256PlusPlus, count: usize, categories: u32) -> Vec<u32> {
    let category = |random: &mut Xoshiro256PlusPlus| 1 << random.random_range(0..categories);
    let filter = |_| {
        let of = category(random) | if random.random_ratio(1, 8) { category(random) } else { 0 };
        let mask = if random.random_ratio(1, 2) { !of } else { random.random() };
        Filter::new(if random.random_ratio(1, 50) { 0 } else { of }, mask).word()
    };
    (0..count).map(filter).collect()
}

/// Goal: filters exclude all pairs of the two parts, and the parts are found wherever a kind of boxes is excluded from another.
/// Method: random filters of few and many kinds, each pair of which is tested; two thirds of the boxes in one kind that does not pair with
/// itself, or with half of the second set.
#[test]
fn filters_exclude_all_pairs_of_the_parts() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    let mut chosen = [0; 2];
    for round in 0..2_000 {
        let (same, categories) = (round % 2 == 0, [1, 2, 3, 5, 16][round / 2 % 5]);
        let [a, b] = [0; 2].map(|_| words(random, SAMPLE, categories));
        let samples = [&a, if same { &a } else { &b }];
        let samples = samples.map(|words| <&[u32; SAMPLE]>::try_from(&words[..]).unwrap());
        let Some(parts) = FilterParts::of_sample(samples, same) else { continue };
        chosen[usize::from(same)] += 1;
        // Words that the sample does not contain are in the parts too.
        let more = words(random, 200, categories);
        for &p in a.iter().chain(&more).filter(|&&word| parts.has(0, word)) {
            for &q in samples[1].iter().chain(&more).filter(|&&word| parts.has(1, word)) {
                assert!(!Filter::words_allow(p, q), "{parts:?} {p:x} {q:x}");
            }
        }
    }
    assert!(chosen[0] > 100 && chosen[1] > 100, "{chosen:?}");
    // Each filter has other categories.
    let of_set = |set: usize| core::array::from_fn(|k| (set * SAMPLE + k + 1) as u32);
    assert!(FilterParts::of_sample([&of_set(0), &of_set(1)], false).is_some());
    let [shot, unit, wall] =
        [Filter::new(2, !2), Filter::new(4, 6), Filter::new(1, !0)].map(Filter::word);
    let mixed = |one, other| core::array::from_fn(|k| if k % 3 > 0 { one } else { other });
    let (shots, walls, units) = (mixed(shot, wall), mixed(wall, wall), mixed(unit, wall));
    assert!(FilterParts::of_sample([&shots, &shots], true).is_some());
    assert!(FilterParts::of_sample([&walls, &walls], true).is_none());
    assert!(FilterParts::of_sample([&units, &walls], false).is_some());
    assert!(FilterParts::of_sample([&walls, &units], false).is_some());
    assert!(FilterParts::of_sample([&shots, &walls], false).is_none());
    assert!(FilterParts::of_sample([&mixed(Filter::NONE.word(), wall); 2], true).is_some());
    // Each excludes the kinds above it, and itself.
    let below = core::array::from_fn(|k| Filter::new(1 << (k % 8), (1 << (k % 8)) - 1).word());
    assert!(FilterParts::of_sample([&below; 2], true).is_some());
}

/// Goal: a join finds each pair once that filters and owners allow, whatever its boxes are separated by. Method: brute force, on boxes in one place, in a
/// few places, and in a crowd, of one kind of filters up to many, in every third world without filters and with one owner up to many, with flags; every
/// level. Some worlds are separated, others are not.
#[test]
fn joins_find_what_filters_and_owners_allow() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
    let mut worlds_saved = 0;
    for round in 0..90 {
        let count = random.random_range(600..1500);
        let categories = [1, 2, 3, 6, 16][round % 5];
        let filters = words(random, count, categories);
        let owned = round % 3 == 0;
        let owners: Vec<u32> =
            (0..count).map(|_| random.random_range(0..=categories + 1) & 7).collect();
        let owner_at = |place: u32| owners[place as usize];
        let owner = owned.then_some(&owner_at as _);
        let excluded = Exclusion { filters: if owned { &[] } else { &filters }, owner };
        let places: u16 = [1, 3, 200][round / 5 % 3];
        let rows: Vec<Row> = (0..count)
            .map(|_| {
                let place = f32::from(random.random_range(0..places));
                let mut ends = [0.0; 6];
                for axis in 0..3 {
                    let low = place * [3.0, 0.0, 0.01][axis] + random.random_range(0.0..0.5_f32);
                    (ends[axis], ends[3 + axis]) = (low, low + random.random_range(0.3..1.0));
                }
                let flags = match round % 4 {
                    0 => 0,
                    1 => [0, STILL][random.random_range(0..2)],
                    2 => [OF_FIRST, OF_SECOND][random.random_range(0..2)],
                    _ => [0, NOT_FIRST_U, STILL][random.random_range(0..3)],
                };
                (ends, flags)
            })
            .collect();
        let allows = |pair: [u32; 2]| {
            let [a, b] = pair.map(|place| place as usize);
            if owned {
                owners[a] == 0 || owners[a] != owners[b]
            } else {
                Filter::words_allow(filters[a], filters[b])
            }
        };
        let expected: Vec<_> = pairs_by_brute_force(&rows).filter(|&pair| allows(pair)).collect();
        let (mut order, mut saves) = (None, false);
        for level in Level::all() {
            let mut join = Join::default();
            let Some(mut found) = pairs_of(level, (&rows, excluded), &mut join, NOT_FIRST) else {
                continue;
            };
            let compared = join.compared;
            assert_eq!(*order.get_or_insert_with(|| found.clone()), found, "{round} {level}");
            found.retain(|&pair| allows(pair));
            found.sort_unstable();
            assert_eq!(found, expected, "{round} {level}");
            let without = &mut Join::default();
            saves |= pairs_of(level, (&rows, Exclusion::NONE), without, NOT_FIRST)
                .is_none_or(|_| compared < without.compared);
        }
        worlds_saved += usize::from(saves);
    }
    assert!(worlds_saved > 4, "{worlds_saved} worlds with fewer comparisons");
}

/// Goal: boxes that filters or owners exclude from each other cost a time in proportion to the boxes. Method: count the comparisons and the boxes that
/// are read, of shots in one place among others in the world around it, of teams in one place that pair with no team, with the next one, or by their masks with the lower ones, which exclude them, of layers in a place each, and of owners in a place each; on one
/// thread and several, with the same pairs. The pairs of some boxes are compared with brute force; only in the first world there are any.
#[test]
fn boxes_that_are_excluded_are_not_compared() {
    let count = 40_000;
    for world in 0..7 {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut filters, mut owners, mut rows) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..count {
            let team = random.random_range(0..8_u32);
            let (filter, place, size) = match world {
                0 if row % 2 == 0 => (Filter::new(2, !2), 0.0, 0.5),
                0 => (Filter::new(1, !0), 0.0, 60.0),
                1 => (Filter::new(1 << team, 0xff00), 0.0, 0.5),
                2 => (Filter::new(1 << team, !(1 << team)), 3.0 * team as f32, 0.5),
                3 => (Filter::new(2, !2), 0.0, 8.0),
                4 => (Filter::new(1 << team, 1 << ((team + 1) % 8)), 0.0, 0.5),
                5 => (Filter::ALL, 3.0 * team as f32, 0.5),
                _ => (Filter::new(1 << team, (1 << team) - 1), 0.0, 0.5),
            };
            let mut ends = [0.0; 6];
            for axis in 0..3 {
                let low = random.random_range(0.0..size) + if axis == 0 { place } else { 0.0 };
                (ends[axis], ends[3 + axis]) = (low, low + 1.0);
            }
            filters.push(filter.word());
            owners.push(if world == 5 { team + 1 } else { 0 });
            rows.push((ends, 0));
        }
        let owner_at = |place: u32| owners[place as usize];
        let owner = (world == 5).then_some(&owner_at as _);
        let excluded = Exclusion { filters: &filters, owner };
        let (bounds, ids) = columns(&rows);
        let allows = |a: usize, b: usize| {
            Filter::words_allow(filters[a], filters[b])
                && (owners[a] == 0 || owners[a] != owners[b])
        };
        let meets = |a: usize, b: usize| {
            (0..3).all(|k| bounds[k][a] <= bounds[3 + k][b] && bounds[k][b] <= bounds[3 + k][a])
        };
        // Boxes of all teams, shots and others.
        let some = (0..count).step_by(99);
        let of_some = some.flat_map(|a| (a + 1..count).map(move |b| [a, b]));
        let of_some: Vec<_> = of_some.filter(|&[a, b]| allows(a, b) && meets(a, b)).collect();
        let mut expected: Option<Vec<Pair>> = None;
        for threads in [Threads::one(), Threads::current()] {
            let mut join = DividedJoin::default();
            let input = JoinInput { excluded, ..input(&bounds, &ids) };
            assert!(join.begin(Level::detect(), input), "{world}");
            let (_, mut found) = divided_pairs(&mut join, &threads, (count, excluded));
            found.retain(|pair| allows(pair.a as usize, pair.b as usize));
            assert_eq!(found.is_empty(), world > 0, "{world}: {} pairs", found.len());
            let pairs = found.iter().map(|pair| [pair.a as usize, pair.b as usize]);
            let mut pairs: Vec<_> = pairs.filter(|[a, _]| a.is_multiple_of(99)).collect();
            pairs.sort_unstable();
            assert_eq!(pairs, of_some, "{world}");
            let (read, compared) = join.work();
            let each = (read + compared / 16) / (count + found.len()) as u64;
            assert!(each < 32, "world {world}: {read} boxes, {compared} comparisons");
            assert_eq!(*expected.get_or_insert_with(|| found.clone()), found, "{world}");
        }
    }
}

/// Goal: boxes of the same one of two sets are not compared after others have been separated by their filters. Method: count the comparisons of a
/// crowd of the first set beside one of both sets, in which none pairs.
#[test]
fn boxes_of_one_set_are_not_compared_beside_separated_ones() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(5);
    let (shot, other) = (Filter::new(2, !2).word(), Filter::new(1, !0).word());
    let (mut rows, mut filters) = (Vec::new(), Vec::new());
    for row in 0..10_000 {
        let (filter, place, flag) = match row % 100 {
            0..60 => (shot, 3.0, if row % 2 == 0 { OF_FIRST } else { OF_SECOND }),
            60..99 => (other, 0.0, OF_FIRST),
            _ => (other, 6.0, OF_SECOND),
        };
        filters.push(filter);
        rows.push((cube(random, place), flag));
    }
    let (join, excluded) = (&mut Join::default(), Exclusion { filters: &filters, owner: None });
    let found = pairs_of(Level::detect(), (&rows, excluded), join, NOT_FIRST).expect("a join");
    let [a, b] = [0, 1].map(|of| move |pair: &[u32; 2]| pair[of] as usize);
    let allows = |pair| Filter::words_allow(filters[a(pair)], filters[b(pair)]);
    assert_eq!(found.iter().filter(|pair| allows(pair)).count(), 0);
    assert!(join.compared < 64 * rows.len() as u64, "{} comparisons", join.compared);
}

/// Goal: boxes with many kinds of filters are separated only where this saves comparisons, not by categories that happen to exclude many pairs of a sample.
/// Method: boxes in one place, in many random worlds: each of one of 15 categories and with one, two or four others in its mask, or with random categories and
/// masks. Reading a box counts as sixteen comparisons.
#[test]
fn boxes_are_not_separated_by_chance() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(4);
    let mut worlds_separated = [0; 4];
    for world in 0..80 {
        let rows: Vec<Row> = (0..2_000).map(|_| (cube(random, 0.0), 0)).collect();
        let others = [1, 2, 4, 0][world % 4];
        let mut filter = || {
            if others == 0 {
                return Filter::new(random.random(), random.random()).word();
            }
            let of = random.random_range(0..15);
            let other = |_| 1 << ((of + random.random_range(1..15)) % 15);
            Filter::new(1 << of, (0..others).map(other).fold(0, |mask, of| mask | of)).word()
        };
        let filters: Vec<u32> = rows.iter().map(|_| filter()).collect();
        let (join, excluded) = (&mut Join::default(), Exclusion { filters: &filters, owner: None });
        if pairs_of(Level::detect(), (&rows, excluded), join, NOT_FIRST).is_some() {
            worlds_separated[world % 4] += 1;
            let all = rows.len() as u64 * (rows.len() as u64 - 1) / 2;
            let work = join.compared + 16 * join.boxes.copied as u64;
            assert!(work <= all, "world {world}: {work} for {all} comparisons");
        }
    }
    let [one, _, four, any] = worlds_separated;
    assert!(one >= 10 && [four, any] == [0, 0], "{worlds_separated:?}");
}

/// Goal: boxes that move are not compared with many more that do not, if filters exclude their pairs, also where the two sets would be compared by
/// bitmaps. Method: count the comparisons of a crowd without a pair, of which one box in five moves; and of twelve crowds, each of a layer of its own, so that
/// no categories exclude many pairs of all.
#[test]
fn excluded_boxes_are_separated_before_bitmaps() {
    for (count, places) in [(4_000, 1), (24_000, 12)] {
        let random = &mut Xoshiro256PlusPlus::seed_from_u64(6);
        let rows: Vec<Row> = (0..count)
            .map(|k| (cube(random, 3.0 * (k % places) as f32), if k % 5 == 0 { 0 } else { STILL }))
            .collect();
        let layer = |k: usize| Filter::new(1 << (k % places), !(1 << (k % places))).word();
        let filters: Vec<u32> = (0..count).map(layer).collect();
        let (join, excluded) = (&mut Join::default(), Exclusion { filters: &filters, owner: None });
        pairs_of(Level::detect(), (&rows, excluded), join, NOT_FIRST).expect("a join");
        assert!(join.compared < 64 * rows.len() as u64, "{} comparisons", join.compared);
    }
}

/// Goal: boxes of two sets that filters exclude are separated before they are divided, also in a crowd that is larger than its boxes. Method: count the
/// comparisons and the boxes that are read, of a join of two sets without a pair in which each box overlaps hundreds, and compare the pairs of a
/// few others with brute force.
#[test]
fn excluded_boxes_of_two_sets_are_separated_before_divisions() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(7);
    let (count, first) = (20_000, 8_000);
    let (mut filters, mut bounds) = (Vec::new(), Vec::new());
    for k in 0..count {
        let low: [f32; 3] = core::array::from_fn(|_| random.random_range(0.0..6.0));
        bounds.push([low[0], low[1], low[2], low[0] + 1.0, low[1] + 1.0, low[2] + 1.0]);
        let filter = if k % 200 == 0 { Filter::new(1, !0) } else { Filter::new(2, !2) };
        filters.push(filter.word());
    }
    let meets = |[a, b]: [usize; 2]| {
        let (p, q): (&[f32; 6], &[f32; 6]) = (&bounds[a], &bounds[b]);
        let allowed = Filter::words_allow(filters[a], filters[b]);
        allowed && (0..3).all(|k| p[k] <= q[3 + k] && q[k] <= p[3 + k])
    };
    let of_first = |a: usize| (first..count).map(move |b| [a, b]).filter(|&pair| meets(pair));
    let expected: Vec<_> = (0..first).flat_map(of_first).collect();
    assert!(expected.len() > 1_000, "{} pairs", expected.len());
    let excluded = Exclusion { filters: &filters, owner: None };
    let mut order: Option<Vec<Pair>> = None;
    for threads in [Threads::one(), Threads::current()] {
        let mut join = DividedJoin::default();
        join.begin_between([first, count - first], &|place| bounds[place]);
        let (_, found) = divided_pairs(&mut join, &threads, (count, excluded));
        let pair = |pair: &Pair| [pair.a as usize, pair.b as usize];
        let mut allowed: Vec<_> = found.iter().map(pair).filter(|&pair| meets(pair)).collect();
        allowed.sort_unstable();
        assert_eq!(allowed, expected);
        let (read, compared) = join.work();
        let each = (read + compared / 16) / (count + expected.len()) as u64;
        assert!(each < 8, "{read} boxes, {compared} comparisons");
        assert_eq!(*order.get_or_insert_with(|| found.clone()), found);
    }
}

/// Goal: the comparisons that are estimated are few if filters or owners exclude nearly all pairs of two samples, also of several kinds, and all of them if
/// few pairs are excluded, or there are few boxes. Method: samples of known kinds; a pair is a place of 64 in each set.
#[test]
fn estimated_comparisons_are_those_that_are_not_separated() {
    let estimate = |[a, b]: [&dyn Fn(u32) -> u32; 2], owned: bool, each: f64| {
        let of: Vec<u32> = (0..64).map(a).chain((0..64).map(b)).collect();
        let owner_at = |place: u32| of[place as usize];
        let owner = owned.then_some(&owner_at as _);
        let excluded = Exclusion { filters: if owned { &[] } else { &of }, owner };
        let [mut a, mut b]: [Vec<u32>; 2] = [(0..64).collect(), (64..128).collect()];
        let count = excluded.count_compared([&mut a, &mut b], each);
        a.sort_unstable();
        b.sort_unstable();
        assert!(a.into_iter().chain(b).eq(0..128));
        count
    };
    let shot = |_: u32| Filter::new(2, !2).word();
    let other = |_: u32| Filter::ALL.word();
    // Not by turns, because every second place decides and the others confirm it.
    let two = |k: u32| Filter::new(2 << (k / 3 % 2), !6).word();
    // The first sees the category of half of the others, which do not see it.
    let kinds = |k: u32| {
        if (k / 3).is_multiple_of(2) { Filter::new(2, !1) } else { Filter::new(4, 1) }.word()
    };
    let sees = |_: u32| Filter::new(1, 2).word();
    let mixed = |k: u32| if k.is_multiple_of(8) { Filter::ALL } else { Filter::new(2, !2) }.word();
    assert_eq!(estimate([&shot, &shot], false, 1.0e6), 0);
    assert_eq!(estimate([&two, &two], false, 1.0e6), 0);
    assert_eq!(estimate([&sees, &kinds], false, 1.0e6), 0);
    assert_eq!(estimate([&mixed, &mixed], false, 1.0e6), 64 * 64 - 56 * 56);
    assert_eq!(estimate([&shot, &other], false, 1.0e6), 64 * 64);
    assert_eq!(estimate([&shot, &shot], false, 1.0), 64 * 64);
    assert_eq!(estimate([&|_| 3, &|_| 3], true, 1.0e6), 0);
    assert_eq!(estimate([&|_| 3, &|_| 4], true, 1.0e6), 64 * 64);
    assert_eq!(estimate([&|_| 0, &|_| 0], true, 1.0e6), 64 * 64);
}

/// A cube of side 1 near a place on the first axis.
fn cube(random: &mut Xoshiro256PlusPlus, place: f32) -> [f32; 6] {
    let low = [place, 0.0, 0.0].map(|low| low + random.random_range(0.0..0.5_f32));
    [low[0], low[1], low[2], low[0] + 1.0, low[1] + 1.0, low[2] + 1.0]
}
