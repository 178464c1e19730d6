//! Tests that exactly the allowed boxes pair: by filter, by flag, and between two sets.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use scenes::{Scene, World};
use swath::broadphase::PairInput;
use swath::{
    Aabb, Filter, Level, MovingBox, MovingBoxColumns, MovingBoxStore, Pair, PairFinder, SweptPair,
    Threads,
};

/// A scene as rows, some of them invalid, with a flag and a filter for each.
struct Case {
    columns: [Vec<f32>; 9],
    moves: Vec<bool>,
    filters: Vec<Filter>,
}

impl Case {
    fn new(scene: Scene, boxes: usize, random: &mut Xoshiro256PlusPlus) -> Self {
        let world = World::new(scene, boxes, random.random());
        let mut columns = world.min.iter().chain(&world.max).chain(&world.delta).cloned();
        let mut columns: [Vec<f32>; 9] = core::array::from_fn(|_| columns.next().unwrap());
        for _ in 0..boxes.div_ceil(50) {
            let bad = [f32::NAN, f32::INFINITY, -f32::INFINITY, 1e38];
            if let Some(number) =
                columns[random.random_range(0..9)].get_mut(random.random_range(0..boxes))
            {
                *number = bad[random.random_range(0..4)];
            }
        }
        let moves = (0..boxes).map(|_| random.random_ratio(3, 4)).collect();
        // Masks with few and many bits, in both halves, and at the two ends; in every third case of 32 bits, and of upper bits
        // only.
        let style: u32 = random.random_range(0..3);
        let mut filter = |_| match random.random_range(0..8) {
            0 => Filter::ALL,
            1 => Filter::NONE,
            2 => Filter::new(1 << random.random_range(0..16), 0),
            3 => Filter::new(0, 1 << random.random_range(0..16)),
            4 => Filter::new(1 << random.random_range(0..16), u16::MAX.into()),
            _ => Filter::new(
                1 << random.random_range(0..4) | 0x8000 >> random.random_range(0..4),
                random.random::<u16>().into(),
            ),
        };
        let filter = |row| {
            let Filter { category, mask } = filter(row);
            match style {
                0 => Filter::new(category, mask),
                1 => Filter::new(category.rotate_left(11), mask.rotate_left(11)),
                _ => Filter::new(category << 16, mask << 16),
            }
        };
        Self { columns, moves, filters: (0..boxes).map(filter).collect() }
    }

    fn boxes(&self) -> MovingBoxColumns<'_> {
        MovingBoxColumns::from_columns(self.columns.each_ref().map(Vec::as_slice)).unwrap()
    }

    /// With flags and without filters.
    fn bare(&self) -> PairInput<'_> {
        PairInput::new(self.boxes()).moving(&self.moves)
    }

    fn set(&self) -> PairInput<'_> {
        self.bare().filtered(&self.filters)
    }

    fn rows(&self) -> impl Iterator<Item = MovingBox> {
        (0..self.moves.len()).map(|row| self.boxes().get(row))
    }

    fn invalid(&self) -> Vec<u32> {
        let rows = self.rows().enumerate();
        rows.filter(|(_, row)| row.validate().is_err()).map(|(row, _)| row as u32).collect()
    }
}

fn finders() -> impl Iterator<Item = PairFinder> {
    Level::all().map(PairFinder::with_exec).chain([1, 2].map(|_| {
        let mut finder = PairFinder::new();
        finder.exec.threads = Threads::one();
        finder
    }))
}

fn keys(found: &[SweptPair]) -> Vec<(u32, u32, u32)> {
    found.iter().map(|pair| (pair.a, pair.b, pair.first.to_bits())).collect()
}

/// Goal: a filter and a flag exclude exactly the pairs that they forbid. Method: brute force by the
/// specification, without the forbidden pairs; every scene, with invalid rows.
#[test]
fn filters_exclude_exactly_the_forbidden_pairs() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(1);
    for scene in Scene::ALL {
        for boxes in [0, 1, 2, 40, 900] {
            let case = Case::new(scene, boxes, random);
            let rows: Vec<MovingBox> = case.rows().collect();
            let allowed =
                |pair: &Pair| case.filters[pair.a as usize].allows(case.filters[pair.b as usize]);
            let mut union = spec::union_pairs(&rows, Some(&case.moves));
            union.retain(allowed);
            let mut swept = keys(PairFinder::new().swept_pairs(case.bare()).unwrap().sorted());
            swept.retain(|&(a, b, _)| allowed(&Pair { a, b }));
            for mut finder in finders() {
                let found = finder.union_pairs(case.set()).unwrap();
                let rejected: Vec<u32> = found.rejected().iter().map(|row| row.row).collect();
                assert_eq!(rejected, case.invalid());
                assert!(found.rejected_of_second().is_empty());
                assert_eq!(found.sorted(), union, "{scene}");
                let found = finder.swept_pairs(case.set()).unwrap();
                assert_eq!(keys(found.sorted()), swept, "{scene}");
            }
        }
    }
}

