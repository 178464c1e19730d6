//! Tests that a batch of responses gives the bits of single responses, whatever its rows contain.

use swath::batch::respond::{Member, Restitution, SlideColumns};
use swath::batch::{BatchError, Body, Contact, respond};
use swath::{COORD_MAX, Invalid, Level, Pair};
use testkit::bodies::{Meeting, bodies, contact_of, neighbours, no_bodies};
use testkit::body_columns::BodyArrays;

/// A contact for each row: those of the sweep and separation, and random bits.
fn contacts(a: &[Body], b: &[Body]) -> Vec<Contact> {
    let contact = |(row, (a, b)): (usize, (&Body, &Body))| {
        if a.validate().is_ok() && b.validate().is_ok() && row % 4 != 3 {
            contact_of(&Meeting { family: "", a: *a, b: *b, restitution: 0.0 })
        } else {
            bytemuck::cast((row as u32).wrapping_mul(0x9e37_79b9) >> (row % 23))
        }
    };
    a.iter().zip(b).enumerate().map(contact).collect()
}

/// The expected bits of one row of a batch.
fn along(a: &Body, b: &Body, contact: Contact, restitution: f32) -> [u32; 2] {
    let Some(axis) = contact.axis() else { return [0; 2] };
    let kept = |body: &Body| {
        let x = body.moving.delta[axis];
        if x.abs() <= COORD_MAX { x.to_bits() } else { 0 }
    };
    match respond::deltas(a, b, contact, restitution) {
        Ok(deltas) => deltas.map(|delta| delta[axis].to_bits()),
        Err(_) => [kept(a), kept(b)],
    }
}

fn batches_answer_as_one_to_one(a: &[Body], b: &[Body], restitutions: &[f32], level: Level) {
    let rows = a.len();
    let pairs = neighbours(rows);
    let (of_a, of_b) = (BodyArrays::new(a), BodyArrays::new(b));
    let (mut list, mut other) = (Vec::new(), Vec::new());
    let of_a = of_a.bodies().check(level, &mut list);
    let of_b = of_b.bodies().check(level, &mut other);
    let row = |row: u32| b[row as usize];
    let named: [Vec<Body>; 2] =
        [pairs.iter().map(|p| row(p.a)).collect(), pairs.iter().map(|p| row(p.b)).collect()];
    let many = vec![a.first().copied().unwrap_or_default(); rows];
    let one = many.first().filter(|one| one.validate().is_ok());
    let asked = [[&many[..], b], [a, b], [&named[0], &named[1]]];
    for (question, [x, y]) in asked.into_iter().enumerate() {
        let contact = contacts(x, y);
        let first: Vec<f32> = (0..rows).map(|row| row as f32 / 16.0).collect();
        for each in [true, false] {
            let of = |row: usize| if each { restitutions[row] } else { 0.25 };
            let (mut to_a, mut to_b) = (vec![-7.0; rows], vec![-7.0; rows]);
            let to = SlideColumns { a: &mut to_a, b: &mut to_b };
            let restitution =
                if each { Restitution::from(&restitutions[..rows]) } else { 0.25.into() };
            let result = match (question, one) {
                (0, None) => continue,
                (0, Some(one)) => {
                    respond::one_to_many(level, &contact, one, &of_b, restitution, to)
                }
                (1, _) => respond::zip(level, &contact, &of_a, &of_b, restitution, to),
                _ => respond::pairs(level, &contact, &of_b, &pairs, restitution, to),
            };
            assert_eq!(result, Ok(()));
            let got: Vec<_> =
                to_a.iter().zip(&to_b).map(|(a, b)| [a.to_bits(), b.to_bits()]).collect();
            let meant = |row: usize| along(&x[row], &y[row], contact[row], of(row));
            let expected: Vec<_> = (0..rows).map(meant).collect();
            assert_eq!(got, expected, "{level}, question {question}, {rows} rows");
        }
        if question == 1 {
            for member in [Member::A, Member::B] {
                let (side, bodies) = if member == Member::A { (&of_a, a) } else { (&of_b, b) };
                let mut to = [vec![-7.0; rows], vec![-7.0; rows], vec![-7.0; rows]];
                let [x, y, z] = &mut to;
                respond::slide_each(level, side, &first, &contact, member, [x, y, z])
                    .expect("right lengths");
                for (row, body) in bodies.iter().enumerate() {
                    let got = to.each_ref().map(|column| column[row].to_bits());
                    let rest = respond::slide(body.moving.delta, first[row], contact[row], member);
                    let rest = rest.ok().filter(|_| body.validate().is_ok()).unwrap_or_default();
                    assert_eq!(got, rest.map(f32::to_bits), "{level}, row {row} of {rows}");
                }
            }
        }
    }
}

