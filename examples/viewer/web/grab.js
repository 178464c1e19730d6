// Things that a drag moves in the plane across the view.

// A function of the pointer that calls `moved` with the displacement since the start, in the plane through `point`.
function dragFrom(camera, start, point, moved) {
  const { back } = camera.axes();
  const hit = (at) => {
    const { eye, way } = camera.ray(at);
    return add(eye, times(way, dot(minus(point, eye), back) / dot(way, back)));
  };
  const from = hit(start);
  return (at) => moved(minus(hit(at), from));
}

// The distance along a ray at which it first hits a triangle of a body, or infinity. `corners` has nine numbers per triangle.
function hitOfMesh(corners, pose, { eye, way }) {
  const model = poseMatrix(pose);
  // The ray in the axes of the body.
  const local = (v) => [0, 4, 8].map((c) => dot(v, model.slice(c, c + 3)));
  const [from, along] = [local(minus(eye, pose.position)), local(way)];
  let best = Infinity;
  for (let k = 0; k < corners.length; k += 9) {
    const [a, b, c] = [0, 3, 6].map((at) => Array.from(corners.subarray(k + at, k + at + 3)));
    // Möller and Trumbore 1997.
    const [ab, ac] = [minus(b, a), minus(c, a)];
    const p = cross(along, ac);
    const volume = dot(ab, p);
    if (Math.abs(volume) < 1e-12) continue;
    const s = minus(from, a);
    const u = dot(s, p) / volume;
    const q = cross(s, ab);
    const [v, t] = [dot(along, q) / volume, dot(ac, q) / volume];
    if (u >= 0 && v >= 0 && u + v <= 1 && t > 0 && t < best) best = t;
  }
  return best;
}
