// Where the picture is seen from. Dragging rotates; dragging with shift, the right button or two fingers moves;
// the wheel and two fingers zoom. The keyboard does the same (`key`), and a page may take a drag or a click.

const ANGLE = 0.7;
// Pixels that a pointer may move in a click.
const CLICK = 4;

class Camera {
  constructor(canvas, changed) {
    ((this.target = [0, 0, 0]), (this.yaw = 0.7), (this.pitch = 0.42), (this.away = 10), (this.size = 1));
    ((this.canvas = canvas), (this.changed = changed), (this.pointers = new Map()), (this.taken = null));
    // Returns a function of later positions if a drag from here moves something else than the camera.
    this.grab = () => null;
    this.clicked = () => {};
    this.hovered = () => {};
    const at = (event) => [event.offsetX, event.offsetY];
    canvas.tabIndex = 0;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, at(event));
      this.travel = 0;
      const alone = this.pointers.size === 1 && event.button === 0 && !event.shiftKey;
      this.taken = alone ? this.grab(at(event)) : null;
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.pointers.has(event.pointerId)) this.drag(event, at(event));
      else this.hovered(at(event));
    });
    canvas.addEventListener("pointerleave", () => this.hovered(null));
    const end = (event) => {
      const click = this.pointers.size === 1 && this.travel < CLICK && event.button === 0 && event.type === "pointerup";
      if (!this.pointers.delete(event.pointerId)) return;
      this.taken = null;
      if (click) this.clicked(at(event));
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.max(-100, Math.min(100, event.deltaY)) * 0.0015);
    }, { passive: false });
  }

  drag(event, at) {
    const before = this.pointers.get(event.pointerId);
    this.pointers.set(event.pointerId, at);
    const [dx, dy] = [at[0] - before[0], at[1] - before[1]];
    this.travel += Math.abs(dx) + Math.abs(dy);
    if (this.taken) return void this.taken(at);
    if (this.pointers.size === 2) {
      const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
      const far = (from) => Math.max(1, Math.hypot(from[0] - other[0], from[1] - other[1]));
      this.zoom(Math.log(far(before) / far(at)));
      this.shift(0.5 * dx, 0.5 * dy);
    } else if (event.buttons === 1 && !event.shiftKey) this.rotate(dx * 0.007, dy * 0.007);
    else this.shift(dx, dy);
  }

  rotate(yaw, pitch) {
    this.yaw -= yaw;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + pitch));
    this.changed();
  }

  // Moves the picture by so many pixels.
  shift(dx, dy) {
    const { right, up } = this.axes();
    const by = (2 * Math.tan(ANGLE / 2) * this.away) / this.canvas.clientHeight;
    this.target = add(this.target, add(times(right, -dx * by), times(up, dy * by)));
    this.changed();
  }

  zoom(by) {
    this.away *= Math.exp(by);
    this.changed();
  }

  // Whether a key is one of the camera's: arrows rotate, and move with shift; + and - zoom; Home and r reset.
  key(event) {
    const way = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (way && event.shiftKey) this.shift(40 * way[0], 40 * way[1]);
    else if (way) this.rotate(-0.1 * way[0], 0.1 * way[1]);
    else if (event.key === "+" || event.key === "=") this.zoom(-0.15);
    else if (event.key === "-") this.zoom(0.15);
    else if (event.key === "Home" || event.key === "r") this.reset();
    else return false;
    return true;
  }

  axes() {
    const flat = Math.cos(this.pitch);
    const back = [flat * Math.sin(this.yaw), Math.sin(this.pitch), flat * Math.cos(this.yaw)];
    const right = unit(cross([0, 1, 0], back));
    return { back, right, up: cross(back, right) };
  }

  // Shows everything between two corners, also after a reset.
  fit(low, high, { fill = 1, yaw = this.yaw, pitch = this.pitch } = {}) {
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    this.size = Math.max(norm(minus(high, low)), 1e-6);
    const away = (this.size * 0.5 * fill) / Math.tan(ANGLE / 2) / Math.min(1, wide / Math.max(1, tall));
    this.home = { target: mix(low, high, 0.5), yaw, pitch, away };
    this.reset();
  }

  reset() {
    Object.assign(this, this.home);
    this.changed();
  }

  // The ray through a pixel of the canvas.
  ray([x, y]) {
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    const { back, right, up } = this.axes();
    const scale = (2 * Math.tan(ANGLE / 2)) / tall;
    const [across, above] = [(x - wide / 2) * scale, (tall / 2 - y) * scale];
    const way = add(add(times(right, across), times(up, above)), times(back, -1));
    return { eye: add(this.target, times(back, this.away)), way: unit(way) };
  }

  // The pixel of the canvas at which a point is drawn.
  screen(point) {
    const { clientWidth: wide, clientHeight: tall } = this.canvas;
    const { view } = this.look(wide / tall);
    const [x, y, , w] = [0, 1, 2, 3].map((r) => view[r] * point[0] + view[4 + r] * point[1] + view[8 + r] * point[2] + view[12 + r]);
    return [(0.5 + (0.5 * x) / w) * wide, (0.5 - (0.5 * y) / w) * tall];
  }

  look(aspect) {
    const eye = add(this.target, times(this.axes().back, this.away));
    const near = Math.max(this.away * 0.01, this.size * 1e-4);
    const view = product(
      perspective(ANGLE, aspect, near, this.away * 4 + this.size * 6),
      lookAt(eye, this.target),
    );
    return { eye, view, near, fog: [this.away, this.size * 2.2] };
  }
}
