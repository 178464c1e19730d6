// The page of a vertex and a face, or of two edges: four vertices on straight lines, when they first touch, and their distance.

const COLOURS = ["#3f86b8", "#e39a2d"];
const TINTS = COLOURS.map(linear);
const [INK, RED, GREEN] = ["#1f2a37", "#d9480f", "#2b8a3e"].map(linear);
// Pixels around a dot in which a drag moves it.
const REACH = 14;

const canvas = $("canvas");
const stage = new Stage(canvas);
const redraw = drawing(draw);
const camera = new Camera(canvas, redraw);
const now = { t: 0, plays: false, before: 0, query: null, answer: null, stale: false, timeAt: null };

const NAMES = {
  vertex_face: ["vertex", "face 1", "face 2", "face 3"],
  edge_edge: ["edge A, 1", "edge A, 2", "edge B, 1", "edge B, 2"],
};
// The element of each vertex: 0 is the first, 1 the second.
const SIDES = { vertex_face: [0, 1, 1, 1], edge_edge: [0, 0, 1, 1] };

const query = (kind, start, end, minimum_separation = 0) => ({ kind, start, end, minimum_separation });
const PRESETS = {
  "a vertex falls through a moving face": query(
    "vertex_face",
    [[0.2, 2.4, 0.1], [-1.6, 0.2, -1.1], [1.7, 0.1, -0.9], [0.1, 0.3, 1.7]],
    [[-0.1, -0.9, 0.2], [-1.5, 0.8, -1], [1.6, 0.4, -1], [0, 0.9, 1.6]],
  ),
  "a vertex stops above a face: minimum separation": query(
    "vertex_face",
    [[0, 2.4, 0], [-1.6, 0, -1], [1.6, 0, -1], [0, 0, 1.7]],
    [[0, 0.15, 0.1], [-1.6, 0, -1], [1.6, 0, -1], [0, 0, 1.7]],
    0.5,
  ),
  "a vertex passes beside a face": query(
    "vertex_face",
    [[1.5, 2.2, 0.9], [-1.6, 0, -1], [1.6, 0, -1], [0, 0, 1.7]],
    [[1.2, -1.2, 1], [-1.6, 0.3, -1], [1.6, 0.3, -1], [0, 0.3, 1.7]],
  ),
  "two edges cross": query(
    "edge_edge",
    [[-1.7, 1.6, 0.2], [1.5, 2, -0.3], [0.1, 0.3, -1.6], [-0.2, 0.5, 1.6]],
    [[-1.5, -0.2, 0.1], [1.6, -0.5, 0.3], [0.2, 0.9, -1.5], [0, 0.4, 1.7]],
  ),
  "two parallel edges": query(
    "edge_edge",
    [[-1.5, 1.8, 0], [1.5, 1.8, 0], [-1, 0, 0], [2, 0, 0]],
    [[-1.5, -0.6, 0], [1.5, -0.6, 0], [-1, 0, 0], [2, 0, 0]],
  ),
};

const at = (k, t) => mix(now.query.start[k], now.query.end[k], t);

let pending = null;
let again = false;
function refresh() {
  again = true;
  pending ??= answerAll().finally(() => (pending = null));
  return pending;
}

async function answerAll() {
  while (again) {
    again = false;
    try {
      const reply = await fetch("/elements", { method: "POST", body: JSON.stringify(now.query) });
      if (!reply.ok) throw new Error((await reply.text()).trim());
      Object.assign(now, { answer: { ...(await reply.json()), steps: [] }, stale: false });
      $("trouble").hidden = true;
    } catch (error) {
      now.stale = true;
      showError(error);
    }
  }
  redraw();
}

function edited() {
  toHash({ query: JSON.stringify(now.query) });
  return refresh();
}

// Both ends of the path of each vertex.
const handles = () => ["start", "end"].flatMap((when) => [0, 1, 2, 3].map((k) => ({ when, k, point: now.query[when][k] })));

function handleAt(pixel) {
  const far = (handle) => Math.hypot(...minus(camera.screen(handle.point), pixel));
  const nearest = handles().reduce((best, handle) => (far(handle) < far(best) ? handle : best));
  return far(nearest) < REACH ? nearest : null;
}

function grab(pixel) {
  const handle = handleAt(pixel);
  if (!handle) return null;
  now.plays = false;
  const { when, k, point } = handle;
  const from = [...point];
  return dragFrom(camera, pixel, from, (by) => {
    now.query[when][k] = add(from, by).map((x) => Math.round(x * 1000) / 1000);
    form();
    edited();
  });
}

