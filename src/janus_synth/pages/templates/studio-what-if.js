// The view What if: columns set by hand, distributions before and after, one row's counterfactual, effects.
"use strict";

let settings = [], asking2 = null, waiting2 = null;

const columnOf = (name) => model.columns.find((one) => one.name === name);

// Controls that say what a column is set to: { element, read }. Modes are "value", "range" and "null".
function specControl(column, modes, changed, given = {}) {
  const box = make("span", { className: "spec" });
  const names = { value: "to a value", range: column.names.length ? "to one of" : "to a range", null: "to null" };
  const mode = make("select", { "aria-label": `How ${column.name} is set` },
    ...modes.map((one) => make("option", { value: one }, names[one])));
  let part = null;
  const show = () => {
    part = mode.value === "null" ? { elements: [], read: () => ({ null: true }) }
      : column.names.length ? levelPart(column, mode.value, changed, given) : rangePart(column, mode.value, changed, given);
    box.replaceChildren(...(modes.length > 1 ? [mode] : []), ...part.elements);
  };
  mode.value = given.mode && modes.includes(given.mode) ? given.mode : modes[0];
  mode.addEventListener("change", () => { show(); changed(); });
  show();
  return { element: box, read: () => part.read() };
}

function levelPart(column, mode, changed, given) {
  if (mode === "value") {
    const select = make("select", { "aria-label": given.label || `Value of ${column.name}` },
      ...column.names.map((name, i) => make("option", { value: i }, name)));
    if (given.level !== undefined) select.value = given.level;
    select.addEventListener("change", changed);
    return { elements: [select], read: () => ({ level: Number(select.value) }) };
  }
  const boxes = column.names.map((name, i) => {
    const box = make("input", { type: "checkbox", checked: given.levels ? given.levels.includes(i) : i === 0 });
    box.addEventListener("change", changed);
    return [box, make("label", {}, box, ` ${name}`)];
  });
  return { elements: [make("span", { className: "levels", role: "group", "aria-label": `Values of ${column.name}` }, ...boxes.map((one) => one[1]))],
    read: () => ({ levels: boxes.flatMap(([box], i) => box.checked ? [i] : []) }) };
}

function rangePart(column, mode, changed, given) {
  const isTime = column.kind === "datetime";
  const shown = (x) => isTime ? String(x).slice(0, 10) : Number(x);
  const at = (part) => {
    const step = column.step || (column.high - column.low) / 200;
    return column.low + Math.round((column.high - column.low) * part / step) * step;
  };
  const starts = isTime ? { value: shown(column.low), low: shown(column.low), high: shown(column.high) }
    : { value: at(0.5), low: at(0.25), high: at(0.75) };
  const ends = mode === "value" ? ["value"] : ["low", "high"];
  const inputs = ends.map((end) => endInput(column, end, given[end] ?? starts[end], isTime, changed, given.label));
  const read = () => Object.fromEntries(ends.map((end, i) => [end, isTime ? inputs[i].field.value : Number(inputs[i].field.value)]));
  return { elements: inputs.flatMap((one) => one.elements), read };
}

function endInput(column, end, start, isTime, changed, label) {
  const what = label || { value: `Value of ${column.name}`, low: `Lowest ${column.name}`, high: `Highest ${column.name}` }[end];
  if (isTime) {
    const field = make("input", { type: "date", value: start, "aria-label": what });
    field.addEventListener("change", changed);
    return { field, elements: [make("span", {}, { value: "", low: "from ", high: "to " }[end]), field] };
  }
  const tidy = (x) => String(Number(Number(x).toPrecision(10)));
  const step = column.step || (column.high - column.low) / 200;
  const slider = make("input", { type: "range", min: column.low, max: column.high, step, value: start, "aria-label": `${what}, slider` });
  const field = make("input", { type: "number", step: column.step || "any", value: tidy(start), "aria-label": what });
  slider.addEventListener("input", () => { field.value = tidy(slider.value); changed(); });
  field.addEventListener("input", () => { slider.value = field.value; changed(); });
  return { field, elements: [make("span", {}, { value: "", low: "from ", high: "to " }[end]), slider, field] };
}

