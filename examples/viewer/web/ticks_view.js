// The page of a tick, and its controls.

const COLOURS = ["#5b96bd", "#c3cad2", "#eab53f", "#a99fc6", "#e0400a"].map(linear);
const MET = 4;
const [CANDIDATE, TOUCHES] = [COLOURS[2], COLOURS[MET]];
const PALETTE = new Float32Array(COLOURS.flat());
const IMPACTS_LISTED = 300;
// More lines would hide everything else.
const DOTS_MAX = 400;

const canvas = $("canvas");
const stage = new Stage(canvas);
const redraw = drawing(draw);
const camera = new Camera(canvas, redraw);
const now = { tick: 0, t: 0, plays: false, before: 0, chosen: null };
const shows = (what) => $(`show-${what}`).checked;

let tick = null;
let buffers = null;
const meshes = RECORDING.meshes.map(({ positions, normals, edges, smooth, triangles }) => {
  const [sharp, lines] = [[], column(Float32Array, edges)];
  for (let k = 0; k < lines.length; k += 12) {
    const [from, to, one, other] = [0, 3, 6, 9].map((at) => Array.from(lines.subarray(k + at, k + at + 3)));
    if (dot(one, other) < smooth) sharp.push([from, to]);
  }
  const buffer = (text) => stage.buffer(column(Float32Array, text));
  return { positions: buffer(positions), normals: buffer(normals), triangles, sharp };
});

// Copies a tick to the graphics card.
function load(index) {
  now.tick = Math.max(0, Math.min(RECORDING.ticks.length - 1, index));
  tick = tickOf(now.tick);
  now.chosen = null;
  $("notes").replaceChildren(...tick.notes.map((note) => make("li", {}, note)));
  $("dropped-is").textContent = tick.captured ? "have no impact" : "miss each other";
  $("union-is").textContent = tick.captured ? "candidates without an impact" : "candidates that miss";
  $("toggle-held").hidden = tick.shaped.size === 0;
  const bounds = [[], []];
  const starts = [];
  for (let row = 0; row < tick.boxes; row++) {
    const paired = tick.states[2 * row] >= PAIRED || tick.states[2 * row + 1] < NEVER;
    const tint = paired ? [...linear("#4f6f8f"), 0.5] : [...linear("#8fa3b8"), 0.45];
    edgesOfBox(...boundsOf(tick.rows, row), tint, bounds[paired ? 0 : 1]);
    if (tick.moves[row]) edgesOfBox(...cornersOf(tick.rows, row, 0), [...COLOURS[0], 0.6], starts);
  }
  if (!buffers) {
    const two = () => [stage.gl.createBuffer(), stage.gl.createBuffer()];
    buffers = { rows: two(), states: two(), counts: [0, 0] };
  }
  buffers.bounds = bounds.map((list) => new Float32Array(list));
  buffers.starts = new Float32Array(starts);
  list();
}

// Copies the visible boxes to the graphics card; large ones are separate, because they are transparent.
// Returns the bodies that are drawn as a mesh, and their state.
function show() {
  const hidden = ["alone", "still", "candidates", "overlapping"].map((what) => !shows(what));
  const groups = [[], []];
  const seen = [];
  for (let row = 0; row < tick.boxes; row++) {
    const [look, first] = tick.states.subarray(2 * row, 2 * row + 2);
    const met = first <= now.t;
    if (!(met ? shows("met") : !hidden[look])) continue;
    if (tick.shaped.has(row)) seen.push([tick.shaped.get(row), met ? MET : look]);
    else groups[Number(tick.large.has(row))].push(row);
  }
  groups.forEach((group, k) => {
    const rows = new Float32Array(9 * group.length);
    const states = new Float32Array(2 * group.length);
    group.forEach((row, at) => {
      rows.set(tick.rows.subarray(9 * row, 9 * row + 9), 9 * at);
      states.set(tick.states.subarray(2 * row, 2 * row + 2), 2 * at);
    });
    stage.fill(buffers.rows[k], rows);
    stage.fill(buffers.states[k], states);
    buffers.counts[k] = group.length;
  });
  return seen;
}

// Bodies with a shape, at their current poses; large ones are transparent.
function shapes(seen) {
  const edges = [[], []];
  for (const large of [false, true]) {
    for (const [body, look] of seen.filter(([{ at }]) => tick.large.has(at) === large)) {
      const [mesh, pose] = [meshes[body.mesh], poseAt(body, now.t)];
      stage.mesh(mesh, pose, [...COLOURS[look], large ? 0.2 : 1]);
      const model = poseMatrix(pose);
      const tint = [...times(COLOURS[look], 0.25), 0.8];
      for (const [from, to] of mesh.sharp) edges[0].push(...placed(model, from), ...placed(model, to), ...tint);
      if (shows("held")) edgesOfBox(...cornersOf(tick.rows, body.at, now.t), [...COLOURS[look], 0.9], edges[1]);
    }
  }
  for (const list of edges) stage.lines(list, { width: 1 });
}