function form() {
  const { query } = now;
  const number = (value, label, store) => {
    const input = make("input", { type: "number", step: 0.1, value: Number(value.toFixed(4)), ariaLabel: label });
    input.oninput = () => {
      if (!Number.isFinite(input.valueAsNumber)) return;
      store(input.valueAsNumber);
      edited();
    };
    return input;
  };
  const kinds = make("select", { ariaLabel: "kind" }, make("option", { value: "vertex_face" }, "vertex and face"), make("option", { value: "edge_edge" }, "two edges"));
  kinds.value = query.kind;
  kinds.onchange = () => ((query.kind = kinds.value), form(), edited());
  const points = (when) => NAMES[query.kind].map((name, k) => {
    const inputs = [0, 1, 2].map((axis) => number(query[when][k][axis], `${name} ${when} ${"xyz"[axis]}`, (x) => (query[when][k][axis] = x)));
    return make("div", { className: "row" }, make("span", { style: `color: ${COLOURS[SIDES[query.kind][k]]}` }, name), ...inputs);
  });
  const axes = () => make("div", { className: "row" }, make("span", {}), ...["x", "y", "z"].map((axis) => make("span", { className: "axis" }, axis)));
  $("panel").replaceChildren(
    make("h2", {}, "Elements"),
    make("div", { className: "row" }, make("span", {}, "kind"), kinds),
    make("div", { className: "row", title: "the distance that counts as touching" }, make("span", {}, "separation"), number(query.minimum_separation, "minimum separation", (x) => (query.minimum_separation = x))),
    make("h2", {}, "Start of the tick"), axes(), ...points("start"),
    make("h2", {}, "End of the tick"), ...points("end"),
  );
}

// The edges of both elements at a time.
function edgesOf(t) {
  const [a, b, c, d] = [0, 1, 2, 3].map((k) => at(k, t));
  return now.query.kind === "vertex_face" ? [[b, c, 1], [c, d, 1], [d, b, 1]] : [[a, b, 0], [c, d, 1]];
}

function drawElements(t, tints, opaque, width) {
  if (now.query.kind === "vertex_face") {
    const corners = [1, 2, 3].map((k) => at(k, t));
    const across = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
    now.face ??= { positions: stage.gl.createBuffer(), normals: stage.gl.createBuffer(), triangles: 1 };
    stage.fill(now.face.positions, new Float32Array(corners.flat()));
    stage.fill(now.face.normals, new Float32Array([across, across, across].flat()));
    // A transparent triangle is drawn from its front only, so it is drawn from both sides.
    for (const order of opaque < 1 ? [corners, [...corners].reverse()] : [corners]) {
      stage.fill(now.face.positions, new Float32Array(order.flat()));
      stage.mesh(now.face, { position: [0, 0, 0], rotation: [0, 0, 0, 1] }, [...tints[1], opaque]);
    }
  }
  const lines = edgesOf(t).flatMap(([from, to, side]) => [...from, ...to, ...mix(tints[side], INK, 0.25), Math.max(0.5, opaque)]);
  stage.lines(lines, { width, hidden: 0.5 });
  const dots = now.query.kind === "vertex_face" ? [0] : [];
  stage.dots(dots.flatMap((k) => [...at(k, t), 12, ...tints[0], Math.max(0.5, opaque)]));
}

function draw(time) {
  if (now.plays && now.answer) {
    now.t += Math.min(0.1, Math.max(0, (time - now.before) / 1000)) / 3;
    if (now.t > 1) now.t = 0;
    redraw();
  }
  now.before = time;
  stage.begin(camera);
  if (!now.answer) return;
  const { toi, path } = now.answer;
  const { low, high } = extent();
  const reach = Math.max(norm(minus(high, low)), 1e-6);
  stage.ground([(low[0] + high[0]) / 2, low[1] - 0.05 * reach, (low[2] + high[2]) / 2], reach * 2, 10 ** Math.round(Math.log10(reach / 12)));
  const sides = SIDES[now.query.kind];
  const paths = [0, 1, 2, 3].flatMap((k) => [...now.query.start[k], ...now.query.end[k], ...mix(TINTS[sides[k]], INK, 0.2), 0.7]);
  drawElements(now.t, TINTS, 1, 3);
  if (toi.kind === "impact") drawElements(toi.t, TINTS.map((tint) => mix(tint, RED, 0.7)), 0.25, 2);
  stage.lines(paths, { width: 1.5, hidden: 0.5 });
  stage.dots(handles().flatMap(({ when, k, point }) => [...point, when === "start" ? 9 : 12, ...mix(TINTS[sides[k]], when === "start" ? [1, 1, 1] : INK, 0.4), 1]));
  const here = path[Math.round(now.t * (path.length - 1))];
  stage.lines([...here.on_a, ...here.on_b, ...GREEN, 0.9], { width: 2, hidden: 0.6 });
  stage.dots([here.on_a, here.on_b].flatMap((point) => [...point, 7, ...GREEN, 1]));
  if (toi.kind === "impact") {
    const from = path[Math.round(toi.t * (path.length - 1))].on_a;
    const tip = add(from, times(toi.normal, 0.12 * reach));
    stage.lines([...from, ...tip, ...RED, 1], { width: 3, hidden: 0.8 });
    stage.dots([...tip, 8, ...RED, 1]);
  }
  showTexts(here);
}

