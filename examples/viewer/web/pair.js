// The page of one pair: sends requests, draws the response, and plays the motion.

const COLOURS = ["#3f86b8", "#e39a2d"];
const TINTS = COLOURS.map(linear);
const [INK, RED, GREEN] = ["#1f2a37", "#d9480f", "#2b8a3e"].map(linear);

const canvas = $("canvas");
const stage = new Stage(canvas);
const redraw = drawing(draw);
const camera = new Camera(canvas, redraw);
const now = { t: 0, plays: false, before: 0, bodies: [], answer: null, meshes: [null, null], timeAt: null, step: -1 };
const SETTINGS = ["target", "touch", "from", "to"];
// Responses by their request.
const known = new Map();

async function post(path, question) {
  const reply = await fetch(path, { method: "POST", body: JSON.stringify(question) });
  if (!reply.ok) throw new Error((await reply.text()).trim());
  return reply.json();
}

async function meshOf(body) {
  const key = JSON.stringify(shapeOf(body));
  if (!known.has(key)) {
    const { positions, normals, edges, ...rest } = await post("/mesh", shapeOf(body));
    const [corners, across] = [positions, normals].map((text) => column(Float32Array, text));
    if (known.size > 200) known.clear();
    const mesh = { positions: stage.buffer(corners), normals: stage.buffer(across), edges: column(Float32Array, edges), corners, ...rest };
    known.set(key, mesh);
  }
  return known.get(key);
}

// One request at a time; the last one is always sent. Returns a promise that ends after the last.
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
      const [a, b] = now.bodies;
      const settings = {
        target_distance: $("target").valueAsNumber || 0,
        touch: $("touch").value,
        window: [$("from").valueAsNumber || 0, $("to").valueAsNumber || 0],
      };
      const question = { a: askedOf(a), b: askedOf(b), settings };
      const [answer, ...meshes] = await Promise.all([post("/pair", question), meshOf(a), meshOf(b)]);
      answer.terrain = [a, b].some((body) => body.form.kind === "terrain");
      Object.assign(now, { answer, meshes, stale: false, step: Math.min(now.step, answer.steps.length - 1), hit: null });
      if (answer.triangle) {
        const { corners } = answer.triangle;
        const across = unit(cross(minus(corners[1], corners[0]), minus(corners[2], corners[0])));
        const buffer = (rows) => stage.buffer(new Float32Array(rows.flat()));
        now.hit = { positions: buffer(corners), normals: buffer([across, across, across]), triangles: 1 };
      }
      $("trouble").hidden = true;
    } catch (error) {
      now.stale = true;
      showError(error);
    }
  }
  redraw();
}

// After an edit the address contains the bodies and the settings, so that the pair can be shared.
function edited() {
  const settings = Object.fromEntries(SETTINGS.map((id) => [id, $(id).value]));
  toHash({ pair: JSON.stringify(now.bodies), ...settings });
  return refresh();
}

// Shows a step of the search, or all of it with -1.
function showStep(step) {
  if (!now.answer) return;
  now.step = Math.max(-1, Math.min(now.answer.steps.length - 1, step));
  now.plays = false;
  if (now.step >= 0) now.t = now.answer.steps[now.step].t;
  redraw();
}

// The body under a pixel, and the point that is hit.
function bodyAt(at) {
  if (!now.answer || now.meshes.includes(null)) return null;
  const here = sampleAt(now.t);
  const ray = camera.ray(at);
  const hits = now.meshes.map((mesh, k) => hitOfMesh(mesh.corners, [here.a, here.b][k], ray));
  const far = Math.min(...hits);
  return Number.isFinite(far) ? { which: hits.indexOf(far), point: add(ray.eye, times(ray.way, far)) } : null;
}

// A drag that begins on a body moves it.
function grab(at) {
  const found = bodyAt(at);
  if (!found) return null;
  now.plays = false;
  const { which, point } = found;
  const position = [...now.bodies[which].position];
  return dragFrom(camera, at, point, (by) => {
    // A thousandth is less than a pixel, and short in the address.
    now.bodies[which].position = add(position, by).map((x) => Math.round(x * 1000) / 1000);
    showPanel(which);
    edited();
  });
}

