//! Tests that a fast box is found everywhere on its path, for any position of the path relative to the cells.
//!
//! A box on a long path is stored only in the strips that it crosses, and a pair of it is reported in the one
//! strip in which the two first touch. So these scenes have paths through corners and along borders of cells,
//! paths that touch and separate, lengths from denormal to a million cells, positions at which `f32` is
//! coarse, and boxes of all sizes.

use core::array::from_fn;

use rand::RngExt;
use swath::{Aabb, Filter, Level, MovingBox, PairFinder, Threads};
use testkit::draw::{Draw, how_many};
use testkit::every_pair::{Rows, Timed};

/// A box from its centre, half sides and displacement; never inverted.
pub(crate) fn around(middle: [f32; 3], half: [f32; 3], delta: [f32; 3]) -> MovingBox {
    let min = from_fn(|axis| middle[axis] - half[axis]);
    let max = from_fn(|axis| middle[axis] + half[axis]);
    MovingBox { aabb: Aabb { min, max }, delta }
}

pub(crate) fn inside(draw: &mut Draw, reach: f32) -> [f32; 3] {
    from_fn(|_| draw.between(-reach, reach))
}

pub(crate) fn translated(mut world: Vec<MovingBox>, by: [f32; 3]) -> Vec<MovingBox> {
    for MovingBox { aabb: Aabb { min, max }, .. } in &mut world {
        for axis in 0..3 {
            min[axis] += by[axis];
            max[axis] += by[axis];
        }
    }
    world
}

/// A length whose logarithm is distributed evenly.
fn length(draw: &mut Draw, least: f32, most: f32) -> f32 {
    least * (most / least).powf(draw.between(0.0, 1.0))
}

/// A direction: random, along an axis or two, or a diagonal of space or of a plane.
fn direction(draw: &mut Draw) -> [f32; 3] {
    let sign = |draw: &mut Draw| draw.sign();
    match draw.0.random_range(0..5) {
        0 => from_fn(|_| draw.between(-1.0, 1.0)),
        1 => {
            let axis = draw.0.random_range(0..3);
            let sign = sign(draw);
            from_fn(|k| if k == axis { sign } else { draw.one_of(&[0.0, -0.0]) })
        }
        2 => {
            let axis = draw.0.random_range(0..3);
            from_fn(|k| if k == axis { 0.0 } else { draw.sign() })
        }
        3 => {
            // Almost no displacement on one axis.
            let axis = draw.0.random_range(0..3);
            let small = draw.one_of(&[1e-45, 1e-38, 1e-20, 1e-7]);
            from_fn(|k| draw.between(-1.0, 1.0) * if k == axis { small } else { 1.0 })
        }
        _ => from_fn(|_| draw.sign()),
    }
}

/// Makes a scene with a number of boxes. For known borders of cells see [`on_borders`].
pub(crate) type Family = fn(&mut Draw, usize) -> Vec<MovingBox>;

const FAMILIES: [(&str, Family); 19] = [
    ("paths of any length", any_length),
    ("one fast among many", one_fast),
    ("on borders of cells", on_borders),
    ("on borders, with sides", on_borders_with_sides),
    ("few through corners of cells", through_corners),
    ("through corners far away", corners_far_away),
    ("huge among dust", huge_among_dust),
    ("far from the origin", far_away),
    ("clusters and escaped ones", clusters),
    ("in a line", in_a_line),
    ("touch and go", touch_and_go),
    ("two that meet on a border", meet_on_borders),
    ("a flock", flock),
    ("tiny motions", tiny_motions),
    ("to the ends of the range", ends_of_the_range),
    ("a flat world", flat_world),
    ("leaps to a plane or line", leaps),
    ("fast along, slow across", fast_along),
    ("a last-ulp miss", last_ulp),
];

fn any_length(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let reach = (boxes as f32).cbrt();
    let most = draw.one_of(&[1.0, 10.0, 1e3, 1e6]);
    let fast = draw.one_of(&[1, 2, 20]);
    let make = |_| {
        let most = if draw.one_in(fast) { reach * most } else { 1.0 };
        let length = length(draw, 1e-3, most.max(1.0));
        let delta = direction(draw).map(|part| part * length);
        let half = from_fn(|_| draw.between(0.0, 0.6));
        around(inside(draw, reach), half, delta)
    };
    (0..boxes).map(make).collect()
}

