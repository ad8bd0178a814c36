// The page: what was chosen, what is asked of the compiler, what is shown.

import { Died, load, Refused, Superseded, Thread } from "./compiler.js";
import { counted, element, find } from "./dom.js";
import { Editor } from "./editor.js";
import { fragment, state } from "./share.js";
import { circuits } from "./views/circuit.js";
import { layout } from "./views/layout.js";
import { Output } from "./views/output.js";
import { price } from "./views/price.js";
import { types } from "./views/types.js";
import { vectors } from "./views/vectors.js";

const TABS = ["c", "rust", "types", "layout", "circuit", "price", "vectors"];
/** Milliseconds after a key in which the next may follow. */
const PAUSE = { check: 15, build: 350 };
const FIRST = { example: "rectangle", target: "avx2" };

load("nakiri.wasm");
const checker = new Thread({ patience: true });
const builder = new Thread({ patience: false });
const editor = new Editor(find("editor"));
const outputs = { c: new Output(find("panel-c"), editor), rust: new Output(find("panel-rust"), editor) };
let library;
let path = "program.ua";
let tab = "c";
let checked;
/** What the panels show belongs to this. */
let shown = {};

const value = (id) => find(id).value;
const document_ = () => ({ path, text: editor.text });
const example = () => library?.examples.find((own) => own.path === path);

// ---- as one types ----

const timers = {};
function later(name, action) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(action, PAUSE[name]);
}

async function check() {
  const asked = document_();
  try {
    checked = await checker.ask({ ask: "check", document: asked });
  } catch (error) {
    if (error instanceof Superseded) return;
    summary(error.message, "error");
    return;
  }
  if (asked.text !== editor.text) return;
  const marks = checked.diagnostics.flatMap(({ severity, labels }) => {
    const at = labels[0]?.at;
    return at ? [[at[0], Math.max(at[1], at[0] + 1), severity]] : [];
  });
  editor.show(checked.words, marks);
  entries();
  diagnostics();
  later("build", show);
}

/** The nodes that can be built, of which one stays chosen. */
function entries() {
  const names = checked.nodes.filter((node) => node.entry).map((node) => node.name);
  const old = value("entry") || find("entry").dataset.wish || "";
  if (checked.entry === null) return;
  const option = (name) => element("option", { value: name, selected: name === old }, name);
  find("entry").replaceChildren(element("option", { value: "" }, `the last: ${checked.entry}`), ...names.map(option));
  delete find("entry").dataset.wish;
}

function summary(text, kind) {
  find("summary").textContent = text;
  find("summary").dataset.kind = kind;
}

function diagnostics() {
  const all = checked.diagnostics;
  const errors = all.filter(({ severity }) => severity === "error").length;
  const warnings = all.length - errors;
  const parts = [errors && counted(errors, "error"), warnings && counted(warnings, "warning")].filter(Boolean);
  summary(parts.length ? parts.join(", ") : "Nothing is wrong.", errors ? "error" : warnings ? "warning" : "right");
  find("diagnostics").replaceChildren(...all.map(diagnostic));
}

function diagnostic({ severity, code, message, labels, help, text }) {
  const [first] = labels;
  const where = first ? `line ${first.line}` : "";
  const go = () => first?.at && editor.select(...first.at);
  const head = element("button", { type: "button", className: "link", onclick: go }, `${where}: ${message}`);
  const more = element("details", { "@aria-label": `${severity} ${code}` }, element("summary", {}, `${severity} ${code}`), element("pre", { tabIndex: 0 }, text));
  more.addEventListener("toggle", () => more.open && explain(code, more), { once: true });
  return element("li", { className: severity }, head, help ? element("p", { className: "help" }, `Help: ${help}`) : null, more);
}

async function explain(code, place) {
  const text = await checker.ask({ ask: "explain", code }).catch(() => null);
  if (text) place.append(element("pre", { className: "explanation", tabIndex: 0 }, text));
}

// ---- what becomes of it ----

const wish = (language) => ({
  entry: value("entry") || null,
  target: value("target"),
  slicing: value("slicing") || null,
  machine: value("machine") || null,
  language,
});

/** Shows the chosen panel, unless it shows this already. */
async function show() {
  if (!checked || !library) return;
  const asked = JSON.stringify([tab, document_(), wish("")]);
  if (shown[tab] === asked) {
    progress("");
    return;
  }
  const panel = find(`panel-${tab}`);
  if (checked.entry === null && tab !== "types") {
    progress("As long as the program has errors, this is what was before.");
    return;
  }
  progress("The compiler is at work …", true);
  const own = tab;
  try {
    await panels[own](panel);
    shown[own] = asked;
    progress("");
  } catch (error) {
    if (error instanceof Superseded) return;
    if (!(error instanceof Refused || error instanceof Died)) throw error;
    progress("");
    shown[own] = undefined;
    const title = error instanceof Died ? "The compiler broke down, which is its fault. It was started again." : "This can't be had:";
    panel.replaceChildren(element("div", { className: "refusal" }, element("p", {}, title), element("pre", { tabIndex: 0 }, error.message)));
  }
}

function progress(text, busy = false) {
  find("progress").textContent = text;
  document.documentElement.toggleAttribute("data-busy", busy);
}

/** The last that was built, or is being built: several panels show it. */
let last = {};
function built(language) {
  const question = { ask: "build", document: document_(), wish: wish(language) };
  const key = JSON.stringify(question);
  if (last.key !== key) {
    const answer = builder.ask(question);
    last = { key, answer };
    answer.catch(() => last.answer === answer && (last = {}));
  }
  return last.answer;
}

const go = (at) => editor.select(...at);
const choose = (target, slicing) => {
  find("target").value = target;
  find("slicing").value = slicing;
  open("c");
  find("tab-c").focus();
};

