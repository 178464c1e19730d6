// Where the picture is seen from. Dragging rotates, dragging with shift or the right button moves, the wheel
// zooms.

class Camera {
  constructor(canvas, changed) {
    ((this.target = [0, 0, 0]), (this.yaw = 0.7), (this.pitch = 0.42), (this.away = 10));
    this.changed = changed;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => canvas.setPointerCapture(event.pointerId));
    canvas.addEventListener("pointermove", (event) => this.drag(event, canvas.clientHeight));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.away *= Math.exp(Math.max(-100, Math.min(100, event.deltaY)) * 0.0015);
      changed();
    }, { passive: false });
  }

  drag(event, height) {
    if (event.buttons === 0) return;
    if (event.buttons === 1 && !event.shiftKey) {
      this.yaw -= event.movementX * 0.007;
      this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + event.movementY * 0.007));
    } else {
      const { right, up } = this.axes();
      const by = (ANGLE * this.away) / height;
      const moved = add(times(right, -event.movementX * by), times(up, event.movementY * by));
      this.target = add(this.target, moved);
    }
    this.changed();
  }

  axes() {
    const flat = Math.cos(this.pitch);
    const back = [flat * Math.sin(this.yaw), Math.sin(this.pitch), flat * Math.cos(this.yaw)];
    const right = unit(cross([0, 1, 0], back));
    return { back, right, up: cross(back, right) };
  }

  // Shows everything between two corners.
  fit(low, high, fill = 1) {
    this.target = mix(low, high, 0.5);
    this.size = Math.max(norm(minus(high, low)), 1e-6);
    this.away = (this.size * 0.5 * fill) / Math.tan(ANGLE / 2);
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

const ANGLE = 0.7;
