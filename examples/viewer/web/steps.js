// The caption of the pair page: what a step of the search did, in words.
//
// A step is at a time `t`, with a unit normal along which the gap between the two shapes is `gap`. Until the next step's time no
// motion can close this gap, so the time in between is proved to be free.

// A sentence about step `k` of an answer.
function stepSentence({ steps, toi, triangle }, k, target) {
  const step = steps[k];
  const next = steps[k + 1];
  const at = `At t = ${short(step.t, 5)}`;
  const near = target > 0 ? `the target distance ${short(target)}` : "zero";
  if (step.gap === null) return `${at} the search finds no direction in which the shapes are apart: they overlap.`;
  const gap = `${at} the shapes are ${short(Math.max(0, step.gap))} apart along the arrow; the square is a plane between them.`;
  if (next) {
    return `${gap} The gap along this direction cannot fall to ${near} before t = ${short(next.t, 5)}, so there is no contact until then, and the search goes on from there.`;
  }
  if (toi.kind === "impact") return `${at} the gap along the arrow has fallen to ${near}, within the tolerance: this is the first contact.`;
  if (toi.kind === "unresolved") return `${gap} The limit of steps is reached, and the time until here is proved to be free.`;
  if (toi.kind === "overlapping") return `${at} the shapes overlap already.`;
  if (step.gap < 1e-6 + target) return `${at} the shapes touch, but they do not move towards each other: this is no impact.`;
  return `${gap} It stays open until the end: they do not touch${triangle ? " this triangle" : ""}.`;
}

// A sentence about the whole search.
function searchSentence({ steps, toi, triangle, terrain }) {
  const of = triangle ? ` Of ${triangle.of} triangles ${triangle.tests} were searched; number ${triangle.row} is hit, and the steps are those of its search.` : "";
  const what = terrain ? "the shape and each triangle that its path comes near" : "the shapes";
  const count = steps.length === 1 ? "one step" : `${steps.length} steps`;
  const end = {
    impact: "the first contact is found",
    overlapping: "the shapes overlap at the start",
    separated: "no contact is possible until the end",
    unresolved: "the limit of steps is reached",
  }[toi.kind];
  if (steps.length === 0) return `No step was needed: ${end}.`;
  return `The search looks for planes between ${what} and jumps to the time until which a plane must separate them: ${count}, then ${end}.${of}`;
}

// The separating plane of a step as a square with its normal, in front of everything.
function drawPlane(stage, middle, normal, size, tint) {
  const aside = unit(cross(normal, Math.abs(normal[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0]));
  const along = cross(normal, aside);
  const corner = (u, v) => add(middle, add(times(aside, u * size), times(along, v * size)));
  const corners = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  const tip = add(middle, times(normal, 0.5 * size));
  const lines = corners.map((from, k) => [from, corners[(k + 1) % 4]]);
  for (const k of [-0.5, 0, 0.5]) lines.push([corner(k, -1), corner(k, 1)], [corner(-1, k), corner(1, k)]);
  const faint = lines.flatMap(([from, to], k) => [...from, ...to, ...tint, k < 4 ? 0.9 : 0.35]);
  stage.lines(faint, { width: 1.5, hidden: 0.6 });
  stage.lines([...middle, ...tip, ...tint, 1], { width: 3, hidden: 0.8 });
  stage.dots([...tip, 8, ...tint, 1]);
}
