//! The scenes.
//!
//! They differ in sizes, motions, and the number of *union pairs* per box: pairs whose boxes around the whole
//! paths overlap. `room.rs` computes the size of a scene with a given number of them.
//!
//! Units: the mean side of a box is 1 unless a scene states otherwise; displacements are per tick.

use std::fmt;
use std::str::FromStr;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use super::{Motion, World, adversaries, found, pile, room};

/// Range of the sides of an ordinary box, on each axis.
const SIDES: [f32; 2] = [0.5, 1.5];
/// Length of an ordinary path, relative to the mean side.
const PATHS: [f32; 2] = [0.1, 0.3];

/// One box in this many is a bullet.
const BULLET_ONE_OF: u32 = 20;
/// Range of the sides of a bullet.
const BULLET_SIDES: [f32; 2] = [0.04, 0.06];
/// Range of the length of a bullet's path.
const BULLET_PATHS: [f32; 2] = [5.0, 50.0];

/// Least half side of the mixed sizes, before the proportions of a box are drawn.
const MIXED_HALF_MIN: f32 = 0.05;
/// The square of the ratio of the greatest half side to the least: 2.5 decades.
const MIXED_RANGE_SQUARED: f64 = 1e5;
/// The half side on each axis, relative to the half side of the box.
const MIXED_PROPORTIONS: [f32; 2] = [0.75, 1.25];

/// Greatest distance of the centres of the sheet from the middle on the axis `y`.
const SHEET_REACH: f32 = 0.5;

/// One box in this many moves in the static scene.
const STATIC_MOVES_ONE_OF: u32 = 100;

/// Number of attempts to draw a direction; each succeeds with probability one half.
const DIRECTION_DRAWS_MAX: usize = 64;

/// A kind of scene, see [`World::new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scene {
    /// Boxes of about one size in a cube, moving a little; one union pair per box.
    Uniform,
    /// The same, closer together: six union pairs per box.
    Dense,
    /// The uniform scene, in which one box of twenty is tiny and flies 5 to 50 sides.
    Bullets,
    /// Half sides over 2.5 decades, many small and few large; about two union pairs per box.
    Mixed,
    /// Twelve layers of crates that nearly touch and tremble, and one ground box below them.
    Pile,
    /// Boxes distributed on two axes, at about one height; one union pair per box.
    Sheet,
    /// The uniform scene, in which one box of a hundred moves.
    Static,
    /// Crowded balls of a thousand boxes each, with much empty space between.
    Clusters,
    /// The uniform scene, in which one box of twenty is a long thin wall, on any axis.
    Walls,
    /// All boxes in one line on the axis `x`.
    LineX,
    /// All boxes in one line on the axis `y`.
    LineY,
    /// All boxes in one line on the axis `z`.
    LineZ,
    /// All boxes in one line along the diagonal.
    Diagonal,
    /// The uniform scene, with eight boxes of a quarter of its size.
    Planets,
    /// The uniform scene, of which one box is a million units away. It is repeated.
    Escaped,
    /// Tiny boxes, most of them in a crowd, the others in a scene 10⁵ times as large. It is repeated.
    Outskirts,
    /// Plates on any two axes in three crowds; one of a thousand moves. It is repeated.
    Plates,
    /// Boxes of any size up to that of the scene; one of a thousand moves. It is repeated.
    Boulders,
    /// Tiny boxes, and sticks on any axis across the whole scene, which seldom touch. It is repeated.
    Sticks,
    /// Sticks on any axis that cross three crowds and seldom touch. It is repeated.
    Lances,
    /// Tiny boxes in a thin crowd, and a few longer sticks. It is repeated.
    Needles,
    /// A flat crowd of tiny boxes and longer sticks. It is repeated.
    Straws,
    /// Plates across one axis, many of them in a thin crowd, and points. It is repeated.
    Shelves,
    /// Skewers on any axis, which cross half of the scene and hardly ever touch. It is repeated.
    Skewers,
    /// Plates in thirty crowds at one place; one of a thousand moves. It is repeated.
    Ledges,
    /// Tiny boxes of many sizes, and one of twelve is a plate across the whole scene. It is repeated.
    Panels,
    /// Points and longer sticks in crowds in a crowd, which hardly ever touch. It is repeated.
    Splinters,
    /// Thin crowds, in which one box of eight is fast and crosses the whole crowd. It is repeated.
    Sparks,
    /// Tiny boxes and sticks of all lengths on any axis, which cross each other and seldom touch. It is repeated.
    Twigs,
    /// Plates of all lengths in a few flat crowds, and points. It is repeated.
    Slats,
    /// Plates of all lengths in thin crowds. It is repeated.
    Blinds,
    /// Plates and points in four crowds. It is repeated.
    Trays,
    /// Sticks of many lengths on any axis, in small crowds in flat ones. It is repeated.
    Spokes,
    /// Points in three flat crowds, and sticks on any axis through half of the scene. It is repeated.
    Thorns,
    /// Boxes in two crowds, and sticks on any axis through most of the scene. It is repeated.
    Rafters,
    /// Sticks of many lengths on any axis, in crowds in one place, of which one of thirty moves. It is repeated.
    Brambles,
    /// Points in a flat scene, and one box of twenty is a plate of any length. It is repeated.
    Flakes,
    /// Boxes of many sizes, four of five in hundreds of crowds in one place. It is repeated.
    Gravel,
    /// Sticks on any axis in fifteen crowds, and a few points. It is repeated.
    Spillikins,
    /// Boxes of many sizes in a long crowd, and a few sticks along it. It is repeated.
    Reeds,
    /// Sticks of all lengths on any axis, half of them in a flat, long crowd. It is repeated.
    Bristles,
    /// Small boxes in a flat scene, and few plates across half of it; one of a hundred moves. It is repeated.
    Boards,
    /// Sticks of all lengths on any axis, on a lattice; one of fifty moves. It is repeated.
    Haystack,
    /// Boxes in thousands of crowds, and one of fourteen is a plate across the scene. It is repeated.
    Louvers,
    /// Points that fly up to a third of the scene on each axis. It is repeated.
    Swarm,
    /// Points that fly up to a quarter of the scene, half of them from one crowd. It is repeated.
    Burst,
    /// All boxes in one place: every pair overlaps. Not among [`Scene::ALL`].
    Identical,
}

