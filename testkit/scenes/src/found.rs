//! Scenes that the search `worst_case` and users found to be slow, as the numbers of a [`Recipe`].

use super::recipe::{Crowds, Long, Recipe};
use super::scene::Scene;

const NO_CROWDS: Crowds = Crowds { share: 0.0, count: 1, part: [1.0; 3], apart: 0.0 };
/// The numbers of a scene without crowds, long boxes and displacements.
const PLAIN: Recipe = Recipe {
    seed: 0,
    extent: [0.0; 3],
    crowds: [NO_CROWDS; 3],
    half: [0.0; 2],
    stretch: [0.0; 3],
    long: Long { share: 0.0, axis: 3, axes: 1, length: 0.0, spread: 0.0 },
    lattice: 0.0,
    displaced: 0.0,
    displacement: [0.0; 2],
    moves: 1.0,
};
/// Tiny boxes; four of five are in a crowd, and the others in a scene that is 10⁵ times as large.
const OUTSKIRTS: Recipe = Recipe {
    seed: 1,
    extent: [6.7e4, 5.1e5, 11.0],
    crowds: [
        Crowds { share: 0.8, count: 1, part: [1.4e-5, 1.4e-5, 1.5e-5], apart: 0.0 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-5.7, -1.7],
    ..PLAIN
};
/// Plates with two long sides on any axes, in three crowds. Hardly any moves, so few of the many overlaps are
/// pairs.
const PLATES: Recipe = Recipe {
    seed: 156_299,
    extent: [126.5, 16.8, 20.9],
    crowds: [
        Crowds { share: 1.0, count: 3, part: [0.364, 0.341, 0.355], apart: 0.0813 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-2.37, -2.13],
    stretch: [0.44, 1.5, 0.0],
    long: Long { share: 1.0, axis: 3, axes: 2, length: 0.0439, spread: 0.0 },
    lattice: 1.57e-5,
    moves: 0.001,
    ..PLAIN
};
/// Boxes of any size up to that of the scene; hardly any moves.
const BOULDERS: Recipe = Recipe {
    seed: 664_097,
    extent: [284.2; 3],
    half: [-1.55, 2.45],
    stretch: [1.5, 0.3, 0.0],
    long: Long { share: 1.0, axis: 1, axes: 1, length: 0.195, spread: 0.0267 },
    lattice: 1.41e-6,
    moves: 0.001,
    ..PLAIN
};
/// Tiny boxes, and as many sticks on any axis that cross the whole scene and seldom touch.
const STICKS: Recipe = Recipe {
    seed: 980_934,
    extent: [0.488, 0.0661, 0.488],
    half: [-5.64, -5.31],
    stretch: [1.5, 0.269, 0.3],
    long: Long { share: 0.549, axis: 3, axes: 1, length: 2.11, spread: 0.5 },
    displaced: 0.05,
    displacement: [-4.7, -3.67],
    moves: 0.737,
    ..PLAIN
};
/// Sticks on any axis that cross three crowds and seldom touch.
const LANCES: Recipe = Recipe {
    seed: 186_547,
    extent: [13.87, 1.312, 1.94],
    crowds: [
        Crowds { share: 1.0, count: 3, part: [0.1636, 0.0451, 0.0415], apart: 0.757 },
        Crowds { share: 0.708, count: 1, part: [0.447, 0.223, 0.0928], apart: 0.0 },
        NO_CROWDS,
    ],
    half: [-7.89, -5.86],
    stretch: [1.54, 0.0, 0.02],
    long: Long { share: 1.0, axis: 3, axes: 1, length: 3.0, spread: 0.535 },
    moves: 0.34,
    ..PLAIN
};
/// Tiny boxes in a thin crowd, and a few sticks on any axis that are longer than the crowd.
const NEEDLES: Recipe = Recipe {
    seed: 663_232,
    extent: [0.957, 1.184, 1.457],
    crowds: [
        Crowds { share: 0.95, count: 1, part: [0.407, 0.245, 0.324], apart: 0.0 },
        Crowds { share: 1.0, count: 1, part: [0.0132, 0.231, 0.0023], apart: 0.0 },
        NO_CROWDS,
    ],
    half: [-5.41, -5.02],
    stretch: [0.0, 1.457, 0.3],
    long: Long { share: 0.0366, axis: 3, axes: 1, length: 0.0549, spread: 0.219 },
    ..PLAIN
};
/// A flat crowd of tiny boxes, and of as many sticks on any axis that are longer than the crowd.
const STRAWS: Recipe = Recipe {
    seed: 100_468,
    extent: [1.656, 0.404, 2.202],
    crowds: [
        Crowds { share: 0.95, count: 1, part: [0.0248, 1.42e-5, 0.0379], apart: 0.0 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-9.24, -7.11],
    stretch: [1.5, 0.0, 0.3],
    long: Long { share: 0.516, axis: 3, axes: 1, length: 0.0414, spread: 0.364 },
    ..PLAIN
};
/// Plates across one axis, half of them in a thin crowd that is as long as they are, and as many points.
const SHELVES: Recipe = Recipe {
    seed: 303_317,
    extent: [1.943, 2.805, 3.63],
    crowds: [
        Crowds { share: 0.5, count: 1, part: [0.31, 0.943, 0.744], apart: 0.0 },
        Crowds { share: 1.0, count: 1, part: [0.0321, 0.252, 0.42], apart: 1.0 },
        NO_CROWDS,
    ],
    half: [-9.2, -9.2],
    stretch: [0.0, 0.3, 1.5],
    long: Long { share: 0.581, axis: 1, axes: 2, length: 0.133, spread: 0.0 },
    moves: 0.5,
    ..PLAIN
};
/// Skewers on any axis, in a scene of which one axis is longer than the others.
const SKEWERS: Recipe = Recipe {
    seed: 845_501,
    extent: [1006.4, 1004.2, 11393.0],
    half: [-4.013, -4.013],
    stretch: [1.5, 1.5, 0.0],
    long: Long { share: 1.0, axis: 3, axes: 1, length: 0.604, spread: 0.0 },
    moves: 0.584,
    ..PLAIN
};
/// Boxes that are long on two axes, or not at all. Hardly any moves.
const LEDGES: Recipe = Recipe {
    seed: 341_580,
    extent: [28.16; 3],
    crowds: [
        Crowds { share: 0.95, count: 30, part: [0.942, 0.136, 0.206], apart: 0.0 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-2.893, -0.893],
    stretch: [0.0, 0.989, 1.5],
    long: Long { share: 0.5, axis: 3, axes: 2, length: 0.1035, spread: 0.0 },
    displaced: 0.5,
    displacement: [-1.343, -0.966],
    moves: 0.001,
    ..PLAIN
};
/// Plates among tiny boxes. A small sample of 20,000 boxes has only a third as many plates as there are.
const PANELS: Recipe = Recipe {
    seed: 884_530,
    extent: [610.710_3, 9317.687, 50060.293],
    crowds: [
        Crowds {
            share: 0.012151969,
            count: 1,
            part: [0.11503923, 0.4403042, 0.898_279_7],
            apart: 0.0,
        },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-6.977494, -2.4701552],
    stretch: [0.0, 0.0, 1.5],
    long: Long { share: 0.08380365, axis: 1, axes: 2, length: 2.326805, spread: 0.28102255 },
    displacement: [-2.4700322, -2.0969658],
    ..PLAIN
};
/// Points, and one stick of eight, in 1,900 crowds in 1,000 crowds in a crowd.
const SPLINTERS: Recipe = Recipe {
    seed: 1_020_238,
    extent: [363.1, 363.1, 364.7],
    crowds: [
        Crowds { share: 0.8, count: 1, part: [0.02628, 0.003348, 0.002699], apart: 0.3116 },
        Crowds { share: 0.5, count: 1000, part: [0.01847, 1.01e-4, 3.906e-5], apart: 1.0 },
        Crowds { share: 0.9727, count: 1903, part: [0.401, 0.2017, 0.2692], apart: 1.0 },
    ],
    half: [-5.255, -4.725],
    stretch: [0.6975, 0.3, 1.5],
    long: Long { share: 0.1218, axis: 3, axes: 1, length: 0.1029, spread: 1.0 },
    displaced: 0.5,
    displacement: [-4.852, -4.688],
    moves: 0.7552,
    ..PLAIN
};
/// Points, most of them in three flat crowds, and one stick of eight on any axis through half of the scene.
const THORNS: Recipe = Recipe {
    seed: 299_873,
    extent: [430.253, 656.00757, 498.0057],
    crowds: [
        Crowds { share: 0.95, count: 3, part: [0.9715678, 0.0006759738, 0.11601266], apart: 0.0 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-3.1718035, -2.4627876],
    stretch: [0.30115706, 0.3, 0.32881546],
    long: Long { share: 0.12075542, axis: 3, axes: 1, length: 0.57015777, spread: 0.0 },
    displaced: 1.0,
    displacement: [-8.135822, -6.8307467],
    moves: 0.27382863,
    ..PLAIN
};
/// Small boxes in crowds of half the scene, and one stick of five on any axis through most of it.
const RAFTERS: Recipe = Recipe {
    seed: 2794,
    extent: [136_097.03, 5071.6025, 24_042.486],
    crowds: [
        Crowds { share: 0.5, count: 1, part: [0.12000628, 0.42138144, 0.58083403], apart: 0.0 },
        Crowds {
            share: 0.38205266,
            count: 1,
            part: [0.21229957, 0.97633743, 0.064527415],
            apart: 0.32250333,
        },
        NO_CROWDS,
    ],
    half: [-0.3020754, 0.2757148],
    stretch: [1.5, 0.0, 0.29431254],
    long: Long { share: 0.18769458, axis: 3, axes: 1, length: 0.8755585, spread: 0.042977512 },
    displacement: [-2.3577406, -1.242901],
    moves: 0.6114338,
    ..PLAIN
};
/// Points in three thin crowds, some of them with sticks; one box of eight is fast.
const SPARKS: Recipe = Recipe {
    seed: 249_338,
    extent: [14.61, 0.004657, 0.01903],
    crowds: [
        Crowds { share: 1.0, count: 3, part: [0.02193, 1.0, 0.004934], apart: 0.1 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-7.384, -6.884],
    stretch: [1.5, 0.3, 1.5],
    long: Long { share: 0.05, axis: 0, axes: 1, length: 0.7313, spread: 0.4615 },
    displaced: 0.5468,
    displacement: [-2.214, -0.9626],
    moves: 0.229,
    ..PLAIN
};
/// Tiny boxes and sticks of all lengths on any axis. A tree lets a stick visit many nodes, and no plane and no length
/// divides the sticks well.
const TWIGS: Recipe = Recipe {
    seed: 847_088,
    extent: [78.18, 28.35, 1640.0],
    crowds: [
        Crowds { share: 0.158, count: 3, part: [0.0884, 0.0592, 0.0658], apart: 0.1 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-5.18, -3.41],
    long: Long { share: 0.669, axis: 3, axes: 1, length: 0.495, spread: 0.979 },
    displaced: 1.0,
    displacement: [-5.24, -4.1],
    ..PLAIN
};
/// Plates that are thin on one axis and of all lengths on the others, in flat crowds, and a few points.
const SLATS: Recipe = Recipe {
    seed: 18_496,
    extent: [89.36, 352.7, 58.84],
    crowds: [
        Crowds { share: 0.889, count: 1, part: [0.833, 0.1685, 0.1278], apart: 0.604 },
        Crowds { share: 0.5, count: 30, part: [0.5155, 1.0, 1.0], apart: 0.0 },
        NO_CROWDS,
    ],
    half: [-4.3, -2.68],
    stretch: [0.314, 0.965, 0.775],
    long: Long { share: 0.763, axis: 1, axes: 2, length: 0.2524, spread: 0.943 },
    ..PLAIN
};
/// Plates of all lengths across two axes in thirty thin crowds, and a few points.
const BLINDS: Recipe = Recipe {
    seed: 189_386,
    extent: [12.49, 12.49, 12.72],
    crowds: [
        Crowds { share: 0.8, count: 30, part: [0.0086, 0.6825, 0.0525], apart: 0.0 },
        Crowds { share: 0.8, count: 64, part: [0.3153, 0.01543, 0.04156], apart: 0.1 },
        NO_CROWDS,
    ],
    half: [-6.992, -6.488],
    stretch: [1.5, 0.0, 0.2742],
    long: Long { share: 0.9411, axis: 0, axes: 2, length: 1.894, spread: 1.0 },
    displaced: 0.5,
    displacement: [-0.8456, -0.6764],
    moves: 0.5,
    ..PLAIN
};
/// Plates across two axes, and more than twice as many points, most of them in four crowds.
const TRAYS: Recipe = Recipe {
    seed: 371_139,
    extent: [323.1, 930.7, 3.979],
    crowds: [
        Crowds { share: 0.8, count: 4, part: [0.0315, 0.02571, 0.2154], apart: 0.03734 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-4.978, -4.978],
    stretch: [1.5, 1.293, 0.3],
    long: Long { share: 0.2945, axis: 0, axes: 2, length: 0.09736, spread: 0.4779 },
    ..PLAIN
};
/// Sticks of many lengths on any axis, in small crowds in flat ones, and a few points.
const SPOKES: Recipe = Recipe {
    seed: 963_864,
    extent: [37.96, 120.8, 24.61],
    crowds: [
        Crowds { share: 0.8647, count: 59, part: [0.7949, 0.7476, 0.2059], apart: 0.03836 },
        Crowds { share: 0.95, count: 17, part: [0.022, 0.1594, 0.01485], apart: 1.0 },
        Crowds { share: 0.0878, count: 1, part: [0.2744, 0.06107, 0.2851], apart: 0.0 },
    ],
    half: [-7.233, -6.007],
    stretch: [0.2579, 0.3, 0.0],
    long: Long { share: 0.8203, axis: 3, axes: 1, length: 0.3021, spread: 0.53 },
    displaced: 0.992,
    displacement: [-4.783, -4.042],
    ..PLAIN
};
/// Sticks of many lengths on any axis, in crowds in one place, of which one of thirty moves.
const BRAMBLES: Recipe = Recipe {
    seed: 606_311,
    extent: [418.3898, 362.19727, 72.94851],
    crowds: [
        Crowds {
            share: 0.9190292,
            count: 1000,
            part: [0.30484542, 0.014619646, 0.058266714],
            apart: 0.0,
        },
        Crowds {
            share: 0.9821613,
            count: 3,
            part: [0.48627108, 0.3082693, 0.72074544],
            apart: 0.45291865,
        },
        NO_CROWDS,
    ],
    half: [-4.0222964, -4.0222964],
    long: Long { share: 1.0, axis: 3, axes: 1, length: 0.12210313, spread: 0.82345176 },
    moves: 0.0336233,
    ..PLAIN
};
/// Points in a flat scene, and one box of twenty is a plate that is long on two axes. A small sample has few of the plates.
const FLAKES: Recipe = Recipe {
    seed: 899_076,
    extent: [6613.999, 4536.4185, 7.729288],
    half: [-5.666268, -2.8878005],
    stretch: [0.3, 0.6522174, 0.0],
    long: Long { share: 0.05, axis: 0, axes: 2, length: 2.046149, spread: 1.0 },
    lattice: 9.729393e-6,
    moves: 0.8066936,
    ..PLAIN
};
/// Boxes of many sizes, four of five in hundreds of crowds in one place, which is a thousandth of the scene.
const GRAVEL: Recipe = Recipe {
    seed: 792_307,
    extent: [417.12567; 3],
    crowds: [
        Crowds { share: 0.8, count: 1, part: [0.28098, 0.9802322, 0.2533862], apart: 0.1 },
        Crowds { share: 1.0, count: 562, part: [0.11979231, 0.03175082, 0.207191], apart: 0.0 },
        NO_CROWDS,
    ],
    half: [-1.7749448, -0.048161507],
    stretch: [0.3, 0.0, 0.0],
    long: Long { share: 0.003, axis: 2, axes: 1, length: 0.10262107, spread: 0.43019152 },
    lattice: 0.0005135055,
    displaced: 0.018214274,
    displacement: [-3.1920557, -1.4192975],
    moves: 0.5616858,
};
/// Sticks on any axis through a part of fifteen crowds, and one box of eleven is a point. A grid has three copies of each stick.
const SPILLIKINS: Recipe = Recipe {
    seed: 267_897,
    extent: [28.94645, 0.4769394, 0.034785006],
    crowds: [
        Crowds {
            share: 1.0,
            count: 15,
            part: [0.23785354, 0.14220466, 0.55349416],
            apart: 0.76549184,
        },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-6.073599, -5.493683],
    stretch: [1.5, 1.5, 0.3],
    long: Long { share: 0.91067976, axis: 3, axes: 1, length: 0.33958757, spread: 0.16285953 },
    displacement: [-2.1332324, -0.546633],
    ..PLAIN
};
/// Boxes of many sizes, four of five in a long crowd, and one of fifty is a stick along it. A small sample of 20,000 boxes contains no
/// stick, and so the strips of the chosen grid run along the crowd and contain most of it.
const REEDS: Recipe = Recipe {
    seed: 997_867,
    extent: [60.345665; 3],
    crowds: [
        Crowds { share: 0.8, count: 1, part: [0.08566471, 0.78185356, 0.15230134], apart: 1.0 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-4.625413, -0.48010528],
    stretch: [0.0, 0.3, 0.29946423],
    long: Long { share: 0.020195467, axis: 1, axes: 1, length: 0.38573787, spread: 0.23521781 },
    displaced: 0.49687523,
    displacement: [-2.616543, -2.4234607],
    moves: 0.9871564,
    ..PLAIN
};
/// Sticks of all lengths on any axis, half of them in a flat, long crowd. A third of them is long on the axis along which the others are swept.
const BRISTLES: Recipe = Recipe {
    seed: 845_727,
    extent: [112.543625, 164.54141, 164.95691],
    crowds: [
        Crowds { share: 0.5, count: 1, part: [0.4174512, 0.05540782, 0.010932072], apart: 0.1 },
        NO_CROWDS,
        NO_CROWDS,
    ],
    half: [-4.6640716, -3.831654],
    stretch: [1.2833194, 0.3, 1.5],
    long: Long { share: 0.9923376, axis: 3, axes: 1, length: 0.12342175, spread: 1.0 },
    displacement: [-2.66558, -1.6127565],
    moves: 0.7760871,
    ..PLAIN
};
/// Small boxes in a flat scene, and one of 22 is a plate across half of it; one of a hundred moves. A small sample of 20,000 boxes shows no comparison.
const BOARDS: Recipe = Recipe {
    seed: 484_459,
    extent: [3.3641825, 145.6002, 81.75682],
    half: [-4.3038177, -2.5342476],
    stretch: [0.3; 3],
    long: Long { share: 0.045109008, axis: 1, axes: 2, length: 0.57237345, spread: 0.3623094 },
    displacement: [-3.0, -2.0],
    moves: 0.01,
    ..PLAIN
};
/// Sticks of all lengths on any axis, on a lattice, so that many overlap; one of fifty moves, so that few of these are pairs.
const HAYSTACK: Recipe = Recipe {
    seed: 102_332,
    extent: [100.28433, 3.546632, 3077.8428],
    crowds: [
        Crowds { count: 5, ..NO_CROWDS },
        Crowds { count: 3, ..NO_CROWDS },
        Crowds { count: 30, ..NO_CROWDS },
    ],
    half: [-2.7098398, -1.8221366],
    stretch: [0.0, 1.2816246, 0.0],
    long: Long { share: 1.0, axis: 3, axes: 1, length: 0.70725733, spread: 1.0 },
    lattice: 0.004089193,
    displaced: 0.05,
    displacement: [-3.2446756, -2.0658708],
    moves: 0.019720294,
};
/// Boxes in crowds in crowds, and one of fourteen is a plate across the scene: each is compared with all boxes of the strips that it is in.
const LOUVERS: Recipe = Recipe {
    seed: 347_186,
    extent: [732.7823, 716.59814, 714.01556],
    crowds: [
        Crowds { share: 1.0, count: 1773, part: [0.15987214, 0.5667503, 0.7077723], apart: 1.0 },
        Crowds { share: 0.8, count: 1000, part: [0.11852348, 0.3453805, 0.8700853], apart: 1.0 },
        Crowds { count: 1002, ..NO_CROWDS },
    ],
    half: [-2.9979508, -2.0187657],
    stretch: [1.5857673, 1.1957994, 1.5],
    long: Long { share: 0.070975944, axis: 1, axes: 2, length: 1.5787305, spread: 0.0 },
    displacement: [-2.86257, -2.1118252],
    moves: 0.9303788,
    ..PLAIN
};
/// Points that fly up to a third of the scene on each axis, so that the bounds of hundreds of paths overlap each path and hardly any two meet.
const SWARM: Recipe = Recipe {
    seed: 7,
    extent: [0.5; 3],
    half: [-5.3, -3.0],
    displaced: 1.0,
    displacement: [-0.155; 2],
    ..PLAIN
};
/// The same, of which half start in a small crowd.
const BURST: Recipe = Recipe {
    crowds: [Crowds { share: 0.5, count: 1, part: [0.05; 3], apart: 0.0 }, NO_CROWDS, NO_CROWDS],
    half: [-5.3, -4.0],
    displacement: [-0.3; 2],
    ..SWARM
};

/// Returns the numbers of a scene that the search found.
pub(super) fn recipe(scene: Scene) -> Option<&'static Recipe> {
    Some(match scene {
        Scene::Outskirts => &OUTSKIRTS,
        Scene::Plates => &PLATES,
        Scene::Boulders => &BOULDERS,
        Scene::Sticks => &STICKS,
        Scene::Lances => &LANCES,
        Scene::Needles => &NEEDLES,
        Scene::Straws => &STRAWS,
        Scene::Shelves => &SHELVES,
        Scene::Skewers => &SKEWERS,
        Scene::Ledges => &LEDGES,
        Scene::Panels => &PANELS,
        Scene::Splinters => &SPLINTERS,
        Scene::Sparks => &SPARKS,
        Scene::Twigs => &TWIGS,
        Scene::Slats => &SLATS,
        Scene::Blinds => &BLINDS,
        Scene::Trays => &TRAYS,
        Scene::Spokes => &SPOKES,
        Scene::Thorns => &THORNS,
        Scene::Rafters => &RAFTERS,
        Scene::Brambles => &BRAMBLES,
        Scene::Flakes => &FLAKES,
        Scene::Gravel => &GRAVEL,
        Scene::Spillikins => &SPILLIKINS,
        Scene::Reeds => &REEDS,
        Scene::Bristles => &BRISTLES,
        Scene::Boards => &BOARDS,
        Scene::Haystack => &HAYSTACK,
        Scene::Louvers => &LOUVERS,
        Scene::Swarm => &SWARM,
        Scene::Burst => &BURST,
        _ => return None,
    })
}