function list() {
  const later = tick.impacts.slice(tick.overlaps);
  const rows = later.slice(0, IMPACTS_LISTED).map((impact) => {
    const button = make("button", { title: "show this time" }, impact.t.toFixed(4), make("span", {}, impact.name));
    button.onclick = () => choose(impact);
    impact.button = button;
    return button;
  });
  const more = later.length - rows.length;
  if (more > 0) rows.push(make("span", { className: "soft" }, `and ${more} more`));
  if (later.length === 0) rows.push(make("span", { className: "soft" }, "no pair touches"));
  $("impacts").replaceChildren(...rows);
}

function choose(impact) {
  now.chosen = impact;
  now.t = impact.t;
  now.plays = false;
  camera.target = impact.at;
  const [a, b] = [impact.a, impact.b].map((row) => norm(minus(...cornersOf(tick.rows, row, 0))));
  camera.away = Math.min(camera.away, Math.max(8 * Math.min(a, b), 3 * Math.max(a, b)));
  redraw();
}

// Lines between the middles of pairs; ten numbers each.
function between(pairs, tint) {
  const lines = new Float32Array(5 * pairs.length);
  for (let k = 0; k < pairs.length; k += 2) {
    const ends = [pairs[k], pairs[k + 1]].flatMap((row) => centreOf(tick.rows, row, now.t));
    lines.set([...ends, ...tint], 5 * k);
  }
  return lines;
}

// Start, end and current position of fast boxes.
function paths() {
  const lines = [];
  const dots = [];
  const few = tick.fast.length <= DOTS_MAX;
  for (const row of tick.fast) {
    const [from, here, to] = [0, now.t, 1].map((t) => centreOf(tick.rows, row, t));
    const tint = linear(tick.states[2 * row + 1] <= now.t ? "#b01e00" : "#1d4f78");
    lines.push(...from, ...here, ...tint, 0.95, ...here, ...to, ...tint, 0.3);
    dots.push(...here, 6, ...tint, 1);
  }
  stage.lines(lines, { width: few ? 2 : 1, hidden: few ? 0.5 : 0 });
  if (few) stage.dots(dots);
}

function draw(time) {
  if (now.plays) {
    now.t += Math.min(0.1, Math.max(0, (time - now.before) / 1000)) / Number($("speed").value);
    if (now.t > 1) {
      now.t -= 1;
      load((now.tick + 1) % RECORDING.ticks.length);
    }
    redraw();
  }
  now.before = time;
  const seen = show();
  stage.begin(camera);
  const { low, high } = tick;
  const reach = norm(minus(high, low));
  const step = 10 ** Math.floor(Math.log10(reach / 8));
  stage.ground([(low[0] + high[0]) / 2, low[1] - 0.02 * reach, (low[2] + high[2]) / 2], reach * 1.6, step);
  const drawn = (k, more) => {
    const { rows, states, counts } = buffers;
    stage.boxes(rows[k], states[k], counts[k], { t: now.t, palette: PALETTE, ...more });
  };
  drawn(0, {});
  shapes(seen);
  drawn(1, { alpha: 0.16 });
  if (shows("all-bounds")) stage.lines(buffers.bounds[1], { width: 1 });
  if (shows("bounds")) stage.lines(buffers.bounds[0], { width: 1 });
  if (shows("start")) stage.lines(buffers.starts, { width: 1 });
  // The more lines, the paler each.
  const faint = Math.min(1, Math.max(0.18, 12 / Math.sqrt(tick.dropped.length + 1)));
  if (shows("union")) stage.lines(between(tick.dropped, [...CANDIDATE, faint]), { width: 1.25, hidden: 0.3 });
  if (shows("swept")) {
    const pairs = tick.impacts.slice(tick.overlaps).flatMap(({ a, b }) => [a, b]);
    stage.lines(between(pairs, [...TOUCHES, 0.9]), { width: 2, hidden: 0.4 });
  }
  if (shows("paths")) paths();
  if (shows("points")) {
    const met = tick.impacts.filter((impact) => impact.t > 0 && impact.t <= now.t);
    stage.dots(met.flatMap((impact) => {
      const fresh = Math.max(0, 1 - (now.t - impact.t) * 8);
      return [...impact.at, 8 + 9 * fresh, ...linear("#b01e00"), 1];
    }));
  }
  if (now.chosen) {
    const frames = [];
    for (const row of [now.chosen.a, now.chosen.b]) {
      edgesOfBox(...cornersOf(tick.rows, row, now.t), [...linear("#1f2a37"), 1], frames);
    }
    stage.lines(frames, { width: 2.5, hidden: 0.5 });
    const { at, normal } = now.chosen;
    // The same length on the screen from every distance.
    if (normal) {
      const tip = add(at, times(normal, 0.12 * camera.away));
      stage.lines([...at, ...tip, ...linear("#b01e00"), 1], { width: 3, hidden: 0.7 });
      stage.dots([...tip, 7, ...linear("#b01e00"), 1]);
    }
  }
  say();
}