const MODES = (column) => ["value", "range", ...(column.nullable ? ["null"] : [])];

function addSetting(name) {
  if (settings.some((one) => one.name === name)) throw new Error(`${name} is set already.`);
  settings.push({ name, control: specControl(columnOf(name), MODES(columnOf(name)), askWorlds) });
  showSettings();
  askWorlds();
}

function showSettings() {
  $("settings").replaceChildren(...settings.map((one) => {
    const button = make("button", { type: "button", "aria-label": `Do not set ${one.name}` }, "✕");
    button.addEventListener("click", () => {
      settings = settings.filter((other) => other !== one);
      showSettings();
      askWorlds();
    });
    return make("li", {}, make("b", {}, one.name), one.control.element, button);
  }));
  $("settings-empty").hidden = settings.length > 0;
  $("worlds").hidden = !settings.length;
}

const readSettings = () => Object.fromEntries(settings.map((one) => [one.name, one.control.read()]));

function askWorlds() {
  clearTimeout(waiting2);
  if (asking2) asking2.abort();
  if (settings.length) waiting2 = setTimeout(showWorlds, 250);
}

async function showWorlds() {
  asking2 = new AbortController();
  const options = { signal: asking2.signal };
  showError(null);
  $("worlds-status").textContent = "Drawing both worlds …";
  try {
    const found = await post("/api/what-if", { do: readSettings() }, options);
    $("world-columns").replaceChildren(...found.columns.map((one) => overlayCard(one, ["before", "after"],
      one.set ? "set by you" : one.follows ? `follows; change ${figure(one.change)}` : "does not follow")));
    $("world-columns").dataset.ready = "yes";
    $("what-if-python").textContent = found.python;
    $("worlds-status").textContent = `${found.n.toLocaleString("en")} rows of each world`;
    await showRow(options);
  } catch (error) {
    if (error.name !== "AbortError") $("worlds-status").textContent = "";
    showError(error);
  }
}

async function showRow(options = {}) {
  if (!settings.length || !$("row-source").value) return;
  const found = await post("/api/counterfactual", { do: readSettings(), row: Number($("row-number").value) || 1,
    question: Number($("row-source").value) }, options);
  $("row-number").max = found.n_rows;
  const changed = found.cells.filter((one) => one.changed).length;
  $("row-facts").textContent = `Row ${found.row.toLocaleString("en")} of ${found.n_rows.toLocaleString("en")}: ` +
    (changed ? `${changed} of ${found.cells.length} cells would differ.` : "no cell would differ.");
  const text = (x) => x === null ? "null" : typeof x === "number" ? String(Number(x.toPrecision(7))) : String(x);
  const why = (one) => one.set ? "set" : !one.follows ? "does not follow" : one.changed ? "follows" : "stays";
  tableOf($("row-cells"), ["column", "as it is", "as it would have been", ""],
    found.cells.map((one) => [one.column, text(one.before), text(one.after), why(one)]), 9);
  [...$("row-cells").tBodies[0].rows].forEach((row, i) => row.classList.toggle("changed", found.cells[i].changed));
}

function moveRow(by) {
  const field = $("row-number"), most = Number(field.max) || 1;
  field.value = Math.min(most, Math.max(1, (Number(field.value) || 1) + by));
  return showRow();
}

// Effects

let effectParts = [];

function showEffectValues() {
  const column = model && columnOf($("effect-treatment").value);
  if (!column) return;
  const last = column.names.length - 1;
  const given = column.names.length ? [{ level: 0 }, { level: Math.max(0, last) }]
    : column.kind === "datetime" ? [{ value: column.low.slice(0, 10) }, { value: column.high.slice(0, 10) }]
      : [0.25, 0.75].map((part) => ({ value: snapped(column, part) }));
  effectParts = given.map((one, i) => specControl(column, ["value"], () => {},
    { ...one, label: `${column.name} is changed ${i ? "to" : "from"}` }));
  $("effect-values").replaceChildren("when it is changed from ", effectParts[0].element, " to ", effectParts[1].element);
}

