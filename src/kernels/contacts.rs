//! The loop of batch kernels over contacts, as used by responses and shares.
//!
//! A row consists of a [`Contact`], one number, and the numbers of its two sides. As in
//! [`ask`](super::batch), each side is one value for all rows, row `i` of some columns, or the row to
//! which pair `i` refers. A result is one number for each of `N` columns.

use super::BatchError;
use super::batch::{Each, Side, check_pairs, mask};
use crate::columns::LengthMismatch;
use crate::geom::{Contact, Pair};
use crate::lanes::{F32Lanes, Isa, Kernel, LANES_MAX, Level, U32Lanes, run_scalar};

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
    fn answer<I: Isa>(self, isa: I, asked: &ContactRows<I, A, B>) -> [I::F32; N];
}

/// The number of each contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers<'a> {
    /// The same number for all contacts.
    All(f32),
    /// One number per contact.
    Each(&'a [f32]),
}

/// The output columns, each with its name for error messages.
pub(crate) type Outputs<'a, const N: usize> = [(&'static str, &'a mut [f32]); N];

/// The rows of the two sides that belong to a contact.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Match<'a> {
    /// Row `i` of both sides. The field is the number of rows.
    Zip(usize),
    /// The rows to which pair `i` refers. The second field is the number of rows.
    Pairs(&'a [Pair], usize),
}

/// The lowest axis of contact of each lane, and the sign of the normal there.
pub(crate) struct Lowest<I: Isa> {
    /// The lanes in which it is x, y or z.
    pub(crate) is: [I::Mask; 3],
    /// The lanes that have an axis of contact.
    pub(crate) any: I::Mask,
    /// The lanes in which the normal is negative.
    pub(crate) negative: I::Mask,
}

impl<I: Isa> Lowest<I> {
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
pub(crate) fn ask<Q, X, Y, const A: usize, const B: usize, const N: usize>(
    level: Level,
    question: Q,
    (contacts, numbers): (&[Contact], Numbers<'_>),
    (a, b): (X, Y),
    rows: usize,
    outputs: Outputs<'_, N>,
) -> Result<(), BatchError>
where
    Q: ContactQuestion<A, B, N>,
    X: Side<A>,
    Y: Side<B>,
{
    assert!(u32::try_from(rows).is_ok(), "more rows than a u32 can name");
    LengthMismatch::check("the contacts", rows, contacts.len())?;
    if let Numbers::Each(numbers) = numbers {
        LengthMismatch::check("the numbers of the contacts", rows, numbers.len())?;
    }
    for (name, output) in &outputs {
        LengthMismatch::check(name, rows, output.len())?;
    }
    let contacts = bytemuck::cast_slice(contacts);
    let outputs = outputs.map(|(_, output)| output);
    level.run_rows(rows, ContactBatch { question, contacts, numbers, a, b, outputs });
    Ok(())
}

/// Applies `question` to all contacts. The sides are rows of `a` and `b`.
pub(crate) fn ask_rows<Q, const K: usize, const N: usize>(
    level: Level,
    question: Q,
    asked: (&[Contact], Numbers<'_>),
    (a, b): (Each<'_, K>, Each<'_, K>),
    rows: Match<'_>,
    outputs: Outputs<'_, N>,
) -> Result<(), BatchError>
where
    Q: ContactQuestion<K, K, N>,
{
    let (pairs, rows) = match rows {
        Match::Zip(rows) => return ask(level, question, asked, (a, b), rows, outputs),
        Match::Pairs(pairs, rows) => (pairs, rows),
    };
    check_pairs(pairs, rows)?;
    let sides = (a.named::<false>(pairs), b.named::<true>(pairs));
    ask(level, question, asked, sides, pairs.len(), outputs)
}

struct ContactBatch<'a, Q, X, Y, const A: usize, const B: usize, const N: usize> {
    question: Q,
    contacts: &'a [u32],
    numbers: Numbers<'a>,
    a: X,
    b: Y,
    outputs: [&'a mut [f32]; N],
}

impl<Q, X, Y, const A: usize, const B: usize, const N: usize> Kernel
    for ContactBatch<'_, Q, X, Y, A, B, N>
where
    Q: ContactQuestion<A, B, N>,
    X: Side<A>,
    Y: Side<B>,
{
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) {
        let rows = self.contacts.len();
        let mut row = 0;
        while row < rows {
            // The last group starts early enough to be full; it computes some rows again, with the
            // same results.
            let start = row.min(rows - I::LANES);
            let invalid = self.a.invalid::<I>(start) | self.b.invalid::<I>(start);
            let number = match self.numbers {
                Numbers::All(number) => isa.splat(number),
                Numbers::Each(numbers) => isa.load(&numbers[start..]),
            };
            let asked = ContactRows {
                contact: isa.load_u32(&self.contacts[start..]),
                number,
                a: self.a.load(isa, start),
                b: self.b.load(isa, start),
                valid: mask(isa, !invalid),
            };
            let answer = self.question.answer(isa, &asked);
            for (output, answer) in self.outputs.iter_mut().zip(answer) {
                answer.store(&mut output[start..]);
            }
            row += I::LANES;
        }
    }
}

/// Applies `question` to one contact.
pub(crate) fn one<Q, const A: usize, const B: usize, const N: usize>(
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
        let asked = ContactRows {
            contact: isa.splat_u32(self.contact.bits()),
            number: isa.splat(self.number),
            a: super::batch::One(self.a).load(isa, 0),
            b: super::batch::One(self.b).load(isa, 0),
            valid: mask(isa, u32::MAX),
        };
        let mut out = [0.0; N];
        for (out, answer) in out.iter_mut().zip(self.question.answer(isa, &asked)) {
            let mut lanes = [0.0; LANES_MAX];
            answer.store(&mut lanes);
            *out = lanes[0];
        }
        out
    }
}
