// Type, and see where the decoder looked: one view a model.

import {ask, debounced, element, latest, number} from "./common.js";
import {drawMap} from "./map.js";
import {openStep} from "./step.js";

const field = name => document.getElementById(name);
const views = field("views");
const N_BEST = 5;
let models = [], isChosen = false;

export async function openLook() {
  models = await ask("models");
  for (const model of models) {
    field("model").append(element("option", {}, model.name));
    field("beside").append(element("option", {}, model.name));
  }
  field("beside").prepend(element("option", {value: ""}, "none"));
  field("beside").value = "";
  field("beside-label").hidden = models.length < 2;
  field("ask").addEventListener("submit", event => event.preventDefault());
  const typed = debounced(asked, 120);
  field("source").addEventListener("input", () => {
    // What was chosen from the list belongs to the source that it was chosen for.
    if (isChosen) field("target").value = "";
    isChosen = false;
    typed();
  });
  field("target").addEventListener("input", () => { isChosen = false; typed(); });
  field("tags").addEventListener("input", typed);
  for (const name of ["model", "beside", "beam"]) field(name).addEventListener("change", asked);
  document.addEventListener("repaint", asked);
  asked();
  field("source").focus();
}

function asked() {
  const names = [field("model").value, field("beside").value].filter(name => name);
  const chosen = names.map(name => models.find(model => model.name === name));
  field("tags-label").hidden = !chosen.some(model => model.has_tags);
  fill(field("source").value === "" ? [] : chosen);
}

const fill = latest(
  chosen => Promise.all(chosen.map(model => found(model).catch(error => ({model, error})))),
  answers => {
    const failed = answers.filter(answer => answer.error);
    field("trouble").textContent = failed.map(answer => `${answer.model.name}: ${answer.error.message}`).join(" ");
    field("stepper").hidden = true;
    const shown = answers.filter(answer => !answer.error).map(view);
    views.replaceChildren(...(answers.length ? shown : [element("p", {class: "quiet"}, "Type something to be read.")]));
  },
  message => { field("trouble").textContent = message; },
);

// What one model makes of what was typed: its own output or the given one with the tested map, and the n best.
async function found(model) {
  const source = field("source").value, target = field("target").value || null;
  const tags = model.has_tags ? field("tags").value : null;
  const beam_size = Number(field("beam").value);
  const sources = [tags === null ? source : {source, tags}];
  const predict = options => ask("predict", {sources, model: model.name, ...options});
  const [own, best] = await Promise.all([predict({beam_size}), predict({beam_size, n_best: N_BEST})]);
  const prediction = own.predictions[0];
  // A greedy output is found again by itself; that of a beam is forced.
  const written = target ?? (beam_size > 1 ? prediction.target : null);
  const tested = model.looks_back && (target ?? prediction.target)
    ? await ask("inspect", {source, tags, target: written, model: model.name})
    : null;
  return {model, tags, prediction, best: best.predictions[0], tested, isForced: target !== null};
}

function view({model, tags, prediction, best, tested, isForced}) {
  const shown = element("article", {class: "view", "aria-label": `model ${model.name}`});
  const target = tested ? tested.target : prediction.target;
  const log = tested ? tested.log_prob : prediction.log_prob;
  shown.append(
    element("h2", {}, model.name),
    element("p", {class: "written"}, element("bdi", {dir: "auto", "data-number": "target"}, target)),
    element("p", {class: "quiet"}, "log-probability ",
      element("span", {"data-number": "log_prob"}, number(log, 4)), unseen(prediction),
      prediction.is_complete || isForced ? null : "; ended by the length limit, not by the model"),
  );
  if (tested) {
    const step = place => openStep(field("stepper"), {
      source: prediction.source, tags, target: tested.target, model: model.name, step: place + 1,
      steps: tested.alignment.target.length,
    });
    shown.append(drawMap(tested.alignment, step), verdict(tested), copies(tested));
  } else {
    shown.append(element("p", {}, model.looks_back ? "It writes nothing." : "This model never looks back: it has no map."));
  }
  shown.append(candidates(best));
  return shown;
}

function unseen(prediction) {
  if (!prediction.unseen.length) return null;
  const named = prediction.unseen.map(one => one.symbol).join(" ");
  return element("span", {}, "; training never saw ", element("bdi", {}, named));
}

function verdict(tested) {
  const flags = tested.flags.map(text => element("li", {}, text));
  const failed = tested.inspection.checks.filter(check => !check.ok);
  return element("section", {"aria-label": "May this map be believed"},
    element("p", {class: "verdict", "data-number": "verdict"}, tested.inspection.headline),
    element("p", {}, tested.alignment.summary),
    element("p", {class: "quiet"}, failed.length
      ? `Exact checks that fail: ${failed.map(check => `${check.name}, ${check.title}`).join("; ")}.`
      : `All ${tested.inspection.checks.length} exact checks hold. One string is little evidence: `
        + "regard inspect judges a model on many."),
    flags.length ? element("ul", {}, ...flags) : null,
  );
}

function copies(tested) {
  const copy = (name, text) => element("button", {type: "button", onclick: async event => {
    try {
      await navigator.clipboard.writeText(text);
      event.target.textContent = "Copied";
    } catch {
      event.target.textContent = "The browser does not let this page copy";
    }
    setTimeout(() => { event.target.textContent = name; }, 1200);
  }}, name);
  return element("p", {class: "controls"},
    copy("Copy SVG", tested.svg),
    copy("Copy Pharaoh", tested.alignment.pharaoh),
    copy("Copy JSON", JSON.stringify(tested.alignment)),
  );
}

function candidates(prediction) {
  const choose = text => {
    field("target").value = text;
    isChosen = true;
    asked();
  };
  const rows = prediction.candidates.map((candidate, place) => element("tr", {},
    element("th", {scope: "row"}, String(place + 1)),
    element("td", {}, element("button", {type: "button", onclick: () => choose(candidate.target)},
      element("bdi", {dir: "auto"}, candidate.target || "(nothing)"))),
    element("td", {}, number(candidate.log_prob, 3)),
  ));
  return element("section", {},
    element("h3", {}, `The best of a beam of ${Math.max(N_BEST, Number(field("beam").value))}`),
    element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Candidates"},
      element("table", {"data-part": "candidates"},
        element("thead", {}, element("tr", {}, ...["place", "target", "log-probability"].map(
          text => element("th", {scope: "col"}, text)))),
        element("tbody", {}, ...rows))),
  );
}
