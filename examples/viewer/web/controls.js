// Controls that both pages share.

const $ = (id) => document.getElementById(id);

// Shows an error on the page.
function tell(error) {
  $("trouble").textContent = error instanceof Error ? error.message : String(error);
  $("trouble").hidden = false;
}
window.addEventListener("error", (event) => tell(event.message));

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

// A page that was saved as a file has no server.
if (location.protocol === "file:") document.querySelectorAll("nav a").forEach((link) => (link.hidden = true));
