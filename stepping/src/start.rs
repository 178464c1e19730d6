//! The start of a step: boxes around the paths, their pairs, and the first impact of each pair.
//!
//! ```text
//! box around each path, with a margin (Geometry::bounds_over)      chunks of rows in parallel
//! pairs of boxes that touch in the tick (PairFinder)             strips in parallel
//! first and last time of contact of the boxes of each pair       chunks of pairs in parallel
//! the first impact of each pair within these times               chunks of pairs in parallel
//! ```

use crate::bodies::Bodies;
use crate::config::StepError;
use crate::search::{BodyPair, EventKind, SearchWork};
use crate::state::{self, BodyState, is_pushable_or_moves};
use crate::step::{Event, Step};
use alloc::vec::Vec;
use swath::batch::{Rejected, sweep};
use swath::broadphase::PairInput;
use swath::{Impact, Invalid, MovingBox, MovingBoxColumns, Pair, PairFinder};

/// Number of bodies, and of pairs of boxes, in one piece of work.
const CHUNK: usize = 256;
/// Number of searches in one piece of work.
const SEARCH_CHUNK: usize = 64;
/// Least number of searches after which the limit of rounds is checked.
const BATCH_MIN: u64 = 64;

/// A pair whose boxes touch in the tick.
#[derive(Clone, Copy, Debug, Default)]
struct Candidate {
    pair: Pair,
    /// First and last time of contact of the boxes; `None` if they do not touch.
    window: Option<[f32; 2]>,
}

/// The first events of a pair, and the work of their search.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    next: Option<Event>,
    overlap: Option<Event>,
    work: SearchWork,
}

/// The memory of the start of a step.
#[derive(Debug, Default)]
pub(crate) struct Start {
    pub(crate) finder: PairFinder,
    /// Box around the path of each row, or why the motion or the mass is invalid.
    boxes: Vec<Result<MovingBox, Invalid>>,
    /// The same as columns; the box of an invalid row is NaN.
    columns: [Vec<f32>; 9],
    /// Whether each row can be pushed. Two rows that cannot be pushed never meet.
    is_pushable: Vec<bool>,
    /// Slop of each row.
    slops: Vec<f32>,
    candidates: Vec<Candidate>,
    /// The first events of each pair of a batch.
    found: Vec<Found>,
}

impl Start {
    /// Fills the queue of a step with the impacts of the given motions.
    pub(crate) fn fill(
        &mut self,
        step: &mut Step,
        bodies: &mut dyn Bodies<'_>,
    ) -> Result<(), StepError> {
        step.config.validate()?;
        self.enclose(step, bodies);
        self.find_pairs(step, bodies)?;
        let rows = bodies.bodies().iter().zip(&self.slops);
        step.states.extend(rows.map(|(body, &slop)| BodyState::new(body, slop)));
        for rejected in &step.rejected {
            step.states[rejected.row as usize].is_rejected = true;
        }
        let is_moving = |row: &usize| {
            is_pushable_or_moves(&bodies.bodies()[*row].motion, bodies.mass(*row))
                && !step.states[*row].is_rejected
        };
        let moving = (0..step.states.len()).filter(is_moving).count();
        step.rounds_max = step.config.rounds_of_step(moving);
        let (config, slops) = (step.config, &self.slops);
        let margin = |row: usize| config.margin(slops[row]);
        step.paths.start(bodies.bodies(), bodies.filters(), &margin, &self.finder.exec);
        for rejected in &step.rejected {
            step.paths.remove(rejected.row as usize);
        }
        for row in 0..step.states.len() {
            // A path past the greatest coordinate cannot be searched.
            if step.paths.box_of(row).is_none() && !step.states[row].is_rejected {
                step.stall_reachable(bodies, &[row], 0.0);
            }
        }
        self.search_all(step, bodies);
        Ok(())
    }

    /// Computes the boxes around the paths, with the margins of the bodies.
    fn enclose(&mut self, step: &Step, bodies: &dyn Bodies<'_>) {
        self.is_pushable.clear();
        self.slops.clear();
        for (row, body) in bodies.bodies().iter().enumerate() {
            let mass = bodies.mass(row);
            self.is_pushable.push(mass.inverse_mass > 0.0);
            self.slops.push(state::slop(&body.motion, mass));
        }
        let (all, slops, config) = (bodies.bodies(), &self.slops, &step.config);
        self.boxes.resize(all.len(), Ok(MovingBox::default()));
        self.finder.exec.threads.fill_chunks(&mut self.boxes, CHUNK, &|start, boxes| {
            for (row, out) in (start..).zip(boxes) {
                let body = &all[row];
                *out = body.geometry.bounds_over(&body.motion, config.margin(slops[row]));
            }
        });
        for (row, of) in self.boxes.iter_mut().enumerate() {
            if of.is_ok()
                && let Err(reason) = bodies.mass(row).validate()
            {
                *of = Err(reason);
            }
        }
        self.columns.iter_mut().for_each(Vec::clear);
        let nan = [f32::NAN; 3];
        for of in &self.boxes {
            let [min, max, delta] =
                of.as_ref().map_or([nan; 3], |of| [of.aabb.min, of.aabb.max, of.delta]);
            let numbers = min.into_iter().chain(max).chain(delta);
            self.columns.iter_mut().zip(numbers).for_each(|(column, x)| column.push(x));
        }
    }