/// Goal: between two sets exactly the pairs with one row of each are found, with the row numbers of each set.
/// Method: both sets as one scene by brute force; the pairs across are kept and renumbered. Either set may be
/// empty, tiny, or have filters that the other does not have.
#[test]
fn between_two_sets() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(2);
    for scene in Scene::ALL {
        for (a, b) in [(0, 0), (0, 30), (30, 0), (1, 1), (5, 700), (700, 5), (400, 450)] {
            let (a, b) = (Case::new(scene, a, random), Case::new(scene, b, random));
            let of_a = a.moves.len() as u32;
            let rows: Vec<MovingBox> = a.rows().chain(b.rows()).collect();
            let moves: Vec<bool> = a.moves.iter().chain(&b.moves).copied().collect();
            let mut union = spec::union_pairs(&rows, Some(&moves));
            union.retain(|pair| pair.a < of_a && of_a <= pair.b);
            union.iter_mut().for_each(|pair| pair.b -= of_a);
            let with_filters = |filters_of_b: bool| {
                let mut pairs = union.clone();
                pairs.retain(|pair| {
                    let theirs =
                        if filters_of_b { b.filters[pair.b as usize] } else { Filter::ALL };
                    a.filters[pair.a as usize].allows(theirs)
                });
                pairs
            };
            let questions = [
                (a.bare(), b.bare(), union.clone()),
                (a.set(), b.set(), with_filters(true)),
                (a.set(), b.bare(), with_filters(false)),
            ];
            for (set_a, set_b, expected) in questions {
                let mut first_order = None;
                for mut finder in finders() {
                    let found = finder.union_pairs_between(set_a, set_b).unwrap();
                    let rejected = [found.rejected(), found.rejected_of_second()];
                    let rejected: [Vec<u32>; 2] =
                        rejected.map(|of| of.iter().map(|row| row.row).collect());
                    assert_eq!(rejected, [a.invalid(), b.invalid()], "{scene}");
                    let order: Vec<Pair> = found.iter().collect();
                    assert_eq!(found.sorted(), expected, "{scene}");
                    assert_eq!(first_order.get_or_insert_with(|| order.clone()), &order);
                    let found = finder.swept_pairs_between(set_a, set_b).unwrap().sorted();
                    let touching = |pair: &&Pair| {
                        let [a, b] = [pair.a, of_a + pair.b].map(|row| &rows[row as usize]);
                        swath::batch::sweep::one_to_one(a, b).unwrap().contact.is_hit()
                    };
                    let touching: Vec<Pair> = expected.iter().filter(touching).copied().collect();
                    let pairs: Vec<Pair> = found.iter().map(|&pair| pair.into()).collect();
                    assert_eq!(pairs, touching, "{scene}");
                    for pair in found {
                        let [a, b] = [pair.a, of_a + pair.b].map(|row| &rows[row as usize]);
                        let alone = swath::batch::sweep::one_to_one(a, b).unwrap();
                        assert_eq!(alone.first.to_bits(), pair.first.to_bits());
                    }
                }
            }
        }
    }
}

/// Goal: rows that a finder rejected in an earlier search do not count as rejected rows of an empty first set.
/// Method: a search in which a row of the first set is rejected, then searches with an empty first set.
#[test]
fn empty_first_set_has_no_rejected_rows() {
    let valid = MovingBox::default();
    let invalid = MovingBox { delta: [f32::NAN; 3], ..valid };
    let first = [invalid, valid].into_iter().collect::<MovingBoxStore>();
    for second in [vec![valid], vec![valid, invalid]] {
        let second = second.into_iter().collect::<MovingBoxStore>();
        let mut finder = PairFinder::new();
        let found = finder.swept_pairs_between(first.columns(), second.columns()).unwrap();
        assert_eq!(found.rejected().len(), 1);
        let none = MovingBoxStore::new();
        let found = finder.swept_pairs_between(none.columns(), second.columns()).unwrap();
        assert!(found.is_empty() && found.rejected().is_empty());
        let rows: Vec<u32> = found.rejected_of_second().iter().map(|row| row.row).collect();
        assert_eq!(rows, if second.len() == 2 { vec![1] } else { vec![] });
    }
}

