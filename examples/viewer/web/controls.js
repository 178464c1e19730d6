// Controls that all pages share.

const $ = (id) => document.getElementById(id);

// Shows an error on the page.
function showError(error) {
  $("trouble").textContent = error instanceof Error ? error.message : String(error);
  $("trouble").hidden = false;
}
window.addEventListener("error", (event) => showError(event.message));

// Draws once before the next frame, however often it is called.
function drawing(draw) {
  let waits = false;
  return () => {
    if (waits) return;
    waits = true;
    requestAnimationFrame((now) => {
      waits = false;
      draw(now);
    });
  };
}

// Formats a number with few digits.
function short(number, digits = 4) {
  if (number === 0) return "0";
  const size = Math.abs(number);
  if (size >= 1e6 || size < 1e-4) return number.toExponential(2);
  return String(Number(number.toPrecision(digits)));
}

// Space plays, and other keys are those of the page or of the camera. A control that has the focus keeps the keys that it uses.
function onKeys(camera, play, others = {}) {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const focus = event.target;
    const slides = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"];
    if (focus.matches("input[type=range]")) {
      if (slides.includes(event.key)) return;
    } else if (focus.matches("button, a, summary, input[type=checkbox]")) {
      if (event.key === " " || event.key === "Enter") return;
    } else if (focus.matches("input, select, textarea")) return;
    if (event.key === " ") play();
    else if (others[event.key]) others[event.key]();
    else if (!camera.key(event)) return;
    event.preventDefault();
  });
  $("reset").onclick = () => camera.reset();
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

// Parses "#a=1&b=2" into an object.
const inHash = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

// Writes these parameters to the address, without an entry in the history.
function toHash(parameters) {
  const text = new URLSearchParams(parameters).toString();
  history.replaceState(null, "", location.pathname + (text ? `#${text}` : ""));
}

// A page that was saved as a file has no server.
if (location.protocol === "file:") document.querySelectorAll("nav a").forEach((link) => (link.hidden = true));