/// Restitutions, of which some are invalid.
fn restitutions(rows: usize) -> Vec<f32> {
    let of =
        [0.0, 1.0, 0.5, f32::NAN, 0.75, -0.5, 1.0_f32.next_up(), -0.0, f32::INFINITY, 0.1, 1.0];
    of.into_iter().cycle().take(rows).collect()
}

/// Goal: a batch gives the bits of single calls. Method: every level, every number of rows near the number of
/// lanes, hostile bodies, any contacts, invalid restitutions.
#[test]
fn batches_give_the_bits_of_one_to_one_on_every_level() {
    for (round, rows) in (0..=40).cycle().take(41 * 4).enumerate() {
        let [a, b] = bodies(100 + round as u64, rows);
        for level in Level::all() {
            batches_answer_as_one_to_one(&a, &b, &restitutions(rows), level);
        }
    }
}

/// Goal: an invalid row does not change other rows. Method: one at every row of every number of rows, of
/// every kind in turn, on either side.
#[test]
fn invalid_row_has_no_response_and_changes_no_other_row() {
    let mut kinds = no_bodies().into_iter().cycle();
    for rows in 1..=40 {
        let [good_a, good_b] = bodies(500 + rows as u64, rows);
        for at in 0..rows {
            let (mut a, mut b) = (good_a.clone(), good_b.clone());
            let side = if at % 2 == 0 { &mut a } else { &mut b };
            side[at] = kinds.next().expect("a cycle");
            let levels = Level::all().count();
            let level = Level::all().nth((at / 2) % levels).expect("a level");
            batches_answer_as_one_to_one(&a, &b, &restitutions(rows), level);
        }
    }
}

/// Goal: an invalid row is listed with the reason; a single invalid body is an error with the reason. Method:
/// every kind, at every row.
#[test]
fn invalid_bodies_are_listed() {
    let bad = no_bodies();
    let good = bodies(3, 1)[0][0];
    for (k, body) in bad.iter().enumerate() {
        let reason = body.validate().expect_err("it is invalid");
        let only_mass = k >= bad.len() - 4;
        assert_eq!(reason == Invalid::InverseMass, only_mass, "{body:?}");
        assert_eq!(respond::one_to_one(body, &good, 0.5), Err(reason));
        assert_eq!(respond::one_to_one(&good, body, 0.5), Err(reason));
        assert_eq!(respond::deltas(&good, body, Contact::SEPARATED, 0.5), Err(reason));
        for at in 0..19 {
            let mut rows = vec![good; 19];
            rows[at] = *body;
            let columns = BodyArrays::new(&rows);
            for level in Level::all() {
                let mut list = Vec::new();
                let checked = columns.bodies().check(level, &mut list);
                let listed: Vec<_> = checked.rejected().iter().map(|x| (x.row, x.reason)).collect();
                assert_eq!(listed, [(at as u32, reason)]);
                assert_eq!(checked.boxes().rejected(), checked.rejected());
                assert_eq!(checked.boxes().columns().get((at + 1) % 19), good.moving);
            }
        }
    }
    for bad in [f32::NAN, -f32::from_bits(1), 1.0_f32.next_up(), f32::INFINITY] {
        let reason = Err(Invalid::Restitution);
        assert_eq!(respond::one_to_one(&good, &good, bad), reason);
        assert!(respond::deltas(&good, &good, Contact::SEPARATED, bad).is_err());
    }
}