fn one_fast(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let reach = (boxes as f32).cbrt();
    let mut world = any_length(draw, boxes);
    for moving in world.iter_mut().skip(1 + boxes / 500) {
        moving.delta = [0.0; 3];
    }
    for moving in world.iter_mut().take(1 + boxes / 500) {
        let length = length(draw, reach * 0.1, reach * 4.0);
        moving.delta = direction(draw).map(|part| part * length);
    }
    world
}

/// A number of a lattice that contains the borders of cells and the middles between them.
///
/// The cells of the finder begin a 30th below the range of positions, less a 32nd at either end, and end as
/// far above plus the mean side. Positions in 0..=30, with enough at both ends, and sides of zero give a
/// scene from -1 to 31: cut in powers of two, its borders are integers or have few bits.
fn place(draw: &mut Draw) -> f32 {
    match draw.0.random_range(0..8) {
        0 => 0.0,
        1 => 30.0,
        2 => draw.whole(0, 15) * 2.0 - 1.0,
        3 => draw.whole(0, 60) * 0.5,
        _ => draw.whole(0, 30),
    }
}

fn on_borders(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let stretch: [f32; 3] = from_fn(|_| draw.one_of(&[1.0, 1.0, 2.0, 0.25]));
    let make = |_| {
        let middle = from_fn(|axis| place(draw) * stretch[axis]);
        // One in forty has sides; the mean ignores these.
        let half = if draw.one_in(40) { draw.one_of(&[0.5, 1.0, 2.0]) } else { 0.0 };
        let steps = draw.one_of(&[0.0, 1.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 1024.0]);
        let direction: [f32; 3] = match draw.0.random_range(0..3) {
            0 => {
                let axis = draw.0.random_range(0..3);
                let sign = draw.sign();
                from_fn(|k| if k == axis { sign } else { 0.0 })
            }
            1 => from_fn(|_| draw.sign()),
            _ => from_fn(|_| draw.whole(-2, 2)),
        };
        around(middle, [half; 3], from_fn(|axis| direction[axis] * steps * stretch[axis]))
    };
    (0..boxes).map(make).collect()
}

fn on_borders_with_sides(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = on_borders(draw, boxes);
    for moving in &mut world {
        let [x, y, z] = from_fn(|_| draw.one_of(&[0.0, 0.5, 1.0]));
        let at = moving.aabb.min;
        moving.aabb = Aabb { min: at, max: [at[0] + x, at[1] + y, at[2] + z] };
    }
    world
}

/// Most boxes are points at rest, so that the borders are those of [`place`]; a few fly through many of them
/// and through positions between them, at odd parts of the tick.
fn through_corners(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = Vec::new();
    for _ in 0..boxes.div_ceil(40) {
        let parts = draw.one_of(&[1, 3, 5, 7, 9, 100]);
        let step: [f32; 3] = from_fn(|_| draw.whole(-7, 7));
        let step = step.map(|part| if draw.one_in(4) { 0.0 } else { part });
        let met: [f32; 3] = from_fn(|_| place(draw));
        let at = draw.0.random_range(0..=parts) as f32;
        let half = draw.one_of(&[0.0, 0.0, 0.5, 1.0]);
        let corner: [f32; 3] = from_fn(|_| draw.sign() * half);
        let start = |draw: &mut Draw, step: [f32; 3]| -> MovingBox {
            let middle: [f32; 3] = from_fn(|axis| met[axis] - step[axis] * at + corner[axis]);
            let delta = step.map(|part| part * parts as f32);
            let flat = draw.one_of(&[half, half, 0.0]);
            around(middle, [half, half, flat], delta)
        };
        world.push(start(draw, step));
        if draw.one_in(3) {
            let other: [f32; 3] = from_fn(|_| draw.whole(-7, 7));
            world.push(start(draw, other));
        }
        // Positions on its path: exactly, and one step before or after.
        for steps in [0.0, 1.0, -1.0] {
            let there: [f32; 3] = from_fn(|axis| met[axis] + step[axis] * steps);
            world.push(around(there, [0.0; 3], [0.0; 3]));
        }
    }
    while world.len() < boxes {
        world.push(around(from_fn(|_| place(draw)), [0.0; 3], [0.0; 3]));
    }
    world.truncate(boxes);
    world
}

