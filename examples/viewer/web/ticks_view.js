// The page of a tick, and its controls.

const COLOURS = ["#5b96bd", "#c3cad2", "#eab53f", "#a99fc6", "#e0400a"].map(linear);
const [CANDIDATE, TOUCHES] = [COLOURS[2], COLOURS[MET]];
const PALETTE = new Float32Array(COLOURS.flat());
const IMPACTS_LISTED = 300;
// More lines would hide everything else.
const DOTS_MAX = 400;
// With more boxes, frames and lines of pairs are not drawn at first.
const BOXES_MANY = 5000;
const KINDS = ["alone", "still", "candidates", "overlapping", "met"];

const canvas = $("canvas");
const stage = new Stage(canvas);
const redraw = drawing(draw);
const camera = new Camera(canvas, redraw);
const now = { tick: 0, t: 0, plays: false, before: 0, chosen: null, picked: -1, hovered: -1, partners: [] };
const shows = (what) => $(`show-${what}`).checked;
// Which looks of boxes are drawn.
const visible = () => KINDS.map((kind) => Number(shows(kind)));

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

// Copies a tick to the graphics card. Large boxes are separate, because they are transparent.
function load(index) {
  now.tick = Math.max(0, Math.min(RECORDING.ticks.length - 1, index));
  tick = tickOf(now.tick);
  ((now.chosen = null), (now.hovered = -1));
  $("notes").replaceChildren(...tick.notes.map((note) => make("li", {}, note)));
  $("dropped-is").textContent = tick.captured ? "have no impact" : "miss each other";
  $("union-is").textContent = tick.captured ? "candidates without an impact" : "candidates that miss";
  $("toggle-held").hidden = tick.shaped.size === 0;
  $("story").textContent = tick.caption;
  $("story").hidden = tick.caption === "";
  $("sentence").textContent = sentence(tick);
  const groups = [[], []];
  for (let row = 0; row < tick.boxes; row++) {
    if (!tick.shaped.has(row)) groups[Number(tick.large.has(row))].push(row);
  }
  const two = () => [stage.gl.createBuffer(), stage.gl.createBuffer()];
  buffers = { ...(buffers ?? { rows: two(), states: two() }), groups, frames: {} };
  groups.forEach((group, k) => {
    const rows = new Float32Array(9 * group.length);
    group.forEach((row, at) => rows.set(tick.rows.subarray(9 * row, 9 * row + 9), 9 * at));
    stage.fill(buffers.rows[k], rows);
  });
  const later = tick.firsts.slice(tick.counts.overlapping);
  tick.meets = later.flatMap(({ a, b }) => [a, b]);
  tick.bins = new Array(120).fill(0);
  for (const impact of later) tick.bins[Math.min(119, Math.floor(impact.t * 120))]++;
  list();
  pick(now.picked < tick.boxes ? now.picked : -1);
}

// Copies the states of all boxes to the graphics card.
function upload() {
  buffers.groups.forEach((group, k) => {
    const states = new Float32Array(2 * group.length);
    group.forEach((row, at) => states.set(tick.states.subarray(2 * row, 2 * row + 2), 2 * at));
    stage.fill(buffers.states[k], states);
  });
}

// The frames of a kind: bounds of paths of boxes in pairs or in none, or boxes at the start. They are computed when first drawn.
function framesOf(kind) {
  if (!buffers.frames[kind]) {
    const lines = [];
    const tints = { paired: [...linear("#4f6f8f"), 0.5], others: [...linear("#8fa3b8"), 0.45], start: [...COLOURS[0], 0.6] };
    for (let row = 0; row < tick.boxes; row++) {
      const paired = tick.states[2 * row] % DIMMED >= PAIRED || tick.states[2 * row + 1] < NEVER;
      if (kind === "start" ? !tick.moves[row] : paired !== (kind === "paired")) continue;
      edgesOfBox(...(kind === "start" ? cornersOf(tick.rows, row, 0) : boundsOf(tick.rows, row)), tints[kind], lines);
    }
    buffers.frames[kind] = new Float32Array(lines);
  }
  return buffers.frames[kind];
}

// Bodies with a shape, at their current poses; large ones are transparent.
function shapes() {
  const seen = [];
  const drawn = visible();
  for (const body of tick.shaped.values()) {
    const look = lookOf(tick, body.at, now.t);
    if (!drawn[look]) continue;
    const dim = tick.states[2 * body.at] >= DIMMED;
    seen.push([body, dim ? mix(COLOURS[look], [0.91, 0.93, 0.95], 0.8) : COLOURS[look]]);
  }
  const edges = [[], []];
  for (const large of [false, true]) {
    for (const [body, colour] of seen.filter(([{ at }]) => tick.large.has(at) === large)) {
      const [mesh, pose] = [meshes[body.mesh], poseAt(body, now.t)];
      stage.mesh(mesh, pose, [...colour, large ? 0.2 : 1]);
      const model = poseMatrix(pose);
      const tint = [...times(colour, 0.25), 0.8];
      for (const [from, to] of mesh.sharp) edges[0].push(...placed(model, from), ...placed(model, to), ...tint);
      if (shows("held")) edgesOfBox(...cornersOf(tick.rows, body.at, now.t), [...colour, 0.9], edges[1]);
    }
  }
  for (const list of edges) stage.lines(list, { width: 1 });
}

