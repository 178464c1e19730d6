// Shaders. Colours are linear until the last line.

const LIGHT = `
  uniform vec3 eye;
  uniform vec2 fog;
  const vec3 BACK = vec3(0.91, 0.93, 0.95);
  vec3 lit(vec3 colour, vec3 normal, vec3 at) {
    vec3 n = normalize(normal);
    vec3 key = normalize(vec3(0.45, 0.85, 0.3));
    vec3 way = normalize(eye - at);
    float sky = 0.5 + 0.5 * n.y;
    float sun = max(dot(n, key), 0.0);
    float gloss = pow(max(dot(n, normalize(key + way)), 0.0), 40.0);
    return colour * (mix(vec3(0.42, 0.40, 0.39), vec3(0.74, 0.77, 0.82), sky) + 0.55 * sun) + 0.05 * gloss;
  }
  vec3 shown(vec3 colour, vec3 at) {
    float far = clamp((distance(eye, at) - fog.x) / fog.y, 0.0, 0.75);
    return pow(mix(colour, BACK, far), vec3(1.0 / 2.2));
  }`;

const HEAD = `#version 300 es
  precision highp float;
  precision highp int;
`;

// Moving boxes: one cube for all, and a row of the recording for each. The first number of a state is the look, and 8 more if
// the box is dimmed; the second is the first time of contact.
const BOXES = {
  vertex: `
    uniform mat4 view;
    uniform float t;
    uniform float visible[5];
    in vec3 corner, normal, low, high, delta;
    in vec2 state;
    out vec3 face, inside, side, at;
    flat out ivec2 kind;
    void main() {
      side = high - low;
      at = mix(low, high, corner) + delta * t;
      int look = int(state.x);
      kind = ivec2(state.y <= t ? 4 : look & 7, look >> 3);
      (face = normal, inside = corner);
      gl_Position = visible[kind.x] > 0.5 ? view * vec4(at, 1.0) : vec4(2.0, 2.0, 2.0, 1.0);
    }`,
  fragment: `${LIGHT}
    uniform float alpha;
    uniform vec3 palette[5];
    in vec3 face, inside, side, at;
    flat in ivec2 kind;
    out vec4 colour;
    void main() {
      vec3 base = mix(palette[kind.x], BACK, 0.8 * float(kind.y));
      vec3 rim = min(inside, 1.0 - inside) * side;
      vec3 pixels = rim / max(fwidth(rim), 1e-12) + 1e3 * abs(face);
      float edge = 1.0 - smoothstep(0.7, 1.7, min(pixels.x, min(pixels.y, pixels.z)));
      vec3 shaded = mix(lit(base, face, at), base * (kind.y > 0 ? 0.85 : 0.3), edge * 0.7);
      colour = vec4(shown(shaded, at), max(alpha, 0.6 * edge));
    }`,
};

// Triangles of a body.
const MESH = {
  vertex: `
    uniform mat4 view, model;
    in vec3 position, normal;
    out vec3 face, at;
    void main() {
      at = (model * vec4(position, 1.0)).xyz;
      face = mat3(model) * normal;
      gl_Position = view * vec4(at, 1.0);
    }`,
  fragment: `${LIGHT}
    uniform vec4 tint;
    in vec3 face, at;
    out vec4 colour;
    void main() {
      vec3 way = normalize(eye - at), n = normalize(face);
      // Transparent bodies are denser at their outline.
      float rim = pow(1.0 - abs(dot(n, way)), 2.0);
      float opaque = tint.a < 1.0 ? tint.a + (1.0 - tint.a) * 0.45 * rim : 1.0;
      colour = vec4(shown(lit(tint.rgb, dot(n, way) < 0.0 ? -n : n, at), at), opaque);
    }`,
};

// The shadow of a body, straight down on the ground.
const SHADOW = {
  vertex: `
    uniform mat4 view, model;
    uniform float height;
    in vec3 position;
    void main() {
      vec3 at = (model * vec4(position, 1.0)).xyz;
      gl_Position = view * vec4(at.x, height, at.z, 1.0);
    }`,
  fragment: `
    uniform float alpha;
    out vec4 colour;
    void main() {
      colour = vec4(0.08, 0.12, 0.18, alpha);
    }`,
};

// Lines of any width in pixels: a quad for each.
const LINES = {
  vertex: `
    uniform mat4 view;
    uniform vec2 size;
    uniform float width, near;
    in vec2 end;
    in vec3 from, to;
    in vec4 tint;
    out vec4 shade;
    vec4 before(vec4 one, vec4 other) {
      return one.w >= near ? one : mix(one, other, (near - one.w) / max(other.w - one.w, 1e-9));
    }
    void main() {
      vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);
      (a = before(a, b), b = before(b, a));
      vec2 way = (b.xy / b.w - a.xy / a.w) * size;
      float length = max(length(way), 1e-6);
      vec2 across = vec2(-way.y, way.x) / length * width / size;
      vec4 here = end.x < 0.5 ? a : b;
      here.xy += across * end.y * here.w;
      shade = tint;
      gl_Position = here;
    }`,
  fragment: `
    uniform float alpha;
    in vec4 shade;
    out vec4 colour;
    void main() {
      colour = vec4(pow(shade.rgb, vec3(1.0 / 2.2)), shade.a * alpha);
    }`,
};

// Discs with a pale rim that face the camera.
const DOTS = {
  vertex: `
    uniform mat4 view;
    uniform float ratio;
    in vec3 at;
    in float wide;
    in vec4 tint;
    out vec4 shade;
    out float pixels;
    void main() {
      gl_Position = view * vec4(at, 1.0);
      pixels = gl_PointSize = wide * ratio;
      shade = tint;
    }`,
  fragment: `
    in vec4 shade;
    in float pixels;
    out vec4 colour;
    void main() {
      float r = length(gl_PointCoord - 0.5) * pixels;
      float inside = 1.0 - smoothstep(0.5 * pixels - 1.5, 0.5 * pixels - 0.3, r);
      float rim = smoothstep(0.5 * pixels - 2.8, 0.5 * pixels - 1.8, r);
      vec3 body = pow(shade.rgb, vec3(1.0 / 2.2));
      if (inside < 0.02) discard;
      colour = vec4(mix(body, vec3(1.0), rim), shade.a * inside);
    }`,
};

// A grid that fades towards the horizon.
const GROUND = {
  vertex: `
    uniform mat4 view;
    uniform vec4 middle;
    in vec2 corner;
    out vec3 at;
    void main() {
      at = vec3(middle.x + corner.x * middle.w, middle.y, middle.z + corner.y * middle.w);
      gl_Position = view * vec4(at, 1.0);
    }`,
  fragment: `
    uniform vec4 middle;
    uniform float step;
    in vec3 at;
    out vec4 colour;
    float grid(vec2 p) {
      vec2 wide = fwidth(p), near = abs(fract(p - 0.5) - 0.5) / max(wide, 1e-9);
      float dense = 1.0 - smoothstep(0.06, 0.25, max(wide.x, wide.y));
      return (1.0 - smoothstep(0.4, 1.4, min(near.x, near.y))) * dense;
    }
    void main() {
      float fade = 1.0 - smoothstep(0.25, 1.0, distance(at.xz, middle.xz) / middle.w);
      float fine = grid(at.xz / step), coarse = grid(at.xz / (5.0 * step));
      vec3 shade = mix(vec3(0.98, 0.985, 0.99), vec3(0.62, 0.67, 0.73), max(0.35 * fine, 0.75 * coarse));
      colour = vec4(shade, fade * 0.95);
    }`,
};