fn corners_far_away(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let off = draw.one_of(&[1e6, 2e6, 1e5]);
    let size = draw.one_of(&[1.0, 0.7, 8.0]);
    let mut world = through_corners(draw, boxes);
    for moving in &mut world {
        moving.aabb.min = moving.aabb.min.map(|at| at * size + off);
        moving.aabb.max = moving.aabb.max.map(|at| at * size + off);
        moving.delta = moving.delta.map(|part| part * size);
    }
    world
}

fn huge_among_dust(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let reach = 0.3 * (boxes as f32).cbrt();
    let make = |_| {
        let half = if draw.one_in(30) { draw.between(0.0, reach) } else { 0.05 };
        let half = from_fn(|_| half * draw.between(0.2, 1.0));
        let most = if draw.one_in(10) { 20.0 * reach } else { 0.1 };
        let length = length(draw, 0.01, most);
        around(inside(draw, reach), half, direction(draw).map(|part| part * length))
    };
    (0..boxes).map(make).collect()
}

fn far_away(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let off: [f32; 3] = from_fn(|_| draw.one_of(&[1e6, -1e6, 1e7, 3e5, 0.0]));
    let world = if draw.one_in(2) { on_borders(draw, boxes) } else { any_length(draw, boxes) };
    translated(world, off)
}

fn clusters(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let middles: Vec<[f32; 3]> = (0..4).map(|_| inside(draw, 50.0)).collect();
    let make = |_| {
        let middle = draw.one_of(&middles);
        let near = inside(draw, 3.0);
        let mut middle: [f32; 3] = from_fn(|axis| middle[axis] + near[axis]);
        if draw.one_in(50) {
            // Outside of all cells; some fly back, and some fly past the scene.
            let axis = draw.0.random_range(0..3);
            middle[axis] = draw.sign() * length(draw, 1e2, 1e7);
        }
        let to = draw.one_of(&middles);
        let delta = if draw.one_in(5) {
            let far = draw.one_of(&[0.5, 1.0, 2.0]);
            from_fn(|axis| (to[axis] - middle[axis]) * far)
        } else if draw.one_in(50) {
            direction(draw).map(|part| part * 1e6)
        } else {
            inside(draw, 0.5)
        };
        around(middle, from_fn(|_| draw.between(0.0, 0.4)), delta)
    };
    (0..boxes).map(make).collect()
}

fn in_a_line(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let line = draw.0.random_range(0..3);
    let reach = boxes as f32 * 0.5;
    let thick = draw.one_of(&[0.0, 0.5, 3.0]);
    let make = |_| {
        let middle = from_fn(|axis| {
            let reach = if axis == line { reach } else { thick };
            draw.between(-reach, reach)
        });
        let most = if draw.one_in(10) { reach.max(1.0) } else { 1.0 };
        let length = length(draw, 1e-2, most);
        let mut delta = direction(draw).map(|part| part * length);
        if draw.one_in(2) {
            // It remains on the line.
            (0..3).filter(|&axis| axis != line).for_each(|axis| delta[axis] = 0.0);
        }
        around(middle, from_fn(|_| draw.between(0.0, 0.5)), delta)
    };
    (0..boxes).map(make).collect()
}

/// Pairs that share only a face, an edge or a corner, at a time that is exact in `f32`.
fn touch_and_go(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = Vec::new();
    while world.len() < boxes {
        let half: [f32; 3] = from_fn(|_| draw.one_of(&[0.0, 0.5, 1.0]));
        let place: [f32; 3] = from_fn(|_| draw.whole(-15, 15));
        let steps = draw.one_of(&[0.25, 1.0, 4.0, 16.0, 64.0]);
        let delta: [f32; 3] = from_fn(|_| draw.whole(-2, 2) * steps);
        world.push(around(place, half, delta));
        let at = draw.one_of(&[0.0, 0.25, 0.5, 1.0, 1.0]);
        let other: [f32; 3] = from_fn(|_| draw.one_of(&[0.0, 0.5, 1.0]));
        let touching = draw.0.random_range(1..8);
        let middle: [f32; 3] = from_fn(|axis| {
            let apart = half[axis] + other[axis];
            let ahead = if delta[axis] < 0.0 { -1.0 } else { 1.0 };
            let gap = if touching >> axis & 1 == 1 { ahead * apart } else { 0.0 };
            place[axis] + delta[axis] * at + gap
        });
        let own: [f32; 3] = if draw.one_in(3) { from_fn(|_| draw.whole(-4, 4)) } else { [0.0; 3] };
        world.push(around(from_fn(|axis| middle[axis] - own[axis] * at), other, own));
    }
    world.truncate(boxes);
    world
}

