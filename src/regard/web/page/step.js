// One step of the decoder: score, mask, weight, context, next symbol; with weights changed by hand.

import {ask, bar, element, number, steady, symbol} from "./common.js";

const CONTEXT_SHOWN = 8;

// Opens a step in a place; `asked` says which: source, tags, target, model, step, steps.
export function openStep(place, asked) {
  const change = {erased: new Set(), moved: new Map()};
  const trouble = element("p", {class: "trouble", role: "alert"});
  const body = element("div", {class: "pair"});
  const title = element("h2", {tabindex: "-1"});
  const buttons = {
    before: element("button", {type: "button", onclick: () => turn(-1)}, "◀ step before"),
    after: element("button", {type: "button", onclick: () => turn(1)}, "next step ▶"),
    reset: element("button", {type: "button", onclick: reset}, "Undo changes"),
    close: element("button", {type: "button", onclick: () => { place.hidden = true; opener?.focus(); }}, "Close"),
  };
  const panel = element("div", {class: "panel"}, title,
    element("p", {class: "controls"}, ...Object.values(buttons)), trouble, body);
  place.replaceChildren(panel);
  place.hidden = false;
  const load = steady(fetched, draw, message => { trouble.textContent = message; });
  const opener = document.activeElement;
  let rows = null;
  load();
  panel.scrollIntoView({block: "nearest"});
  title.focus({preventScroll: true});

  function fetched() {
    const {source, tags, target, model, step} = asked;
    return ask("step", {source, tags, target, model, step, erased: [...change.erased],
      moved: Object.fromEntries([...change.moved].map(([at, share]) => [String(at), share]))});
  }

  function turn(by) {
    asked.step = Math.max(1, Math.min(asked.steps, asked.step + by));
    reset();
  }

  function reset() {
    change.erased.clear();
    change.moved.clear();
    rows = null;
    load();
  }

  function draw(found) {
    trouble.textContent = "";
    title.replaceChildren(`Step ${found.step} of ${asked.steps} writes `,
      element("bdi", {"data-number": "written"}, found.written));
    buttons.before.disabled = asked.step <= 1;
    buttons.after.disabled = asked.step >= asked.steps;
    const isChanged = change.erased.size > 0 || change.moved.size > 0;
    buttons.reset.disabled = !isChanged;
    if (rows === null) {
      // The sliders stay where they are while one of them is being dragged.
      rows = found.source.map((label, at) => drawRow(found, label, at));
      body.replaceChildren(table(found), element("div", {class: "outcome"}));
    }
    for (const [at, row] of rows.entries()) fill(row, found, at, isChanged);
    body.lastChild.replaceChildren(...outcome(found, isChanged));
  }

  function drawRow(found, label, at) {
    const heads = found.scores.length;
    const slider = element("input", {type: "range", min: "0", max: "1", step: "0.01",
      "aria-label": `weight of position ${at + 1} ${label.text}`, oninput: event => {
        change.erased.delete(at);
        change.moved.clear();
        change.moved.set(at, Number(event.target.value));
        load();
      }});
    const erase = element("button", {type: "button", "aria-pressed": "false", onclick: () => {
      change.moved.delete(at);
      if (!change.erased.delete(at)) change.erased.add(at);
      load();
    }, "aria-label": `erase position ${at + 1} ${label.text}`}, "erase");
    const weight = element("td", {"data-number": "weight"}), changed = element("td", {"data-number": "changed"});
    const score = heads === 1 ? number(found.scores[0][at], 3)
      : `${number(Math.min(...found.scores.map(head => head[at])), 1)} … ${number(Math.max(...found.scores.map(head => head[at])), 1)}`;
    const node = element("tr", {}, element("th", {scope: "row"}, `${at + 1} `, symbol(label)),
      element("td", {"data-number": "score"}, score), element("td", {}, found.mask[at] ? "open" : "hidden"),
      weight, changed, element("td", {}, slider), element("td", {}, erase));
    return {node, slider, erase, weight, changed};
  }

  function fill(row, found, at, isChanged) {
    row.weight.textContent = number(found.weights[at], 4);
    row.changed.textContent = isChanged ? number(found.changed_weights[at], 4) : "";
    if (document.activeElement !== row.slider) row.slider.value = found.changed_weights[at];
    row.erase.setAttribute("aria-pressed", String(change.erased.has(at)));
  }

  function table(found) {
    const heads = found.scores.length > 1 ? `score (${found.scores.length} heads)` : "score";
    const names = ["read", heads, "mask", "weight", "changed", "drag the weight", ""];
    return element("div", {class: "scroll"}, element("table", {"data-part": "step"},
      element("thead", {}, element("tr", {}, ...names.map(name =>
        name ? element("th", {scope: "col"}, name) : element("td")))),
      element("tbody", {}, ...rows.map(row => row.node))));
  }

  function outcome(found, isChanged) {
    const context = isChanged ? found.changed_context : found.context;
    const more = context.length > CONTEXT_SHOWN ? ` … (${context.length} numbers)` : "";
    const rows = found.symbols.map(one => element("tr", {"data-symbol": one.symbol},
      element("th", {scope: "row"}, element("bdi", {}, one.symbol)),
      element("td", {"data-number": "before"}, number(one.before, 4)),
      element("td", {class: "gauge"}, bar(one.before)),
      element("td", {"data-number": "after"}, isChanged ? number(one.after, 4) : ""),
      element("td", {class: "gauge"}, isChanged ? bar(one.after, "after") : "")));
    return [
      element("h3", {}, "Context"),
      element("p", {class: "quiet"}, context.slice(0, CONTEXT_SHOWN).map(part => number(part, 3)).join("  ") + more),
      isChanged ? element("p", {}, "The change moves it by ", element("span", {"data-number": "moved"}, number(found.moved, 3)), ".") : null,
      element("h3", {}, "Next symbol"),
      element("div", {class: "scroll"}, element("table", {"data-part": "symbols"},
        element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "symbol"),
          element("th", {scope: "col", colspan: "2"}, "probability"),
          isChanged ? element("th", {scope: "col", colspan: "2"}, "with the changed weights") : element("td", {colspan: "2"}))),
        element("tbody", {}, ...rows))),
    ].filter(part => part !== null);
  }
}