    /// Lists the pairs of boxes that touch in the tick, and the rows whose boxes are invalid. Clears the step, unless
    /// an error is returned.
    fn find_pairs(&mut self, step: &mut Step, bodies: &dyn Bodies<'_>) -> Result<(), StepError> {
        let Self { finder, boxes, columns, is_pushable, candidates, .. } = self;
        let columns = MovingBoxColumns::from_columns(columns.each_ref().map(Vec::as_slice))?;
        let mut input = PairInput::new(columns).moving(is_pushable);
        if let Some(filters) = bodies.filters() {
            input = input.filtered(filters);
        }
        let pairs = finder.swept_pairs(input)?;
        step.clear();
        step.rejected.extend(pairs.rejected().iter().map(|&rejected| Rejected {
            reason: boxes[rejected.row as usize].err().unwrap_or(rejected.reason),
            ..rejected
        }));
        candidates.clear();
        let candidate = |pair| Candidate { pair, window: None };
        candidates.extend(pairs.iter().map(|pair| candidate(pair.into())));
        self.finder.exec.threads.fill_chunks(candidates, CHUNK, &|_, candidates| {
            for Candidate { pair, window } in candidates {
                let [a, b] = [pair.a, pair.b].map(|row| columns.get(row as usize));
                let swept = sweep::one_to_one(&a, &b).ok().filter(|swept| swept.contact.is_hit());
                *window = swept.map(|swept| [swept.first, swept.last]);
            }
        });
        Ok(())
    }

    /// Searches the first impact of each pair, as many as the budget allows.
    fn search_all(&mut self, step: &mut Step, bodies: &mut dyn Bodies<'_>) {
        let Self { finder, slops, candidates, found, .. } = self;
        candidates.retain(|Candidate { pair, window }| {
            let [a, b] = [pair.a, pair.b].map(|row| row as usize);
            let boxes = [a, b].map(|row| step.paths.box_of(row));
            // The query for resting proxies of a broadphase uses this box.
            let is_near = matches!(boxes, [Some(a), Some(b)] if a.overlaps(&b));
            let is_rejected = step.states[a].is_rejected || step.states[b].is_rejected;
            window.is_some() && is_near && !is_rejected && bodies.may_meet(a, b)
        });
        // Sorting makes the order independent of how the finder has split the pairs.
        candidates.sort_unstable_by_key(|of| of.pair);
        let most = candidates.len().min(step.config.searches_max as usize);
        let (rows, config, mut searched) = (bodies.bodies(), step.config, 0);
        while searched < most && !step.is_out_of_rounds() {
            // This many searches of convex bodies cannot take more rounds than are left; those of bodies with parts may.
            let left = step.rounds_max - step.stats.budget_rounds;
            // Two searches for the next impact, and one for an overlap at the start.
            let size = (left / (3 * u64::from(config.rounds_max))).max(BATCH_MIN);
            let size = usize::try_from(size).unwrap_or(most).min(most - searched);
            let batch = &candidates[searched..searched + size];
            found.clear();
            found.resize(size, Found::default());
            finder.exec.threads.fill_chunks(found, SEARCH_CHUNK, &|start, found| {
                for (out, of) in found.iter_mut().zip(&batch[start..]) {
                    let Candidate { pair, window: Some(window) } = *of else { continue };
                    let two = [pair.a as usize, pair.b as usize];
                    let body_pair = BodyPair {
                        pair,
                        geometries: two.map(|row| &rows[row].geometry),
                        motions: two.map(|row| rows[row].motion),
                        skin: config.skin(two.map(|row| slops[row])),
                    };
                    let Found { next, overlap, work } = out;
                    let event =
                        |(impact, kind)| Event { impact, rows: two, versions: [0; 2], kind };
                    *next = body_pair.next(&config, window, work).map(event);
                    if window[0] == 0.0 {
                        // A rotation that stops restores no skin.
                        let is_impact =
                            |next: &&Event| matches!(next.kind, EventKind::Impact { .. });
                        let next = next.as_ref().filter(is_impact).map(|next| &next.impact);
                        *overlap = body_pair.overlap(&config, next, work).map(event);
                    }
                }
            });
            for Found { next, overlap, work } in found.drain(..) {
                step.count(&work);
                let labelled = |event: Event| {
                    let [a, b] = event.rows.map(|row| bodies.label(row));
                    let impact = Impact { pair: Pair { a, b }, ..event.impact };
                    Event { impact, ..event }
                };
                step.queue.extend(next.map(labelled));
                step.overlaps.extend(overlap.map(labelled));
            }
            searched += size;
        }
        step.stats.searches = searched;
        for Candidate { pair, .. } in &candidates[searched..] {
            step.stall_reachable(bodies, &[pair.a as usize, pair.b as usize], 0.0);
        }
    }
}
