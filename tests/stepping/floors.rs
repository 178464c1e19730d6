//! Tests that a step takes no more time because one body is near all others.

use swath::mesh::Mesh;
use swath::pipeline::GeometryBody;
use swath::{Aabb, Broadphase, ConvexBody, Motion, Pose, Proxy, ProxyId, Shape, Threads};
use swath_stepping::{Mass, Stepper, StepperConfig};
use testkit::least_time::least_time;

const COUNT: usize = 20_000;
const LIGHT: Mass = Mass { inverse_mass: 1.0, restitution: 0.0 };

/// Returns the position of a ball of radius 0.25 on a floor at height 0, in a square of balls that do not touch.
fn place(k: usize) -> [f32; 3] {
    let side = COUNT.isqrt();
    [(k % side) as f32, 0.25, (k / side) as f32]
}

fn floor() -> (Shape<'static>, Motion) {
    let shape = Shape::cuboid([1000.0, 1.0, 1000.0]).expect("a floor");
    (shape, Motion::from(Pose::at([0.0, -1.0, 0.0]).expect("a pose")))
}

fn ball(k: usize) -> (Shape<'static>, Motion) {
    let motion = Motion::from(Pose::at(place(k)).expect("a pose"));
    let falling = motion.accelerating([0.0, -0.003, 0.0]).expect("an acceleration");
    (Shape::sphere(0.25).expect("a ball"), falling)
}

/// Goal: the contacts of a floor take the same time whichever row it has. Method: 20,000 balls that rest on a floor, which is the first
/// row, so that its list is the one of the lesser row, or the last one; the times differ by less than they would if the list of the floor were
/// searched for each contact.
#[test]
fn contacts_of_a_floor_take_linear_time() {
    let times = [0, COUNT].map(|floor_row| {
        let mut bodies: Vec<_> = (0..COUNT).map(ball).collect();
        bodies.insert(floor_row, floor());
        let mut masses = vec![LIGHT; COUNT];
        masses.insert(floor_row, Mass::FIXED);
        let start: Vec<_> = (0..)
            .zip(bodies)
            .map(|(row, (shape, motion))| ConvexBody { row, shape, motion })
            .collect();
        let mut stepper = Stepper::with_exec(StepperConfig::default(), Threads::one());
        least_time(|| {
            let mut bodies = start.clone();
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert_eq!((stats.responses, stats.stalled), (COUNT, 0));
        })
    });
    assert!(times[0] < 2 * times[1], "{times:?}");
}

/// Goal: to sort the rows of proxies takes the same time whichever ids the resting ones have. Method: balls in the air above a floor that
/// was inserted before or after them, and, of which no motion is valid, without a floor.
#[test]
fn rows_of_proxies_are_sorted_in_linear_time() {
    let times = [true, false].map(|floor_first| {
        let mut broadphase = Broadphase::new();
        let below = Aabb::new([-1000.0, -2.0, -1000.0], [1000.0, 0.0, 1000.0]).expect("a floor");
        let insert_floor = |broadphase: &mut Broadphase| {
            broadphase.insert(below, Proxy::fixed()).expect("a floor")
        };
        let mut fixed: Option<ProxyId> = floor_first.then(|| insert_floor(&mut broadphase));
        let mut balls = Vec::new();
        for k in 0..COUNT {
            let around = Aabb::cube(place(k), 0.25).expect("a box");
            balls.push(broadphase.insert(around, Proxy::dynamic()).expect("a ball"));
        }
        fixed = fixed.or_else(|| Some(insert_floor(&mut broadphase)));
        let mut stepper = Stepper::with_exec(StepperConfig::default(), Threads::one());
        let mut time = |is_valid: bool| {
            least_time(|| {
                let mut next = 0;
                let output = stepper.step_proxies(&mut broadphase, |id| {
                    if Some(id) == fixed {
                        let (shape, motion) = floor();
                        return Some((shape, motion, Mass::FIXED));
                    }
                    let (shape, mut motion) = ball(next);
                    motion.pose.position[1] += 0.001;
                    motion.accel = [0.0; 3];
                    motion.delta = [0.0, if is_valid { -0.0001 } else { f32::NAN }, 0.0];
                    next += 1;
                    Some((shape, motion, LIGHT))
                });
                let output = output.expect("proxies");
                let counts = (output.moved().len(), output.rejected().len());
                assert_eq!(counts, if is_valid { (COUNT, 0) } else { (0, COUNT) });
                assert!(output.moved().iter().map(|(id, _)| id).is_sorted());
            })
        };
        [time(true), time(false)]
    });
    let [[first, rejected], [last, _]] = times;
    assert!(first < 2 * last && rejected < last, "{times:?}");
}

