//! Tests that resting boxes are found at their new position, and no longer at the old one, when many move far
//! at once.
//!
//! Only some of the boxes that move far are tested one by one, and their old lanes are only cleared in trees
//! that are not rebuilt. So the tests mix boxes that stay and boxes that move far, at the limits of the
//! blocks in which boxes are tested and of the trees, in `FixedBoxes` and in a `Broadphase`.

use rand::{RngExt, SeedableRng};
use swath::batch::sweep;
use swath::batch::sweep::MISS;
use swath::{Aabb, Broadphase, Filter, MovingBox, Proxy, ProxyId, ProxyKind};
use testkit::draw::Draw;
use testkit::filters::some_filter;
use testkit::fixed_model::{Model, Rng, random_box};
use testkit::world_model::Model as Rules;

/// Number of boxes of a list in one block, and the least number of them that is tested.
const BLOCK: usize = 64;
const TRIED: usize = 8;

/// Which boxes of a list move far, by index in the list.
type Mixture = (&'static str, fn(usize) -> bool);

const MIXTURES: [Mixture; 8] = [
    ("all", |_| true),
    ("none", |_| false),
    ("every second one", |k| k % 2 == 1),
    ("all but the first quarter", |k| k % 400 >= 100),
    ("one too few of a block to give up", |k| k % BLOCK < TRIED - 1),
    ("just enough of a block to give up", |k| k % BLOCK < TRIED),
    ("all but the last that is tried", |k| k % BLOCK != TRIED - 1),
    ("all but the first that is not tried", |k| k % BLOCK != TRIED),
];

/// A random position in the room.
fn somewhere(rng: &mut Rng) -> Aabb {
    random_box(rng, 20.0, 1.0, 0.0).aabb
}

/// Boxes for some rows of a set; some move far, and the others shrink or stay.
fn rearranged(rng: &mut Rng, model: &Model, rows: &[u32], far: fn(usize) -> bool) -> Vec<Aabb> {
    let of = |(k, &row): (usize, &u32)| match model.rows.get(row as usize) {
        Some(Some((Aabb { min, max }, _))) if !far(k) => {
            let max = if k.is_multiple_of(3) { *min } else { *max };
            Aabb { min: *min, max }
        }
        _ => somewhere(rng),
    };
    rows.iter().enumerate().map(of).collect()
}

/// Movers that cross the room, and some at old positions of boxes.
fn movers(rng: &mut Rng, model: &Model, count: usize) -> Vec<MovingBox> {
    let held = model.held();
    let of = |k: usize| match held.get(rng.random_range(0..=held.len())) {
        Some(&row) if k.is_multiple_of(2) => {
            let (aabb, _) = model.rows[row as usize].expect("it is held");
            MovingBox { aabb, delta: [0.0, 0.5, 0.0] }
        }
        _ => random_box(rng, 20.0, 2.0, 20.0),
    };
    (0..count).map(of).collect()
}

/// Goal: whatever part of a set moves far, exactly the stored boxes are found. Method: every mixture for the
/// whole set and for parts of it, so that trees are rebuilt with and without their old boxes; rows that occur
/// twice, near and far; filters; in between most boxes are removed. Sets of the size of a block, of a tree,
/// and one more or less.
#[test]
fn sets_in_which_some_boxes_move_far_are_found() {
    let mut rng = Rng::seed_from_u64(21);
    for count in [1, 8, 9, 63, 64, 65, 300, 2_048, 2_049, 4_500] {
        let mut model = Model::default();
        let all: Vec<u32> = (0..count).collect();
        let first: Vec<Aabb> = all.iter().map(|_| somewhere(&mut rng)).collect();
        model.put(&all, &first);
        for (turn, (name, far)) in MIXTURES.iter().cycle().take(2 * MIXTURES.len()).enumerate() {
            let what = format!("{count} boxes, of which {name} go far, turn {turn}");
            let before = movers(&mut rng, &model, 6);
            let mut rows = all.clone();
            match turn % 4 {
                // All rows, a part of them, unordered, and twice.
                1 => rows.truncate(all.len().div_ceil(5)),
                2 => rows.reverse(),
                3 => rows.extend_from_slice(&all[..all.len().div_ceil(2)]),
                _ => (),
            }
            let boxes = rearranged(&mut rng, &model, &rows, *far);
            let filters: Vec<Filter> =
                rows.iter().map(|&k| some_filter(k as usize + turn)).collect();
            model.put_filtered(&rows, &boxes, (turn > MIXTURES.len()).then_some(&filters));
            model.check(&what, &before);
            if turn % 3 == 2 {
                // Most rows are removed, one of them twice, and inserted again with the next change.
                let mut gone: Vec<u32> = all.iter().copied().filter(|row| row % 8 != 1).collect();
                gone.push(gone[0]);
                model.remove(&gone[..gone.len() - 1]);
                let some = rearranged(&mut rng, &model, &all[..all.len().min(3)], |_| true);
                model.put(&all[..some.len()], &some);
                model.check(&what, &before);
            }
            let after = movers(&mut rng, &model, 4);
            model.check(&what, &after);
        }
    }
}

/// Goal: the same with three trees: a box that leaves a remaining tree is removed from it, and a box that
/// leaves a rebuilt tree is not inserted there. Method: more boxes than two trees contain, then lists for the
/// first, the second and the third tree.
#[test]
fn boxes_that_leave_one_of_three_trees_are_found() {
    let mut rng = Rng::seed_from_u64(22);
    let all: Vec<u32> = (0..66_000).collect();
    let first: Vec<Aabb> = all.iter().map(|_| somewhere(&mut rng)).collect();
    let mut model = Model::of(&first);
    for (turn, part) in [700, 2_500, 900, 40_000, 1_500, 66_000].into_iter().enumerate() {
        let before = movers(&mut rng, &model, 4);
        let step = [1, 23, 7, 1, 41, 1][turn];
        let rows: Vec<u32> = (0..part).map(|k| k * step % 66_000).collect();
        let boxes = rearranged(&mut rng, &model, &rows, |_| true);
        model.put(&rows, &boxes);
        model.check(&format!("{part} of three trees"), &before);
    }
    let most: Vec<u32> = all.iter().copied().filter(|row| row % 4 > 0).collect();
    let before = movers(&mut rng, &model, 4);
    model.remove(&most);
    model.check("a quarter of three trees", &before);
}

/// Goal: a few boxes that move far do not cause the others to be inserted again, and if all move far, not all
/// are tested. Method: in a new set, the nodes over all boxes, which grow by one leaf per sixteen inserted
/// boxes. In one block the greatest number of boxes moves far for which the others are still tested, and one
/// more.
#[test]
fn few_boxes_that_move_far_leave_the_others_in_place() {
    let mut rng = Rng::seed_from_u64(23);
    let first: Vec<Aabb> = (0..5_000).map(|_| random_box(&mut rng, 20.0, 0.5, 0.0).aabb).collect();
    let rows: Vec<u32> = (0..3 * BLOCK as u32).map(|k| k * 7).collect();
    for (far, built) in [(0, 0), (1, 1), (TRIED - 1, 1), (TRIED, BLOCK.div_ceil(16) as u64)] {
        let mut model = Model::of(&first);
        let before = model.looked().leaves;
        let boxes: Vec<Aabb> = (0..)
            .zip(&rows)
            .map(|(k, &row)| {
                let aabb = first[row as usize];
                let is_far = (BLOCK..BLOCK + far).contains(&k);
                if is_far { aabb.translated([1e4; 3]).unwrap() } else { aabb }
            })
            .collect();
        model.put(&rows, &boxes);
        assert_eq!(model.looked().leaves, before + built, "{far} go far");
        let movers = movers(&mut rng, &model, 20);
        model.check(&format!("{far} go far"), &movers);
    }
}

/// A broadphase with resting proxies, fixed and sleeping, with margins, filters and owners, and some that
/// move.
struct Course {
    draw: Draw,
    world: Broadphase,
    ids: Vec<ProxyId>,
    rules: Option<Rules>,
}

impl Course {
    fn new(seed: u64, count: usize, with_rules: bool) -> Self {
        let (draw, rules) = (Draw::new(seed), with_rules.then(Rules::default));
        let mut course = Self { draw, world: Broadphase::new(), ids: Vec::new(), rules };
        (0..count).for_each(|k| course.insert(k));
        course
    }

    /// On integer coordinates, so that many touch.
    fn place(&mut self) -> MovingBox {
        let min = [(); 3].map(|()| self.draw.whole(-12, 12));
        let max = min.map(|x| x + self.draw.whole(0, 3));
        MovingBox { aabb: Aabb { min, max }, delta: [(); 3].map(|()| self.draw.whole(-3, 3)) }
    }

    fn insert(&mut self, k: usize) {
        let proxy = match k % 16 {
            0 => Proxy::dynamic(),
            1..=6 => Proxy::sleeping(),
            _ => Proxy::fixed(),
        };
        let proxy = if k % 5 == 1 { proxy.with_margin(0.5) } else { proxy };
        let proxy = if k % 9 == 4 { proxy.filtered(some_filter(k)) } else { proxy };
        let proxy = if k % 11 == 3 { proxy.owned_by(1 + k as u32 % 2) } else { proxy };
        let moving = self.place();
        let id = self.world.insert_moving(moving, proxy).expect("it is a box");
        self.ids.push(id);
        if let Some(rules) = &mut self.rules {
            rules.things.insert(id, Rules::thing(moving, proxy).expect("it is a box"));
        }
    }

    fn set(&mut self, id: ProxyId, moving: MovingBox) {
        self.world.set(id, moving.aabb, moving.delta).expect("it is a box");
        if let Some(rules) = &mut self.rules {
            rules.set(id, moving).expect("it is a box");
        }
    }

    fn edit(&mut self, id: ProxyId, set: ProxyKind, filter: Filter) {
        self.world.set_kind(id, set).expect("the proxy exists");
        self.world.set_filter(id, filter).expect("the proxy exists");
        if let Some(rules) = &mut self.rules {
            let edit = |proxy: &mut Proxy| (proxy.kind, proxy.filter) = (set, filter);
            rules.edit(id, edit).expect("the proxy exists");
        }
    }

    fn remove(&mut self, at: usize) {
        let id = self.ids.remove(at);
        self.world.remove(id).expect("the proxy exists");
        if let Some(rules) = &mut self.rules {
            assert!(rules.remove(id));
        }
    }

    /// Rearranges the proxies, and returns what changed.
    fn tick(&mut self, number: usize, far: fn(usize) -> bool) {
        for (k, id) in self.ids.clone().into_iter().enumerate() {
            let old = self.world.moving_box(id).expect("the proxy exists");
            let place = self.place();
            self.set(id, if far(k) { place } else { old });
            if k % 10 == number % 10 {
                // Changed twice: it moves and returns, or moves once more, or changes its kind.
                match k / 10 % 4 {
                    0 => self.set(id, old),
                    1 => self.set(id, place),
                    2 => self.edit(id, ProxyKind::Sleeping, some_filter(k + number)),
                    _ => self.edit(id, ProxyKind::Fixed, Filter::ALL),
                }
            }
        }
        if number % 4 == 3 {
            let count = self.ids.len();
            (0..count - count / 4).for_each(|_| {
                let at = self.draw.0.random_range(0..self.ids.len());
                self.remove(at);
            });
            if number == 3 {
                (self.ids.len()..count).for_each(|k| self.insert(k));
            }
        }
        self.say(number);
    }

    fn say(&mut self, number: usize) {
        let changes = self.world.update().expect("there is no limit");
        if let Some(rules) = &mut self.rules {
            let said = rules.update(|_| true);
            let pairs = |of: &[swath::broadphase::SweptProxyPair]| -> Vec<_> {
                of.iter().map(|&pair| (pair.into(), pair.first.to_bits())).collect()
            };
            assert_eq!(pairs(changes.begun()), said.begun, "tick {number}");
            let persisted: Vec<_> = changes.persisted().collect();
            assert_eq!(pairs(&persisted), said.persisted, "tick {number}");
            assert_eq!(changes.ended(), said.ended, "tick {number}");
            assert!(self.world.pairs().iter().eq(&rules.kept), "tick {number}");
        }
        self.world.validate().expect("the broadphase is consistent");
    }

    /// The pairs of each moving proxy, compared with each other proxy.
    fn check(&mut self, number: usize) {
        let Self { world, ids, .. } = self;
        let mut order = ids.clone();
        order.sort_unstable_by_key(|id| id.index());
        let held = |id: ProxyId| world.compared_box(id).expect("the proxy exists");
        let proxies: Vec<Proxy> = order.iter().map(|&id| world.proxy(id).expect("it")).collect();
        let mut expected = Vec::new();
        for (x, &a) in order.iter().enumerate() {
            for (y, &b) in order.iter().enumerate().skip(x + 1) {
                let [one, other] = [&proxies[x], &proxies[y]];
                let moves = [one, other].iter().any(|of| of.kind == ProxyKind::Dynamic);
                let strange = one.owner == 0 || one.owner != other.owner;
                if moves && strange && one.filter.allows(other.filter) {
                    let [p, q] = [held(a), held(b)];
                    let first = sweep::one_to_one(&p, &q).expect("both are boxes").first;
                    if p.bounds().overlaps(&q.bounds()) && first < MISS {
                        expected.push((a, b, first.to_bits()));
                    }
                }
            }
        }
        let found = world.changes().touching().iter();
        let found: Vec<_> = found.map(|pair| (pair.a, pair.b, pair.first.to_bits())).collect();
        assert!(found == expected, "tick {number}: {} for {}", found.len(), expected.len());
        assert!(expected.len() > 50, "tick {number}: only {} to find", expected.len());
    }
}

/// Goal: a rearranged broadphase follows its rules, including those for resting pairs and margins, for which
/// two trees store a box. Method: every mixture, with proxies that change twice, change their kind or filter,
/// or are removed with most others; after each update everything is compared with the model.
#[test]
fn rearranged_broadphase_follows_the_rules() {
    let mut course = Course::new(24, 450, true);
    course.say(100);
    for (number, (_, far)) in MIXTURES.iter().enumerate() {
        course.tick(number, *far);
    }
}

/// Goal: the same if the resting proxies are in more than one tree. Method: the pairs of moving proxies are
/// compared with each other proxy, and the trees with the boxes by [`Broadphase::validate`].
#[test]
fn large_rearranged_broadphase_is_consistent() {
    let mut course = Course::new(25, 5_000, false);
    course.say(100);
    course.check(100);
    for (number, (_, far)) in MIXTURES.iter().enumerate() {
        course.tick(number, *far);
        course.check(number);
    }
}
