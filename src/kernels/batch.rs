//! The loop of all batch kernels over rows.
//!
//! A [`Question`] is the arithmetic for one group of lanes. Each of its two sides is one value for
//! all rows ([`One`]), row `i` of some columns ([`Each`]), or the row to which pair `i` refers
//! ([`PairMember`]). Results are written to a [`Sink`]: columns, or a list of hits.
//!
//! Responses and shares have a [`Contact`] and one number per row besides the two sides. A
//! [`ContactQuestion`] computes one number for each of its output columns.

use super::BatchError;
use crate::columns::{Checked, Columns, LengthMismatch, Row};
use crate::geom::{Contact, Pair};
use crate::lanes::{
    F32Lanes, GroupKernel, Isa, Kernel, LANES_MAX, Level, LoadColumns as _, Table, U32Lanes,
    run_scalar,
};
use bytemuck::Pod;

/// The results of one group of lanes. Fields that a question does not compute are zero.
#[derive(Clone, Copy, Debug)]
pub struct Answer<I: Isa> {
    /// The lanes with a hit. The other fields are meaningful only there.
    pub hit: I::Mask,
    /// The first number of a result: a time, fraction, depth or distance.
    pub near: I::F32,
    /// The second number of a result: a last time or an exit fraction.
    pub far: I::F32,
    /// The packed word of a result.
    pub bits: I::U32,
}

impl<I: Isa> Answer<I> {
    /// Writes `number`, or `miss` in lanes without a hit, to `to[start..]`.
    #[inline(always)]
    pub(crate) fn store(&self, number: I::F32, miss: I::F32, start: usize, to: &mut [f32]) {
        I::F32::select(self.hit, number, miss).store(&mut to[start..]);
    }

    /// Writes the packed words, or zero in lanes without a hit, to `to[start..]`.
    #[inline(always)]
    pub(crate) fn store_bits<W: Pod>(&self, isa: I, start: usize, to: &mut [W]) {
        let bits = I::U32::select(self.hit, self.bits, isa.splat_u32(0));
        bits.store(bytemuck::cast_slice_mut(&mut to[start..]));
    }
}

/// The arithmetic of a geometric test of `A` numbers of one side and `B` numbers of the other.
pub(crate) trait Question<const A: usize, const B: usize>: Copy {
    /// Computes the result of each lane. Lanes are independent of each other.
    fn answer<I: Isa>(self, isa: I, a: &[I::F32; A], b: &[I::F32; B]) -> Answer<I>;
}

/// The source of the numbers of one side.
pub(crate) trait Side<const K: usize>: Copy {
    /// Whether AVX-512 makes a batch of contacts with this side faster: [`Kernel::WIDE`](crate::lanes::Kernel::WIDE).
    const WIDE: bool = true;
    /// Loads the numbers of rows `start..start + LANES`.
    fn load<I: Isa>(&self, isa: I, start: usize) -> [I::F32; K];
    /// Returns a mask in which bit `k` is set if row `start + k` is invalid.
    fn invalid<I: Isa>(&self, start: usize) -> u32;
}

/// The same value for every row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct One<const K: usize>(pub(crate) [f32; K]);

/// Row `i` of some columns for row `i` of the batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Each<'a, const K: usize> {
    table: Table<'a, f32, K>,
    /// The list of invalid rows.
    of: Checked<'a, ()>,
}

/// For row `i` of the batch, the row to which the first (or the second) member of pair `i` refers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMember<'a, const K: usize, const SECOND: bool> {
    rows: Each<'a, K>,
    pairs: &'a [Pair],
}

/// Where a batch writes its results of type `R`: columns, a set of rows, or a list of hits.
///
/// | results `R` | outputs |
/// |---|---|
/// | [`Sweep`](super::sweep::Sweep) | [`Times`](super::sweep::Times), [`SweepColumns`](super::sweep::SweepColumns), `&mut` [`Hits`](super::Hits) |
/// | [`Cast`](super::cast::Cast) | [`Fractions`](super::cast::Fractions), [`CastColumns`](super::cast::CastColumns), `&mut Hits` |
/// | [`PolyhedronCast`](super::cast::polyhedron::PolyhedronCast) | `Fractions`, [`PolyhedronCastColumns`](super::cast::polyhedron::PolyhedronCastColumns), `&mut Hits` |
/// | [`Separation`](super::separate::Separation) | [`SeparationColumns`](super::separate::SeparationColumns), `&mut Hits` of the depths |
/// | `bool`, whether boxes overlap | [`Bits`](super::overlap::Bits), `&mut` [`Rows`](super::Rows) |
/// | [`PlaneSide`](crate::geom::PlaneSide) | [`PlaneSideColumns`](super::overlap::planes::PlaneSideColumns), or `Bits` or `&mut Rows` of the boxes that are not outside |
/// | `f32`, a distance | [`Distances`](super::proximity::Distances), `&mut Hits` of the boxes in range |
///
/// An output has the wrong length if its columns, or the words of its bits, are not exactly as many as the results need
/// ([`BatchError::Length`]), or if a list is too short for the hits ([`BatchError::TooShort`]).
///
/// This trait cannot be implemented outside of the crate.
pub trait Output<R>: Sink {}

