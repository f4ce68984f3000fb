// The view Fairness: a bias of known size along a path of the graph, its certificate, and an audit of three algorithms.
"use strict";

let privileged = null, favourable = null, paths = { mediators: [], edges: [], reaches: true };
let pathRequests = 0;

function groupControl(column, place, words, before) {
  const many = column.names.length > 2 || !column.names.length;
  const control = specControl(column, [many && words === "favourable" ? "range" : column.names.length ? "value" : "range"], () => {}, before);
  $(place).replaceChildren(make("span", {}, `${words}: `), control.element);
  return control;
}

// Who is privileged begins with the first level, what is favourable with the last one or the upper half.
function showGroups(asked = {}) {
  const protectedColumn = columnOf($("bias-protected").value), outcome = columnOf($("bias-outcome").value);
  if (!protectedColumn || !outcome) return;
  privileged = groupControl(protectedColumn, "bias-privileged", "privileged", asked.privileged || {});
  const last = outcome.names.length - 1;
  const good = outcome.names.length ? { level: last, levels: [last] }
    : outcome.kind === "numeric" ? { low: snapped(outcome, 0.5), high: outcome.high } : {};
  favourable = groupControl(outcome, "bias-favourable", "favourable", asked.favourable || good);
}

// The form shows the bias that was planted last.
async function restoreBias(asked) {
  const known = (id, name) => [...$(id).options].some((one) => one.value === name);
  if (!known("bias-protected", asked.protected) || !known("bias-outcome", asked.outcome)) return;
  $("bias-protected").value = asked.protected;
  $("bias-outcome").value = asked.outcome;
  $("bias-size").value = asked.magnitude;
  showGroups(asked);
  showSize();
  if (await showPaths()) choosePath(asked.path);
}

// Returns whether the paths are shown: not if a later choice asked for others while these were on their way.
async function showPaths() {
  const [from, to] = [$("bias-protected").value, $("bias-outcome").value], request = ++pathRequests;
  if (!from || !to) return false;
  const found = from === to ? { mediators: [], edges: [], reaches: false }
    : await call(`/api/paths?protected=${encodeURIComponent(from)}&outcome=${encodeURIComponent(to)}`);
  if (request !== pathRequests) return false;
  paths = found;
  const radio = (value, text) => {
    const input = make("input", { type: "radio", name: "bias-path", value, checked: value === "direct" });
    input.addEventListener("change", paintPaths);
    return make("label", {}, input, ` ${text}`);
  };
  $("bias-paths").replaceChildren(radio("direct", "direct: the outcome itself is changed"),
    ...paths.mediators.map((name) => radio(name, `through ${name}`)));
  paintPaths();
  return true;
}

const chosenPath = () => (document.querySelector("input[name=bias-path]:checked") || { value: "direct" }).value;

function choosePath(name) {
  const input = [...document.querySelectorAll("input[name=bias-path]")].find((one) => one.value === name);
  if (input) { input.checked = true; paintPaths(); }
}

// The protected column on the left, mediators in the middle, the outcome on the right.
function paintPaths() {
  const [from, to] = [$("bias-protected").value, $("bias-outcome").value], path = chosenPath();
  const spots = new Map(), down = Math.max(1, paths.mediators.length + 1), narrow = innerWidth < 600;
  const wide = narrow ? 95 : 160, apart = wide + (narrow ? 13 : 60), letters = narrow ? 12 : 20;
  const middle = 60 + 25 * (down - 1);
  spots.set(from, { x: 4, y: middle });
  paths.mediators.forEach((name, i) => spots.set(name, { x: 4 + apart, y: 90 + 50 * i }));
  spots.set(to, { x: 4 + 2 * apart, y: middle });
  const tip = (id) => draw("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto",
    markerUnits: "userSpaceOnUse" }, draw("path", { d: "M0,0 L8,4 L0,8 Z" }));
  const svg = $("path-graph"), parts = [draw("defs", {}, tip("tip"), tip("near-tip"))];
  svg.setAttribute("width", 8 + 2 * apart + wide);
  svg.setAttribute("height", Math.max(...[...spots.values()].map((one) => one.y)) + 45);
  const line = (a, b, near, bend) => {
    const one = spots.get(a), other = spots.get(b);
    const way = bend ? `M${one.x + wide / 2},${one.y} C${one.x + wide},10 ${other.x},10 ${other.x + wide / 2},${other.y - 2}`
      : `M${one.x + wide},${one.y + 15} L${other.x - 2},${other.y + 15}`;
    parts.push(draw("path", { class: near ? "edge near into" : "edge", d: way, "marker-end": `url(#${near ? "near-tip" : "tip"})` }));
  };
  const first = (name) => paths.edges.some((edge) => edge[0] === from && edge[1] === name);
  const last = (name) => paths.edges.some((edge) => edge[0] === name && edge[1] === to);
  for (const name of paths.mediators) {
    if (first(name)) line(from, name, path === name);
    if (last(name)) line(name, to, path === name);
  }
  if (from !== to) line(from, to, path === "direct", true);
  for (const [name, spot] of spots) {
    const label = draw("text", { x: spot.x + 8, y: spot.y + 20 });
    label.textContent = name.length > letters ? `${name.slice(0, letters - 1)}…` : name;
    const ends = name === from || name === to;
    const node = draw("g", { class: `node pick ${name === path ? "chosen" : ends ? "parent" : ""}` },
      draw("rect", { x: spot.x, y: spot.y, width: wide, height: 30, rx: 7 }), label);
    node.addEventListener("click", () => choosePath(ends ? "direct" : name));
    parts.push(node);
  }
  svg.replaceChildren(...parts);
}

