//! What would an engine do that looks only at where bodies are?
//!
//! Who is in another at the start of the tick is pushed out and bounced; then all go to its end. What
//! they pass on the way is not seen.

use super::{Engine, Failure, rub};
use swath::ProxyId;
use swath::pipeline::ImpactKind;
use swath_stepping::{Mass, response};

impl Engine {
    /// The tick without CCD; how many were in each other, and that nobody was stalled.
    pub(super) fn jump(&mut self) -> Result<(usize, usize), Failure> {
        let Self { rows, row_of, world, pipeline, .. } = self;
        let index = |id: ProxyId| row_of[id.index() as usize];
        let about = |id| {
            let row = &rows[index(id)];
            Some((row.shape, row.motion))
        };
        let met = pipeline.tick_proxies(world, about)?.impacts().to_vec();
        let mut impacts = 0;
        for impact in met.iter().filter(|impact| impact.kind == ImpactKind::Overlapping) {
            let pair = [impact.pair.a, impact.pair.b].map(index);
            let masses =
                pair.map(|row| if rows[row].is_awake() { rows[row].takes } else { Mass::FIXED });
            let inverse = masses.map(|mass| mass.inverse_mass);
            let restitution = masses[0].restitution.max(masses[1].restitution);
            let mut motions = pair.map(|row| rows[row].motion);
            let [a, b] = &mut motions;
            let reaction = response::bounce(impact, [a, b], inverse, restitution)?;
            for (row, motion) in pair.into_iter().zip(motions) {
                rows[row].motion.delta = motion.delta;
            }
            for (row, by) in
                pair.into_iter().zip(response::separate(impact, inverse).unwrap_or_default())
            {
                let position = &mut rows[row].motion.pose.position;
                *position = std::array::from_fn(|axis| position[axis] + by[axis]);
            }
            rub(rows, pair, impact.normal, reaction.impulse + reaction.supporting_force);
            impacts += 1;
        }
        for row in rows.iter_mut().filter(|row| row.is_awake()) {
            row.motion = response::advanced(&row.motion, 1.0);
        }
        Ok((impacts, 0))
    }
}
