// The lessons: the same words and numbers as on the command line, with a bench where there is a look.

import {ask, element, latest, number, paint} from "./common.js";
import {makeBench} from "./bench.js";

export async function openLessons(place) {
  const topics = await ask("lessons");
  const body = element("article", {"aria-live": "polite"});
  const buttons = Object.entries(topics).map(([name, says]) => element("button", {
    type: "button", title: says, "data-topic": name, "aria-pressed": "false", onclick: () => choose(name)}, name));
  place.append(element("div", {class: "topics", role: "group", "aria-label": "Topics"}, ...buttons), body);
  const load = latest(topic => ask(`lessons/${topic}`), show, message => {
    body.replaceChildren(element("p", {class: "trouble", role: "alert"}, message));
  });
  choose(Object.keys(topics)[0]);

  function choose(name) {
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.topic === name));
    body.replaceChildren(element("p", {class: "quiet"}, `${topics[name]}: being computed. Some topics train small models first, which takes up to a minute or two.`));
    load(name);
  }

  function show(lesson) {
    body.replaceChildren(element("h2", {}, lesson.title), ...lesson.parts.map(part => element("section", {"data-heading": part.heading},
      element("h3", {}, part.heading),
      ...part.text.map(paragraph => element("p", {}, paragraph)),
      ...part.figures.map(drawFigure),
      part.bench ? makeBench(part.bench).node : null)));
    body.dataset.topic = lesson.topic;
  }
}

function drawFigure(figure) {
  if (!Array.isArray(figure.numbers)) {
    return element("p", {"data-figure": figure.name}, `${figure.caption}: `, element("strong", {}, number(figure.numbers)));
  }
  const rows = figure.rows.length ? figure.numbers : [figure.numbers];
  return element("div", {class: "scroll", "data-figure": figure.name, tabindex: "0", role: "group", "aria-label": figure.caption},
    element("table", {},
      element("caption", {class: "quiet"}, figure.caption),
      element("thead", {}, element("tr", {}, figure.rows.length ? element("td") : null,
        ...figure.columns.map(name => element("th", {scope: "col"}, name)))),
      element("tbody", {}, ...rows.map((row, at) => element("tr", {},
        figure.rows.length ? element("th", {scope: "row"}, figure.rows[at]) : null,
        ...row.map(value => drawNumber(value, figure.kind)))))));
}

function drawNumber(value, kind) {
  const cell = element("td", {}, number(value));
  if (kind === "weights") paint(cell, value);
  return cell;
}