/// The destination of the answers of lane groups.
pub trait Sink {
    /// Checks that the results of `rows` rows fit.
    ///
    /// # Errors
    ///
    /// [`LengthMismatch`] when the length of an output column is not `rows`.
    fn check(&self, rows: usize) -> Result<(), LengthMismatch>;

    /// Stores the results of rows `start..start + LANES`, of which the first `seen` were stored
    /// before.
    ///
    /// Returns whether to continue with further rows.
    fn put<I: Isa>(&mut self, isa: I, start: usize, seen: usize, answer: Answer<I>) -> bool;

    /// Checks that all results fitted.
    ///
    /// # Errors
    ///
    /// [`BatchError::TooShort`] when they did not.
    fn finish(&self) -> Result<(), BatchError> {
        Ok(())
    }
}

impl<const K: usize> Side<K> for One<K> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, _: usize) -> [I::F32; K] {
        let mut out = [isa.splat(0.0); K];
        for (out, &number) in out.iter_mut().zip(&self.0) {
            *out = isa.splat(number);
        }
        out
    }

    #[inline(always)]
    fn invalid<I: Isa>(&self, _: usize) -> u32 {
        0
    }
}

impl<'a, const K: usize> Each<'a, K> {
    /// Uses all columns of the rows.
    pub(crate) fn new<T: Row<K>>(checked: &Checked<'a, Columns<'a, T, K>>) -> Self {
        Self::of(checked.columns().table(), checked)
    }

    /// Uses some columns of the rows.
    pub(crate) fn of<C: Copy>(table: Table<'a, f32, K>, checked: &Checked<'a, C>) -> Self {
        Self { table, of: checked.without_columns() }
    }

    fn rows(&self) -> usize {
        self.table.rows()
    }

    /// Uses the rows to which one member of each pair refers.
    pub(crate) fn members<const SECOND: bool>(
        self,
        pairs: &'a [Pair],
    ) -> PairMember<'a, K, SECOND> {
        PairMember { rows: self, pairs }
    }
}

impl<'a> Each<'a, 6> {
    /// Uses the corners of the boxes at the start of the tick.
    pub(crate) fn corners(boxes: &Checked<'a>) -> Self {
        Self::of(boxes.columns().corners(), boxes)
    }
}

impl<const K: usize> Side<K> for Each<'_, K> {
    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, start: usize) -> [I::F32; K] {
        self.table.load(isa, start)
    }

    #[inline(always)]
    fn invalid<I: Isa>(&self, start: usize) -> u32 {
        self.of.invalid(start, I::LANES)
    }
}

impl<const K: usize, const SECOND: bool> PairMember<'_, K, SECOND> {
    #[inline(always)]
    fn row(pair: Pair) -> u32 {
        if SECOND { pair.b } else { pair.a }
    }
}

impl<const K: usize, const SECOND: bool> Side<K> for PairMember<'_, K, SECOND> {
    // Rows are gathered one by one, which takes most of the time: AVX2 is a fifth faster on Zen 4.
    const WIDE: bool = false;

    #[inline(always)]
    fn load<I: Isa>(&self, isa: I, start: usize) -> [I::F32; K] {
        let mut rows = [0; LANES_MAX];
        for (row, &pair) in rows.iter_mut().zip(&self.pairs[start..start + I::LANES]) {
            *row = Self::row(pair);
        }
        self.rows.table.gather(isa, &rows)
    }

    #[inline(always)]
    fn invalid<I: Isa>(&self, start: usize) -> u32 {
        if self.rows.of.rejected().is_empty() {
            return 0;
        }
        invalid_pairs(&self.rows.of, &self.pairs[start..start + I::LANES], SECOND)
    }
}