function showSize() {
  $("bias-size-text").textContent = `${Math.round(100 * $("bias-size").value)} % of the favourable outcomes of those who are not privileged are taken away`;
}

async function showPlanted() {
  if (!state.answers.planted) { $("planted").hidden = true; return; }
  const found = await call("/api/plant"), record = found.records[0], count = (x) => x.toLocaleString("en");
  $("planted-text").textContent = `${record.text}. Asked for ${share(record.asked)}, planted ${(100 * record.realised).toFixed(1)} %: ` +
    `${count(record.n_turned)} of ${count(record.n_eligible)} outcomes in ${count(found.n_rows)} rows.`;
  tableOf($("planted-rates"), ["group", "rows", "as learnt", "without bias", "with bias"],
    found.rates.map((one) => [`${one.outcome} where ${one.group}`, count(one.n), ...["learnt", "fair", "biased"].map((world) => percentOf(one[world]))]));
  const points = (one) => `${signed(one.value)} (${signed(one.low)} to ${signed(one.high)})`;
  tableOf($("planted-effects"), ["effect", "as learnt", "without bias", "with bias"],
    found.effects.map((one) => [`${one.kind}, ${one.title}`, ...["learnt", "fair", "biased"].map((world) => points(one[world]))]));
  $("audits").replaceChildren(...Object.entries(found.audits).map(([name, one]) => showAudit(name, one)));
  $("planted").hidden = false;
  if (isNew("bias", found.asked)) await restoreBias(found.asked);
}

const percentOf = (x) => x === null ? "–" : `${(100 * x).toFixed(1)} %`;

// Points with a sign; what is rounded to zero has none.
function signed(x) {
  const text = x === null ? "–" : (100 * x).toFixed(1);
  return Number(text) === 0 ? "0.0" : `${x > 0 ? "+" : ""}${text}`.replace("-", "−");
}

function showAudit(name, one) {
  if (one.error) return make("div", { className: "card" }, make("h4", {}, name), make("small", {}, one.error));
  const gap = one.gaps.score, decided = one.gaps.parity;
  const line = (text) => make("small", {}, text);
  const table = make("table", {}, make("thead"), make("tbody"));
  tableOf(table, ["gap, points", "biased", "unbiased", "planted"],
    [["score", gap], ["decisions", decided]].map(([text, its]) => [text, signed(its.gap.value), signed(its.twin.value), signed(its.planted)]));
  return make("div", { className: "card" }, make("h4", {}, name),
    make("p", { className: "big" }, make("span", { className: `badge ${one.found ? "poor" : "good"}` }, one.found ? "shows the bias" : "does not show it")),
    make("div", { className: "wide plain", tabIndex: 0, role: "region", "aria-label": `Gaps of ${name}` }, table),
    line(one.recovered === null ? "" : `Its scores show ${Math.round(100 * one.recovered)} % of what was planted.`),
    line(`Agrees with ${percentOf(one.accuracy_biased.value)} of the biased outcomes, ${percentOf(one.accuracy_fair.value)} of the fair ones; favours ${percentOf(one.favoured.value)} of the rows.`),
    ...one.degenerate.map((text) => make("small", { className: "serious" }, `Degenerate: ${text}.`)));
}

VIEWS.push({
  start() {
    for (const id of ["bias-protected", "bias-outcome"]) {
      $(id).addEventListener("change", guarded(async () => { showGroups(); await showPaths(); }));
    }
    $("bias-size").addEventListener("input", showSize);
    addEventListener("resize", () => { if (model) paintPaths(); });
    showSize();
    $("fairness-form").addEventListener("submit", (event) => event.preventDefault());
    $("fairness-form").addEventListener("submit", guarded(async () => {
      await post("/api/plant", { protected: $("bias-protected").value, privileged: privileged.read(), outcome: $("bias-outcome").value,
        favourable: favourable.read(), path: chosenPath(), magnitude: Number($("bias-size").value) });
      await refresh();
    }));
  },
  async state() {
    $("fairness-form").hidden = !state.fitted;
    $("fairness-needs").hidden = state.fitted;
    if (!state.fitted) { $("planted").hidden = true; return; }
    await showPlanted();
  },
  model(learnt) {
    const small = learnt.filter((one) => one.names.length > 1 || one.kind === "numeric");
    fillColumns($("bias-protected"), small);
    fillColumns($("bias-outcome"), small);
    const pick = (id, fits) => { const one = small.find(fits); if (one) $(id).value = one.name; };
    pick("bias-protected", (one) => one.names.length === 2);
    const outcomes = small.filter((one) => one.kind === "boolean" && one.name !== $("bias-protected").value);
    if (outcomes.length) $("bias-outcome").value = outcomes.at(-1).name;
    if ($("bias-outcome").value === $("bias-protected").value) pick("bias-outcome", (one) => one.name !== $("bias-protected").value);
    drawn.bias = null;
    showGroups();
    showPaths().catch(showError);
  },
});
