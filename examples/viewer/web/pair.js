// The page of one pair: sends requests, draws the response, and plays the motion.

const COLOURS = ["#3f86b8", "#e39a2d"];
const TINTS = COLOURS.map(linear);
const [INK, RED, GREEN] = ["#1f2a37", "#d9480f", "#2b8a3e"].map(linear);

const canvas = $("canvas");
const stage = new Stage(canvas);
const redraw = drawing(draw);
const camera = new Camera(canvas, redraw);
const now = { t: 0, plays: false, before: 0, bodies: [], answer: null, meshes: [null, null], timeAt: null };
// Responses by their request.
const known = new Map();

async function ask(path, question) {
  const reply = await fetch(path, { method: "POST", body: JSON.stringify(question) });
  if (!reply.ok) throw new Error((await reply.text()).trim());
  return reply.json();
}

async function meshOf(body) {
  const key = JSON.stringify(shapeOf(body));
  if (!known.has(key)) {
    const { positions, normals, edges, ...rest } = await ask("/mesh", shapeOf(body));
    const buffer = (text) => stage.buffer(column(Float32Array, text));
    if (known.size > 200) known.clear();
    known.set(key, { positions: buffer(positions), normals: buffer(normals), edges: column(Float32Array, edges), ...rest });
  }
  return known.get(key);
}

// One request at a time; the last one is always sent.
let asks = false;
let again = false;
async function refresh() {
  if (asks) return void (again = true);
  asks = true;
  do {
    again = false;
    try {
      const [a, b] = now.bodies;
      const settings = {
        target_distance: $("target").valueAsNumber || 0,
        touch: $("touch").value,
        window: [$("from").valueAsNumber || 0, $("to").valueAsNumber || 0],
      };
      const question = { a: askedOf(a), b: askedOf(b), settings };
      const [answer, ...meshes] = await Promise.all([ask("/pair", question), meshOf(a), meshOf(b)]);
      Object.assign(now, { answer, meshes, stale: false });
      $("trouble").hidden = true;
    } catch (error) {
      now.stale = true;
      tell(error);
    }
  } while (again);
  asks = false;
  redraw();
}

// After an edit the address contains the pair, so that it can be shared.
function edited() {
  history.replaceState(null, "", `#pair=${encodeURIComponent(JSON.stringify(now.bodies))}`);
  refresh();
}

// The time that is shown first: the impact, or the end.
function told() {
  const { toi } = now.answer;
  return toi.kind === "impact" ? toi.t : toi.kind === "unresolved" ? toi.t_safe : 1;
}

// The sample of the path at `t`: poses, nearest points, distance.
function sampleAt(t) {
  const { path } = now.answer;
  const at = t * (path.length - 1);
  const k = Math.min(path.length - 2, Math.floor(at));
  const [one, next, s] = [path[k], path[k + 1], at - k];
  return {
    a: betweenPoses(one.a, next.a, s),
    b: betweenPoses(one.b, next.b, s),
    distance: mix([one.distance], [next.distance], s)[0],
    // Nearest points jump, so those of the nearer sample are drawn.
    points: s < 0.5 ? [one.on_a, one.on_b] : [next.on_a, next.on_b],
  };
}

// Sharp edges, and other edges that are on the outline in this view.
function edgesAt(mesh, pose, tint) {
  const model = poseMatrix(pose);
  const away = minus(stage.always.eye, pose.position);
  const eye = [0, 4, 8].map((c) => dot(away, model.slice(c, c + 3)));
  const lines = [];
  for (let k = 0; k < mesh.edges.length; k += 12) {
    const [from, to, one, other] = [0, 3, 6, 9].map((at) => Array.from(mesh.edges.subarray(k + at, k + at + 3)));
    const ray = minus(eye, from);
    if (dot(one, other) < mesh.smooth || dot(one, ray) > 0 !== dot(other, ray) > 0) {
      lines.push(...placed(model, from), ...placed(model, to), ...tint);
    }
  }
  return lines;
}