/// Goal: wrong lengths, rows and values are errors, and nothing is written. Method: each in turn.
#[test]
fn failed_call_writes_nothing() {
    let [a, _] = bodies(7, 20);
    let columns = BodyArrays::new(&a);
    let (mut list, mut other) = (Vec::new(), Vec::new());
    let (pairs, contact) = (neighbours(20), [Contact::SEPARATED; 21]);
    for level in Level::all() {
        let all = columns.bodies().check(level, &mut list);
        let shorter = columns.bodies().slice(0..19).check(level, &mut other);
        let restitution = [0.5; 21];
        let lengths = |error: Result<(), BatchError>| match error {
            Err(BatchError::Length(error)) => (error.expected, error.found),
            other => panic!("{other:?}"),
        };
        for [contacts, numbers, to_a, to_b] in
            [[19, 20, 20, 20], [20, 21, 20, 20], [20, 20, 19, 20], [20, 20, 20, 21]]
        {
            let wrong = [contacts, numbers, to_a, to_b].into_iter().find(|&length| length != 20);
            let wrong = (20, wrong.expect("one is wrong"));
            let (contact, each) = (&contact[..contacts], &restitution[..numbers]);
            let (mut x, mut y) = (vec![-7.0; to_a], vec![-7.0; to_b]);
            for question in 0..3 {
                let to = SlideColumns { a: &mut x, b: &mut y };
                let error = match question {
                    0 => respond::one_to_many(level, contact, &a[0], &all, each, to),
                    1 => respond::zip(level, contact, &all, &all, each, to),
                    _ => respond::pairs(level, contact, &all, &pairs, each, to),
                };
                assert_eq!(lengths(error), wrong);
            }
            assert!(x.iter().chain(&y).all(|&x| x == -7.0));
            let mut z = vec![-7.0; 20];
            let first = &restitution[..numbers];
            let to = [&mut x[..], &mut z, &mut y];
            let error = respond::slide_each(level, &all, first, contact, Member::A, to);
            assert_eq!(lengths(error), wrong);
            assert!(x.iter().chain(&y).chain(&z).all(|&x| x == -7.0));
        }
        let (mut x, mut y) = (vec![-7.0; 20], vec![-7.0; 20]);
        let contact = &contact[..20];
        let error = respond::zip(
            level,
            contact,
            &all,
            &shorter,
            0.5,
            SlideColumns { a: &mut x, b: &mut y },
        );
        assert_eq!(lengths(error), (20, 19));
        for (index, pair) in [(0, Pair { a: 20, b: 3 }), (19, Pair { a: 3, b: u32::MAX })] {
            let mut pairs = pairs.clone();
            pairs[index] = pair;
            let to = SlideColumns { a: &mut x, b: &mut y };
            let error = respond::pairs(level, contact, &all, &pairs, 0.5, to);
            let row = pair.a.max(pair.b);
            assert_eq!(error, Err(BatchError::NoSuchRow { index, row, rows: 20 }));
        }
        for bad in [f32::NAN, -1.0, 2.0] {
            let to = SlideColumns { a: &mut x, b: &mut y };
            let error = respond::pairs(level, contact, &all, &pairs, bad, to);
            assert_eq!(error, Err(BatchError::Invalid(Invalid::Restitution)));
        }
        let none = no_bodies()[0];
        let to = SlideColumns { a: &mut x, b: &mut y };
        let error = respond::one_to_many(level, contact, &none, &all, 0.5, to);
        assert_eq!(error, Err(BatchError::Invalid(none.validate().expect_err("it is invalid"))));
        assert!(x.iter().chain(&y).all(|&x| x == -7.0));
    }
}
