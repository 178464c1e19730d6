// The form for two bodies, and examples.

// Each kind of shape and its lengths: a name, and the initial numbers.
const FORMS = {
  cuboid: [["half", [0.8, 0.5, 0.6]]],
  sphere: [["radius", [0.7]]],
  capsule: [["half_height", [0.7]], ["radius", [0.35]]],
  cylinder: [["half_height", [0.7]], ["radius", [0.6]]],
  cone: [["half_height", [0.8]], ["radius", [0.7]]],
  hull: [["points", [24]], ["seed", [1]], ["half", [0.9, 0.7, 0.8]]],
  ellipsoid: [["half", [1, 0.5, 0.7]]],
  triangle: [["a", [-0.8, -0.5, 0]], ["b", [0.8, -0.5, 0]], ["c", [0, 0.9, 0]]],
  segment: [["a", [0, -0.9, 0]], ["b", [0, 0.9, 0]]],
  point: [],
  terrain: [["cells", [8]], ["seed", [4]], ["half", [3, 0.5, 3]]],
};
// Lengths that are whole numbers.
const WHOLE = ["points", "seed", "cells"];

const MOTION = ["position", "rotation", "delta", "accel", "spin"];
const LABELS = { half_height: "half height", delta: "velocity", accel: "accel.", rotation: "turned °" };
const HINTS = {
  rotation: "degrees about x, then y, then z",
  delta: "displacement over the tick",
  accel: "displacement per tick squared",
  spin: "radians over the tick, about this axis",
  rounded: "the shape is enlarged by this distance",
  scale: "along the shape's own axes",
};

const body = (form, motion, more = {}) => ({
  form, rounded: 0, scale: [1, 1, 1], position: [0, 0, 0], rotation: [0, 0, 0], delta: [0, 0, 0],
  accel: [0, 0, 0], spin: [0, 0, 0], ...motion, ...more,
});

const PRESETS = {
  "a spinning bar and a thrown hull": [
    body({ kind: "cuboid", half: [1.7, 0.16, 0.4] }, { position: [-0.6, 1.5, 0], rotation: [0, 0, 25], delta: [0.9, 0.2, 0], spin: [0.3, 0.2, 2.6] }, { rounded: 0.06 }),
    body({ kind: "hull", points: 28, seed: 5, half: [0.75, 0.65, 0.7] }, { position: [4.1, 0.9, 0.5], rotation: [20, 0, 10], delta: [-2.6, 3.6, -0.4], accel: [0, -6.4, 0], spin: [0.8, 0, 1.6] }),
  ],
  "a bullet through a thin wall": [
    body({ kind: "capsule", half_height: 0.25, radius: 0.12 }, { position: [-4, 1.4, 0], rotation: [0, 0, 90], delta: [9, -0.2, 0] }),
    body({ kind: "cuboid", half: [0.02, 1.5, 1.5] }, { position: [0.5, 1.5, 0], rotation: [0, 25, 0] }),
  ],
  "a fast wheel and a plank": [
    body({ kind: "cylinder", half_height: 0.25, radius: 0.9 }, { position: [-2.6, 1.1, 0], rotation: [90, 0, 0], delta: [3.4, 0, 0], spin: [0, 0, -9] }, { rounded: 0.05 }),
    body({ kind: "cuboid", half: [0.2, 1.2, 0.8] }, { position: [1.9, 1.2, 0.2], delta: [-0.5, 0, 0], spin: [0, 0, 0.9] }),
  ],
  "a cone falls on a triangle": [
    body({ kind: "cone", half_height: 0.9, radius: 0.6 }, { position: [0, 3.6, 0], rotation: [150, 0, 20], delta: [0.5, -0.6, 0], accel: [0, -4.5, 0], spin: [0.9, 0.4, 0] }),
    body({ kind: "triangle", a: [-1.8, 0.3, -1.2], b: [1.8, 0.2, -1], c: [0.2, 0.4, 1.8] }, {}),
  ],
  "a crate falls on a terrain of triangles": [
    body({ kind: "cuboid", half: [0.6, 0.4, 0.5] }, { position: [-1.2, 3.1, 0.6], rotation: [15, 0, 25], delta: [1.6, -0.6, -0.5], accel: [0, -4.4, 0], spin: [0.7, 0.3, -0.9] }),
    body({ kind: "terrain", cells: 8, seed: 4, half: [3, 0.5, 3] }, {}),
  ],
  "a thrown crate and a beam": [
    body({ kind: "cuboid", half: [1.7, 0.16, 0.4] }, { position: [-0.6, 1.5, 0], rotation: [0, 0, 25], delta: [0.9, 0.2, 0] }),
    body({ kind: "cuboid", half: [0.7, 0.5, 0.6] }, { position: [4.1, 0.9, 0.5], rotation: [20, 0, 10], delta: [-3.6, 3.6, -0.4], accel: [0, -6.4, 0] }),
  ],
  "they pass each other": [
    body({ kind: "ellipsoid", half: [1, 0.45, 0.6] }, { position: [-3, 1.9, 0], delta: [6, 0, 0], spin: [0, 3, 2] }),
    body({ kind: "cone", half_height: 0.8, radius: 0.8 }, { position: [2.4, 0.8, -1.1], delta: [-4.6, 0, -0.2], spin: [0, 1, 0] }),
  ],
  "a crate that rests": [
    body({ kind: "cuboid", half: [2.2, 0.2, 2.2] }, { position: [0, 0.2, 0] }),
    body({ kind: "cuboid", half: [0.7, 0.7, 0.7] }, { position: [0, 1.1, 0], delta: [0.8, 0, 0.3] }),
  ],
};