// The bounds of both paths.
function extent() {
  const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
  for (const [least, most] of now.answer.bounds) {
    for (let axis = 0; axis < 3; axis++) {
      low[axis] = Math.min(low[axis], least[axis]);
      high[axis] = Math.max(high[axis], most[axis]);
    }
  }
  return { low, high };
}

function draw(time) {
  if (now.plays && now.answer) {
    now.t += Math.min(0.1, Math.max(0, (time - now.before) / 1000)) / 3;
    if (now.t > 1) now.t = 0;
    redraw();
  }
  now.before = time;
  stage.begin(camera);
  if (!now.answer || now.meshes.includes(null)) return;
  const { answer, meshes } = now;
  const { low, high } = extent();
  const reach = Math.max(norm(minus(high, low)), 1e-6);
  const ground = [(low[0] + high[0]) / 2, Math.min(0, low[1]) - 0.001 * reach, (low[2] + high[2]) / 2];
  stage.ground(ground, reach * 2.2, 10 ** Math.round(Math.log10(reach / 12)));

  const here = sampleAt(now.t);
  const poses = [here.a, here.b];
  const start = answer.path[0];
  meshes.forEach((mesh, k) => stage.shadow(mesh, poses[k], ground[1] + 0.0005 * reach, 0.16));
  const hits = answer.toi.kind === "impact";
  meshes.forEach((mesh, k) => {
    stage.mesh(mesh, poses[k], [...TINTS[k], 1]);
    stage.lines(edgesAt(mesh, poses[k], [...times(TINTS[k], 0.22), 0.85]), { width: 1.5 });
  });
  paths(here);
  meshes.forEach((mesh, k) => {
    const ghost = [start.a, start.b][k];
    stage.mesh(mesh, ghost, [...mix(TINTS[k], [1, 1, 1], 0.45), 0.16]);
    stage.lines(edgesAt(mesh, ghost, [...TINTS[k], 0.5]), { width: 1 });
    if (!hits) return;
    stage.mesh(mesh, answer.poses[k], [...mix(TINTS[k], RED, 0.6), 0.16]);
    stage.lines(edgesAt(mesh, answer.poses[k], [...RED, 0.75]), { width: 1.5, hidden: 0.25 });
  });
  if ($("show-bounds").checked) {
    answer.bounds.forEach(([least, most], k) => {
      const frame = [];
      edgesOfBox(least, most, [...TINTS[k], 0.8], frame);
      stage.lines(frame, { width: 1 });
    });
  }
  contact(here, reach);
  say(here);
}

// Paths of both bodies: bold up to the end of the free time, pale after it, and the positions of the steps.
function paths() {
  const { path, steps } = now.answer;
  const end = told();
  const lines = [];
  const dots = [];
  ["a", "b"].forEach((body, which) => {
    for (let k = 0; k + 1 < path.length; k++) {
      const after = path[k].t >= end;
      if (after && k % 4 >= 2) continue;
      const tint = mix(TINTS[which], INK, 0.25);
      lines.push(...path[k][body].position, ...path[k + 1][body].position, ...tint, after ? 0.55 : 0.95);
    }
    for (const step of steps) dots.push(...sampleAt(step.t)[body].position, 8, ...INK, 1);
  });
  stage.lines(lines, { width: 2.5, hidden: 0.5 });
  stage.dots(dots);
}

