// A bench: operands that can be changed by hand, and every stage of their look. The server computes.

import {ask, bar, debounced, element, latest, number, paint} from "/page/common.js";

const SCORES = ["dot", "scaled dot", "cosine"];
const HIDING = {before: "hidden before the softmax", after: "set to zero after it", not: "not hidden"};

// Makes a bench of operands; `listen` is called with operands and result after every look.
export function makeBench(given, listen = () => {}) {
  const bench = structuredClone(given);
  bench.mask ??= bench.keys.map(() => true);
  bench.score ??= "dot";
  bench.hiding ??= "before";
  bench.temperature ??= 1;
  const trouble = element("p", {class: "trouble", role: "alert"});
  const operands = element("div"), results = element("div"), controls = element("div", {class: "controls"});
  const node = element("section", {class: "panel", "aria-label": "Bench", "data-part": "bench"},
    controls, trouble, element("div", {class: "pair"}, operands, results));
  const look = latest(() => ask("/look", bench), found => {
    trouble.textContent = "";
    show(found);
    listen(bench, found);
  }, message => { trouble.textContent = message; });
  const soon = debounced(look, 25);
  rebuild();
  look();
  return {node, bench, change};

  // Applies a change to the operands and looks again; inputs are made anew unless one is in use.
  function change(apply) {
    apply(bench);
    if (!operands.contains(document.activeElement)) rebuild();
    soon();
  }

  function rebuild() {
    controls.replaceChildren(...choices());
    operands.replaceChildren(rowsOf("query", bench.query), rowsOf("key", bench.keys, true),
      ...(bench.values ? [rowsOf("value", bench.values)] : []));
  }

  function choices() {
    const score = element("select", {onchange: event => change(one => { one.score = event.target.value; })},
      ...SCORES.map(name => element("option", {selected: name === bench.score}, name)));
    const hiding = element("select", {onchange: event => change(one => { one.hiding = event.target.value; })},
      ...Object.entries(HIDING).map(([value, text]) => element("option", {value, selected: value === bench.hiding}, text)));
    return [
      element("label", {}, "Score", score),
      slider("Temperature", "temperature", bench.temperature, -2, 2, value => 10 ** value, Math.log10),
      slider("Size", "size", bench.size ?? bench.keys[0].length, 0, 9, value => Math.round(2 ** value), Math.log2),
      element("label", {}, "Closed positions are", hiding),
      element("button", {type: "button", onclick: () => { change(one => { one.keys = one.keys.map(() => [...one.keys[0]]); }); rebuild(); }}, "Make keys identical"),
      element("button", {type: "button", onclick: () => { change(one => { one.values = one.values ? null : one.keys.map(row => [...row]); }); rebuild(); }},
        bench.values ? "Values are the keys" : "Give values of their own"),
      element("button", {type: "button", onclick: () => { change(one => Object.assign(one, structuredClone(given), {
        mask: given.mask ? [...given.mask] : given.keys.map(() => true), values: given.values ? structuredClone(given.values) : null,
        score: given.score ?? "dot", hiding: given.hiding ?? "before", temperature: 1, size: null, scale: given.scale ?? null})); rebuild(); }}, "As it was"),
    ];
  }

  function slider(label, name, value, low, high, outwards, inwards) {
    const shown = element("output", {"data-number": name}, number(value, 2));
    const input = element("input", {type: "range", min: low, max: high, step: name === "size" ? 1 : 0.05, value: inwards(value),
      oninput: event => {
        const chosen = outwards(Number(event.target.value));
        shown.textContent = number(chosen, 2);
        change(one => { one[name] = chosen; });
      }});
    return element("label", {}, element("span", {}, `${label} `, shown), input);
  }

  function rowsOf(name, rows, isOpenable = false) {
    const lines = rows.map((row, at) => element("tr", {},
      element("th", {scope: "row"}, rows.length === 1 ? name : `${name} ${at + 1}`),
      ...row.map((value, place) => element("td", {}, element("input", {
        class: "number", type: "number", step: "0.1", value: String(Number(value.toFixed(3))),
        "aria-label": `${name} ${at + 1}, number ${place + 1}`,
        oninput: event => {
          const typed = Number(event.target.value);
          if (event.target.value === "" || !Number.isFinite(typed)) return;
          row[place] = typed;
          soon();
        }}))),
      isOpenable ? element("td", {}, element("label", {class: "inline"}, element("input", {
        type: "checkbox", checked: bench.mask[at], "aria-label": `${name} ${at + 1} open`,
        onchange: event => { bench.mask[at] = event.target.checked; soon(); }}), "open")) : null));
    return element("div", {class: "scroll"}, element("table", {"data-operand": name}, element("tbody", {}, ...lines)));
  }

  function show(found) {
    const tables = found.weights.map((weights, at) => {
      const rows = weights.map((weight, column) => {
        const cell = element("td", {"data-number": "weight"}, number(weight, 3));
        paint(cell, weight);
        return element("tr", {}, element("th", {scope: "row"}, `key ${column + 1}`),
          element("td", {"data-number": "score"}, number(found.scores[at][column], 3)), cell,
          element("td", {class: "gauge"}, bar(weight)));
      });
      return element("div", {class: "scroll", "data-query": String(at + 1)},
        found.weights.length > 1 ? element("h3", {}, `Query ${at + 1}`) : null,
        element("table", {}, element("thead", {}, element("tr", {}, element("td"),
          element("th", {scope: "col"}, "score"), element("th", {scope: "col"}, "weight"), element("td"))),
        element("tbody", {}, ...rows)),
        element("p", {}, "Context ", element("strong", {"data-number": "context"},
          `(${found.context[at].map(part => number(part, 3)).join(", ")})`)),
        element("p", {class: "quiet"}, "The weights sum to ", element("span", {"data-number": "sum"}, number(found.sums[at], 3)),
          "; entropy ", element("span", {"data-number": "entropy"}, number(found.entropies[at], 3)), " nats."));
    });
    results.replaceChildren(...tables, element("p", {class: "quiet"}, "Variance of the scores ",
      element("span", {"data-number": "variance"}, number(found.variance, 3)),
      found.predicted.length ? `. The step should move the context by (${found.predicted.map(part => number(part, 4)).join(", ")}); `
        + `it moves by (${found.moved.map(part => number(part, 4)).join(", ")}).` : "."));
  }
}