/// Goal: an impulse that is passed on to the contact of a ball with a floor takes no time for the other contacts of the floor. Method: balls that
/// rest on one floor, or each on a floor of its own, and on each of them one that falls beside its top; the times are about the same.
#[test]
fn impulses_at_a_floor_take_linear_time() {
    const STACKS: usize = 1000;
    let slab = |half: f32| Shape::cuboid([half, 1.0, half]).expect("a floor");
    let at = |position| Motion::from(Pose::at(position).expect("a pose"));
    let times = [1, STACKS].map(|floors| {
        let (mut bodies, mut masses) = (Vec::new(), Vec::new());
        let mut add = |shape, motion, mass| {
            bodies.push(ConvexBody { row: bodies.len() as u32, shape, motion });
            masses.push(mass);
        };
        let place = |k: usize| [1.5 * (k % 32) as f32, 0.25, 1.5 * (k / 32) as f32];
        for k in 0..floors {
            let [x, _, z] = if floors == 1 { [0.0; 3] } else { place(k) };
            let half = if floors == 1 { 1000.0 } else { 0.7 };
            add(slab(half), at([x, -1.0, z]), Mass::FIXED);
        }
        let ball = Shape::sphere(0.25).expect("a ball");
        for k in 0..STACKS {
            let [x, y, z] = place(k);
            let rests = at([x, y, z]).accelerating([0.0, -0.003, 0.0]).expect("an acceleration");
            add(ball, rests, LIGHT);
            let falls = at([x + 0.42, y + 0.5, z]);
            let falls = Motion { delta: [0.0, -0.3, 0.0], ..falls };
            add(ball, falls, LIGHT);
        }
        let mut stepper = Stepper::with_exec(StepperConfig::default(), Threads::one());
        least_time(|| {
            let mut bodies = bodies.clone();
            let stats = stepper.step(&mut bodies, &masses, None).expect("bodies");
            assert!(stats.propagated >= STACKS && stats.stalled == 0, "{stats:?}");
        })
    });
    assert!(times[0] < 4 * times[1], "{times:?}");
}

/// A square floor of `side * side` cells, 1.2 units wide, whose heights are those of a function.
fn fine_floor(side: u32, height: impl Fn(f32, f32) -> f32) -> Mesh<'static> {
    let row = side + 1;
    let vertices = (0..row * row).map(|k| {
        let [x, z] = [k / row, k % row].map(|k| 1.2 * k as f32 / side as f32 - 0.6);
        [x, height(x, z), z]
    });
    let triangles = (0..side * side).flat_map(|k| {
        let v = k % side + k / side * row;
        [[v, v + 1, v + row], [v + row, v + 1, v + row + 1]]
    });
    Mesh::new(vertices.collect::<Vec<_>>(), triangles.collect::<Vec<_>>()).expect("a floor")
}

/// Goal: bodies that fall, roll, slide and rest on meshes of thousands of triangles are not stalled at the default limits, and sink by no more
/// than their skins. Method: boxes, balls and capsules on flat, rough, wavy and inclined floors, for 16 ticks each.
#[test]
fn bodies_on_fine_meshes_are_not_stalled() {
    let rough = |x: f32, z: f32| {
        let bits = (x.to_bits() ^ z.to_bits().rotate_left(13)).wrapping_mul(0x9E37_79B9);
        -1e-3 * ((bits >> 12) as f32 / (1 << 20) as f32)
    };
    let wave = |x: f32, z: f32| 0.16 * x * x * (1.0 - x * x) - 0.2 * z * z * z * z;
    let floors = [
        (fine_floor(60, |_, _| 0.0), 0.0),
        (fine_floor(60, rough), 0.0),
        (fine_floor(60, wave), 0.0),
        (fine_floor(60, |x, _| 0.01 * x), 0.01),
    ];
    let shapes = [Shape::cuboid([0.5; 3]), Shape::sphere(0.5), Shape::capsule(0.2, 0.3)];
    for (index, (floor, slope)) in floors.iter().enumerate() {
        for shape in &shapes {
            let shape = shape.as_ref().expect("a shape");
            let (mut bodies, mut masses) = (Vec::new(), Vec::new());
            for k in 0..24_u8 {
                let [x, z] = [k % 6, k / 6].map(|k| 3.0 * f32::from(k));
                let pose = Pose::at([x, 0.0, z]).expect("a pose");
                bodies.push(GeometryBody { row: 0, geometry: floor.into(), motion: pose.into() });
                masses.push(Mass::FIXED);
                let tilt = 0.005 * f32::from(k % 3);
                let above = 0.55 + 0.002 * f32::from(k);
                let turn = [tilt, 0.0, 0.5 * slope + tilt, 1.0];
                let pose = Pose::normalized([x - slope * above, above, z], turn).expect("a pose");
                let motion = Motion::new(pose, [0.02, -0.05, 0.0]).expect("a motion");
                bodies.push(GeometryBody { row: 0, geometry: (*shape).into(), motion });
                masses.push(LIGHT);
            }
            (0..).zip(&mut bodies).for_each(|(row, body)| body.row = row);
            let mut stepper = Stepper::default();
            for tick in 0..16 {
                for body in bodies.iter_mut().skip(1).step_by(2) {
                    body.motion.accel = [0.0, -0.003, 0.0];
                }
                let stats = stepper.step_geometries(&mut bodies, &masses, None).expect("bodies");
                assert_eq!(stats.stalled, 0, "floor {index}, tick {tick}: {stats:?}");
                let rounds = stats.budget_rounds;
                assert!(rounds < 24 * 400, "floor {index}, tick {tick}: {stats:?}");
                // The tests of thousands of triangles count, too.
                let is_counted = rounds >= stats.rounds + 2 * stats.searches as u64;
                assert!(tick < 4 || is_counted, "floor {index}, tick {tick}: {stats:?}");
            }
            let lowest = bodies.iter().skip(1).step_by(2).map(|body| body.motion.pose.position[1]);
            let lowest = lowest.fold(f32::INFINITY, f32::min);
            assert!(lowest > 0.47, "floor {index}: {lowest}");
        }
    }
}
