// Vectors, matrices and rotations: arrays of numbers. Matrices are 4 x 4 in column order, as in WebGL;
// quaternions are [x, y, z, w].

const add = (a, b) => a.map((x, k) => x + b[k]);
const minus = (a, b) => a.map((x, k) => x - b[k]);
const times = (a, by) => a.map((x) => x * by);
const mix = (a, b, s) => a.map((x, k) => x + (b[k] - x) * s);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
const norm = (a) => Math.hypot(...a);
const cross = (a, b) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a) => {
  const length = norm(a);
  return length > 0 ? times(a, 1 / length) : a;
};

// The product: b first, then a.
function product(a, b) {
  const out = new Float32Array(16);
  for (let column = 0; column < 4; column++) {
    for (let row = 0; row < 4; row++) {
      let sum = 0;
      for (let k = 0; k < 4; k++) sum += a[4 * k + row] * b[4 * column + k];
      out[4 * column + row] = sum;
    }
  }
  return out;
}

function perspective(angle, aspect, near, far) {
  const f = 1 / Math.tan(angle / 2);
  const depth = 1 / (near - far);
  // prettier-ignore
  return [f / aspect, 0, 0, 0,  0, f, 0, 0,  0, 0, (far + near) * depth, -1,  0, 0, 2 * far * near * depth, 0];
}

function lookAt(eye, target) {
  const back = unit(minus(eye, target));
  const right = unit(cross([0, 1, 0], back));
  const up = cross(back, right);
  // prettier-ignore
  return [
    right[0], up[0], back[0], 0,  right[1], up[1], back[1], 0,  right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1,
  ];
}

function poseMatrix({ position, rotation, size = 1 }) {
  const [x, y, z, w] = unit(rotation);
  // prettier-ignore
  const axes = [
    [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
    [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
  ];
  return [...axes.flatMap((axis) => [...times(axis, size), 0]), ...position, 1];
}

// The position of a point of a body.
const placed = (model, p) => [0, 1, 2].map((r) => model[r] * p[0] + model[4 + r] * p[1] + model[8 + r] * p[2] + model[12 + r]);

// The rotation q, then p.
const turned = (p, q) => [
  p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
  p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
  p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0],
  p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
];

// A motion at a time, as in Motion::at.
function poseAt({ position, rotation, delta, accel, spin, size }, t) {
  const rate = norm(spin);
  const turn = rate > 0 ? [...times(spin, Math.sin(0.5 * rate * t) / rate), Math.cos(0.5 * rate * t)] : [0, 0, 0, 1];
  const by = add(times(delta, t), times(accel, 0.5 * t * t));
  return { position: add(position, by), rotation: turned(turn, rotation), size };
}

// Interpolates between two similar poses.
function betweenPoses(a, b, s) {
  const sign = dot(a.rotation, b.rotation) < 0 ? -1 : 1;
  return {
    position: mix(a.position, b.position, s),
    rotation: unit(mix(a.rotation, times(b.rotation, sign), s)),
  };
}

// Rotation about x, then y, then z, in degrees.
function ofDegrees(degrees) {
  const about = (axis) => {
    const half = (degrees[axis] * Math.PI) / 360;
    const q = [0, 0, 0, Math.cos(half)];
    q[axis] = Math.sin(half);
    return q;
  };
  return turned(about(2), turned(about(1), about(0)));
}

// Columns of the page: base64 of little-endian numbers.
function column(Type, text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  return new Type(bytes.buffer);
}

// "#rrggbb" as linear light, for shaders.
function linear(hex) {
  const part = (at) => parseInt(hex.slice(at, at + 2), 16) / 255;
  return [1, 3, 5].map((at) => Math.pow(part(at), 2.2));
}