// Current nearest points; points and normal of the contact.
function contact(here, reach) {
  const { toi } = now.answer;
  const [on_a, on_b] = here.points;
  stage.lines([...on_a, ...on_b, ...GREEN, 0.9], { width: 2, hidden: 0.6 });
  stage.dots([on_a, on_b].flatMap((point) => [...point, 8, ...GREEN, 1]));
  if (!toi.normal) return;
  const tip = add(toi.on_a, times(toi.normal, 0.11 * reach));
  const aside = unit(cross(toi.normal, Math.abs(toi.normal[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  const wing = (sign) => add(mix(toi.on_a, tip, 0.8), times(aside, 0.012 * sign * reach));
  const arrow = [[toi.on_a, tip], [tip, wing(1)], [tip, wing(-1)]];
  stage.lines(arrow.flatMap(([from, to]) => [...from, ...to, ...RED, 1]), { width: 3, hidden: 0.8 });
  stage.dots([toi.on_a, toi.on_b].flatMap((point) => [...point, 10, ...RED, 1]));
}

function say(here) {
  const { toi, rounds, supports, steps } = now.answer;
  const rests = steps.length > 0 && steps[0].gap < 1e-6 + ($("target").valueAsNumber || 0);
  const words = {
    impact: () => `first touch at t = ${short(toi.t, 7)}`,
    overlapping: () => `they overlap by ${short(toi.depth)}`,
    separated: () => (rests ? "they touch and do not close: no impact" : "they do not touch"),
    unresolved: () => `no contact until ${short(toi.t_safe, 7)}, then unresolved`,
  };
  $("verdict").textContent = now.stale ? "the picture shows the last valid input" : words[toi.kind]();
  $("verdict").style.color = toi.kind === "separated" ? "#2b8a3e" : "#d9480f";
  const closing = toi.closing === undefined ? "" : `closing ${short(toi.closing)} · `;
  $("cost").textContent = `${closing}${rounds} ${rounds === 1 ? "step" : "steps"} · ${supports} supports`;
  $("slider").value = now.t;
  $("time-says").textContent = `t = ${now.t.toFixed(4)}`;
  $("distance-says").textContent = `distance ${short(here.distance)}`;
  $("play").textContent = now.plays ? "Pause" : "Play";
  now.timeAt = timeline($("plot"), now.answer, now.t, $("target").valueAsNumber || 0);
}

async function choose(bodies, t) {
  now.bodies = structuredClone(bodies);
  ["a", "b"].forEach((which, k) => panel($(`panel-${which}`), which.toUpperCase(), COLOURS[k], now.bodies[k], edited));
  await refresh();
  if (!now.answer) return;
  now.t = t ?? 0.55 * told();
  const { low, high } = extent();
  camera.fit(low, high, 0.8);
  ((camera.yaw = 0.35), (camera.pitch = 0.3));
  redraw();
}

async function start() {
  const wanted = inHash();
  const names = Object.keys(PRESETS);
  $("preset").append(...names.map((name, k) => make("option", { value: k }, name)));
  $("preset").onchange = () => choose(PRESETS[names[$("preset").value]]);
  for (const id of ["target", "touch", "from", "to"]) $(id).oninput = refresh;
  $("show-bounds").onchange = redraw;
  $("slider").oninput = () => ((now.t = Number($("slider").value)), redraw());
  const seek = (event) => {
    if (event.buttons === 0 || !now.timeAt) return;
    now.t = now.timeAt(event.offsetX);
    now.plays = false;
    redraw();
  };
  $("plot").addEventListener("pointerdown", (event) => ($("plot").setPointerCapture(event.pointerId), seek(event)));
  $("plot").addEventListener("pointermove", seek);
  const play = () => ((now.plays = !now.plays), redraw());
  $("play").onclick = play;
  window.addEventListener("resize", redraw);
  window.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.target.matches("input, button, select")) return;
    event.preventDefault();
    play();
  });
  const first = Math.max(0, Math.min(names.length - 1, Math.trunc(Number(wanted.preset)) || 0));
  $("preset").value = first;
  const bodies = wanted.pair ? JSON.parse(wanted.pair) : PRESETS[names[first]];
  await choose(bodies, wanted.t === undefined ? undefined : Math.max(0, Math.min(1, Number(wanted.t) || 0)));
}

start().catch(tell);
