// The distance over the tick: the curve, the bound of each step of the search, and the impact.

function timeline(canvas, answer, now, target, chosen = -1) {
  const ratio = window.devicePixelRatio || 1;
  const [wide, high] = [canvas.clientWidth, canvas.clientHeight];
  ((canvas.width = wide * ratio), (canvas.height = high * ratio));
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  const { path, steps, toi } = answer;
  const distances = path.map((sample) => sample.distance);
  const most = Math.max(1e-6, ...distances) * 1.12;
  const least = Math.min(0, ...distances) * 1.1;
  const [left, right, top, bottom] = [46, wide - 16, 16, high - 16];
  const x = (t) => left + t * (right - left);
  const y = (d) => bottom - ((Math.max(least, Math.min(most, d)) - least) / (most - least)) * (bottom - top);
  const line = (from, to, colour, width, dash = []) => {
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(...to);
    pen.stroke();
    pen.setLineDash([]);
  };
  const text = (words, at, colour, align = "left") => {
    pen.fillStyle = colour;
    pen.textAlign = align;
    pen.fillText(words, ...at);
  };
  pen.font = "10.5px system-ui, 'DejaVu Sans', sans-serif";

  // Frame and scale.
  for (let k = 0; k <= 10; k++) {
    line([x(k / 10), top], [x(k / 10), bottom], "#eef2f6", 1);
    if (k % 2 === 0) text((k / 10).toFixed(1), [x(k / 10), high - 4], "#5f6f80", "center");
  }
  line([left, y(0)], [right, y(0)], "#9aa8b7", 1);
  text("0", [left - 6, y(0) + 3], "#5f6f80", "right");
  text(short(most / 1.12, 3), [left - 6, y(most / 1.12) + 3], "#5f6f80", "right");
  text("distance", [left + 2, 10], "#5f6f80");
  if (target > 0) line([left, y(target)], [right, y(target)], "#d9480f", 1, [3, 3]);

  // Times at which the shapes overlap.
  pen.fillStyle = "rgba(217, 72, 15, 0.12)";
  for (let k = 0; k < path.length; k++) {
    if (path[k].distance >= 0) continue;
    const from = path[k].t;
    while (k + 1 < path.length && path[k + 1].distance < 0) k++;
    pen.fillRect(x(from), top, x(path[k].t) - x(from), bottom - top);
  }

  pen.strokeStyle = "#2b6d9c";
  pen.lineWidth = 2;
  pen.lineJoin = "round";
  pen.beginPath();
  path.forEach((sample, k) => pen[k ? "lineTo" : "moveTo"](x(sample.t), y(sample.distance)));
  pen.stroke();

  // Steps: from each to the next one.
  steps.forEach((step, k) => {
    const height = step.gap === null ? y(0) : y(step.gap);
    line([x(step.t), bottom], [x(step.t), height], "rgba(31, 42, 55, 0.55)", 1);
    const next = steps[k + 1];
    if (next) line([x(step.t), height], [x(next.t), y(target)], "rgba(31, 42, 55, 0.35)", 1, [2, 3]);
    pen.fillStyle = k === chosen ? "#1f6fa8" : "#1f2a37";
    pen.beginPath();
    pen.arc(x(step.t), height, k === chosen ? 5.5 : 3.2, 0, 7);
    pen.fill();
  });
  if (toi.kind === "impact") {
    line([x(toi.t), top - 2], [x(toi.t), bottom], "#d9480f", 2);
    const late = toi.t > 0.8;
    text(`impact ${toi.t.toFixed(6)}`, [x(toi.t) + (late ? -5 : 5), 10], "#d9480f", late ? "right" : "left");
  }
  line([x(now), top], [x(now), bottom], "#1f6fa8", 1.5, [5, 3]);
  return (at) => Math.max(0, Math.min(1, (at - left) / (right - left)));
}