function extent() {
  const points = handles().map(({ point }) => point);
  return { low: points.reduce((a, b) => a.map((x, k) => Math.min(x, b[k]))), high: points.reduce((a, b) => a.map((x, k) => Math.max(x, b[k]))) };
}

function showTexts(here) {
  const { toi } = now.answer;
  const { kind, minimum_separation: separation } = now.query;
  const what = kind === "vertex_face" ? "the vertex and the face" : "the two edges";
  const near = separation > 0 ? `${short(separation)} apart` : "in contact";
  const where = () => {
    const [u, v] = toi.coordinates.map((x) => short(x, 3));
    return kind === "vertex_face"
      ? `The nearest point of the face has the barycentric coordinates ${short(1 - toi.coordinates[0] - toi.coordinates[1], 3)}, ${u}, ${v}.`
      : `The nearest points are at the fractions ${u} and ${v} of the edges.`;
  };
  const words = { impact: () => `first contact at t = ${short(toi.t, 9)}`, separated: () => "no contact", unresolved: () => `no contact until ${short(toi.t_safe, 7)}, then unresolved` };
  $("verdict").textContent = now.stale ? "the input is invalid" : words[toi.kind]();
  $("verdict").style.color = toi.kind === "separated" ? "#2b8a3e" : "#d9480f";
  const result = {
    impact: () => `At t = ${short(toi.t, 6)} ${what} are ${near} for the first time; the red arrow is the normal. ${where()} The time is never later than the exact one.`,
    separated: () => `A plane separates ${what} at every time of the tick, so a contact is excluded.`,
    unresolved: () => `Until t = ${short(toi.t_safe, 7)} no contact of ${what} is possible; what happens afterwards is not decided.`,
  }[toi.kind]();
  $("sentence").textContent = `Each vertex moves on a straight line. ${result}`;
  $("slider").value = now.t;
  $("time-text").textContent = `t = ${now.t.toFixed(4)}`;
  $("distance-text").textContent = `distance ${short(here.distance)}`;
  $("play").textContent = now.plays ? "Pause" : "Play";
  now.timeAt = timeline($("plot"), now.answer, now.t, separation);
}

async function choose(query) {
  now.query = structuredClone(query);
  form();
  await refresh();
  if (!now.answer) return;
  const { toi } = now.answer;
  now.t = 0.5 * (toi.kind === "impact" ? toi.t : 1);
  const { low, high } = extent();
  camera.fit(low, high, { fill: 0.8, yaw: 0.5, pitch: 0.4 });
  redraw();
}

async function start() {
  const wanted = inHash();
  const names = Object.keys(PRESETS);
  $("preset").append(...names.map((name, k) => make("option", { value: k }, name)));
  $("preset").onchange = () => {
    const index = Number($("preset").value);
    toHash(index > 0 ? { preset: index } : {});
    choose(PRESETS[names[index]]).catch(showError);
  };
  $("slider").oninput = () => ((now.t = Number($("slider").value)), redraw());
  const seek = (event) => {
    if (event.buttons === 0 || !now.timeAt) return;
    ((now.t = now.timeAt(event.offsetX)), (now.plays = false));
    redraw();
  };
  $("plot").addEventListener("pointerdown", (event) => ($("plot").setPointerCapture(event.pointerId), seek(event)));
  $("plot").addEventListener("pointermove", seek);
  const play = () => ((now.plays = !now.plays), redraw());
  $("play").onclick = play;
  window.addEventListener("resize", redraw);
  onKeys(camera, play);
  camera.grab = grab;
  camera.hovered = (pixel) => (canvas.style.cursor = pixel && now.query && handleAt(pixel) ? "move" : "");
  const first = Math.max(0, Math.min(names.length - 1, Math.trunc(Number(wanted.preset)) || 0));
  $("preset").value = first;
  await choose(wanted.query ? JSON.parse(wanted.query) : PRESETS[names[first]]);
}

start().catch(showError).finally(() => (document.body.dataset.ready = "true"));