// A panel that shows and edits `body`; `changed` is called after each edit.
function panel(where, title, colour, body, changed) {
  const numbers = (name, values, store) => {
    const row = make("div", { className: "row", title: HINTS[name] ?? "" }, make("span", {}, LABELS[name] ?? name));
    values.forEach((value, k) => {
      const whole = WHOLE.includes(name);
      const input = make("input", { type: "number", step: whole ? 1 : name === "rotation" ? 5 : 0.1, value: Number(value.toFixed(4)) });
      input.ariaLabel = `${title} ${LABELS[name] ?? name} ${"xyz"[k]}`;
      input.oninput = () => {
        if (!Number.isFinite(input.valueAsNumber)) return;
        store(k, input.valueAsNumber);
        changed();
      };
      row.append(input);
    });
    return row;
  };
  const lengths = () => FORMS[body.form.kind].map(([name]) => {
    const value = body.form[name];
    return numbers(name, [value].flat(), (k, x) => {
      if (Array.isArray(value)) body.form[name][k] = x;
      else body.form[name] = x;
    });
  });
  const kinds = make("select", { ariaLabel: `${title} shape` }, ...Object.keys(FORMS).map((kind) => make("option", { value: kind }, kind)));
  kinds.value = body.form.kind;
  kinds.onchange = () => {
    const parts = FORMS[kinds.value].map(([name, at]) => [name, at.length === 1 ? at[0] : [...at]]);
    body.form = { kind: kinds.value, ...Object.fromEntries(parts) };
    panel(where, title, colour, body, changed);
    changed();
  };
  const axes = make("div", { className: "row" }, make("span", {}), ...["x", "y", "z"].map((axis) => make("span", { className: "axis" }, axis)));
  where.replaceChildren(
    make("h2", {}, make("i", { className: "key", style: `background: ${colour}` }), title),
    make("div", { className: "row" }, make("span", {}, "shape"), kinds),
    ...lengths(),
    numbers("rounded", [body.rounded], (_, x) => (body.rounded = x)),
    numbers("scale", body.scale, (k, x) => (body.scale[k] = x)),
    make("h2", {}, "Motion over the tick"),
    axes,
    ...MOTION.map((name) => numbers(name, body[name], (k, x) => (body[name][k] = x))),
  );
}

const shapeOf = ({ form, rounded, scale }) => ({ form, rounded, scale });

const askedOf = (body) => ({
  shape: shapeOf(body),
  motion: {
    position: body.position, rotation: ofDegrees(body.rotation), delta: body.delta, accel: body.accel, spin: body.spin,
  },
});