/// Returns a mask in which bit `k` is set if a member of pair `k` is invalid. It is compiled once for all levels.
#[cold]
fn invalid_pairs(rows: &Checked<'_, ()>, pairs: &[Pair], second: bool) -> u32 {
    let mut bits = 0;
    for (lane, pair) in pairs.iter().enumerate() {
        let row = if second { pair.b } else { pair.a };
        bits |= u32::from(rows.is_rejected(row)) << lane;
    }
    bits
}

/// Applies `question` to `rows` rows.
pub(crate) fn run<Q, X, Y, S, const A: usize, const B: usize>(
    level: Level,
    question: Q,
    (a, b): (X, Y),
    rows: usize,
    mut sink: S,
) -> Result<(), BatchError>
where
    Q: Question<A, B>,
    X: Side<A>,
    Y: Side<B>,
    S: Sink,
{
    assert!(u32::try_from(rows).is_ok(), "more rows than a u32 can count");
    sink.check(rows)?;
    level.run_groups(rows, RowBatch { question, a, b, sink: &mut sink });
    sink.finish()
}

/// Applies `question` to row `i` of both sides, for each `i`.
pub(crate) fn zip<Q, S, const A: usize, const B: usize>(
    level: Level,
    question: Q,
    (a, b): (Each<'_, A>, Each<'_, B>),
    sink: S,
) -> Result<(), BatchError>
where
    Q: Question<A, B>,
    S: Sink,
{
    LengthMismatch::check("the second side", a.rows(), b.rows())?;
    run(level, question, (a, b), a.rows(), sink)
}

/// Applies `question` to the two rows of each pair.
pub(crate) fn pairs<Q, S, const K: usize>(
    level: Level,
    question: Q,
    of: Each<'_, K>,
    pairs: &[Pair],
    sink: S,
) -> Result<(), BatchError>
where
    Q: Question<K, K>,
    S: Sink,
{
    sink.check(pairs.len())?;
    check_pairs(pairs, of.rows())?;
    run(level, question, (of.members::<false>(pairs), of.members::<true>(pairs)), pairs.len(), sink)
}

/// Checks that all pairs refer to existing rows.
pub(crate) fn check_pairs(pairs: &[Pair], rows: usize) -> Result<(), BatchError> {
    let highest = |pair: &Pair| Ord::max(pair.a, pair.b);
    match pairs.iter().position(|pair| highest(pair) as usize >= rows) {
        Some(index) => Err(BatchError::NoSuchRow { index, row: highest(&pairs[index]), rows }),
        None => Ok(()),
    }
}

struct RowBatch<'s, Q, X, Y, S, const A: usize, const B: usize> {
    question: Q,
    a: X,
    b: Y,
    sink: &'s mut S,
}

impl<Q, X, Y, S, const A: usize, const B: usize> GroupKernel for RowBatch<'_, Q, X, Y, S, A, B>
where
    Q: Question<A, B>,
    X: Side<A>,
    Y: Side<B>,
    S: Sink,
{
    #[inline(always)]
    fn group<I: Isa>(&mut self, isa: I, start: usize, seen: usize) -> bool {
        let invalid = self.a.invalid::<I>(start) | self.b.invalid::<I>(start);
        let (a, b) = (self.a.load(isa, start), self.b.load(isa, start));
        let mut answer = self.question.answer(isa, &a, &b);
        if invalid != 0 {
            answer.hit = answer.hit & mask(isa, !invalid);
        }
        self.sink.put(isa, start, seen, answer)
    }
}

/// Returns the mask in which lane `k` is set if bit `k` of `bits` is set.
#[inline(always)]
pub(crate) fn mask<I: Isa>(isa: I, bits: u32) -> I::Mask {
    const BIT: [u32; LANES_MAX] = {
        let mut bit = [0; LANES_MAX];
        let mut k = 0;
        while k < LANES_MAX {
            bit[k] = 1 << k;
            k += 1;
        }
        bit
    };
    !isa.load_u32(&BIT).disjoint(isa.splat_u32(bits))
}

/// Applies `question` to two values and returns its result if it is a hit.
pub(crate) fn one_to_one<Q, const A: usize, const B: usize>(
    question: Q,
    a: [f32; A],
    b: [f32; B],
) -> Option<(f32, f32, u32)>
where
    Q: Question<A, B>,
{
    run_scalar(OneToOne { question, a, b })
}

