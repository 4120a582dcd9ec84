// The shell: tabs, theme, and which view is open.

import {ask, isDark} from "./common.js";
import {openLook} from "./look.js";
import {openLaboratory} from "./laboratory.js";
import {openLessons} from "./lessons.js";

const views = {look: openLook, laboratory: openLaboratory, lessons: openLessons};
const opened = new Set();
const tabs = Object.keys(views).map(name => document.getElementById(`tab-${name}`));

function choose(name) {
  for (const tab of tabs) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", isChosen);
    tab.tabIndex = isChosen ? 0 : -1;
    document.getElementById(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
  if (!opened.has(name)) {
    opened.add(name);
    views[name](document.getElementById(name));
  }
  history.replaceState(null, "", `#${name}`);
}

for (const [place, tab] of tabs.entries()) {
  tab.addEventListener("click", () => choose(tab.id.slice(4)));
  tab.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
    if (!step) return;
    const shown = tabs.filter(one => !one.hidden);
    const next = shown[(shown.indexOf(tabs[place]) + step + shown.length) % shown.length];
    next.focus();
    next.click();
  });
}

const theme = document.getElementById("theme");
function nameTheme() {
  theme.textContent = isDark() ? "Light" : "Dark";
}
theme.addEventListener("click", () => {
  document.documentElement.style.colorScheme = isDark() ? "light" : "dark";
  nameTheme();
  document.dispatchEvent(new Event("repaint"));
});
nameTheme();

const models = await ask("models");
if (!models.length) document.getElementById("tab-look").hidden = true;
const asked = location.hash.slice(1);
const known = Object.keys(views).filter(name => models.length || name !== "look");
choose(known.includes(asked) ? asked : known[0]);
document.body.dataset.ready = "yes";