/// Points that meet on a lattice at an exact time, both fast.
fn meet_on_borders(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = Vec::new();
    while world.len() < boxes {
        let meeting: [f32; 3] = from_fn(|_| place(draw));
        let at = draw.one_of(&[0.0, 0.125, 0.5, 0.75, 1.0]);
        let steps = draw.one_of(&[1.0, 8.0, 64.0]);
        for _ in 0..draw.0.random_range(2..4) {
            let delta: [f32; 3] = match draw.0.random_range(0..3) {
                0 => [8.0 * steps, -8.0 * steps, 0.0],
                1 => from_fn(|_| draw.sign() * 8.0 * steps),
                _ => from_fn(|_| draw.whole(-3, 3) * 8.0 * steps),
            };
            // The last one may fly along some of the axes only.
            let delta = delta.map(|part| if draw.one_in(5) { 0.0 } else { part });
            world.push(around(from_fn(|axis| meeting[axis] - delta[axis] * at), [0.0; 3], delta));
        }
    }
    world.truncate(boxes);
    world
}

/// All fly far and nearly alike: their relative motion is lost in the rounding of the displacement.
fn flock(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = any_length(draw, boxes);
    let length = length(draw, 1.0, 1e5);
    let common = direction(draw).map(|part| part * length);
    for moving in &mut world {
        let own = inside(draw, 1.0);
        moving.delta = from_fn(|axis| common[axis] + own[axis] * draw.one_of(&[0.0, 1e-3, 1.0]));
    }
    world
}

fn tiny_motions(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let size = draw.one_of(&[1e-45, 1e-40, 1e-38, 1e-30, 1e-10, 1.0]);
    let reach = size * (boxes as f32).cbrt();
    let make = |_| {
        let part = draw.one_of(&[1e-40, 1e-20, 1e-7, 1.0, 1.0, 30.0]);
        let delta = direction(draw).map(|of| of * size * part);
        let half = from_fn(|_| draw.between(0.0, 0.5) * size);
        around(inside(draw, reach), half, delta)
    };
    (0..boxes).map(make).collect()
}

fn ends_of_the_range(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let most = swath::COORD_MAX;
    let make = |_| {
        let small = draw.one_of(&[0.25, 1e-3, 1e-20]);
        let middle =
            inside(draw, most * 0.25).map(|at| if draw.one_in(9) { at * small } else { at });
        let half = from_fn(|_| draw.between(0.0, most * 0.02));
        let length = length(draw, most * 1e-4, most);
        let delta = direction(draw).map(|part| part * length);
        around(middle, half, delta)
    };
    (0..boxes).map(make).collect()
}

fn flat_world(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let flat = draw.0.random_range(0..3);
    let mut world = if draw.one_in(2) { on_borders(draw, boxes) } else { any_length(draw, boxes) };
    for moving in &mut world {
        (moving.aabb.min[flat], moving.aabb.max[flat]) = (0.0, 0.0);
        if draw.one_in(2) {
            moving.delta[flat] = 0.0;
        }
    }
    world
}

/// In a plane or in a line, a few boxes fly over others that leap there from so far away that rounding alone makes the two touch at the end of the tick.
fn leaps(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world = if draw.one_in(2) { in_a_line(draw, boxes) } else { any_length(draw, boxes) };
    let axis = draw.0.random_range(0..3);
    for moving in &mut world {
        (moving.aabb.min[axis], moving.aabb.max[axis]) = (0.0, 0.0);
        moving.delta[axis] = 0.0;
    }
    let speed = draw.one_of(&[1.0, 10.0, 100.0]);
    for two in world[..boxes / 50].chunks_exact_mut(2) {
        let leap = draw.sign() * length(draw, 1e2, 1e9);
        two[0].delta = two[0].delta.map(|part| part * speed);
        two[0].delta[axis] = leap * draw.between(0.0, 5e-8);
        let middle = from_fn(|k| two[0].aabb.min[k] + two[0].delta[k]);
        two[1] = around(middle, [1.0; 3], [0.0; 3]);
        (two[1].aabb.min[axis], two[1].aabb.max[axis]) = (-leap, -leap);
        two[1].delta[axis] = leap;
    }
    world
}