impl Scene {
    /// All scenes with about as many pairs as boxes.
    pub const ALL: [Self; 15] = [
        Self::Uniform,
        Self::Dense,
        Self::Bullets,
        Self::Mixed,
        Self::Pile,
        Self::Sheet,
        Self::Static,
        Self::Clusters,
        Self::Walls,
        Self::LineX,
        Self::LineY,
        Self::LineZ,
        Self::Diagonal,
        Self::Planets,
        Self::Escaped,
    ];

    /// Scenes that the search `worst_case` and users found, with few pairs. They are not among [`Scene::ALL`].
    pub const FOUND: [Self; 31] = [
        Self::Outskirts,
        Self::Plates,
        Self::Boulders,
        Self::Sticks,
        Self::Lances,
        Self::Needles,
        Self::Straws,
        Self::Shelves,
        Self::Skewers,
        Self::Ledges,
        Self::Panels,
        Self::Splinters,
        Self::Sparks,
        Self::Twigs,
        Self::Slats,
        Self::Blinds,
        Self::Trays,
        Self::Spokes,
        Self::Thorns,
        Self::Rafters,
        Self::Brambles,
        Self::Flakes,
        Self::Gravel,
        Self::Spillikins,
        Self::Reeds,
        Self::Bristles,
        Self::Boards,
        Self::Haystack,
        Self::Louvers,
        Self::Swarm,
        Self::Burst,
    ];

    /// The ordinary scenes; the others of [`Scene::ALL`] are adversaries.
    pub const ORDINARY: [Self; 7] = [
        Self::Uniform,
        Self::Dense,
        Self::Bullets,
        Self::Mixed,
        Self::Pile,
        Self::Sheet,
        Self::Static,
    ];

    /// The names of [`Scene::ALL`] and [`Scene::FOUND`], separated by commas.
    #[must_use]
    pub fn names() -> String {
        format!(
            "{}, {}",
            Self::ALL.map(Self::name).join(", "),
            Self::FOUND.map(Self::name).join(", ")
        )
    }