function snapped(column, part) {
  const step = column.step || (column.high - column.low) / 200;
  return Number((column.low + Math.round((column.high - column.low) * part / step) * step).toPrecision(10));
}

async function showEffect() {
  if (!state.answers.effect) { $("effect-found").hidden = true; return; }
  const found = await call("/api/effect");
  const ends = (one) => `${figure(one.low)} to ${figure(one.high)}`;
  $("effect-title").textContent = `Effect of ${found.treatment} on ${found.outcome}`;
  tableOf($("effect-table"), [found.treatment, `mean ${found.outcome}`, "interval", "effect", "interval"], found.values.map((value, i) =>
    [value, figure(found.means[i].value), ends(found.means[i]), i ? figure(found.effects[i].value) : "–", i ? ends(found.effects[i]) : "–"]));
  $("effect-found").hidden = false;
  $("effect-basis").textContent = `${Math.round(100 * found.level)} % intervals; ${found.basis.join("; ")}.`;
}

// Whether a person vouches for the graph; What if and Fairness both say so.
const isVouched = () => model.given || (state.vouched !== null && JSON.stringify(state.vouched) === JSON.stringify(model.edges));

function showVouch() {
  for (const box of document.querySelectorAll(".vouch")) {
    const [text, button] = box.children, sure = isVouched();
    text.textContent = model.given ? "The graph was given with the model."
      : sure ? "You vouch for this graph: answers are read as cause and effect."
        : "This graph was learnt from the rows, and rows alone cannot tell cause from correlation. Answers here are causal only if its edges are. Look at the graph in step 2, require or forbid edges, and vouch for it if you believe in it.";
    button.hidden = model.given;
    button.textContent = sure ? "I no longer vouch for it" : "I vouch for this graph";
    box.classList.toggle("calm", sure);
  }
}

VIEWS.push({
  start() {
    $("set-add").addEventListener("click", guarded(() => addSetting($("set-column").value)));
    for (const id of ["row-source", "row-number"]) $(id).addEventListener("change", guarded(() => showRow()));
    $("row-before").addEventListener("click", guarded(() => moveRow(-1)));
    $("row-after").addEventListener("click", guarded(() => moveRow(1)));
    $("effect-treatment").addEventListener("change", showEffectValues);
    $("effect-form").addEventListener("submit", (event) => event.preventDefault());
    $("effect-form").addEventListener("submit", guarded(async () => {
      await post("/api/effect", { treatment: $("effect-treatment").value, outcome: $("effect-outcome").value,
        values: effectParts.map((one) => one.read()) });
      await refresh();
    }));
    for (const button of document.querySelectorAll(".vouch button")) {
      button.addEventListener("click", guarded(async () => {
        await post("/api/vouch", { vouched: !isVouched() });
        await refresh();
      }));
    }
  },
  async state() {
    $("what-if-found").hidden = !state.fitted;
    $("what-if-needs").hidden = state.fitted;
    if (!state.fitted || !model) return;
    showVouch();
    const select = $("row-source"), before = select.value;
    select.replaceChildren(...(state.has_data ? [make("option", { value: 0 }, "the table")] : []),
      ...[...state.requests].reverse().map((one) => make("option", { value: one.number }, `question ${one.number}`)));
    if ([...select.options].some((one) => one.value === before)) select.value = before;
    await showEffect();
  },
  model(learnt) {
    settings = [];
    showSettings();
    for (const id of ["set-column", "effect-treatment"]) fillColumns($(id), learnt);
    const outcomes = learnt.filter((one) => ["numeric", "boolean"].includes(one.kind)), before = $("effect-outcome").value;
    fillColumns($("effect-outcome"), outcomes);
    if (!before && outcomes.length) $("effect-outcome").value = outcomes.at(-1).name;
    showEffectValues();
  },
});
