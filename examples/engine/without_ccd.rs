//! The tick of an engine without continuous collision.
//!
//! Bodies that overlap at the start of the tick are separated and bounced; then all are moved to its end.
//! Bodies that a path passes through are not noticed.

use super::{Engine, Failure, apply_friction};
use swath::ProxyId;
use swath::pipeline::ImpactKind;
use swath_stepping::{Mass, response};

impl Engine {
    /// Runs the tick without CCD. Returns the number of overlapping pairs, and that no body was stalled.
    pub(super) fn step_without_ccd(&mut self) -> Result<(usize, usize), Failure> {
        let Self { rows, row_of, broadphase, pipeline, .. } = self;
        let index = |id: ProxyId| row_of[id.index() as usize];
        let about = |id| {
            let row = &rows[index(id)];
            Some((row.shape, row.motion))
        };
        let met = pipeline.tick_proxies(broadphase, about)?.impacts().to_vec();
        let mut impacts = 0;
        for impact in met.iter().filter(|impact| impact.kind == ImpactKind::Overlapping) {
            let pair = [impact.pair.a, impact.pair.b].map(index);
            let masses =
                pair.map(
                    |row| if rows[row].is_awake() { rows[row].response_mass } else { Mass::FIXED },
                );
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
            apply_friction(rows, pair, impact.normal, reaction.impulse + reaction.supporting_force);
            impacts += 1;
        }
        for row in rows.iter_mut().filter(|row| row.is_awake()) {
            row.motion = response::advanced(&row.motion, 1.0);
        }
        Ok((impacts, 0))
    }
}
