// The canvas, its buffers, and the functions that draw on it.

const CUBE = (() => {
  const rows = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const up of [0, 1]) {
      const [u, v] = up ? [(axis + 1) % 3, (axis + 2) % 3] : [(axis + 2) % 3, (axis + 1) % 3];
      const corner = (a, b) => {
        const at = [0, 0, 0];
        ((at[axis] = up), (at[u] = a), (at[v] = b));
        const normal = [0, 0, 0];
        normal[axis] = 2 * up - 1;
        return [...at, ...normal];
      };
      for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]]) rows.push(...corner(a, b));
    }
  }
  return new Float32Array(rows);
})();

class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    if (!gl) throw new Error("this page needs WebGL 2, which the browser does not offer");
    this.gl = gl;
    this.programs = new Map();
    this.cube = this.buffer(CUBE);
    this.quad = this.buffer(new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]));
    this.ends = this.buffer(new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]));
    this.scratch = gl.createBuffer();
  }

  buffer(data) {
    const { gl } = this;
    const buffer = gl.createBuffer();
    this.fill(buffer, data);
    return buffer;
  }

  fill(buffer, data) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, data, this.gl.DYNAMIC_DRAW);
  }

  // Compiles a program when it is first used.
  use(source) {
    const { gl } = this;
    let made = this.programs.get(source);
    if (!made) {
      const program = gl.createProgram();
      for (const [kind, text] of [
        [gl.VERTEX_SHADER, source.vertex],
        [gl.FRAGMENT_SHADER, source.fragment],
      ]) {
        const shader = gl.createShader(kind);
        gl.shaderSource(shader, HEAD + text);
        gl.compileShader(shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
        gl.attachShader(program, shader);
      }
      gl.linkProgram(program);
      if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
      made = { program, uniforms: new Map() };
      this.programs.set(source, made);
    }
    gl.useProgram(made.program);
    this.current = made;
    for (const [name, value] of Object.entries(this.always)) this.set(name, value);
  }

  set(name, value) {
    const { gl, current } = this;
    if (!current.uniforms.has(name)) {
      current.uniforms.set(name, gl.getUniformLocation(current.program, name));
    }
    const at = current.uniforms.get(name);
    if (at === null) return;
    if (typeof value === "number") gl.uniform1f(at, value);
    else if (value.length === 16) gl.uniformMatrix4fv(at, false, value);
    else if (name === "palette") gl.uniform3fv(at, value);
    else if (name === "visible") gl.uniform1fv(at, value);
    else gl[`uniform${value.length}fv`](at, value);
  }

  // Columns of a buffer, in this order: [name, numbers].
  columns(buffer, each, columns) {
    const { gl } = this;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    const stride = 4 * columns.reduce((sum, [, count]) => sum + count, 0);
    let offset = 0;
    for (const [name, count] of columns) {
      const at = name ? gl.getAttribLocation(this.current.program, name) : -1;
      if (at >= 0) {
        gl.enableVertexAttribArray(at);
        gl.vertexAttribPointer(at, count, gl.FLOAT, false, stride, offset);
        gl.vertexAttribDivisor(at, each);
        this.enabled.push(at);
      }
      offset += 4 * count;
    }
  }

  // Begins a frame; camera: {eye, view, near, far}.
  begin(camera) {
    const { gl, canvas } = this;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [wide, high] = [canvas.clientWidth, canvas.clientHeight].map((x) => Math.max(1, Math.round(x * ratio)));
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
    const { eye, view, near, fog } = camera.look(wide / high);
    this.always = { eye, view, near, fog, size: [wide, high], ratio };
    this.ratio = ratio;
    this.enabled = [];
    gl.viewport(0, 0, wide, high);
    gl.clearColor(0.957, 0.965, 0.976, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.enable(gl.BLEND);
    gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  done() {
    for (const at of this.enabled.splice(0)) {
      this.gl.vertexAttribDivisor(at, 0);
      this.gl.disableVertexAttribArray(at);
    }
    this.gl.depthMask(true);
    this.gl.enable(this.gl.DEPTH_TEST);
    this.gl.disable(this.gl.CULL_FACE);
  }

  ground(middle, reach, step) {
    this.use(GROUND);
    this.set("middle", [...middle, reach]);
    this.set("step", step);
    this.columns(this.quad, 0, [["corner", 2]]);
    this.gl.depthMask(false);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
    this.done();
  }

  // rows: a buffer of nine numbers per box; states: a buffer of two.
  boxes(rows, states, count, { t, palette, visible, alpha = 1 }) {
    const { gl } = this;
    this.use(BOXES);
    for (const [name, value] of Object.entries({ t, alpha, palette, visible })) this.set(name, value);
    this.columns(this.cube, 0, [["corner", 3], ["normal", 3]]);
    this.columns(rows, 1, [["low", 3], ["high", 3], ["delta", 3]]);
    this.columns(states, 1, [["state", 2]]);
    gl.enable(gl.CULL_FACE);
    if (alpha < 1) gl.depthMask(false);
    gl.drawArraysInstanced(gl.TRIANGLES, 0, 36, count);
    this.done();
  }

  mesh(mesh, pose, tint) {
    const { gl } = this;
    this.use(MESH);
    this.set("model", poseMatrix(pose));
    this.set("tint", tint);
    this.columns(mesh.positions, 0, [["position", 3]]);
    this.columns(mesh.normals, 0, [["normal", 3]]);
    if (tint[3] < 1) {
      gl.depthMask(false);
      gl.enable(gl.CULL_FACE);
    }
    // Edges lie on the faces and must stay visible.
    gl.enable(gl.POLYGON_OFFSET_FILL);
    if (tint[3] < 1) gl.polygonOffset(3, 8);
    else gl.polygonOffset(1.5, 2);
    gl.drawArrays(gl.TRIANGLES, 0, 3 * mesh.triangles);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    this.done();
  }

  shadow(mesh, pose, height, alpha) {
    const { gl } = this;
    this.use(SHADOW);
    this.set("model", poseMatrix(pose));
    this.set("height", height);
    this.set("alpha", alpha);
    this.columns(mesh.positions, 0, [["position", 3]]);
    gl.depthMask(false);
    // Only upward faces are drawn, so each shadow is covered once.
    gl.enable(gl.CULL_FACE);
    gl.drawArrays(gl.TRIANGLES, 0, 3 * mesh.triangles);
    this.done();
  }

  // list: ten numbers per line: from, to, colour. hidden: opacity behind other things.
  lines(list, { width = 1.5, alpha = 1, hidden = 0 } = {}) {
    if (list.length === 0) return;
    const { gl } = this;
    const data = list instanceof Float32Array ? list : new Float32Array(list);
    this.use(LINES);
    this.fill(this.scratch, data);
    this.set("width", width * this.ratio);
    this.columns(this.ends, 0, [["end", 2]]);
    this.columns(this.scratch, 1, [["from", 3], ["to", 3], ["tint", 4]]);
    gl.depthMask(false);
    for (const [test, part] of [[false, hidden], [true, 1 - hidden]]) {
      if (part <= 0) continue;
      if (test) gl.enable(gl.DEPTH_TEST);
      else gl.disable(gl.DEPTH_TEST);
      this.set("alpha", alpha * part);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, data.length / 10);
    }
    this.done();
  }

  // list: eight numbers per dot: position, width, colour. Drawn in front of everything.
  dots(list) {
    if (list.length === 0) return;
    const { gl } = this;
    this.use(DOTS);
    this.fill(this.scratch, new Float32Array(list));
    this.columns(this.scratch, 0, [["at", 3], ["wide", 1], ["tint", 4]]);
    gl.disable(gl.DEPTH_TEST);
    gl.depthMask(false);
    gl.drawArrays(gl.POINTS, 0, list.length / 8);
    this.done();
  }
}

// The twelve edges of a box, as lines.
function edgesOfBox(low, high, colour, into) {
  const corner = (bits) => [0, 1, 2].map((axis) => (bits >> axis) & 1 ? high[axis] : low[axis]);
  for (let axis = 0; axis < 3; axis++) {
    for (let bits = 0; bits < 8; bits++) {
      if (!((bits >> axis) & 1)) into.push(...corner(bits), ...corner(bits | (1 << axis)), ...colour);
    }
  }
}