/// Goal: filters whose number is not that of the boxes are an error of its own.
#[test]
fn lists_of_the_wrong_length_are_errors() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(3);
    let case = Case::new(Scene::Uniform, 5, random);
    let mut finder = PairFinder::new();
    let set = PairInput::new(case.boxes()).filtered(&case.filters[..4]);
    let error = finder.union_pairs(set).unwrap_err().to_string();
    assert!(error.starts_with("the filters: the length is 4 and must be 5; "), "{error}");
    let error = finder.swept_pairs_between(case.boxes(), set).unwrap_err().to_string();
    assert!(error.starts_with("the filters: the length is 4 and must be 5; "), "{error}");
}

/// Goal: a filter is symmetric and follows its documentation.
#[test]
fn a_filter_is_symmetric() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(4);
    assert!(Filter::ALL.allows(Filter::ALL) && !Filter::ALL.allows(Filter::NONE));
    assert_eq!(Filter::default(), Filter::ALL);
    for _ in 0..1000 {
        let [a, b] = [(); 2].map(|()| {
            Filter::new(random.random::<u32>() & random.random::<u32>(), random.random())
        });
        let common = |a: Filter, b: Filter| (0..32).any(|k| (a.category & b.mask) >> k & 1 == 1);
        assert_eq!(a.allows(b), common(a, b) && common(b, a));
        assert_eq!(a.allows(b), b.allows(a));
    }
}

/// Goal: of boxes in one place, of which filters exclude most pairs, the others are found. Method: brute force, on one set and on two; shots that do
/// not hit each other, teams of which each hits the next one, and few boxes that pair with all; some rows do not move.
#[test]
fn crowds_of_which_filters_exclude_most_pairs() {
    let random = &mut Xoshiro256PlusPlus::seed_from_u64(4);
    for world in 0..6 {
        let boxes = 2_500;
        let kind = |row: usize| match world % 3 {
            0 => Filter::new(1 << 20, 1),
            1 => Filter::new(2 << (row % 4), 2 << ((row + 1) % 4)),
            _ => Filter::new(2, !6),
        };
        let filter = |row: usize| if row.is_multiple_of(97) { Filter::ALL } else { kind(row) };
        let filters: Vec<Filter> = (0..boxes).map(filter).collect();
        let moves: Vec<bool> = (0..boxes).map(|row| world < 3 || row % 3 > 0).collect();
        let rows: Vec<MovingBox> = (0..boxes)
            .map(|_| {
                let min: [f32; 3] = core::array::from_fn(|_| random.random_range(0.0..1.0));
                let max = min.map(|low| low + random.random_range(0.4..1.0));
                let delta = [random.random_range(-0.5..0.5), 0.0, 0.0];
                MovingBox { aabb: Aabb { min, max }, delta }
            })
            .collect();
        let allows = |a: usize, b: usize| filters[a].allows(filters[b]);
        let mut all = spec::union_pairs(&rows, Some(&moves));
        all.retain(|pair| allows(pair.a as usize, pair.b as usize));
        let second = boxes / 3;
        let mut between = all.clone();
        between.retain(|pair| pair.a < second as u32 && second as u32 <= pair.b);
        between.iter_mut().for_each(|pair| pair.b -= second as u32);
        let set = |from: usize, to: usize| {
            let set = PairInput::new(&rows[from..to]).moving(&moves[from..to]);
            set.filtered(&filters[from..to])
        };
        let mut orders = [None, None];
        for mut finder in finders() {
            let found = finder.union_pairs(set(0, boxes)).unwrap();
            let order: Vec<Pair> = found.iter().collect();
            assert_eq!(*orders[0].get_or_insert_with(|| order.clone()), order, "{world}");
            assert_eq!(found.sorted(), all, "{world}");
            let touching = finder.swept_pairs(set(0, boxes)).unwrap().sorted();
            let is_hit = |pair: &&Pair| {
                let [a, b] = [pair.a, pair.b].map(|row| &rows[row as usize]);
                swath::batch::sweep::one_to_one(a, b).unwrap().contact.is_hit()
            };
            let expected: Vec<Pair> = all.iter().filter(is_hit).copied().collect();
            let pairs: Vec<Pair> = touching.iter().map(|&pair| pair.into()).collect();
            assert_eq!(pairs, expected, "{world}");
            let sets = [set(0, second), set(second, boxes)];
            let found = finder.union_pairs_between(sets[0], sets[1]).unwrap();
            let order: Vec<Pair> = found.iter().collect();
            assert_eq!(*orders[1].get_or_insert_with(|| order.clone()), order, "{world}");
            assert_eq!(found.sorted(), between, "{world}");
        }
    }
}