    /// The help text of an argument for a scene.
    #[must_use]
    pub fn help() -> String {
        let [harder, slow] = [&Self::ALL[Self::ORDINARY.len()..], &Self::FOUND]
            .map(|scenes| scenes.iter().map(|scene| scene.name()).collect::<Vec<_>>().join(", "));
        format!(
            "Name of the scene: uniform (boxes of about one size that move a little), dense (the same, closer together), \
             bullets (the same as uniform, and one of twenty is tiny and fast), mixed (sides that differ by a factor of up to 300), \
             pile (layers of crates that nearly touch), sheet (boxes at about one height), static (one box of a hundred moves); with \
             an uneven distribution {harder}; found by a search for slow scenes {slow}"
        )
    }

    /// The name, as it is parsed and shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Uniform => "uniform",
            Self::Dense => "dense",
            Self::Bullets => "bullets",
            Self::Mixed => "mixed",
            Self::Pile => "pile",
            Self::Sheet => "sheet",
            Self::Static => "static",
            Self::Clusters => "clusters",
            Self::Walls => "walls",
            Self::LineX => "line-x",
            Self::LineY => "line-y",
            Self::LineZ => "line-z",
            Self::Diagonal => "diagonal",
            Self::Planets => "planets",
            Self::Escaped => "escaped",
            Self::Outskirts => "outskirts",
            Self::Plates => "plates",
            Self::Boulders => "boulders",
            Self::Sticks => "sticks",
            Self::Lances => "lances",
            Self::Needles => "needles",
            Self::Straws => "straws",
            Self::Shelves => "shelves",
            Self::Skewers => "skewers",
            Self::Ledges => "ledges",
            Self::Panels => "panels",
            Self::Splinters => "splinters",
            Self::Sparks => "sparks",
            Self::Twigs => "twigs",
            Self::Slats => "slats",
            Self::Blinds => "blinds",
            Self::Trays => "trays",
            Self::Spokes => "spokes",
            Self::Thorns => "thorns",
            Self::Rafters => "rafters",
            Self::Brambles => "brambles",
            Self::Flakes => "flakes",
            Self::Gravel => "gravel",
            Self::Spillikins => "spillikins",
            Self::Reeds => "reeds",
            Self::Bristles => "bristles",
            Self::Boards => "boards",
            Self::Haystack => "haystack",
            Self::Louvers => "louvers",
            Self::Swarm => "swarm",
            Self::Burst => "burst",
            Self::Identical => "identical",
        }
    }
}

impl fmt::Display for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scene {
    type Err = UnknownScene;

    fn from_str(name: &str) -> Result<Self, UnknownScene> {
        let mut scenes = Self::ALL.into_iter().chain(Self::FOUND).chain([Self::Identical]);
        let scene = scenes.find(|scene| scene.name() == name);
        scene.ok_or_else(|| UnknownScene(name.to_owned()))
    }
}

/// A name that is not that of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScene(pub String);

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no scene is named {:?}; the scenes are {}", self.0, Scene::names())
    }
}

impl std::error::Error for UnknownScene {}

/// Makes a scene with `boxes` boxes from a seed.
pub(super) fn build(scene: Scene, boxes: usize, seed: u64) -> World {
    if let Some(recipe) = found::recipe(scene) {
        return recipe.build(boxes);
    }
    let mut crowd = Crowd::new(seed);
    match scene {
        Scene::Pile => return pile::build(boxes, crowd.rng),
        Scene::Mixed => (0..boxes).for_each(|_| crowd.push_of_any_size()),
        _ if !Scene::ORDINARY.contains(&scene) => return adversaries::build(scene, boxes, crowd),
        _ => (0..boxes).for_each(|_| crowd.push_ordinary()),
    }
    if scene == Scene::Static {
        for row in 0..boxes {
            if !crowd.rng.random_ratio(1, STATIC_MOVES_ONE_OF) {
                crowd.set_delta(row, [0.0; 3]);
                crowd.moves[row] = false;
            }
        }
    }
    let pairs_per_box = match scene {
        Scene::Dense => 6.0,
        Scene::Mixed => 3.0,
        _ => 1.0,
    };
    let flat = scene == Scene::Sheet;
    let reach = (room::side(&crowd.half, &crowd.delta, pairs_per_box, flat) * 0.5) as f32;
    if scene == Scene::Bullets {
        for row in 0..boxes {
            if crowd.rng.random_ratio(1, BULLET_ONE_OF) {
                crowd.make_bullet(row);
            }
        }
    }
    crowd.spread([reach, if flat { SHEET_REACH } else { reach }, reach])
}

