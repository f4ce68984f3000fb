// The view Compare, and the overlays of two distributions that What if shows as well.
"use strict";

const share = (x) => x === null ? "–" : `${(100 * x).toFixed(x < 0.1 ? 1 : 0)} %`;
const figure = (x) => x === null || x === undefined ? "–" : (Math.abs(x) >= 1000 ? Math.round(x).toLocaleString("en") : String(Number(x.toPrecision(3)))).replace("-", "−");

function tableOf(table, headings, rows, firstNumber = 1) {
  table.tHead.replaceChildren(make("tr", {}, ...headings.map((text, i) =>
    make("th", { scope: "col", className: i >= firstNumber ? "number" : "" }, text))));
  table.tBodies[0].replaceChildren(...rows.map((cells) => make("tr", {}, ...cells.map((text, i) =>
    i === 0 ? make("th", { scope: "row" }, text) : make("td", { className: i >= firstNumber ? "number" : "" }, text)))));
}

// One column of two tables: bars for levels, filled and outlined histograms for numbers and dates.
function overlayCard(one, names, note) {
  const notes = Object.entries(one.notes).map(([what, both]) => `${what}: ${share(both[0])} ${names[0]}, ${share(both[1])} ${names[1]}`);
  const means = one.means ? [`mean ${figure(one.means[0])} ${names[0]}, ${figure(one.means[1])} ${names[1]}`] : [];
  return make("div", { className: "card" }, make("h4", {}, one.column), ...(note ? [make("small", {}, note)] : []),
    one.bars ? overlayBars(one, names) : overlayHistogram(one, names),
    ...[...means, ...notes].map((text) => make("small", {}, text)));
}