/// The axis along the strips is the one on which the scene is longest: paths are long there, and about a cell
/// long across.
fn fast_along(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let along = draw.0.random_range(0..3);
    let across = (boxes as f32 * 0.1).cbrt();
    let speed = draw.one_of(&[1.0, 1e3, 1e6]);
    let make = |_| {
        let mut middle = inside(draw, across);
        middle[along] *= 10.0;
        let mut delta = inside(draw, across * 0.5);
        delta[along] = draw.sign() * length(draw, 0.1, 10.0 * across * speed);
        around(middle, from_fn(|_| draw.between(0.0, 0.3)), delta)
    };
    (0..boxes).map(make).collect()
}

/// Like the pairs that touch and separate, but moved by one or two steps of `f32`.
fn last_ulp(draw: &mut Draw, boxes: usize) -> Vec<MovingBox> {
    let mut world =
        if draw.one_in(2) { touch_and_go(draw, boxes) } else { meet_on_borders(draw, boxes) };
    for moving in &mut world {
        let axis = draw.0.random_range(0..3);
        let step = |number: f32, draw: &mut Draw| match draw.0.random_range(0..4) {
            0 => number.next_up(),
            1 => number.next_down(),
            _ => number,
        };
        moving.aabb.min[axis] = step(moving.aabb.min[axis], draw);
        moving.aabb.max[axis] = step(moving.aabb.max[axis], draw).max(moving.aabb.min[axis]);
        moving.delta[axis] = step(moving.delta[axis], draw);
    }
    world
}

/// Compares the swept pairs of a scene on every level with those union pairs, found by comparing every pair,
/// that touch.
fn check(what: &str, rows: &Rows, of_first: Option<usize>) {
    let mut union = rows.tried();
    if let Some(first) = of_first {
        union.retain(|pair| (pair.a as usize) < first && first <= pair.b as usize);
    }
    let expected = rows.touching(&union);
    let [a, b] = rows.split(of_first.unwrap_or(0));
    let mut order: Option<Vec<Timed>> = None;
    for level in Level::all() {
        let mut finder = PairFinder::with_exec(level);
        finder.exec.threads = Threads::one();
        let found = match of_first {
            None => finder.swept_pairs(rows.set()),
            Some(_) => finder.swept_pairs_between(a.set(), b.set()),
        };
        let found = found.unwrap().iter();
        let second = of_first.unwrap_or(0) as u32;
        let found: Vec<Timed> =
            found.map(|pair| (pair.a, pair.b + second, pair.first.to_bits())).collect();
        if let Some(order) = &order {
            assert!(*order == found, "{what}: another order on {level}");
            continue;
        }
        let mut sorted = found.clone();
        sorted.sort_unstable();
        differ(what, rows, &expected, &sorted);
        order = Some(found);
    }
}

/// Reports missing and additional pairs.
fn differ(what: &str, rows: &Rows, expected: &[Timed], found: &[Timed]) {
    if expected == found {
        return;
    }
    let missing = expected.iter().filter(|pair| found.binary_search(pair).is_err());
    let twice = found.windows(2).filter(|two| two[0] == two[1]).map(|two| &two[0]);
    let extra = found.iter().filter(|pair| expected.binary_search(pair).is_err());
    let mut text = format!("{what}: {} expected, {} found\n", expected.len(), found.len());
    for (kind, pair) in [
        ("missing", missing.clone().next()),
        ("twice", twice.clone().next()),
        ("too many", extra.clone().next()),
    ] {
        if let Some(&(a, b, bits)) = pair {
            let [p, q] = [a, b].map(|row| rows.boxes().get(row as usize));
            let first = f32::from_bits(bits);
            text += &format!("{kind}: ({a}, {b}) at {first:e}\n  {p:?}\n  {q:?}\n");
        }
    }
    panic!("{text}{} missing, {} extra", missing.count(), extra.count());
}