/// Sizes and motions of boxes that have no position yet.
pub(super) struct Crowd {
    pub(super) half: [Vec<f32>; 3],
    pub(super) delta: [Vec<f32>; 3],
    moves: Vec<bool>,
    pub(super) rng: Xoshiro256PlusPlus,
}

impl Crowd {
    fn new(seed: u64) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Self { half: Default::default(), delta: Default::default(), moves: Vec::new(), rng }
    }

    pub(super) fn between(&mut self, range: [f32; 2]) -> f32 {
        between(&mut self.rng, range)
    }

    pub(super) fn push(&mut self, half: [f32; 3], delta: [f32; 3], moves: bool) {
        for axis in 0..3 {
            self.half[axis].push(half[axis]);
            self.delta[axis].push(delta[axis]);
        }
        self.moves.push(moves);
    }

    pub(super) fn push_ordinary(&mut self) {
        let half = [(); 3].map(|()| self.between(SIDES) * 0.5);
        let delta = self.path(PATHS);
        self.push(half, delta, true);
    }

    /// The share of boxes with a half side above `h` is proportional to `1 / h^2`, so the inverse of the
    /// distribution function is one square root.
    fn push_of_any_size(&mut self) {
        let u: f64 = self.rng.random_range(0.0..1.0);
        let past = 1.0 - u * (1.0 - 1.0 / MIXED_RANGE_SQUARED);
        let size = MIXED_HALF_MIN * (1.0 / past.sqrt()) as f32;
        let half = [(); 3].map(|()| self.between(MIXED_PROPORTIONS) * size);
        let delta = self.path(PATHS.map(|path| path * 2.0 * size));
        self.push(half, delta, true);
    }

    fn make_bullet(&mut self, row: usize) {
        for axis in 0..3 {
            self.half[axis][row] = self.between(BULLET_SIDES) * 0.5;
        }
        let delta = self.path(BULLET_PATHS);
        self.set_delta(row, delta);
    }

    fn set_delta(&mut self, row: usize, delta: [f32; 3]) {
        for (column, delta) in self.delta.iter_mut().zip(delta) {
            column[row] = delta;
        }
    }

    /// A displacement with a length between the two limits, in a random direction.
    fn path(&mut self, lengths: [f32; 2]) -> [f32; 3] {
        let length = self.between(lengths);
        for _ in 0..DIRECTION_DRAWS_MAX {
            let [x, y, z] = [(); 3].map(|()| self.between([-1.0, 1.0]));
            let squared = x * x + y * y + z * z;
            if squared > 0.01 && squared <= 1.0 {
                return [x, y, z].map(|part| part * (length / squared.sqrt()));
            }
        }
        [length, 0.0, 0.0]
    }

    /// Gives each box a random position with its centre within `reach` of the middle.
    pub(super) fn spread(mut self, reach: [f32; 3]) -> World {
        let boxes = self.moves.len();
        let centre = reach.map(|reach| (0..boxes).map(|_| self.between([-reach, reach])).collect());
        World::around(centre, self.half, self.delta, self.moves, Motion::Bounce { reach })
    }

    /// Gives each box the position that `place` returns, within `reach`.
    pub(super) fn spread_with(
        mut self,
        reach: [f32; 3],
        mut place: impl FnMut(&mut Self, usize) -> [f32; 3],
    ) -> World {
        let mut centre: [Vec<f32>; 3] = Default::default();
        for row in 0..self.moves.len() {
            let at = place(&mut self, row);
            centre.iter_mut().zip(at).for_each(|(column, at)| column.push(at));
        }
        World::around(centre, self.half, self.delta, self.moves, Motion::Bounce { reach })
    }
}

/// A random number between the two limits.
pub(super) fn between(rng: &mut Xoshiro256PlusPlus, [low, high]: [f32; 2]) -> f32 {
    rng.random_range(low..high)
}
