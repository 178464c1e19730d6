//! The world of `bindings/SAME_WORLD.md`: one line for each part, with the number of answers and their hash.
//!
//! ```text
//! cargo run --release --example same_world
//! ```
//!
//! The output is the file `bindings/same_world.txt`. Programs in other languages print the same lines.

use examples::fnv::Fnv;
use examples::usage;
use std::io::{self, ErrorKind, Write};
use std::process::ExitCode;
use swath::batch::{Hit, SegmentStore};
use swath::convex::toi::{self, Settings, Toi, ToiInput, ToiResult};
use swath::convex::{Hull, gjk};
use swath::{
    Aabb, Broadphase, Bvh, Motion, MovingBox, Pair, PairFinder, Pose, Proxy, ProxyId, Segment,
    Shape, Threads,
};

type Failure = Box<dyn std::error::Error>;

const BOXES: usize = 3000;
const RAYS: usize = 1000;
const CONVEX_PAIRS: usize = 500;
const HULL_POINTS: usize = 8;
const TICKS: usize = 4;

/// A linear congruential generator (Knuth 1998, §3.3.4, line 16), of which the upper 16 bits are used.
struct Numbers(u32);

impl Numbers {
    fn whole(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 16
    }

    /// A number in `[0, 65536 / parts)`; exact, because `parts` is a power of two.
    fn positive(&mut self, parts: f32) -> f32 {
        self.whole() as f32 / parts
    }

    /// A number in `[−32768 / parts, 32768 / parts)`.
    fn signed(&mut self, parts: f32) -> f32 {
        (self.whole() as f32 - 32768.0) / parts
    }

    fn vector(&mut self, number: impl Fn(&mut Self) -> f32) -> [f32; 3] {
        [(); 3].map(|()| number(self))
    }
}

fn boxes() -> Vec<MovingBox> {
    let mut numbers = Numbers(1);
    let mut next = || {
        let mut moving = MovingBox::default();
        for axis in 0..3 {
            moving.aabb.min[axis] = numbers.positive(1024.0);
            moving.aabb.max[axis] =
                moving.aabb.min[axis] + (numbers.whole() % 4096) as f32 / 1024.0;
            moving.delta[axis] = numbers.signed(8192.0);
        }
        moving
    };
    (0..BOXES).map(|_| next()).collect()
}

/// The hash of a part, and the number of its answers.
#[derive(Default)]
struct Part(Fnv, usize);

impl Part {
    fn answer(&mut self, words: &[u32]) {
        words.iter().for_each(|&word| self.0.write(word));
        self.1 += 1;
    }

    fn print(self, name: &str) -> io::Result<()> {
        writeln!(io::stdout(), "{name} {} {:016x}", self.1, self.0.finish())
    }
}

fn union(boxes: &[MovingBox]) -> Result<Part, Failure> {
    let mut part = Part::default();
    for pair in PairFinder::new().union_pairs(boxes)?.sorted() {
        part.answer(&[pair.a, pair.b]);
    }
    Ok(part)
}

fn swept(boxes: &[MovingBox]) -> Result<Part, Failure> {
    let mut part = Part::default();
    for pair in PairFinder::new().swept_pairs(boxes)?.sorted() {
        part.answer(&[pair.a, pair.b, pair.first.to_bits()]);
    }
    Ok(part)
}

fn casts(boxes: &[MovingBox]) -> Result<Part, Failure> {
    let mut bvh = Bvh::new();
    let boxes: Vec<Aabb> = boxes.iter().map(|moving| moving.aabb).collect();
    bvh.build(&boxes)?;
    let (mut numbers, mut rays) = (Numbers(2), SegmentStore::new());
    for _ in 0..RAYS {
        let start = numbers.vector(|numbers| numbers.positive(1024.0));
        let delta = numbers.vector(|numbers| numbers.signed(1024.0));
        rays.push(Segment { start, delta, max_fraction: 1.0 })?;
    }
    let mut hits = [Hit::MISS; RAYS];
    bvh.queries().casts(&rays.checked()).closest(&mut hits)?;
    let mut part = Part::default();
    for hit in hits {
        part.answer(&[hit.row, hit.value.to_bits()]);
    }
    Ok(part)
}

