// The recorded ticks as columns, and what is computed from them.

const RECORDING = JSON.parse($("recording").textContent);

const [ALONE, STILL, PAIRED, OVERLAPS, MET] = [0, 1, 2, 3, 4];
// A first time after every tick.
const NEVER = 2;
// Added to the look of a box that is drawn dimmed.
const DIMMED = 8;

// Decoded when it is first shown.
function tickOf(index) {
  const packed = RECORDING.ticks[index];
  if (!packed.unpacked) packed.unpacked = unpack(packed);
  return packed.unpacked;
}

function unpack(packed) {
  const rows = column(Float32Array, packed.rows);
  const moves = column(Uint8Array, packed.moves);
  const union = column(Uint32Array, packed.union);
  const swept = column(Uint32Array, packed.swept);
  const first = column(Float32Array, packed.first);
  const { kinds, contacts, ids, bodies = [], notes = [] } = packed;
  const captured = kinds !== undefined;
  const [kind, contact, id] = captured
    ? [column(Uint8Array, kinds), column(Float32Array, contacts), column(Uint32Array, ids)]
    : [[], [], []];
  const nameOf = (row) => (id.length > 0 ? id[row] : row);
  // Whether an impact is unresolved: the two do not touch before its time, and whether they touch later is unknown.
  const isUnresolved = (k) => captured && (kind[k] & 3) === 2;
  const pairOf = (a, b) => a * packed.boxes + b;

  // The state of each box, and when it first touches another.
  const states = new Float32Array(2 * packed.boxes);
  for (let row = 0; row < packed.boxes; row++) {
    states[2 * row] = moves[row] ? ALONE : STILL;
    states[2 * row + 1] = NEVER;
  }
  // A fixed box keeps its colour, whatever lies on it; one as large as the scene would hide it.
  const bounds = extent(rows);
  const size = 0.4 * norm(minus(bounds.high, bounds.low));
  const large = rowsWhere(packed.boxes, (row) => sideOf(rows, row) > size);
  const become = (row, look) => moves[row] && (states[2 * row] = look);
  for (const row of union) become(row, PAIRED);
  swept.forEach((row, k) => {
    if (isUnresolved(k >> 1)) return;
    const t = first[k >> 1];
    if (t > 0) states[2 * row + 1] = Math.min(states[2 * row + 1], t);
    else become(row, OVERLAPS);
  });
  // The looks at the end of the tick, which the facts of a box state. A large box is drawn as if it were alone.
  const looks = Uint8Array.from({ length: packed.boxes }, (_, row) => lookOf({ states }, row, 1));
  for (const row of large) states.set([moves[row] ? ALONE : STILL, NEVER], 2 * row);

  const meets = new Set();
  for (let k = 0; k < first.length; k++) meets.add(pairOf(swept[2 * k], swept[2 * k + 1]));
  const dropped = [];
  for (let k = 0; k < union.length; k += 2) {
    if (!meets.has(pairOf(union[k], union[k + 1]))) dropped.push(union[k], union[k + 1]);
  }
  const order = Array.from(first.keys()).sort((a, b) => first[a] - first[b] || isUnresolved(a) - isUnresolved(b) || a - b);
  // Pairs of which an earlier impact is a contact. A pair of bodies with parts may have several impacts.
  const touched = new Set();
  const impacts = order.map((k) => {
    const [a, b, t] = [swept[2 * k], swept[2 * k + 1], first[k]];
    const unresolved = isUnresolved(k);
    const isFirst = !unresolved && !touched.has(pairOf(a, b));
    if (isFirst) touched.add(pairOf(a, b));
    const impact = { a, b, t, unresolved, isFirst };
    // Unresolved pairs have no point.
    if (!captured || unresolved) return { ...impact, at: middle(rows, a, b, t), more: unresolved ? " unresolved" : "" };
    const [at, normal] = [0, 3].map((from) => Array.from(contact.subarray(6 * k + from, 6 * k + from + 3)));
    return { ...impact, at, normal, more: kind[k] & 4 ? " sensor" : "" };
  });
  // The number of contacts at the start of the tick, which are the first impacts.
  const overlaps = impacts.filter((impact) => impact.t === 0 && !impact.unresolved).length;
  // The first contact of each pair that touches.
  const firsts = impacts.filter((impact) => impact.isFirst);
  const overlapping = firsts.filter((impact) => impact.t === 0).length;
  const counts = { overlapping, meeting: firsts.length - overlapping, unresolved: meets.size - firsts.length };
  // A box is fast if it moves by more than its length.
  const fast = rowsWhere(packed.boxes, (row) => Math.hypot(rows[9 * row + 6], rows[9 * row + 7], rows[9 * row + 8]) > sideOf(rows, row));
  // Bodies that are drawn as a mesh.
  const shaped = new Map(bodies.map((body) => [body.at, body]));
  return {
    ...packed, captured, shaped, notes, rows, moves, union, states, looks, dropped, impacts, overlaps, firsts, counts, fast, large: new Set(large), nameOf, ...bounds,
  };
}

