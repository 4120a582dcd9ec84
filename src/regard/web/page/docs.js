// The service described from its OpenAPI document; each operation can be tried.

import {element} from "./common.js";

const described = await (await fetch("openapi.json")).json();
const schemas = described.components?.schemas ?? {};
const place = document.getElementById("operations");
for (const [path, operations] of Object.entries(described.paths)) {
  for (const [method, operation] of Object.entries(operations)) place.append(draw(path, method, operation));
}
document.body.dataset.ready = "yes";

function draw(path, method, operation) {
  const schema = operation.requestBody?.content["application/json"].schema;
  const named = schema && schemas[schema.$ref.split("/").pop()];
  const panel = element("section", {class: "panel", "data-path": path},
    element("h3", {}, element("code", {}, `${method.toUpperCase()} ${path}`), ` ${operation.summary ?? ""}`));
  if (named) panel.append(fields(named));
  panel.append(...trial(path, method, named));
  return panel;
}

function fields(schema) {
  const rows = Object.entries(schema.properties).map(([name, field]) => element("tr", {},
    element("th", {scope: "row"}, element("code", {}, name)),
    element("td", {}, kind(field)),
    element("td", {}, (schema.required ?? []).includes(name) ? "needed" : `default ${JSON.stringify(field.default ?? null)}`)));
  return element("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Fields"}, element("table", {}, element("tbody", {}, ...rows)));
}

function kind(field) {
  if (field.$ref) return field.$ref.split("/").pop();
  if (field.enum) return field.enum.map(one => JSON.stringify(one)).join(" | ");
  if (field.anyOf) return field.anyOf.map(kind).join(" | ");
  if (field.type === "array") return `list of ${kind(field.items)}`;
  return field.type ?? "anything";
}

function trial(path, method, schema) {
  const body = schema ? element("textarea", {"aria-label": `Body for ${path}`, spellcheck: "false"}) : null;
  if (body) body.value = JSON.stringify(sample(schema), null, 2);
  const topic = path.includes("{") ? element("input", {"aria-label": "Topic", value: "softmax"}) : null;
  const answer = element("pre", {hidden: true, tabindex: "0"});
  const send = element("button", {type: "button", onclick: async () => {
    const options = body ? {method: method.toUpperCase(), headers: {"content-type": "application/json"}, body: body.value} : {};
    const response = await fetch(`.${topic ? path.replace(/\{.*\}/, encodeURIComponent(topic.value)) : path}`, options);
    answer.hidden = false;
    answer.textContent = `${response.status}\n${JSON.stringify(await response.json(), null, 2)}`;
  }}, "Try it");
  return [body, topic, element("p", {}, send), answer].filter(part => part !== null);
}

function sample(schema) {
  const needed = schema.required ?? [];
  return Object.fromEntries(needed.map(name => [name, value(schema.properties[name])]));
}

function value(field) {
  if (field.$ref) return sample(schemas[field.$ref.split("/").pop()]);
  if (field.anyOf) return value(field.anyOf[0]);
  if (field.type === "array") return [value(field.items)];
  return {string: "through", integer: 1, number: 1, boolean: true}[field.type] ?? null;
}
