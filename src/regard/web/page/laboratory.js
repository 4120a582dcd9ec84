// The laboratory: query, keys and values as points of a plane that can be dragged.

import {element, number} from "./common.js";
import {makeBench} from "./bench.js";

const REACH = 2.4;
const NEAR = 0.1;
const START = {
  query: [[1.2, 0.5]],
  keys: [[1, 0], [0, 1], [-1, 0]],
  values: [[1.5, 0.8], [-0.4, 1.6], [-1.4, -0.9]],
  step: [0.3, 0.4],
};

export function openLaboratory(place) {
  const plane = element("svg", {class: "plane", viewBox: `${-REACH} ${-REACH} ${2 * REACH} ${2 * REACH}`,
    role: "group", "aria-label": "A plane with the query, the keys and the values"});
  let current = START, found = null;
  const made = makeBench(START, (bench, looked) => {
    current = bench;
    found = looked;
    draw();
  });
  place.append(
    element("h2", {}, "One look, to be taken in hand"),
    element("p", {}, "Drag the query, the keys or the values, or focus one and use the arrow keys. The context is the mixture "
      + "of the values: it never leaves their hull. The ring shows a small step of the query, the thick line how the context "
      + "should follow by the gradient, the dashed one how it does."),
    element("div", {class: "layout"}, plane, made.node),
    element("p", {class: "quiet"}, "Size: queries and keys get so many numbers in all, the further ones drawn at random. Watch the "
      + "variance of the scores and the largest weight, with the dot score and with the scaled one."),
  );

  function draw() {
    const held = document.activeElement?.dataset?.name;
    const [query] = current.query, values = current.values ?? current.keys;
    const context = found.context[0].slice(0, 2);
    const handles = [
      ...current.keys.map((row, at) => handle("key", at, row, current.mask[at] ? `key ${at + 1}` : `(key ${at + 1})`, found.weights[0][at])),
      ...(current.values ? current.values.map((row, at) => handle("value", at, row, `value ${at + 1}`, found.weights[0][at])) : []),
      ...(current.step ? [handle("step", 0, [query[0] + current.step[0], query[1] + current.step[1]], "")] : []),
      handle("query", 0, query, "query"),
    ];
    plane.replaceChildren(
      element("defs", {}, ...["predicted", "real"].map(kind => element("marker", {id: `head-${kind}`, class: kind,
        viewBox: "0 0 6 6", refX: "5", refY: "3", markerWidth: "5", markerHeight: "5", orient: "auto"},
      element("path", {d: "M0 0L6 3L0 6Z"})))),
      line("axis", [-REACH, 0], [REACH, 0]), line("axis", [0, -REACH], [0, REACH]),
      element("polygon", {class: "hull", points: hull(values).map(([x, y]) => `${x},${-y}`).join(" ")}),
      ...current.keys.map(row => line("vector", [0, 0], row)), line("vector", [0, 0], query),
      ...(found.predicted.length ? [line("predicted", context, add(context, found.predicted)), line("real", context, add(context, found.moved))] : []),
      element("circle", {class: "context", cx: context[0], cy: -context[1], r: 0.07, "data-context": context.map(part => number(part, 3)).join(" ")},
        element("title", {}, "the context")),
      ...handles,
    );
    if (held) plane.querySelector(`[data-name="${held}"]`)?.focus();
  }

  function handle(kind, at, [x, y], name, weight) {
    const radius = weight === undefined ? 0.08 : 0.05 + 0.1 * Math.sqrt(weight);
    const label = {query: "query", step: "small step of the query"}[kind] ?? `${kind} ${at + 1}`;
    return element("g", {class: `handle ${kind}`, tabindex: "0", role: "button", "data-name": `${kind} ${at}`,
      "aria-label": `${label} at ${number(x, 1)}, ${number(y, 1)}; arrow keys move it`,
      onpointerdown: event => drag(event, kind, at), onkeydown: event => nudge(event, kind, at)},
    element("circle", {class: "dot", cx: x, cy: -y, r: radius}),
    element("text", {x: x + radius + 0.04, y: -y + 0.05}, name));
  }

  function drag(event, kind, at) {
    event.preventDefault();
    event.currentTarget.focus();
    plane.setPointerCapture(event.pointerId);
    plane.onpointermove = moved => move(kind, at, point(moved));
    plane.onpointerup = plane.onpointercancel = () => { plane.onpointermove = null; };
  }

  function nudge(event, kind, at) {
    const step = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const [x, y] = placeOf(kind, at);
    move(kind, at, [x + NEAR * step[0], y + NEAR * step[1]]);
  }

  // Where it is now, which may be ahead of what is drawn.
  function placeOf(kind, at) {
    const {query, keys, values, step} = made.bench;
    if (kind === "step") return [query[0][0] + step[0], query[0][1] + step[1]];
    return {query, key: keys, value: values}[kind][at];
  }

  function move(kind, at, [x, y]) {
    const to = [x, y].map(part => Math.max(-REACH, Math.min(REACH, Math.round(part * 100) / 100)));
    made.change(bench => {
      if (kind === "step") bench.step = [to[0] - bench.query[0][0], to[1] - bench.query[0][1]];
      else ({query: bench.query, key: bench.keys, value: bench.values})[kind][at] = to;
    });
  }

  function point(event) {
    const box = plane.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width * 2 - 1) * REACH, (1 - (event.clientY - box.top) / box.height * 2) * REACH];
  }
}

function line(kind, [x1, y1], [x2, y2]) {
  const head = kind === "predicted" || kind === "real" ? `url(#head-${kind})` : null;
  return element("line", {class: kind, x1, y1: -y1, x2, y2: -y2, "marker-end": head});
}

function add(one, other) {
  return [one[0] + other[0], one[1] + other[1]];
}

// The corners of the hull, by Andrew's monotone chain: only to draw it.
function hull(points) {
  const sorted = [...points].sort((one, other) => one[0] - other[0] || one[1] - other[1]);
  const turn = (a, b, c) => (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  const half = rows => rows.reduce((chain, next) => {
    while (chain.length > 1 && turn(chain.at(-2), chain.at(-1), next) <= 0) chain.pop();
    return [...chain, next];
  }, []);
  return [...half(sorted).slice(0, -1), ...half(sorted.reverse()).slice(0, -1)];
}