// The pairs of a box: the other row, and the impact or null if the two only come near. Of several impacts of a pair it is the
// first contact, or the first one if all are unresolved.
function partnersOf(tick, row) {
  const other = (a, b) => (a === row ? b : b === row ? a : -1);
  const partners = new Map();
  for (const impact of tick.impacts) {
    const of = other(impact.a, impact.b);
    if (of >= 0 && (impact.isFirst || !partners.has(of))) partners.set(of, impact);
  }
  for (let k = 0; k < tick.dropped.length; k += 2) {
    const of = other(tick.dropped[k], tick.dropped[k + 1]);
    if (of >= 0) partners.set(of, null);
  }
  return Array.from(partners, ([of, impact]) => ({ row: of, impact }));
}

// The look of a box at a time, without dimming.
const lookOf = (tick, row, t) => (tick.states[2 * row + 1] <= t ? MET : tick.states[2 * row] % DIMMED);

// What happens in a tick, in words.
function sentence(tick) {
  const count = (number, one, more) => `${number.toLocaleString("en")} ${number === 1 ? one : more}`;
  const moving = tick.moves.reduce((sum, moves) => sum + moves, 0);
  const pairs = tick.union.length / 2;
  const { overlapping, meeting, unresolved } = tick.counts;
  const near = tick.dropped.length / 2;
  const parts = [];
  if (meeting > 0) parts.push(`${count(meeting, "touches", "touch")} in this tick`);
  if (overlapping > 0) parts.push(`${count(overlapping, "overlaps", "overlap")} at its start`);
  if (unresolved > 0) parts.push(count(unresolved, "is unresolved", "are unresolved"));
  if (near > 0) parts.push(`${count(near, "only comes near", "only come near")}`);
  const of = parts.length > 0 ? `: ${parts.join(", ")}` : "";
  return `${count(tick.boxes, "box", "boxes")}, ${moving.toLocaleString("en")} of them moving. The bounds of ${count(pairs, "pair", "pairs")} overlap${of}.`;
}

// Corners of a box at a time.
function cornersOf(rows, row, t) {
  const at = 9 * row;
  const [low, high] = [[], []];
  for (let axis = 0; axis < 3; axis++) {
    const moved = rows[at + 6 + axis] * t;
    low.push(rows[at + axis] + moved);
    high.push(rows[at + 3 + axis] + moved);
  }
  return [low, high];
}

function centreOf(rows, row, t) {
  const [low, high] = cornersOf(rows, row, t);
  return mix(low, high, 0.5);
}

// The box around the whole path.
function boundsOf(rows, row) {
  const [[a, b], [c, d]] = [cornersOf(rows, row, 0), cornersOf(rows, row, 1)];
  return [a.map((x, k) => Math.min(x, c[k])), b.map((x, k) => Math.max(x, d[k]))];
}

// The middle of the common part of two touching boxes.
function middle(rows, a, b, t) {
  return [0, 1, 2].map((axis) => {
    const [one, other] = [9 * a + axis, 9 * b + axis];
    const low = Math.max(rows[one] + rows[one + 6] * t, rows[other] + rows[other + 6] * t);
    const high = Math.min(rows[one + 3] + rows[one + 6] * t, rows[other + 3] + rows[other + 6] * t);
    return 0.5 * (low + high);
  });
}

// The bounds of the boxes. One box in a hundred is left out if it alone makes them large, so that a distant
// box does not make the others too small to see.
function extent(rows) {
  const [low, high] = [[-1, -1, -1], [1, 1, 1]];
  if (rows.length === 0) return { low, high };
  const pick = (offset) => {
    const numbers = new Float32Array(rows.length / 9);
    for (let k = 0; k < numbers.length; k++) numbers[k] = rows[9 * k + offset];
    return numbers.sort();
  };
  for (let axis = 0; axis < 3; axis++) {
    const [lows, highs] = [pick(axis), pick(3 + axis)];
    const last = lows.length - 1;
    const skip = Math.ceil(lows.length * 0.01);
    const [all, most] = [highs[last] - lows[0], highs[Math.max(0, last - skip)] - lows[Math.min(last, skip)]];
    const drop = most > 0 && all > 5 * most ? skip : 0;
    low[axis] = lows[drop];
    high[axis] = highs[last - drop];
  }
  return { low, high };
}

// The diagonal of a box.
const sideOf = (rows, row) => {
  const side = (axis) => rows[9 * row + 3 + axis] - rows[9 * row + axis];
  return Math.hypot(side(0), side(1), side(2));
};

// The rows for which a test is true.
function rowsWhere(count, test) {
  const found = [];
  for (let row = 0; row < count; row++) if (test(row)) found.push(row);
  return found;
}
