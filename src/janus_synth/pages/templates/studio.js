// The studio's page: it asks the server and shows answers. Texts from tables are only ever set as text, never as HTML.
"use strict";

const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const PAUSE = 120; // milliseconds after the last key before a condition is checked
const OPERATORS = { numeric: [">=", "<=", "==", "!=", ">", "<"], datetime: [">=", "<=", "==", ">", "<"],
  categorical: ["==", "!="], boolean: ["==", "!="] };
const FUNCTIONS = ["and", "or", "not", "in", "is null", "is not null", "implies(", "iff(", "abs(", "days(", "year(", "month("];
let state = null, overview = null, model = null, edges = { required: [], forbidden: [] };

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value; else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function draw(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The studio does not answer. Was it ended in the terminal? Your project is kept.");
  }
  const type = response.headers.get("content-type") || "";
  const body = type.includes("json") ? await response.json() : { error: await response.text() };
  if (!response.ok) throw new Error(body.error || "The studio could not answer.");
  return body;
}

const post = (path, body = {}, options = {}) => call(path, { method: "POST", body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" }, ...options });

function showError(error) {
  if (error && error.name === "AbortError") return;
  $("error").hidden = !error;
  $("error").textContent = error ? error.message : "";
}

// Every handler: clears the last error, and shows its own.
const guarded = (handler) => async (event) => {
  showError(null);
  try { await handler(event); } catch (error) { showError(error); }
};

// Steps

const STEPS = ["data", "model", "ask", "compare", "what-if", "fairness", "questions"];
const VIEWS = []; // further views: what to do at the start, with a new state, with a new model

function showStep() {
  const wanted = STEPS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "data";
  for (const step of STEPS) {
    $(step).hidden = step !== wanted;
    const link = document.querySelector(`nav a[href="#${step}"]`);
    if (step === wanted) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
}

// State: every tab asks for it, quickly while a task runs

let timer = null, seen = null;

async function refresh() {
  clearTimeout(timer);
  try {
    state = await call("/api/state");
    showJob(state.job);
    const now = JSON.stringify([state.version, state.fitted, state.job.state === "running"]);
    if (now !== seen) {
      seen = now;
      await showState();
    }
  } catch (error) { showError(error); }
  timer = setTimeout(refresh, state && state.job.state === "running" ? 300 : 2000);
}

const TASKS = { read: "Reading the table", demo: "Making the demo table", look: "Reading the table again", fit: "Learning the table",
  compare: "Comparing rows", effect: "Estimating the effect", plant: "Planting a bias" };
let lastFailure = "";

function showJob(job) {
  $("job").hidden = job.state !== "running";
  document.body.dataset.job = job.state;
  if (job.state === "running") {
    const steps = job.total ? `, ${job.done} of ${job.total}` : "";
    $("job-text").textContent = `${TASKS[job.name]}: ${job.label}${steps} (${Math.round(job.seconds)} s)`;
    if (job.total) { $("job-bar").max = job.total; $("job-bar").value = job.done; }
    else $("job-bar").removeAttribute("value");
    lastFailure = "";
  } else if (job.state === "failed" && job.error !== lastFailure) {
    lastFailure = job.error;
    showError(new Error(job.error));
  }
}

async function showState() {
  $("project").textContent = [state.title, `project ${state.folder}`].filter(Boolean).join(" · ");
  $("data-empty").hidden = state.has_data;
  $("data-found").hidden = !state.has_data;
  $("model-needs").hidden = state.has_data || state.fitted;
  $("fit-form").hidden = !state.has_data;
  $("model-found").hidden = $("ask-form").hidden = !state.fitted;
  $("ask-needs").hidden = state.fitted;
  if (!state.fitted) $("rows-found").hidden = true;
  edges = { required: [...state.required], forbidden: [...state.forbidden] };
  overview = state.has_data ? await call("/api/data") : null;
  model = state.fitted ? await call("/api/model") : null;
  if (overview && isNew("data", [overview, state.rules, edges])) showData();
  if (model && isNew("model", model)) showModel();
  showAsked();
  for (const view of VIEWS) await view.state();
}

const drawn = {};

// Whether a part differs from what is on the page, so that open forms and moved columns stay as they are.
function isNew(part, value) {
  const text = JSON.stringify(value), changed = drawn[part] !== text;
  drawn[part] = text;
  return changed;
}

// Data

async function upload(file) {
  if (!file) return;
  await call(`/api/data?name=${encodeURIComponent(file.name)}`, { method: "PUT", body: file });
  await refresh();
}

function showData() {
  $("data-facts").textContent = `${overview.n_rows.toLocaleString("en")} rows, ${overview.columns.length} columns: ` +
    `${overview.kinds}; ${(100 * overview.missing).toFixed(1)} % of the cells are missing.`;
  $("table-alerts").replaceChildren(...overview.alerts.map(showAlert));
  const kept = new Set(state.rules);
  const usable = overview.relations.filter((one) => one.rule);
  $("relations").replaceChildren(...(usable.length ? usable.map((one) => showRelation(one, kept))
    : [make("li", { className: "muted" }, "None were found. You can state conditions when you ask for rows.")]));
  $("columns").replaceChildren(...overview.columns.map(showColumn));
  for (const id of ["edge-from", "edge-to"]) fillColumns($(id), overview.columns.filter((one) => one.kind !== "identifier"));
  showEdges();
}

const showAlert = (alert) => make("li", { className: alert.serious ? "serious" : "", title: alert.remedy }, alert.message);

function showRelation(one, kept) {
  const box = make("input", { type: "checkbox", checked: kept.has(one.rule) });
  box.addEventListener("change", guarded(async () => {
    const rules = state.rules.filter((rule) => rule !== one.rule);
    await post("/api/rules", { rules: box.checked ? [...rules, one.rule] : rules });
    await refresh();
  }));
  const broken = one.exceptions ? `, ${one.exceptions.toLocaleString("en")} break it` : ", none break it";
  return make("li", {}, make("label", {}, box, ` ${one.text}`),
    make("span", { className: "muted" }, `${one.support.toLocaleString("en")} rows${broken}`));
}

function showColumn(column) {
  const missing = column.missing ? `, ${(100 * column.missing).toFixed(1)} % missing` : "";
  return make("div", { className: "card" }, make("h4", {}, column.name), make("small", {}, `${column.kind}${missing}`),
    chart(column), make("small", {}, column.values),
    make("ul", { className: "alerts" }, ...column.alerts.map(showAlert)), columnForm(column));
}

function chart(column) {
  const picture = draw("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img",
    "aria-label": `Distribution of ${column.name}: ${column.values}` });
  const most = Math.max(1, ...column.counts), width = 100 / Math.max(1, column.counts.length);
  column.counts.forEach((count, i) => {
    const height = 40 * count / most;
    picture.append(draw("rect", { x: i * width, y: 40 - height, width: width * 0.9, height }));
  });
  return picture;
}

const KINDS = ["numeric", "boolean", "categorical", "datetime", "identifier"];

function columnForm(column) {
  const kind = make("select", {}, ...KINDS.map((name) => make("option", { selected: name === column.kind }, name)));
  const numeric = column.kind === "numeric";
  const low = make("input", { type: "number", step: "any", placeholder: column.low }), high = make("input",
    { type: "number", step: "any", placeholder: column.high });
  const order = make("input", { type: "text", value: column.ordered ? column.levels.join(" < ") : "",
    placeholder: column.levels.slice(0, 3).join(" < ") });
  const button = make("button", { type: "button" }, "Apply");
  button.addEventListener("click", guarded(async () => {
    const change = { kind: kind.value };
    if (numeric && low.value) change.low = Number(low.value);
    if (numeric && high.value) change.high = Number(high.value);
    if (order.value.trim() && kind.value === "categorical") {
      change.levels = order.value.split("<").map((level) => level.trim());
      change.ordered = true;
    }
    await post("/api/schema", { columns: { [column.name]: change } });
    await refresh();
  }));
  const parts = [make("label", {}, "Kind ", kind)];
  if (numeric) parts.push(make("label", {}, "Lowest value ", low), make("label", {}, "Highest value ", high));
  if (column.kind === "categorical") parts.push(make("label", {}, "Order of the levels ", order));
  return make("details", {}, make("summary", {}, `Change ${column.name}`), ...parts, make("p", {}, button));
}

// Model

function fillColumns(select, columns) {
  const before = select.value;
  select.replaceChildren(...columns.map((one) => make("option", { value: one.name }, one.name)));
  if (columns.some((one) => one.name === before)) select.value = before;
}

function showEdges() {
  const item = (kind, edge) => {
    const button = make("button", { type: "button" }, "Remove");
    button.addEventListener("click", () => {
      edges[kind] = edges[kind].filter((one) => one !== edge);
      showEdges();
    });
    return make("li", {}, `${edge[0]} → ${edge[1]} is ${kind}`, button);
  };
  $("edges").replaceChildren(...edges.required.map((edge) => item("required", edge)),
    ...edges.forbidden.map((edge) => item("forbidden", edge)));
}

function addEdge(kind) {
  const edge = [$("edge-from").value, $("edge-to").value];
  if (edge[0] === edge[1]) throw new Error("An edge joins two different columns.");
  if (!edges[kind].some((one) => one[0] === edge[0] && one[1] === edge[1])) edges[kind].push(edge);
  showEdges();
}

function showModel() {
  const count = (list, one, many) => list.length === 1 ? `1 ${one}` : `${list.length} ${many}`;
  const links = model.links.length ? ` ${count(model.links, "column is", "columns are")} computed from others: ${model.links.join("; ")}.` : "";
  const rules = model.rules.length ? ` ${count(model.rules, "rule holds", "rules hold")} in every row: ${model.rules.join("; ")}.` : "";
  const aside = state.held_out ? `, ${(100 * state.held_out.share).toPrecision(2)} % of the table set aside` : "";
  $("model-facts").textContent = `Learnt from ${model.n_rows.toLocaleString("en")} rows${aside}; ${model.edges.length} edges.${links}${rules}`;
  const learnt = model.columns.filter((one) => one.learnt);
  fillColumns($("explain-column"), learnt);
  fillColumns($("build-column"), learnt);
  showOperators();
  showGraph();
  explain().catch(showError);
  checkWhere();
  for (const view of VIEWS) view.model(learnt);
}

function layers() {
  const names = [...new Set([...model.columns.filter((one) => one.learnt).map((one) => one.name), ...model.edges.flat()])];
  const depth = new Map(names.map((name) => [name, 0]));
  for (let round = 0; round < names.length; round++) {
    let moved = false;
    for (const [from, to] of model.edges) {
      if (depth.get(to) < depth.get(from) + 1) { depth.set(to, depth.get(from) + 1); moved = true; }
    }
    if (!moved) break;
  }
  return depth;
}

let places = new Map();

const ACROSS = 6; // layers side by side; further ones go on below

function showGraph() {
  const byLayer = [];
  for (const [name, level] of layers()) (byLayer[level] ||= []).push(name);
  places = new Map();
  for (let first = 0, top = 20; first < byLayer.length; first += ACROSS) {
    const block = byLayer.slice(first, first + ACROSS);
    block.forEach((names, i) => names.forEach((name, j) => places.set(name, { x: 20 + i * 195, y: top + j * 50 + (i % 2) * 24 })));
    top += Math.max(...block.map((names) => names.length)) * 50 + 70;
  }
  paintGraph();
}

function paintGraph() {
  const svg = $("graph"), chosen = $("explain-column").value, parts = [];
  const width = Math.max(...[...places.values()].map((one) => one.x)) + 190;
  const height = Math.max(...[...places.values()].map((one) => one.y)) + 60;
  svg.setAttribute("width", width);
  svg.setAttribute("height", height);
  for (const near of [false, true]) {
    for (const [from, to] of model.edges) {
      if ((from === chosen || to === chosen) !== near) continue;
      const a = places.get(from), b = places.get(to);
      const path = `M${a.x + 80},${a.y + 15} Q${(a.x + b.x) / 2 + 80},${Math.min(a.y, b.y) - 8} ${b.x + 80},${b.y + 15}`;
      const kind = !near ? "edge" : to === chosen ? "edge near into" : "edge near";
      parts.push(draw("path", { class: kind, d: path }));
    }
  }
  for (const [name, place] of places) {
    const shown = name.length > 20 ? `${name.slice(0, 19)}…` : name;
    const label = draw("text", { x: place.x + 8, y: place.y + 20 });
    label.textContent = shown;
    const near = (from, to) => model.edges.some((edge) => edge[0] === from && edge[1] === to);
    const kind = name === chosen ? "chosen" : near(name, chosen) ? "parent" : near(chosen, name) ? "child" : "";
    const node = draw("g", { class: `node ${kind}` },
      draw("rect", { x: place.x, y: place.y, width: 160, height: 30, rx: 7 }), label);
    node.addEventListener("pointerdown", (event) => dragNode(event, name));
    parts.push(node);
  }
  svg.replaceChildren(...parts);
}

function dragNode(event, name) {
  const start = { x: event.clientX, y: event.clientY }, place = { ...places.get(name) };
  const move = (now) => {
    places.set(name, { x: Math.max(0, place.x + now.clientX - start.x), y: Math.max(0, place.y + now.clientY - start.y) });
    paintGraph();
  };
  const stop = () => {
    removeEventListener("pointermove", move);
    if ([...$("explain-column").options].some((one) => one.value === name)) {
      $("explain-column").value = name;
      explain().catch(showError);
    }
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", stop, { once: true });
}

async function explain() {
  const column = $("explain-column").value;
  paintGraph();
  const found = await call(`/api/explain?column=${encodeURIComponent(column)}`);
  const given = found.parents.length ? `depends on ${found.parents.join(", ")}` : "depends on no other column";
  const list = make("ul", {}, ...found.rules.map((rule) => make("li", {},
    `${rule.conditions.length ? `if ${rule.conditions.join(" and ")}` : "always"}: ${rule.outcome} (${rule.n_rows.toLocaleString("en")} rows)`)));
  $("explanation").replaceChildren(make("h3", {}, `${column} ${given}`),
    make("p", { className: "muted" }, `The largest of ${found.n_leaves} leaves of the first of ${found.n_trees} trees:`), list);
}

// Ask: the text is the only truth; chips and the builder change it

const lines = () => $("where").value.split("\n").filter((line) => line.trim());

function setLines(list) {
  $("where").value = list.join("\n");
  checkWhere();
}

function showChips() {
  $("chips").replaceChildren(...lines().map((line, i) => {
    const button = make("button", { type: "button", "aria-label": `Remove ${line}` }, "✕");
    button.addEventListener("click", () => setLines(lines().filter((_, j) => j !== i)));
    return make("li", {}, line, button);
  }));
}

const builtColumn = () => model.columns.find((one) => one.name === $("build-column").value);

function showOperators() {
  const column = builtColumn();
  if (!column) return;
  $("build-operator").replaceChildren(...[...OPERATORS[column.kind], "is null", "is not null"].map((name) => make("option", {}, name)));
  $("build-levels").replaceChildren(...column.levels.map((level) => make("option", { value: level })));
}

function addCondition() {
  const column = builtColumn(), operator = $("build-operator").value;
  let value = $("build-value").value.trim();
  if (operator.startsWith("is")) return setLines([...lines(), `${column.written} ${operator}`]);
  if (!value) throw new Error("Give a value to compare with.");
  const quoted = /^(['"]).*\1$/.test(value);
  if (["categorical", "datetime"].includes(column.kind) && !quoted && !column.levels.includes(value)) value = quote(value);
  setLines([...lines(), `${column.written} ${operator} ${value}`]);
  $("build-value").value = "";
}

const quote = (text) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

let waiting = null, asking = null;

function checkWhere() {
  showChips();
  clearTimeout(waiting);
  if (asking) asking.abort();
  waiting = setTimeout(askVerdict, PAUSE);
}

async function askVerdict() {
  if (!state || !state.fitted) return;
  asking = new AbortController();
  const options = { signal: asking.signal }, where = lines(), box = $("verdict"), begun = performance.now();
  try {
    const found = await post("/api/check", { where }, options);
    showVerdict(found, where);
    box.dataset.milliseconds = Math.round(performance.now() - begun);
    if (found.verdict !== "possible" || !where.length) return;
    const share = await post("/api/probability", { where }, options);
    box.append(make("div", { id: "rarity" }, showRarity(share)));
    box.dataset.probabilityMilliseconds = Math.round(performance.now() - begun);
  } catch (error) { showError(error); }
}

function showVerdict(found, where) {
  const box = $("verdict");
  box.dataset.verdict = found.verdict;
  const good = (text) => make("span", { className: "good" }, text), bad = (text) => make("span", { className: "bad" }, text);
  if (found.verdict === "possible") {
    box.replaceChildren(good(where.length ? "Possible." : "No conditions: rows as the model knows them."));
  } else if (found.verdict === "impossible") {
    box.replaceChildren(bad("Impossible: "), found.problem, make("ul", {}, ...found.conflict.map((one) =>
      make("li", {}, `${one.of_model ? "rule of the model" : "condition"}: ${one.rule}`))));
  } else if (found.verdict === "undecided") {
    box.replaceChildren(bad("Not decided in time: "), found.problem);
  } else {
    box.replaceChildren(bad("Not readable: "), found.problem);
    if (found.line !== null && found.position !== null) {
      box.append(make("pre", { "aria-hidden": "true" }, `${where[found.line]}\n${" ".repeat(found.position)}^`));
    }
  }
}

function showRarity(share) {
  if (!share.value) return "None of the model's rows are like this; drawing them may take long.";
  const one = 1 / share.value;
  const often = one < 1.005 ? "All rows, or nearly all" : `One row in ${one >= 10 ? Math.round(one).toLocaleString("en") : one.toPrecision(2)}`;
  const percent = (x) => `${(100 * x).toPrecision(3)} %`;
  return `${often} (${percent(share.low)} to ${percent(share.high)}).`;
}

// Completion of the word before the caret

let offered = [], chosen = 0;

function wordBefore() {
  const area = $("where"), before = area.value.slice(0, area.selectionStart);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  return (line.match(/(['"`]?[\p{L}_][^\s'"`()<>=!,]*|['"`])$/u) || [""])[0];
}

function offerWords() {
  const word = wordBefore(), plain = word.replace(/^['"`]/, "").toLowerCase();
  offered = [];
  if (word && model) {
    const area = $("where"), before = area.value.slice(0, area.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1, before.length - word.length);
    const column = model.columns.find((one) => new RegExp(`(==|!=|in \\[.*)\\s*$`).test(line) && line.includes(one.written) && one.levels.length);
    const words = column ? column.levels : [...model.columns.filter((one) => one.learnt).map((one) => one.written), ...FUNCTIONS];
    const matches = (text) => text.replace(/^['"`]/, "").toLowerCase().startsWith(plain) && text !== word;
    offered = words.filter(matches).slice(0, 8);
  }
  chosen = 0;
  showOffered();
}

function showOffered() {
  const list = $("completions"), area = $("where");
  list.hidden = !offered.length;
  list.replaceChildren(...offered.map((text, i) => {
    const item = make("li", { id: `completion-${i}`, role: "option" }, text);
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", String(i === chosen));
    item.addEventListener("mousedown", (event) => { event.preventDefault(); chosen = i; takeWord(); });
    return item;
  }));
  if (offered.length) area.setAttribute("aria-activedescendant", `completion-${chosen}`);
  else area.removeAttribute("aria-activedescendant");
}

function takeWord() {
  const area = $("where"), word = wordBefore(), at = area.selectionStart;
  area.setRangeText(offered[chosen], at - word.length, at, "end");
  offered = [];
  showOffered();
  checkWhere();
}

function editorKey(event) {
  if (!offered.length) return;
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : offered.length - 1)) % offered.length;
    showOffered();
  } else if (event.key === "Enter" || event.key === "Tab") takeWord();
  else if (event.key === "Escape") { offered = []; showOffered(); }
  else return;
  event.preventDefault();
}

// Rows

async function drawRows(event) {
  event.preventDefault();
  const begun = performance.now(), button = $("draw");
  button.disabled = true;
  try {
    const found = await post("/api/sample", { where: lines(), n: Number($("n").value), seed: Number($("seed").value) });
    showRows(found);
    $("rows").dataset.milliseconds = Math.round(performance.now() - begun);
  } finally { button.disabled = false; }
  await refresh();
}

function showRows(found) {
  $("rows-found").hidden = false;
  const shown = found.rows.length < found.n ? `, the first ${found.rows.length} shown` : "";
  $("rows-title").textContent = `Question ${found.number}: ${found.n.toLocaleString("en")} rows${shown}`;
  for (const ending of ["csv", "parquet"]) $(ending).href = `/api/rows/${found.number}.${ending}`;
  $("shell").textContent = found.shell;
  $("python").textContent = found.python;
  const [head, body] = [$("rows").tHead, $("rows").tBodies[0]];
  head.replaceChildren(make("tr", {}, ...found.columns.map((name) => make("th", { scope: "col" }, name))));
  const cell = (value) => {
    const shown = value === null ? "null" : typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value);
    const title = shown === String(value) || value === null ? "" : String(value);
    return make("td", { className: value === null ? "null" : typeof value === "number" ? "number" : "", title }, shown);
  };
  body.replaceChildren(...found.rows.map((row) => make("tr", {}, ...row.map(cell))));
  shadeRows(found).catch(showError);
}

let shading = null;

// Shading comes after the rows, column by column: the first answer about a column takes time, and nobody waits for it.
async function shadeRows(found) {
  if (shading) shading.abort();
  shading = new AbortController();
  const own = shading, learnt = new Set(model.columns.filter((one) => one.learnt).map((one) => one.name));
  delete $("rows").dataset.shaded;
  for (const [j, name] of found.columns.entries()) {
    if (!learnt.has(name)) continue;
    $("shading").textContent = `Shading ${name} …`;
    const path = `/api/rows/${found.number}/support?column=${encodeURIComponent(name)}`;
    const support = await call(path, { signal: own.signal });
    if (own !== shading) return;
    [...$("rows").tBodies[0].rows].forEach((row, i) => shadeCell(row.cells[j], support[i]));
  }
  $("shading").textContent = "";
  $("rows").dataset.shaded = "yes";
}

function shadeCell(cell, support) {
  if (support >= 0.75) return;
  cell.classList.add(`unsure${support < 0.25 ? 3 : support < 0.5 ? 2 : 1}`);
  cell.title = [cell.title, `support by training rows: ${support}`].filter(Boolean).join("; ");
}

function showAsked() {
  $("questions-empty").hidden = state.requests.length > 0;
  $("asked").replaceChildren(...[...state.requests].reverse().map((one) => {
    const button = make("button", { type: "button" }, `Show question ${one.number}`);
    button.addEventListener("click", guarded(async () => {
      const found = await call(`/api/rows/${one.number}`);
      $("n").value = one.n;
      $("seed").value = one.seed;
      setLines(one.where);
      showRows(found);
      location.hash = "#ask";
    }));
    const text = one.where.length ? one.where.join(" and ") : "no conditions";
    return make("li", {}, make("span", {}, `${one.n.toLocaleString("en")} rows, seed ${one.seed}: ${text}`), button);
  }));
}

// Wiring

function start() {
  addEventListener("hashchange", showStep);
  $("file").addEventListener("change", guarded(async () => { await upload($("file").files[0]); $("file").value = ""; }));
  $("demo").addEventListener("click", guarded(async () => { await post("/api/demo"); await refresh(); }));
  const drop = $("drop");
  for (const name of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.toggle("over", name === "dragover"); });
  }
  drop.addEventListener("drop", guarded((event) => upload(event.dataTransfer.files[0])));
  $("job-cancel").addEventListener("click", guarded(async () => { await post("/api/cancel"); await refresh(); }));
  $("edge-require").addEventListener("click", guarded(() => addEdge("required")));
  $("edge-forbid").addEventListener("click", guarded(() => addEdge("forbidden")));
  $("fit-form").addEventListener("submit", (event) => event.preventDefault());
  $("fit-form").addEventListener("submit", guarded(async () => {
    await post("/api/fit", { ...edges, seed: Number($("fit-seed").value), percent: Number($("fit-percent").value) });
    await refresh();
  }));
  $("explain-column").addEventListener("change", guarded(explain));
  $("build-column").addEventListener("change", showOperators);
  $("build-add").addEventListener("click", guarded(addCondition));
  $("where").addEventListener("input", () => { offerWords(); checkWhere(); });
  $("where").addEventListener("keydown", editorKey);
  $("where").addEventListener("blur", () => { offered = []; showOffered(); });
  $("ask-form").addEventListener("submit", (event) => event.preventDefault());
  $("ask-form").addEventListener("submit", guarded(drawRows));
  for (const view of VIEWS) view.start();
  showStep();
  refresh();
}

addEventListener("DOMContentLoaded", start);
