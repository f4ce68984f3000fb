// Reports: the detail of a column or of a pair of columns, in a dialog. Texts are set as texts, never as HTML.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("details").textContent);
  const dialog = document.getElementById("detail");
  const make = (tag, text, name, ...children) => {
    const made = document.createElement(tag);
    if (text !== null) made.textContent = text;
    if (name) made.className = name;
    made.append(...children);
    return made;
  };
  const open = (title, ...parts) => {
    const heading = make("h2", title);
    heading.id = "detail-title";
    const close = make("button", "Close", "close");
    close.type = "button";
    close.addEventListener("click", () => dialog.close());
    dialog.replaceChildren(make("div", null, "top", heading, close), ...parts);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };
  const facts = (pairs) => {
    const list = make("dl", null, "facts");
    for (const [name, value] of pairs) list.append(make("div", null, "", make("dt", name), make("dd", value)));
    return list;
  };
  const nameOf = (at) => data.columns[at].name;
  const pairOf = (one, other) =>
    data.pairs.findIndex(({ columns: [a, b] }) => (a === one && b === other) || (a === other && b === one));

  const showColumn = (at) => {
    const column = data.columns[at];
    const chart = document.querySelector(`#column-${at} [role=img]`).cloneNode(true);
    const parts = [make("div", null, "chart large", chart), facts(column.facts)];
    if (column.pairs.length) {
      const list = make("ul", null, "plain");
      for (const place of column.pairs) {
        const pair = data.pairs[place];
        const other = pair.columns[0] === at ? pair.columns[1] : pair.columns[0];
        const push = make("button", `with ${nameOf(other)}`, "open");
        push.type = "button";
        push.addEventListener("click", () => showPair(place));
        list.append(make("li", null, "", push, ` ${pair.real} in real rows, ${pair.synthetic} in synthetic rows`));
      }
      parts.push(make("h3", "Associations that differ most"), list);
    }
    open(column.name, ...parts);
  };

  // Two tables of shares, real and synthetic, by groups of both columns; the pair of groups that differs most is framed.
  const shareTable = (title, shares, pair, colour, worst) => {
    const [rows, columns] = pair.columns.map((at) => data.columns[at].groups);
    const most = Math.max(...pair.shares.flat(), 1);
    const head = make("tr", null, "", make("td", ""));
    columns.forEach((label) => head.append(make("th", label)));
    const body = rows.map((label, i) => {
      const line = make("tr", null, "", make("th", label));
      columns.forEach((_, j) => {
        const share = shares[i * columns.length + j];
        const cell = make("td", (share / 100).toFixed(1), i * columns.length + j === worst ? "worst" : "");
        cell.style.background = `color-mix(in srgb, ${colour} ${Math.round((45 * share) / most)}%, transparent)`;
        line.append(cell);
      });
      return line;
    });
    const table = make("table", null, "shares", make("caption", title), head, ...body);
    const region = make("div", null, "wide", table);
    region.tabIndex = 0;
    region.setAttribute("role", "region");
    region.setAttribute("aria-label", title);
    return region;
  };
  const choice = (label, chosen, changed) => {
    const select = make("select", null, "");
    data.drawn.forEach((at) => {
      const option = make("option", nameOf(at));
      option.value = at;
      option.selected = at === chosen;
      select.append(option);
    });
    select.addEventListener("change", () => changed(Number(select.value), select));
    return make("label", `${label} `, "", select);
  };
  const chooser = ([one, other]) => {
    if (!data.drawn.includes(one) || !data.drawn.includes(other)) return [];
    const change = (first, second, which) => {
      const place = pairOf(first, second);
      if (place < 0) return first === second && showColumn(first);
      showPair(place, [first, second]);
      dialog.querySelectorAll("select")[which].focus();
    };
    return [make("p", null, "chooser",
      choice("Column", one, (at) => change(at, other, 0)), " ",
      choice("and column", other, (at) => change(one, at, 1)))];
  };
  // The column with more groups goes down, where there is room for its labels.
  const upright = (pair) => {
    const [n, m] = pair.columns.map((at) => data.columns[at].groups.length);
    if (n >= m) return pair;
    const turn = (shares) => shares.map((_, at) => shares[(at % n) * m + Math.floor(at / n)]);
    return { ...pair, columns: [...pair.columns].reverse(), shares: pair.shares.map(turn) };
  };
  const showPair = (place, asked) => {
    const given = data.pairs[place];
    const pair = upright(given);
    const [rows, columns] = pair.columns.map((at) => data.columns[at].groups);
    const gaps = pair.shares[0].map((share, at) => Math.abs(share - pair.shares[1][at]));
    const worst = gaps.indexOf(Math.max(...gaps));
    const [i, j] = [Math.floor(worst / columns.length), worst % columns.length];
    const [first, second] = pair.columns.map(nameOf);
    const [real, synthetic] = pair.shares.map((shares) => (shares[worst] / 100).toFixed(1));
    const sentence = `They differ most where ${first} is ${rows[i]} and ${second} is ${columns[j]}: ` +
      `${real} % of the real rows, ${synthetic} % of the synthetic rows.`;
    open(given.columns.map(nameOf).join(" and "), ...chooser(asked ?? given.columns),
      facts([["real", pair.real], ["synthetic", pair.synthetic], ["difference", pair.difference]]),
      make("p", `Measured by ${pair.measure}. ${sentence}`),
      make("p", `Below: percent of the rows, by groups of ${first} (down) and ${second} (across).`, "small"),
      make("div", null, "both-tables",
        shareTable("real rows", pair.shares[0], pair, "var(--real)", worst),
        shareTable("synthetic rows", pair.shares[1], pair, "var(--synthetic)", worst)));
  };

  const show = (key) => {
    const [kind, at] = key.split("-");
    if (kind === "column") showColumn(Number(at));
    else if (data.pairs.length) showPair(Number(at));
  };
  document.addEventListener("click", (event) => {
    const opener = event.target.closest("[data-opens]");
    if (opener) return show(opener.dataset.opens);
    if (event.target === dialog) return dialog.close();
    const map = event.target.closest("svg.cells");
    if (!map) return;
    const box = map.getBoundingClientRect();
    const n = data.drawn.length;
    const cell = (place, size) => data.drawn[Math.min(n - 1, Math.floor((n * place) / size))];
    const row = cell(event.clientY - box.top, box.height);
    const column = cell(event.clientX - box.left, box.width);
    if (row === column) showColumn(row);
    else if (pairOf(row, column) >= 0) showPair(pairOf(row, column), [row, column]);
  });
})();