const showPanel = (k) => panel($(`panel-${"ab"[k]}`), "AB"[k], COLOURS[k], now.bodies[k], edited);

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
  if (now.hit) {
    const pose = poses[answer.triangle.body];
    const corners = answer.triangle.corners.map((corner) => placed(poseMatrix(pose), corner));
    stage.mesh(now.hit, pose, [...RED, 1]);
    stage.lines(corners.flatMap((from, k) => [...from, ...corners[(k + 1) % 3], ...RED, 1]), { width: 3, hidden: 0.6 });
  }
  paths(here);
  meshes.forEach((mesh, k) => {
    if (now.bodies[k].form.kind === "terrain" && now.bodies[k].delta.every((x) => x === 0)) return;
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
  const step = answer.steps[now.step];
  if (step && step.gap !== null) drawPlane(stage, mix(...here.points, 0.5), step.normal, 0.14 * reach, INK);
  showTexts(here);
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

function showTexts(here) {
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
  $("sentence").textContent = now.step < 0 ? searchSentence(now.answer) : stepSentence(now.answer, now.step, $("target").valueAsNumber || 0);
  $("step-text").textContent = now.step < 0 ? `${steps.length} ${steps.length === 1 ? "step" : "steps"}` : `step ${now.step + 1} of ${steps.length}`;
  ($("step-before").disabled = now.step < 0), ($("step-next").disabled = now.step >= steps.length - 1);
  $("slider").value = now.t;
  $("time-text").textContent = `t = ${now.t.toFixed(4)}`;
  $("distance-text").textContent = `distance ${short(here.distance)}`;
  $("play").textContent = now.plays ? "Pause" : "Play";
  now.timeAt = timeline($("plot"), now.answer, now.t, $("target").valueAsNumber || 0, now.step);
}

async function choose(bodies, t) {
  ((now.bodies = structuredClone(bodies)), (now.step = -1));
  [0, 1].forEach(showPanel);
  await refresh();
  if (!now.answer) return;
  now.t = t ?? 0.55 * told();
  const { low, high } = extent();
  // A terrain is seen from above.
  camera.fit(low, high, { fill: 0.8, yaw: 0.35, pitch: now.answer.terrain ? 0.75 : 0.3 });
  redraw();
}

// An example, with default settings; the address names it alone.
function choosePreset(index) {
  for (const id of SETTINGS) $(id).value = { target: 0, touch: "if_closing", from: 0, to: 1 }[id];
  toHash(index > 0 ? { preset: index } : {});
  return choose(Object.values(PRESETS)[index]);
}

async function start() {
  const wanted = inHash();
  const names = Object.keys(PRESETS);
  $("preset").append(...names.map((name, k) => make("option", { value: k }, name)));
  $("preset").onchange = () => choosePreset(Number($("preset").value)).catch(showError);
  for (const id of SETTINGS) $(id).oninput = edited;
  $("show-bounds").onchange = redraw;
  $("slider").oninput = () => ((now.t = Number($("slider").value)), (now.step = -1), redraw());
  const seek = (event) => {
    if (event.buttons === 0 || !now.timeAt) return;
    ((now.t = now.timeAt(event.offsetX)), (now.step = -1), (now.plays = false));
    redraw();
  };
  $("plot").addEventListener("pointerdown", (event) => ($("plot").setPointerCapture(event.pointerId), seek(event)));
  $("plot").addEventListener("pointermove", seek);
  const play = () => ((now.plays = !now.plays), (now.step = -1), redraw());
  $("play").onclick = play;
  window.addEventListener("resize", redraw);
  const [before, next] = [() => showStep(now.step - 1), () => showStep(now.step + 1)];
  ($("step-before").onclick = before), ($("step-next").onclick = next);
  onKeys(camera, play, { PageUp: before, PageDown: next, Escape: () => showStep(-1) });
  camera.grab = grab;
  camera.hovered = (at) => (canvas.style.cursor = at && bodyAt(at) ? "move" : "");
  const first = Math.max(0, Math.min(names.length - 1, Math.trunc(Number(wanted.preset)) || 0));
  $("preset").value = first;
  for (const id of SETTINGS) if (wanted[id] !== undefined) $(id).value = wanted[id];
  const bodies = wanted.pair ? JSON.parse(wanted.pair) : PRESETS[names[first]];
  await choose(bodies, wanted.t === undefined ? undefined : Math.max(0, Math.min(1, Number(wanted.t) || 0)));
  if (wanted.step !== undefined) showStep(Math.trunc(Number(wanted.step)) || 0);
}

start().catch(showError).finally(() => (document.body.dataset.ready = "true"));