function list() {
  const later = tick.impacts.slice(tick.overlaps);
  const rows = later.slice(0, IMPACTS_LISTED).map((impact) => {
    const button = make("button", { title: "show this time" }, impact.t.toFixed(4), make("span", {}, `${tick.nameOf(impact.a)} × ${tick.nameOf(impact.b)}${impact.more}`));
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
  // Boxes without extent are seen from a distance, too.
  camera.away = Math.min(camera.away, Math.max(8 * Math.min(a, b), 3 * Math.max(a, b), 0.01 * camera.size));
  redraw();
}

// Lines between the middles of pairs; ten numbers each. If a box is picked, those of its pairs alone.
function between(pairs, tint) {
  const lines = new Float32Array(5 * pairs.length);
  const { rows } = tick;
  let at = 0;
  for (let k = 0; k < pairs.length; k += 2) {
    const [a, b] = [pairs[k], pairs[k + 1]];
    if (now.picked >= 0 && a !== now.picked && b !== now.picked) continue;
    for (const row of [a, b]) {
      for (let axis = 9 * row; axis < 9 * row + 3; axis++) {
        lines[at++] = 0.5 * (rows[axis] + rows[axis + 3]) + rows[axis + 6] * now.t;
      }
    }
    lines.set(tint, at);
    at += 4;
  }
  return lines.subarray(0, at);
}

// Start, end and current position of fast boxes; if a box is picked, of this one alone.
function paths() {
  const fast = now.picked < 0 ? tick.fast : tick.moves[now.picked] ? [now.picked] : [];
  const lines = new Float32Array(20 * fast.length);
  const dots = [];
  const few = fast.length <= DOTS_MAX;
  const [met, before] = [linear("#b01e00"), linear("#1d4f78")];
  fast.forEach((row, k) => {
    const [from, here, to] = [0, now.t, 1].map((t) => centreOf(tick.rows, row, t));
    const tint = tick.states[2 * row + 1] <= now.t ? met : before;
    lines.set([...from, ...here, ...tint, 0.95, ...here, ...to, ...tint, 0.3], 20 * k);
    if (few) dots.push(...here, 6, ...tint, 1);
  });
  stage.lines(lines, { width: few ? 2 : 1, hidden: few ? 0.5 : 0 });
  stage.dots(dots);
}

// Frames around boxes, for instance those of a pair that was chosen.
function outline(rows, tint, width) {
  const frames = [];
  for (const row of rows) edgesOfBox(...cornersOf(tick.rows, row, now.t), tint, frames);
  stage.lines(frames, { width, hidden: 0.5 });
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
  stage.begin(camera);
  const { low, high } = tick;
  const reach = norm(minus(high, low));
  const step = 10 ** Math.floor(Math.log10(reach / 8));
  stage.ground([(low[0] + high[0]) / 2, low[1] - 0.02 * reach, (low[2] + high[2]) / 2], reach * 1.6, step);
  const drawn = (k, more) => {
    const { rows, states, groups } = buffers;
    stage.boxes(rows[k], states[k], groups[k].length, { t: now.t, palette: PALETTE, visible: visible(), ...more });
  };
  drawn(0, {});
  shapes();
  drawn(1, { alpha: 0.16 });
  const picked = now.picked >= 0;
  if (shows("all-bounds") && !picked) stage.lines(framesOf("others"), { width: 1 });
  if (shows("bounds") && !picked) stage.lines(framesOf("paired"), { width: 1 });
  if (shows("start") && !picked) stage.lines(framesOf("start"), { width: 1 });
  // The more lines, the paler each.
  const faint = Math.min(1, Math.max(0.18, 12 / Math.sqrt(tick.dropped.length + 1)));
  if (shows("union")) stage.lines(between(tick.dropped, [...CANDIDATE, faint]), { width: 1.25, hidden: 0.3 });
  if (shows("swept")) stage.lines(between(tick.meets, [...TOUCHES, 0.9]), { width: 2, hidden: 0.4 });
  if (shows("paths")) paths();
  if (shows("points")) {
    const shown = picked ? tick.impacts.filter(({ a, b }) => a === now.picked || b === now.picked) : tick.impacts;
    const met = shown.filter((impact) => !impact.unresolved && impact.t > 0 && impact.t <= now.t);
    stage.dots(met.flatMap((impact) => {
      const fresh = Math.max(0, 1 - (now.t - impact.t) * 8);
      return [...impact.at, 8 + 9 * fresh, ...linear("#b01e00"), 1];
    }));
  }
  if (now.chosen) {
    outline([now.chosen.a, now.chosen.b], [...linear("#1f2a37"), 1], 2.5);
    const { at, normal } = now.chosen;
    // The same length on the screen from every distance.
    if (normal) {
      const tip = add(at, times(normal, 0.12 * camera.away));
      stage.lines([...at, ...tip, ...linear("#b01e00"), 1], { width: 3, hidden: 0.7 });
      stage.dots([...tip, 7, ...linear("#b01e00"), 1]);
    }
  }
  if (picked) {
    const frame = [];
    edgesOfBox(...boundsOf(tick.rows, now.picked), [...linear("#4f6f8f"), 0.8], frame);
    stage.lines(frame, { width: 1.25, hidden: 0.4 });
    outline([now.picked], [...linear("#1f6fa8"), 1], 3);
  }
  if (now.hovered >= 0 && now.hovered !== now.picked) outline([now.hovered], [...linear("#1f2a37"), 0.9], 1.75);
  showTexts();
}

function showTexts() {
  const { overlapping, meeting } = tick.counts;
  const numbers = {
    boxes: tick.boxes,
    moving: tick.moves.reduce((sum, moves) => sum + moves, 0),
    candidates: tick.union.length / 2,
    dropped: tick.dropped.length / 2,
    overlaps: overlapping,
    meeting,
    met: tick.firsts.filter((impact) => impact.t > 0 && impact.t <= now.t).length,
  };
  for (const [id, number] of Object.entries(numbers)) $(id).textContent = number.toLocaleString("en");
  for (const impact of tick.impacts.slice(tick.overlaps, tick.overlaps + IMPACTS_LISTED)) {
    impact.button.classList.toggle("done", !impact.unresolved && impact.t <= now.t);
    impact.button.classList.toggle("chosen", impact === now.chosen);
  }
  $("tick").value = now.tick;
  $("time").value = now.t;
  $("tick-text").textContent = `${tick.name} (${now.tick + 1} of ${RECORDING.ticks.length})`;
  $("time-text").textContent = `t = ${now.t.toFixed(3)} of the tick`;
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
  const most = Math.max(1, ...tick.bins);
  tick.bins.forEach((count, bin) => {
    const tall = count ? (0.25 + 0.75 * (count / most)) * (high - 4) : 0;
    pen.fillStyle = (bin + 0.5) / 120 <= now.t ? "#d9480f" : "#c9d3dd";
    pen.fillRect(from + (bin / 120) * span, high - tall, Math.max(1, span / 120 - ratio), tall);
  });
}

function start() {
  if (RECORDING.ticks.length === 0) throw new Error("nothing was recorded");
  const wanted = inHash();
  const { view } = RECORDING;
  $("name").textContent = RECORDING.name;
  $("tick").max = RECORDING.ticks.length - 1;
  // A number of the address, or another one if it is not finite.
  const finite = (name, otherwise) => (wanted[name] && Number.isFinite(Number(wanted[name])) ? Number(wanted[name]) : otherwise);
  load(Math.trunc(finite("tick", view?.tick ?? 0)));
  now.t = Math.max(0, Math.min(1, finite("t", view?.t ?? 0.5)));
  camera.fit(view?.low ?? tick.low, view?.high ?? tick.high, { fill: 0.95, yaw: view?.yaw, pitch: view?.pitch });
  camera.yaw = finite("yaw", camera.yaw);
  camera.pitch = Math.max(-1.5, Math.min(1.5, finite("pitch", camera.pitch)));
  const near = finite("near", 1);
  if (near > 0) camera.away /= Math.max(1e-6, Math.min(1e6, near));
  const many = tick.boxes > BOXES_MANY ? "bounds,union" : "";
  for (const [names, is] of [[wanted.hide ?? view?.hide ?? many, false], [wanted.show ?? "", true]]) {
    for (const name of names.split(",")) {
      const box = $(`show-${name}`);
      if (box) box.checked = is;
    }
  }
  const row = finite("pick", -1);
  if (row >= 0) pick(Math.min(tick.boxes - 1, Math.trunc(row)));

  const play = () => {
    now.plays = !now.plays;
    redraw();
  };
  $("play").onclick = play;
  $("tick").oninput = () => (load(Number($("tick").value)), redraw());
  $("time").oninput = () => ((now.t = Number($("time").value)), redraw());
  document.querySelectorAll("aside input").forEach((box) => (box.onchange = redraw));
  window.addEventListener("resize", redraw);
  $("unpick").onclick = () => pick(-1);
  camera.hovered = hover;
  camera.clicked = (at) => pick(boxAlong(camera.ray(at), visible()));
  const go = (by) => () => (load(now.tick + by), redraw());
  onKeys(camera, play, { PageDown: go(1), PageUp: go(-1), Escape: () => pick(-1) });
  redraw();
}

try {
  start();
} catch (error) {
  showError(error);
}
document.body.dataset.ready = "true";
