// The heat map: a table, so that any script stays in its cell and a screen reader finds its way.

import {element, number, paint, shade, symbol} from "./common.js";

const MOST_NUMBERED = 12;

// Draws an alignment; `choose` is called with a row when it is chosen.
export function drawMap(alignment, choose) {
  const {weights, shown, labels = [], trust} = alignment;
  const effects = trust ? trust.effects : null;
  const said = element("p", {class: "said", "aria-live": "polite"}, "Hover or use the arrow keys; Enter opens a step.");
  const strips = {
    source: shown.source.map((label, at) => symbol(label, {class: alignment.source[at].role})),
    target: shown.target.map((label, at) => element("button", {
      type: "button", class: alignment.target[at].role, onclick: () => choose(at),
      onmouseenter: () => go(at, strongest(at)), onfocus: () => go(at, strongest(at)),
    }, symbol(label))),
  };
  const isNumbered = weights.length <= MOST_NUMBERED && weights[0].length <= MOST_NUMBERED;
  const rows = weights.map(drawRow);
  const table = element("table", {class: "map", role: "grid", "aria-label":
    "Alignment: a row for each symbol that is written, a column for each that is read"},
    element("thead", {}, element("tr", {role: "row"}, element("td", {}),
      ...shown.source.map(label => element("th", {scope: "col"}, symbol(label))),
      element("td", {}))),
    element("tbody", {}, ...rows.map(row => row.node)));
  table.addEventListener("keydown", move);
  table.addEventListener("mouseleave", () => light(-1));
  let now = [0, 0];
  rows[0]?.cells[0]?.setAttribute("tabindex", "0");
  return element("section", {"aria-label": "Where it looked"},
    element("div", {class: "strip"}, "read ", ...spaced(strips.source)),
    element("div", {class: "strip"}, "written ", ...spaced(strips.target)),
    element("div", {class: "scroll"}, table),
    element("p", {class: "quiet"}, "Row t: the weights that were used to write symbol t."
      + (effects ? " Outlined: the position whose erasing costs most." : "")),
    said);

  function drawRow(row, at) {
    const best = effects ? effects[at].indexOf(Math.max(...effects[at])) : -1;
    const cells = row.map((weight, column) => {
      const cell = element("td", {
        class: column === best ? "cell ring" : "cell", role: "gridcell", tabindex: "-1",
        "aria-label": told(at, column), title: told(at, column),
        onclick: () => choose(at), onmouseenter: () => go(at, column), onfocus: () => go(at, column),
      }, isNumbered && weight >= 0.005 ? weight.toFixed(2).replace(/^0/, "") : "");
      paint(cell, weight);
      return cell;
    });
    const kind = labels[at] ?? "";
    const margin = element("td", {class: "margin"}, kind);
    const node = element("tr", {role: "row", class: kind === "idle" || kind === "spread" ? "idle" : ""},
      element("th", {scope: "row", onclick: () => choose(at)}, symbol(shown.target[at])), ...cells, margin);
    return {node, cells};
  }

  function told(at, column) {
    const effect = effects ? `, erasing it costs ${number(effects[at][column], 2)} nats` : "";
    const kind = labels[at] ? `, ${labels[at]}` : "";
    return `row ${at + 1} ${shown.target[at].text}, column ${column + 1} ${shown.source[column].text}, `
      + `weight ${number(weights[at][column], 3)}${effect}${kind}`;
  }

  function strongest(at) {
    return weights[at].indexOf(Math.max(...weights[at]));
  }

  function go(at, column) {
    rows[now[0]]?.cells[now[1]]?.setAttribute("tabindex", "-1");
    now = [at, column];
    rows[at].cells[column].setAttribute("tabindex", "0");
    said.textContent = told(at, column);
    light(at);
  }

  function light(at) {
    for (const [place, button] of strips.target.entries()) button.classList.toggle("now", place === at);
    for (const [place, one] of strips.source.entries()) {
      Object.assign(one.style, at < 0 ? {background: "", color: ""} : shade(weights[at][place]));
    }
    for (const [place, row] of rows.entries()) row.node.classList.toggle("now", place === at);
  }

  function move(event) {
    const step = {ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1]}[event.key];
    if (event.key === "Enter") choose(now[0]);
    if (!step) return;
    event.preventDefault();
    const at = Math.max(0, Math.min(weights.length - 1, now[0] + step[0]));
    const column = Math.max(0, Math.min(weights[0].length - 1, now[1] + step[1]));
    rows[at].cells[column].focus();
  }
}

function spaced(nodes) {
  return nodes.flatMap(node => [node, " "]);
}