struct OneToOne<Q, const A: usize, const B: usize> {
    question: Q,
    a: [f32; A],
    b: [f32; B],
}

impl<Q: Question<A, B>, const A: usize, const B: usize> Kernel for OneToOne<Q, A, B> {
    type Output = Option<(f32, f32, u32)>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let (a, b) = (One(self.a).load(isa, 0), One(self.b).load(isa, 0));
        let answer = self.question.answer(isa, &a, &b);
        let (mut near, mut far) = ([0.0; LANES_MAX], [0.0; LANES_MAX]);
        let mut bits = [0; LANES_MAX];
        answer.near.store(&mut near);
        answer.far.store(&mut far);
        answer.bits.store(&mut bits);
        let hit = crate::lanes::MaskLanes::bits(answer.hit) & 1 == 1;
        hit.then_some((near[0], far[0], bits[0]))
    }
}

/// The input of one group of contacts.
pub(crate) struct ContactRows<I: Isa, const A: usize, const B: usize> {
    /// The bits of the contacts.
    pub(crate) contact: I::U32,
    /// The number of each contact: a depth, a restitution or a time.
    pub(crate) number: I::F32,
    pub(crate) a: [I::F32; A],
    pub(crate) b: [I::F32; B],
    /// The lanes in which both sides are valid. Other lanes may contain any numbers, including NaN.
    pub(crate) valid: I::Mask,
}

/// The arithmetic on contacts.
pub(crate) trait ContactQuestion<const A: usize, const B: usize, const N: usize>:
    Copy
{
    /// Computes the result of each lane. Lanes are independent of each other.
    fn answer<I: Isa>(self, isa: I, rows: &ContactRows<I, A, B>) -> [I::F32; N];
}

/// The number of each contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContactNumbers<'a> {
    /// The same number for all contacts.
    All(f32),
    /// One number per contact.
    Each(&'a [f32]),
}

/// The output columns, each with its name for error messages.
pub(crate) type ContactOutputs<'a, const N: usize> = [(&'static str, &'a mut [f32]); N];

/// The rows of the two sides that belong to a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ContactMembers<'a> {
    /// Row `i` of both sides. The field is the number of rows.
    Zip(usize),
    /// The rows to which pair `i` refers. The second field is the number of rows.
    Pairs(&'a [Pair], usize),
}

/// The lowest axis of contact of each lane, and the sign of the normal there.
pub(crate) struct LowestAxis<I: Isa> {
    /// The lanes in which it is x, y or z.
    pub(crate) is: [I::Mask; 3],
    /// The lanes that have an axis of contact.
    pub(crate) any: I::Mask,
    /// The lanes in which the normal is negative.
    pub(crate) negative: I::Mask,
}

impl<I: Isa> LowestAxis<I> {
    #[inline(always)]
    pub(crate) fn of(isa: I, contact: I::U32) -> Self {
        let [x, y, z] = axes(isa, contact, 0);
        let is = [x, y & !x, z & !(x | y)];
        let negative = axes(isa, contact, Contact::NEGATIVE_SHIFT);
        let negative = is[0] & negative[0] | is[1] & negative[1] | is[2] & negative[2];
        Self { is, any: x | y | z, negative }
    }

    /// Selects the number that belongs to the axis.
    #[inline(always)]
    pub(crate) fn pick(&self, x: I::F32, y: I::F32, z: I::F32) -> I::F32 {
        I::F32::select(self.is[0], x, I::F32::select(self.is[1], y, z))
    }
}

/// Returns the masks of lanes in which the bits of x, y and z are set, starting at bit `shift`.
#[inline(always)]
pub(crate) fn axes<I: Isa>(isa: I, contact: I::U32, shift: u32) -> [I::Mask; 3] {
    [
        !contact.disjoint(isa.splat_u32(1 << shift)),
        !contact.disjoint(isa.splat_u32(2 << shift)),
        !contact.disjoint(isa.splat_u32(4 << shift)),
    ]
}