const panels = {
  c: async () => outputs.c.show(await built("c")),
  rust: async () => outputs.rust.show(await built("rust")),
  types: async (panel) => {
    const question = { ask: "slicings", document: document_(), entry: value("entry") || null };
    types(panel, checked.nodes, checked.entry === null ? null : await builder.ask(question), { choose, go });
  },
  layout: async (panel) => layout(panel, await built("c")),
  circuit: (panel) => circuits(panel, checked.tables, (table) => builder.ask({ ask: "circuit", document: document_(), table })),
  price: async (panel) => price(panel, await built("c")),
  vectors: async (panel) => vectors(panel, await builder.ask({ ask: "vectors", document: document_() })),
};

// ---- tabs ----

function open(name) {
  tab = name;
  for (const own of TABS) {
    const button = find(`tab-${own}`);
    button.setAttribute("aria-selected", own === name);
    button.tabIndex = own === name ? 0 : -1;
    find(`panel-${own}`).hidden = own !== name;
  }
  show();
}

function tabKey(event) {
  const steps = { ArrowRight: 1, ArrowLeft: -1 };
  const ends = { Home: 0, End: TABS.length - 1 };
  const to = ends[event.key] ?? (TABS.indexOf(tab) + steps[event.key] + TABS.length) % TABS.length;
  if (Number.isNaN(to)) return;
  event.preventDefault();
  open(TABS[to]);
  find(`tab-${TABS[to]}`).focus();
}

// ---- what there is to choose ----

function choices() {
  const shelf = (name, label) => {
    const own = library.examples.filter((one) => one.shelf === name);
    return element("optgroup", { label }, ...own.map((one) => element("option", { value: one.name }, one.title)));
  };
  find("example").replaceChildren(
    element("option", { value: "" }, "a program of your own"),
    shelf("ciphers", "Ciphers and permutations"),
    shelf("modes", "Hash functions and encryption"),
  );
  const target = ({ name, title }) => element("option", { value: name, title }, name);
  find("target").replaceChildren(...library.targets.map(target));
  const machine = ({ name, title }) => element("option", { value: name }, title);
  find("machine").append(...library.machines.map(machine));
}

async function take(name) {
  const found = library.examples.find((own) => own.name === name);
  if (!found) return false;
  path = found.path;
  editor.text = await checker.ask({ ask: "file", path });
  return true;
}

/** Says what the program is. */
function about() {
  const own = example();
  find("path").textContent = path;
  find("example").value = own?.name ?? "";
  find("about").textContent = own ? `${own.title}, from: ${own.specification}. ${own.security}` : "A program of your own.";
}

async function format() {
  const document = document_();
  const text = await checker.ask({ ask: "format", document }).catch(() => null);
  if (text === null) {
    summary("What can't be read can't be formatted.", "error");
  } else if (document.text === editor.text) {
    editor.replace(text);
  }
}

// ---- sharing ----

async function now() {
  const words = { tab, target: value("target"), slicing: value("slicing"), entry: value("entry"), machine: value("machine") };
  const own = example();
  const original = own && editor.text === (await checker.ask({ ask: "file", path }));
  return original ? { example: own.name, ...words } : { path, text: editor.text, ...words };
}

async function share() {
  history.replaceState(null, "", await fragment(await now()));
  const said = await navigator.clipboard.writeText(location.href).then(() => "Copied", () => "In the address bar");
  find("share").textContent = said;
  setTimeout(() => (find("share").textContent = "Share"), 2000);
}

/** Takes over what an address says; what it doesn't say is as at first. */
async function restore() {
  let words = {};
  try {
    words = await state(location.hash);
  } catch {
    summary("This address is damaged: its program can't be read.", "error");
  }
  const { text, ...rest } = words;
  if (text !== undefined) {
    path = rest.path ?? "program.ua";
    editor.text = text;
  } else if (!(await take(rest.example ?? FIRST.example))) {
    await take(FIRST.example);
  }
  about();
  const has = (id, wanted) => [...find(id).options].some((option) => option.value === wanted);
  find("target").value = has("target", rest.target) ? rest.target : FIRST.target;
  find("slicing").value = has("slicing", rest.slicing) ? rest.slicing : text === undefined ? example().slicing : "";
  find("machine").value = has("machine", rest.machine) ? rest.machine : "";
  find("entry").replaceChildren(element("option", { value: "" }, "the last"));
  find("entry").dataset.wish = rest.entry ?? "";
  open(TABS.includes(rest.tab) ? rest.tab : tab);
  await check();
}

// ---- begin ----

editor.listen({
  edited: () => later("check", check),
  moved: () => outputs[tab]?.view && outputs[tab].seen(editor.caret),
});
for (const name of TABS) {
  find(`tab-${name}`).addEventListener("click", () => open(name));
  find(`tab-${name}`).addEventListener("keydown", tabKey);
}
for (const id of ["entry", "slicing", "target", "machine"]) find(id).addEventListener("change", show);
find("share").addEventListener("click", share);
find("format").addEventListener("click", format);
find("example").addEventListener("change", async () => {
  if (value("example") === "") {
    path = "program.ua";
    about();
    return;
  }
  await take(value("example"));
  about();
  find("slicing").value = example().slicing;
  find("entry").replaceChildren(element("option", { value: "" }, "the last"));
  history.replaceState(null, "", await fragment({ example: example().name }));
  await check();
});
addEventListener("hashchange", restore);
// What is served from a folder works without a network, once it was loaded.
navigator.serviceWorker?.register("offline.js").catch(() => {});

open(tab);
try {
  library = await checker.ask({ ask: "library" });
  choices();
  await restore();
  document.documentElement.dataset.ready = "";
} catch (error) {
  summary(`The compiler can't be started: ${error.message}`, "error");
}