function overlayBars(one, names) {
  const most = Math.max(1e-9, ...one.first, ...one.second);
  const lines = one.labels.map((label, i) => {
    const picture = draw("svg", { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("rect", { class: "first", x: 0, y: 1, width: 100 * one.first[i] / most, height: 8.5 }),
      draw("rect", { class: "second", x: 0, y: 10.5, width: 100 * one.second[i] / most, height: 8.5 }));
    return [make("span", { className: "level", title: label }, label), picture,
      make("span", { className: "shares" }, `${share(one.first[i])} · ${share(one.second[i])}`)];
  });
  return make("div", { className: "bars", role: "group", "aria-label": `Shares of ${one.column}: ${names.join(", then ")}` }, ...lines.flat());
}

function overlayHistogram(one, names) {
  const n = one.first.length, most = Math.max(1e-9, ...one.first, ...one.second), width = 100 / n;
  const top = (x) => 40 - 39 * x / most;
  const steps = (shares) => `M0,40 ${shares.map((x, i) => `L${i * width},${top(x)} L${(i + 1) * width},${top(x)}`).join(" ")} L100,40`;
  const picture = draw("svg", { class: "overlay", viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img",
    "aria-label": `Distribution of ${one.column}, ${names[0]} filled, ${names[1]} outlined, from ${one.labels[0]} to ${one.labels[n]}` },
  draw("path", { class: "first", d: `${steps(one.first)} Z` }), draw("path", { class: "second", d: steps(one.second) }));
  return make("div", {}, picture, make("div", { className: "ends" }, make("span", {}, one.labels[0]), make("span", {}, one.labels[n])));
}

function showCompare() {
  const ready = state.fitted && state.requests.length > 0 && state.has_data;
  $("compare-form").hidden = !ready;
  $("compare-needs").hidden = ready;
  const link = (href, text) => make("a", { href }, text);
  $("compare-needs").replaceChildren(...(!state.fitted ? ["There is no model yet. ", link("#model", "Learn the table first.")]
    : !state.has_data ? ["The project has a model and no table, so there are no real rows to compare with. ", link("#data", "Choose a table.")]
      : ["There are no rows yet. ", link("#ask", "Ask for rows first.")]));
  if (!ready) { $("compared").hidden = true; return; }
  const select = $("compare-question"), before = select.value, latest = String(state.requests.at(-1).number);
  const known = new Set(state.requests.map((one) => String(one.number)));
  const isNewQuestion = !known.has(before) || select.dataset.latest !== latest;
  select.replaceChildren(...[...state.requests].reverse().map((one) => {
    const old = "fit" in one && one.fit !== state.fits ? " (of an earlier model)" : "";
    const text = one.where.length ? one.where.join(" and ") : "no conditions";
    return make("option", { value: one.number }, `question ${one.number}: ${one.n.toLocaleString("en")} rows, ${text}${old}`);
  }));
  select.value = isNewQuestion ? latest : before;
  select.dataset.latest = latest;
  $("compare-basis").classList.toggle("calm", Boolean(state.held_out));
  $("compare-basis").textContent = state.held_out
    ? `${(100 * state.held_out.share).toPrecision(2)} % of the table was set aside when it was learnt. The model has not seen these rows; they are what drawn rows are compared with. If the question has conditions, only rows that satisfy them are compared.`
    : "No rows were set aside: the model was learnt from all rows, and drawn rows can only be compared with rows that it has seen. The scores then flatter it, and say nothing about copying. To be told more, learn the table again with rows set aside.";
  return showCompared();
}

async function showCompared() {
  const number = Number($("compare-question").value);
  if (!state.answers.compared.includes(number)) { $("compared").hidden = true; return; }
  const found = await call(`/api/compare/${number}`);
  if (isNew("target", [number, found.target]) && columnOf(found.target)) $("compare-target").value = found.target;
  const sizes = found.n_rows, count = (x) => x.toLocaleString("en");
  $("compared-about").textContent = `Question ${number}: ${count(sizes.synthetic)} drawn rows beside ${count(sizes.train)} training rows and ` +
    (found.was_trained_on ? `${count(sizes.test)} of them again, because none were set aside.` : `${count(sizes.test)} rows set aside.`);
  $("compared-verdict").replaceChildren(badge(found.grade), ` ${found.verdict}`);
  $("compared-caveats").replaceChildren(...found.caveats.map((text) => make("li", { className: "serious" }, text)));
  $("compared-report").href = `/api/compare/${number}.html`;
  $("compared-cards").replaceChildren(...found.cards.map((card) => make("div", { className: "card" }, make("h4", {}, card.title),
    make("p", { className: "big" }, card.number, " ", badge(card.grade)),
    make("small", {}, card.reading), ...(card.limits ? [make("small", { className: "limits" }, `Thresholds: ${card.limits}.`)] : []))));
  showRisk(found.disclosure);
  $("compared-columns").replaceChildren(...found.columns.map((one) => overlayCard(one, ["real", "drawn"],
    `distance ${figure(one.distance)}; between real rows ${figure(one.reference)}`)));
  tableOf($("compared-scores"), ["score", "value", "real rows", "ideal", "meaning"], found.scores.map((cells) => cells.map(String)), 1);
  for (const row of $("compared-scores").rows) row.lastElementChild.className = "";
  $("compared").hidden = false;
}

const badge = (grade) => make("span", { className: `badge ${grade.replace(" ", "-")}` }, grade);

function showRisk(risk) {
  $("compared-attacks-of").hidden = !risk;
  if (!risk) { $("compared-risk").textContent = "There are too few real rows to attack."; return; }
  const grade = { low: "good", moderate: "fair", high: "poor" }[risk.level];
  const text = risk.verdict.slice(risk.verdict.indexOf(".") + 1);
  $("compared-risk").replaceChildren(make("span", { className: `badge ${grade}` }, `${risk.level} risk`), text);
  $("compared-attacks").replaceChildren(...risk.attacks.map((one) => make("li", {}, one.sentence)));
}

VIEWS.push({
  start() {
    $("compare-question").addEventListener("change", guarded(showCompared));
    $("compare-form").addEventListener("submit", (event) => event.preventDefault());
    $("compare-form").addEventListener("submit", guarded(async () => {
      await post("/api/compare", { number: Number($("compare-question").value), target: $("compare-target").value });
      await refresh();
    }));
  },
  state: showCompare,
  model(learnt) {
    const before = $("compare-target").value;
    fillColumns($("compare-target"), learnt);
    if (!before && learnt.length) $("compare-target").value = learnt.at(-1).name;
  },
});
