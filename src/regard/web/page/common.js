// What every view needs: elements, requests, numbers and colours. Numbers come from the server.

export function element(name, attributes = {}, ...children) {
  const made = name === "svg" || SHAPES.has(name)
    ? document.createElementNS("http://www.w3.org/2000/svg", name)
    : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

const SHAPES = new Set(["g", "line", "circle", "rect", "polygon", "text", "path", "title", "defs", "marker"]);

export async function ask(path, body) {
  const options = body === undefined ? {} : {
    method: "POST", headers: {"content-type": "application/json"}, body: JSON.stringify(body),
  };
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new Error("the server does not answer.");
  }
  const found = await response.json().catch(() => ({error: `the server answers ${response.status}.`}));
  if (!response.ok) throw new Error(found.error);
  return found;
}

// One call at a time, and the newest again when it is done: while something is dragged every answer is
// shown, as fast as the server gives them.
export function steady(work, show, fail) {
  let isBusy = false, isAsked = false;
  return async function go() {
    isAsked = true;
    if (isBusy) return;
    isBusy = true;
    while (isAsked) {
      isAsked = false;
      try {
        show(await work());
      } catch (error) {
        fail(error.message);
      }
    }
    isBusy = false;
  };
}

// Only the last of several overlapping calls is shown: an older answer that comes later is dropped.
export function latest(work, show, fail) {
  let turn = 0;
  return async (...given) => {
    const own = ++turn;
    try {
      const found = await work(...given);
      if (own === turn) show(found, ...given);
    } catch (error) {
      if (own === turn) fail(error.message);
    }
  };
}

export function debounced(work, milliseconds) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), milliseconds);
  };
}

export function symbol(shown, attributes = {}) {
  return element("bdi", {dir: shown.direction, ...attributes}, shown.text);
}

export function number(value, digits = 3) {
  if (value === null) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  if (value !== 0 && Math.abs(value) < 0.5 * 10 ** -digits) return value.toExponential(0);
  return value.toFixed(digits);
}

export function bar(share, kind = "") {
  const made = element("span", {class: `bar ${kind}`});
  made.style.width = `${Math.max(0, Math.min(1, share)) * 7}rem`;
  return made;
}

export function isDark() {
  const chosen = document.documentElement.style.colorScheme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

const LIGHT = [[255, 255, 255], [199, 219, 241], [120, 166, 216], [45, 100, 168], [12, 45, 94]];
const DARK = [[20, 23, 28], [33, 56, 88], [47, 98, 150], [98, 160, 214], [214, 234, 252]];

// A weight as a background, and the ink that can be read on it.
export function shade(weight) {
  const points = isDark() ? DARK : LIGHT;
  const place = Math.max(0, Math.min(1, weight)) * (points.length - 1);
  const low = Math.min(points.length - 2, Math.floor(place));
  const mixed = points[low].map((part, at) => Math.round(part + (place - low) * (points[low + 1][at] - part)));
  return {background: `rgb(${mixed.join()})`, color: luminance(mixed) > 0.179 ? "#000000" : "#ffffff"};
}

export function paint(node, weight) {
  Object.assign(node.style, shade(weight));
}

function luminance(parts) {
  const [red, green, blue] = parts.map(part => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