fn first_times() -> Result<[Part; 2], Failure> {
    let mut numbers = Numbers(3);
    let (mut hulls, mut motions) = (Vec::new(), Vec::new());
    for _ in 0..2 * CONVEX_PAIRS {
        let points = [(); HULL_POINTS].map(|()| numbers.vector(|numbers| numbers.signed(32768.0)));
        hulls.push(Hull::new(points)?);
        let position = numbers.vector(|numbers| numbers.positive(8192.0));
        let delta = numbers.vector(|numbers| numbers.signed(8192.0));
        let accel = numbers.vector(|numbers| numbers.signed(16384.0));
        let spin = numbers.vector(|numbers| numbers.signed(16384.0));
        let motion = Motion::new(Pose::at(position)?, delta)?.accelerating(accel)?;
        motions.push(motion.spinning(spin)?);
    }
    let shapes: Vec<Shape<'_>> = hulls.iter().map(Shape::hull).collect();
    let pair = |k| Pair { a: 2 * k, b: 2 * k + 1 };
    let pairs: Vec<Pair> = (0..CONVEX_PAIRS as u32).map(pair).collect();
    let input = ToiInput { shapes: &shapes, motions: &motions, pairs: &pairs, windows: &[] };
    let mut found = [Toi::default(); CONVEX_PAIRS];
    toi::pairs(&input, &Settings::default(), &Threads::default(), &mut Vec::new(), &mut found)?;
    let (mut times, mut distances) = (Part::default(), Part::default());
    for (toi, pair) in found.into_iter().zip(&pairs) {
        let (code, t, normal) = match toi.result {
            ToiResult::Impact { t, normal, .. } => (1, t, normal),
            ToiResult::Overlapping { normal, .. } => (2, 0.0, normal),
            ToiResult::Unresolved { t_safe } => (3, t_safe, [0.0; 3]),
            _ => (0, 1.0, [0.0; 3]),
        };
        let [x, y, z] = normal.map(f32::to_bits);
        times.answer(&[code, t.to_bits(), x, y, z]);
        let [a, b] = [pair.a, pair.b].map(|row| (&shapes[row as usize], &motions[row as usize]));
        let distance = gjk::distance(a.0, &a.1.pose, b.0, &b.1.pose)?;
        let [x, y, z] = distance.normal.map(f32::to_bits);
        distances.answer(&[distance.distance.to_bits(), x, y, z]);
    }
    Ok([times, distances])
}

fn events(boxes: &[MovingBox]) -> Result<Part, Failure> {
    let mut world = Broadphase::new();
    let mut ids: Vec<ProxyId> = Vec::new();
    for (row, moving) in boxes.iter().enumerate() {
        let proxy = if row % 4 == 0 { Proxy::fixed() } else { Proxy::dynamic() };
        ids.push(world.insert_moving(*moving, proxy.with_data(row as u64))?);
    }
    let (mut now, mut part) = (boxes.to_vec(), Part::default());
    for tick in 0..TICKS {
        let changes = world.update()?;
        let row = |id: ProxyId| changes.data(id).map_or(u32::MAX, |data| data as u32);
        for pair in changes.begun() {
            part.answer(&[row(pair.a), row(pair.b), pair.first.to_bits()]);
        }
        for pair in changes.ended() {
            part.answer(&[row(pair.a), row(pair.b)]);
        }
        for pair in changes.touching() {
            part.answer(&[row(pair.a), row(pair.b), pair.first.to_bits()]);
        }
        for (row, (moving, &id)) in now.iter_mut().zip(&ids).enumerate() {
            if row % 50 == tick {
                world.remove(id)?;
            } else if row % 50 > tick && row % 4 != 0 && row % 3 == tick % 3 {
                for axis in 0..3 {
                    moving.aabb.min[axis] += moving.delta[axis];
                    moving.aabb.max[axis] += moving.delta[axis];
                }
                world.set(id, moving.aabb, moving.delta)?;
            }
        }
    }
    Ok(part)
}

fn run() -> Result<(), Failure> {
    let boxes = boxes();
    union(&boxes)?.print("union")?;
    swept(&boxes)?.print("swept")?;
    casts(&boxes)?.print("casts")?;
    let [times, distances] = first_times()?;
    times.print("first_times")?;
    distances.print("distances")?;
    events(&boxes)?.print("events")?;
    Ok(())
}

fn is_closed_pipe(error: &Failure) -> bool {
    let error: Option<&io::Error> = error.downcast_ref();
    error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}

fn main() -> ExitCode {
    if let Some(argument) = std::env::args_os().nth(1) {
        let why = format!("it takes no arguments, but {} was given", argument.display());
        return usage::end("same_world", usage::REFUSED, &why);
    }
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // The reader closed the pipe, which is no error.
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => usage::end("same_world", usage::REFUSED, &error),
    }
}