/// Goal: no pair of fast boxes is lost, found twice or invented, and each first time is that of the pair
/// alone, in one order on every level. Method: hostile scenes of a few boxes and of thousands; every pair
/// whose bounds overlap is swept alone. Sometimes rows do not move, have filters, are invalid, or are divided
/// into two sets.
#[test]
fn long_paths_in_hostile_worlds() {
    let seed = std::env::var("SWATH_SEED").map_or(1, |seed| seed.parse().expect("a number"));
    let wanted = how_many(40_000);
    // In `cargo test` few scenes are large.
    let most = if wanted < 1_000_000 { 2000 } else { 5000 };
    let size = |draw: &mut Draw| draw.one_of(&[2, 3, 30, 300, 800, 2000, 5000]).min(most);
    check_families(&mut Draw::new(seed), &FAMILIES, wanted, size);
}

/// Checks scenes of each family in turn, until they have this many boxes together. Sometimes rows do not move, have filters, are invalid, or are divided
/// into two sets.
pub(crate) fn check_families(
    draw: &mut Draw,
    families: &[(&str, Family)],
    wanted: usize,
    size: impl Fn(&mut Draw) -> usize,
) {
    let (mut looked_at, mut worlds) = (0, 0);
    while looked_at < wanted {
        for (name, family) in families {
            let boxes = size(draw);
            let mut rows = Rows::new(&family(draw, boxes));
            if draw.one_in(4) {
                rows.moves = Some((0..boxes).map(|_| draw.one_in(2)).collect());
            }
            if draw.one_in(4) {
                let filter =
                    |_| Filter::new(1 << draw.0.random_range(0..3), draw.0.random_range(0..8));
                rows.filters = Some((0..boxes).map(filter).collect());
            }
            if draw.one_in(4) {
                for _ in 0..boxes.div_ceil(20) {
                    let column = draw.0.random_range(0..9);
                    rows.columns[column][draw.0.random_range(0..boxes)] =
                        draw.one_of(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38]);
                }
            }
            let of_first = draw.one_in(4).then(|| draw.0.random_range(0..boxes));
            check(&format!("{name}, {boxes} boxes, world {worlds}"), &rows, of_first);
            looked_at += boxes;
            worlds += 1;
        }
    }
}

/// Goal: a hit that exists only by rounding is found on an axis on which the grid has no extent. Method: many scenes with such hits, which a search without a grid
/// finds.
#[test]
fn false_hits_of_boxes_that_leap_to_a_plane_are_found() {
    let (draw, leaps) = (&mut Draw::new(1), [("leaps to a plane", leaps as Family)]);
    check_families(draw, &leaps, how_many(60_000), |draw| draw.one_of(&[600, 2000]));
}

/// Goal: a hit that exists only by rounding is found for any cells. Method: a pair that misses by 4e-8 of the
/// tick, which its sweep reports as a hit and whose bounds overlap. The first box flies so fast along the
/// strips, and so slowly across, that its path is not long. The second reaches the cell where they meet at
/// that time, so it is there for a thousandth of the tick.
#[test]
fn false_hit_of_a_box_that_is_fast_along_the_strips_is_found() {
    let fast = Aabb {
        min: [0.18873066, -1324323.5, -33.839653],
        max: [0.68873066, -1324323.5, -33.839653],
    };
    let slow =
        Aabb { min: [0.6887306, -33.779003, -327.8414], max: [1.1887306, -33.746002, -96.84139] };
    let mut world = vec![
        MovingBox { aabb: fast, delta: [0.0, 1324323.8, 0.0] },
        MovingBox { aabb: slow, delta: [0.0, 34.081467, 63.00174] },
    ];
    let draw = &mut Draw::new(1);
    let size = [1.0, 3.3, 77.0];
    // The random numbers of the first thousand.
    for k in 0..998 * 3 {
        draw.between(-size[k % 3], size[k % 3]);
    }
    while world.len() < 4000 {
        let at: [f32; 3] = from_fn(|k| draw.between(-size[k], size[k]));
        let side = [size[0] / 20.0, size[1] / 400.0, size[2] / 20.0];
        let max = from_fn(|k| at[k] + side[k]);
        world.push(MovingBox { aabb: Aabb { min: at, max }, delta: [0.0; 3] });
    }
    check("fast along the strips", &Rows::new(&world), None);
}