function say() {
  const met = tick.impacts.filter((impact) => impact.t <= now.t).length;
  const numbers = {
    boxes: tick.boxes,
    moving: tick.moves.reduce((sum, moves) => sum + moves, 0),
    candidates: tick.union.length / 2,
    dropped: tick.dropped.length / 2,
    overlaps: tick.overlaps,
    meeting: tick.impacts.length - tick.overlaps,
    met: met - tick.overlaps,
  };
  for (const [id, number] of Object.entries(numbers)) $(id).textContent = number.toLocaleString("en");
  for (const impact of tick.impacts.slice(tick.overlaps, tick.overlaps + IMPACTS_LISTED)) {
    impact.button.classList.toggle("done", impact.t <= now.t);
    impact.button.classList.toggle("chosen", impact === now.chosen);
  }
  $("tick").value = now.tick;
  $("time").value = now.t;
  $("tick-says").textContent = `${tick.name} (${now.tick + 1} of ${RECORDING.ticks.length})`;
  $("time-says").textContent = `t = ${now.t.toFixed(3)} of the tick`;
  $("play").textContent = now.plays ? "Pause" : "Play";
  marks();
}

// Below the time: how many pairs touch, and when.
function marks() {
  const strip = $("marks");
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [strip.clientWidth * ratio, strip.clientHeight * ratio];
  ((strip.width = wide), (strip.height = high));
  const pen = strip.getContext("2d");
  // The knob of the slider does not reach its ends.
  const [from, span] = [8 * ratio, wide - 16 * ratio];
  const bins = new Array(120).fill(0);
  for (const impact of tick.impacts.slice(tick.overlaps)) bins[Math.min(119, Math.floor(impact.t * 120))]++;
  const most = Math.max(1, ...bins);
  bins.forEach((count, bin) => {
    const tall = count ? (0.25 + 0.75 * (count / most)) * (high - 4) : 0;
    pen.fillStyle = (bin + 0.5) / 120 <= now.t ? "#d9480f" : "#c9d3dd";
    pen.fillRect(from + (bin / 120) * span, high - tall, Math.max(1, span / 120 - ratio), tall);
  });
}

function start() {
  if (RECORDING.ticks.length === 0) throw new Error("nothing was recorded");
  const wanted = inHash();
  $("name").textContent = RECORDING.name;
  $("tick").max = RECORDING.ticks.length - 1;
  load(Number(wanted.tick) || 0);
  now.t = Math.max(0, Math.min(1, Number(wanted.t ?? 0.5) || 0));
  camera.fit(tick.low, tick.high, 0.95);
  if (wanted.yaw) camera.yaw = Number(wanted.yaw);
  if (wanted.pitch) camera.pitch = Number(wanted.pitch);
  if (wanted.near) camera.away /= Number(wanted.near);
  for (const name of (wanted.hide ?? "").split(",").filter(Boolean)) $(`show-${name}`).checked = false;
  for (const name of (wanted.show ?? "").split(",").filter(Boolean)) $(`show-${name}`).checked = true;

  const play = () => {
    now.plays = !now.plays;
    redraw();
  };
  $("play").onclick = play;
  $("tick").oninput = () => (load(Number($("tick").value)), redraw());
  $("time").oninput = () => ((now.t = Number($("time").value)), redraw());
  document.querySelectorAll("aside input").forEach((box) => (box.onchange = redraw));
  window.addEventListener("resize", redraw);
  window.addEventListener("keydown", (event) => {
    if (event.target.matches("button, select")) return;
    if (event.key === " ") (event.preventDefault(), play());
    if (event.key === "PageDown") (load(now.tick + 1), redraw());
    if (event.key === "PageUp") (load(now.tick - 1), redraw());
  });
  redraw();
}

try {
  start();
} catch (error) {
  tell(error);
}