/// Applies `question` to all contacts. The sides are `a` and `b`.
pub(crate) fn run_contacts<Q, X, Y, const A: usize, const B: usize, const N: usize>(
    level: Level,
    question: Q,
    (contacts, numbers): (&[Contact], ContactNumbers<'_>),
    (a, b): (X, Y),
    rows: usize,
    outputs: ContactOutputs<'_, N>,
) -> Result<(), BatchError>
where
    Q: ContactQuestion<A, B, N>,
    X: Side<A>,
    Y: Side<B>,
{
    assert!(u32::try_from(rows).is_ok(), "more rows than a u32 can count");
    LengthMismatch::check("the contacts", rows, contacts.len())?;
    if let ContactNumbers::Each(numbers) = numbers {
        LengthMismatch::check("the numbers of the contacts", rows, numbers.len())?;
    }
    for (name, output) in &outputs {
        LengthMismatch::check(name, rows, output.len())?;
    }
    let contacts = bytemuck::cast_slice(contacts);
    let outputs = outputs.map(|(_, output)| output);
    level.run_groups(rows, ContactBatch { question, contacts, numbers, a, b, outputs });
    Ok(())
}

/// Applies `question` to all contacts. The sides are rows of `a` and `b`.
pub(crate) fn run_contact_rows<Q, const K: usize, const N: usize>(
    level: Level,
    question: Q,
    contacts: (&[Contact], ContactNumbers<'_>),
    (a, b): (Each<'_, K>, Each<'_, K>),
    members: ContactMembers<'_>,
    outputs: ContactOutputs<'_, N>,
) -> Result<(), BatchError>
where
    Q: ContactQuestion<K, K, N>,
{
    let (pairs, rows) = match members {
        ContactMembers::Zip(rows) => {
            return run_contacts(level, question, contacts, (a, b), rows, outputs);
        }
        ContactMembers::Pairs(pairs, rows) => (pairs, rows),
    };
    check_pairs(pairs, rows)?;
    let sides = (a.members::<false>(pairs), b.members::<true>(pairs));
    run_contacts(level, question, contacts, sides, pairs.len(), outputs)
}

struct ContactBatch<'a, Q, X, Y, const A: usize, const B: usize, const N: usize> {
    question: Q,
    contacts: &'a [u32],
    numbers: ContactNumbers<'a>,
    a: X,
    b: Y,
    outputs: [&'a mut [f32]; N],
}

impl<Q, X, Y, const A: usize, const B: usize, const N: usize> GroupKernel
    for ContactBatch<'_, Q, X, Y, A, B, N>
where
    Q: ContactQuestion<A, B, N>,
    X: Side<A>,
    Y: Side<B>,
{
    const WIDE: bool = X::WIDE && Y::WIDE;

    #[inline(always)]
    fn group<I: Isa>(&mut self, isa: I, start: usize, _: usize) -> bool {
        let invalid = self.a.invalid::<I>(start) | self.b.invalid::<I>(start);
        let number = match self.numbers {
            ContactNumbers::All(number) => isa.splat(number),
            ContactNumbers::Each(numbers) => isa.load(&numbers[start..]),
        };
        let rows = ContactRows {
            contact: isa.load_u32(&self.contacts[start..]),
            number,
            a: self.a.load(isa, start),
            b: self.b.load(isa, start),
            valid: mask(isa, !invalid),
        };
        let answer = self.question.answer(isa, &rows);
        for (output, answer) in self.outputs.iter_mut().zip(answer) {
            answer.store(&mut output[start..]);
        }
        true
    }
}

/// Applies `question` to one contact.
pub(crate) fn one_contact<Q, const A: usize, const B: usize, const N: usize>(
    question: Q,
    contact: Contact,
    number: f32,
    (a, b): ([f32; A], [f32; B]),
) -> [f32; N]
where
    Q: ContactQuestion<A, B, N>,
{
    run_scalar(ContactPair { question, contact, number, a, b })
}

struct ContactPair<Q, const A: usize, const B: usize, const N: usize> {
    question: Q,
    contact: Contact,
    number: f32,
    a: [f32; A],
    b: [f32; B],
}

impl<Q: ContactQuestion<A, B, N>, const A: usize, const B: usize, const N: usize> Kernel
    for ContactPair<Q, A, B, N>
{
    type Output = [f32; N];

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> [f32; N] {
        let rows = ContactRows {
            contact: isa.splat_u32(self.contact.bits()),
            number: isa.splat(self.number),
            a: One(self.a).load(isa, 0),
            b: One(self.b).load(isa, 0),
            valid: mask(isa, u32::MAX),
        };
        let mut out = [0.0; N];
        for (out, answer) in out.iter_mut().zip(self.question.answer(isa, &rows)) {
            let mut lanes = [0.0; LANES_MAX];
            answer.store(&mut lanes);
            *out = lanes[0];
        }
        out
    }
}
