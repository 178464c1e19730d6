// The box under the pointer, the box that was picked, and their facts.

// The row of the first visible box along a ray, or -1. Boxes as large as the scene count behind all others.
function boxAlong({ eye, way }, visible) {
  let [best, found] = [Infinity, -1];
  let [best_large, large] = [Infinity, -1];
  const { rows } = tick;
  for (let row = 0; row < tick.boxes; row++) {
    if (!visible[lookOf(tick, row, now.t)]) continue;
    let [near, far] = [0, Infinity];
    for (let axis = 0; axis < 3; axis++) {
      const from = eye[axis] - rows[9 * row + 6 + axis] * now.t;
      const [low, high] = [rows[9 * row + axis] - from, rows[9 * row + 3 + axis] - from];
      // A ray along the two faces is always or never between them. In the plane of a face, a division would be 0 / 0.
      if (way[axis] === 0) {
        if (low > 0 || high < 0) far = -1;
        continue;
      }
      const [one, other] = [low / way[axis], high / way[axis]];
      near = Math.max(near, Math.min(one, other));
      far = Math.min(far, Math.max(one, other));
    }
    if (near > far) continue;
    if (tick.large.has(row)) {
      if (near < best_large) [best_large, large] = [near, row];
    } else if (near < best) [best, found] = [near, row];
  }
  return found >= 0 ? found : large;
}

const LOOKS = [
  "moves, in no pair", "does not move", "in a candidate pair", "overlaps another box at the start", "touches another box",
];

const point = (numbers) => numbers.map((x) => short(x, 3)).join(", ");

// Picks a box, or none with -1; everything that is not in a pair with it is dimmed.
function pick(row) {
  now.picked = row;
  now.partners = row < 0 ? [] : partnersOf(tick, row);
  const related = new Set([row, ...now.partners.map((partner) => partner.row)]);
  for (let k = 0; k < tick.boxes; k++) {
    const dim = row >= 0 && !related.has(k) ? DIMMED : 0;
    tick.states[2 * k] = (tick.states[2 * k] % DIMMED) + dim;
  }
  upload();
  $("picked").hidden = row < 0;
  if (row >= 0) describe(row);
  redraw();
}

// What an impact is, and when.
function timeOf({ t, unresolved }) {
  if (unresolved) return `unresolved from ${t.toFixed(4)} on`;
  return t === 0 ? "overlaps at the start" : `touches at ${t.toFixed(4)}`;
}

function describe(row) {
  const name = tick.nameOf(row);
  const [low, high] = cornersOf(tick.rows, row, 0);
  const moved = Array.from(tick.rows.subarray(9 * row + 6, 9 * row + 9));
  const facts = {
    state: LOOKS[tick.looks[row]],
    centre: point(mix(low, high, 0.5)),
    sides: point(minus(high, low)),
    displacement: tick.moves[row] ? `${point(moved)} (length ${short(norm(moved), 3)})` : "does not move",
    pairs: String(now.partners.length),
  };
  $("picked-name").textContent = `Box ${name}`;
  $("picked-facts").replaceChildren(...Object.entries(facts).flatMap(([is, value]) => [make("dt", {}, is), make("dd", {}, value)]));
  const buttons = now.partners.slice(0, IMPACTS_LISTED).map(({ row: other, impact }) => {
    const how = !impact ? "comes near" : timeOf(impact);
    const button = make("button", { title: "pick this box" }, `${tick.nameOf(other)}: ${how}`);
    button.onclick = () => pick(other);
    return button;
  });
  $("partners").replaceChildren(...buttons);
}

function hover(at) {
  const row = at && !now.plays ? boxAlong(camera.ray(at), visible()) : -1;
  const tip = $("tip");
  tip.hidden = row < 0;
  if (row >= 0) {
    const pairs = partnersOf(tick, row).length;
    tip.textContent = `box ${tick.nameOf(row)} · ${pairs} ${pairs === 1 ? "pair" : "pairs"}`;
    const left = Math.min(at[0] + 14, canvas.clientWidth - tip.offsetWidth - 4);
    Object.assign(tip.style, { left: `${left}px`, top: `${at[1] + 14}px` });
  }
  if (row === now.hovered) return;
  now.hovered = row;
  redraw();
}
