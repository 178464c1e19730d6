//! Messages between the processes.

use bytemuck::{Pod, Zeroable};
use mpi::Count;
use mpi::datatype::{Partition, PartitionMut};
use mpi::traits::{Communicator, CommunicatorCollectives};
use swath::broadphase::Decomposition;
use swath::{Aabb, MovingBox};

use crate::Stop;

/// A box as it is sent.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Message {
    id: u32,
    moving: MovingBox,
}

/// 32-bit words of a message.
const WORDS: usize = size_of::<Message>() / 4;

/// What a process received, and what it sent.
pub(crate) struct Sent {
    /// Ids of the received boxes in ascending order.
    pub(crate) ids: Vec<u32>,
    pub(crate) boxes: Vec<MovingBox>,
    /// 32-bit words sent to other processes.
    pub(crate) words: u64,
}

/// Returns the bounds of `count` boxes of each process, the same on all processes.
pub(crate) fn sample(world: &impl Communicator, own: &[MovingBox], count: usize) -> Vec<Aabb> {
    // Rows that are spread by multiples of the golden section follow no pattern of the scene.
    let spread = |k: usize| (k as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let row = |k: usize| ((u128::from(spread(k)) * own.len() as u128) >> 64) as usize;
    let chosen: Vec<Aabb> = (0..count.min(own.len())).map(|k| own[row(k)].bounds()).collect();
    let words: &[f32] = bytemuck::cast_slice(&chosen);
    let mut counts = vec![0; world.size() as usize];
    world.all_gather_into(&(words.len() as Count), &mut counts[..]);
    let starts = starts(&counts);
    let mut all = vec![0f32; counts.iter().map(|&count| count as usize).sum()];
    world.all_gather_varcount_into(words, &mut PartitionMut::new(&mut all[..], counts, starts));
    all.chunks_exact(6).map(|w| Aabb { min: [w[0], w[1], w[2]], max: [w[3], w[4], w[5]] }).collect()
}

/// Sends each box to the parts that its path overlaps, and receives those that overlap this process's part. The first box has
/// the id `first`.
pub(crate) fn exchange(
    world: &impl Communicator,
    parts: &Decomposition,
    own: &[MovingBox],
    first: u32,
) -> Result<Sent, Stop> {
    let ranks = world.size() as usize;
    let mut messages: Vec<Vec<Message>> = vec![Vec::new(); ranks];
    let mut overlapped = Vec::new();
    for (id, &moving) in (first..).zip(own) {
        parts.overlapped(&moving.bounds(), &mut overlapped);
        for part in overlapped.drain(..) {
            messages[part as usize].push(Message { id, moving });
        }
    }
    let count = |messages: &Vec<Message>| Count::try_from(messages.len() * WORDS);
    let counts = messages.iter().map(count).collect::<Result<Vec<_>, _>>();
    let counts = counts.map_err(|_| Stop::TooMuch)?;
    let other = counts.iter().enumerate().filter(|&(part, _)| part != world.rank() as usize);
    let words = other.map(|(_, &count)| count as u64).sum();
    let mut received_counts = vec![0; ranks];
    world.all_to_all_into(&counts[..], &mut received_counts[..]);
    let total = |counts: &[Count]| counts.iter().map(|&count| i64::from(count)).sum::<i64>();
    if total(&counts).max(total(&received_counts)) > i64::from(Count::MAX) {
        return Err(Stop::TooMuch);
    }
    let sent = messages.concat();
    let mut received = vec![Message::zeroed(); total(&received_counts) as usize / WORDS];
    {
        let from: &[u32] = bytemuck::cast_slice(&sent);
        let to: &mut [u32] = bytemuck::cast_slice_mut(&mut received);
        let (starts_from, starts_to) = (starts(&counts), starts(&received_counts));
        let from = Partition::new(from, counts, starts_from);
        world.all_to_all_varcount_into(
            &from,
            &mut PartitionMut::new(to, received_counts, starts_to),
        );
    }
    // Processes own consecutive rows and send them in order, so the ids are in ascending order.
    let (ids, boxes) = received.iter().map(|message| (message.id, message.moving)).unzip();
    Ok(Sent { ids, boxes, words })
}

/// Prefix sums: where each part of a buffer starts.
fn starts(counts: &[Count]) -> Vec<Count> {
    let mut sum = 0;
    let start = |&count: &Count| {
        sum += count;
        sum - count
    };
    counts.iter().map(start).collect()
}
