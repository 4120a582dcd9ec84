// A bench: operands that can be changed by hand, and every stage of their look. The server computes.

import {ask, bar, element, number, paint, steady} from "./common.js";

const SCORES = {dot: "dot", "scaled dot": "scaled dot", cosine: "cosine"};
const HIDING = {before: "hidden before the softmax", after: "set to zero after it", not: "not hidden"};

// Makes a bench of operands; `listen` is called with operands and result after every look.
export function makeBench(given, listen = () => {}) {
  const bench = begun(given);
  const trouble = element("p", {class: "trouble", role: "alert"});
  const operands = element("div"), results = element("div");
  const controls = makeControls();
  const node = element("section", {class: "panel", "aria-label": "Bench", "data-part": "bench"},
    element("div", {class: "controls"}, ...controls.nodes), trouble, element("div", {class: "pair"}, operands, results));
  const look = steady(() => ask("look", bench), found => {
    trouble.textContent = "";
    show(found);
    listen(bench, found);
  }, message => { trouble.textContent = message; });
  layOut();
  look();
  return {node, bench, change};

  // Applies a change to the operands, brings the inputs in step, and looks again.
  function change(apply) {
    apply(bench);
    for (const input of operands.querySelectorAll("input")) {
      if (input !== document.activeElement) input.refresh();
    }
    look();
  }

  // The rows of inputs are made anew only where there are other rows.
  function layOut() {
    operands.replaceChildren(rowsOf("query"), rowsOf("keys"), ...(bench.values ? [rowsOf("values")] : []));
    controls.refresh();
  }

  function makeControls() {
    const score = choice("Score", SCORES, "score"), hiding = choice("Closed positions are", HIDING, "hiding");
    const temperature = slider("Temperature", "temperature", -2, 2, 0.05, value => 10 ** value, Math.log10);
    const size = slider("Size", "size", 0, 9, 1, value => 2 ** value, Math.log2);
    const identical = button("Make keys identical", () => change(one => { one.keys = one.keys.map(() => [...one.keys[0]]); }));
    const values = button("", () => {
      change(one => { one.values = one.values ? null : one.keys.map(row => [...row]); });
      layOut();
    });
    const again = button("As it was", () => {
      change(one => Object.assign(one, begun(given)));
      layOut();
    });
    const refresh = () => {
      for (const one of [score, hiding, temperature, size]) one.refresh();
      values.textContent = bench.values ? "Values are the keys" : "Give values of their own";
    };
    return {nodes: [score.node, temperature.node, size.node, hiding.node, identical, values, again], refresh};
  }

  function choice(label, options, name) {
    const select = element("select", {onchange: () => change(one => { one[name] = select.value; })},
      ...Object.entries(options).map(([value, text]) => element("option", {value}, text)));
    return {node: element("label", {}, label, select), refresh: () => { select.value = bench[name]; }};
  }

  function slider(label, name, low, high, step, outwards, inwards) {
    const shown = element("output", {"data-number": name});
    const tell = () => { shown.textContent = number(bench[name] ?? bench.keys[0].length, 2); };
    const input = element("input", {type: "range", min: low, max: high, step, oninput: () => {
      change(one => { one[name] = outwards(Number(input.value)); });
      tell();
    }});
    const refresh = () => {
      input.value = inwards(bench[name] ?? bench.keys[0].length);
      tell();
    };
    return {node: element("label", {}, element("span", {}, `${label} `, shown), input), refresh};
  }

  function rowsOf(name) {
    const one = {query: "query", keys: "key", values: "value"}[name];
    const lines = bench[name].map((row, at) => element("tr", {},
      element("th", {scope: "row"}, bench[name].length === 1 ? one : `${one} ${at + 1}`),
      ...row.map((_, place) => element("td", {}, numberInput(name, one, at, place))),
      name === "keys" ? element("td", {}, element("label", {class: "inline"}, openInput(at), "open")) : null));
    return element("div", {class: "scroll"}, element("table", {"data-operand": one}, element("tbody", {}, ...lines)));
  }

  function numberInput(name, one, at, place) {
    const input = element("input", {class: "number", type: "number", step: "0.1",
      "aria-label": `${one} ${at + 1}, number ${place + 1}`, oninput: () => {
        const typed = Number(input.value);
        if (input.value !== "" && Number.isFinite(typed)) change(own => { own[name][at][place] = typed; });
      }});
    input.refresh = () => { input.value = String(Number(bench[name][at][place].toFixed(3))); };
    input.refresh();
    return input;
  }

  function openInput(at) {
    const input = element("input", {type: "checkbox", "aria-label": `key ${at + 1} open`,
      onchange: () => change(one => { one.mask[at] = input.checked; })});
    input.refresh = () => { input.checked = bench.mask[at]; };
    input.refresh();
    return input;
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

// The operands as they are given, with nothing left open.
function begun(given) {
  const open = {values: null, mask: given.keys.map(() => true), score: "dot", scale: null, temperature: 1,
    hiding: "before", size: null, step: null};
  return {...open, ...structuredClone(given)};
}

function button(text, onclick) {
  return element("button", {type: "button", onclick}, text);
}
