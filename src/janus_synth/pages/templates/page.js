// All pages: light or dark, tables that sort, contents that follow the reader, and links into closed parts.
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  root.classList.add("script");

  // Light or dark: the reader's system decides until the button is used; the choice is remembered where that is allowed.
  const remember = (value) => {
    try {
      return value === undefined ? localStorage.getItem("janus-theme") : localStorage.setItem("janus-theme", value);
    } catch {
      return null;
    }
  };
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const button = document.getElementById("theme");
  const label = () => {
    button.textContent = isDark() ? "Light" : "Dark";
    button.setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  };
  const kept = remember();
  if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  if (button) {
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      label();
    });
    system.addEventListener("change", label);
    label();
  }

  // Tables: a heading sorts its column, a second time the other way round. Numbers come before texts, empty cells last.
  const number = /^(?:[<>≤≥]\s*)?([-−]?[\d,]*\.?\d+(?:e[-−+]?\d+)?)(?:\s*%)?$/i;
  const valueOf = (row, at) => {
    const text = row.cells[at].textContent.trim();
    const found = number.exec(text);
    if (found) return { rank: 0, number: Number(found[1].replaceAll(",", "").replaceAll("−", "-")), text };
    return { rank: text === "–" || text === "" ? 2 : 1, number: 0, text };
  };
  const compare = (one, other) =>
    one.number - other.number || one.text.localeCompare(other.text, undefined, { numeric: true });
  const sort = (table, heading) => {
    const at = heading.cellIndex;
    const numeric = heading.classList.contains("number");
    const falling = heading.getAttribute("aria-sort") === "ascending" ||
      (numeric && !heading.hasAttribute("aria-sort"));
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [valueOf(row, at), row]);
    rows.sort(([one], [other]) =>
      one.rank - other.rank || (falling ? -compare(one, other) : compare(one, other)));
    body.append(...rows.map(([, row]) => row));
    all("th", table).forEach((other) => other.removeAttribute("aria-sort"));
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
  };
  for (const table of all("table.sortable")) {
    for (const heading of all("thead th", table)) {
      const text = heading.textContent.trim();
      if (!text || heading.classList.contains("still")) continue;
      const push = document.createElement("button");
      push.type = "button";
      push.textContent = text;
      push.addEventListener("click", () => sort(table, heading));
      heading.replaceChildren(push);
    }
  }

  // Regions that scroll sideways can be reached with the keyboard, and only those.
  const regions = all(".wide");
  const reach = () => regions.forEach((region) => {
    if (region.scrollWidth > region.clientWidth) region.tabIndex = 0;
    else region.removeAttribute("tabindex");
  });
  addEventListener("resize", reach);
  reach();

  // Contents: mark the section that is being read.
  const links = new Map(all("nav a").map((link) => [link.hash.slice(1), link]));
  const mark = (name) => links.forEach((link, its) => {
    if (its !== name) return link.removeAttribute("aria-current");
    if (link.getAttribute("aria-current")) return;
    link.setAttribute("aria-current", "true");
    const strip = link.closest("ul");
    strip.scrollLeft = link.offsetLeft - strip.offsetLeft - 16;
  });
  const sections = all("main > section");
  const follow = () => {
    const passed = sections.filter((section) => section.getBoundingClientRect().top < innerHeight / 3);
    const last = innerHeight + scrollY >= root.scrollHeight - 2 ? sections.at(-1) : passed.at(-1);
    if (sections.length) mark((last ?? sections[0]).id);
  };
  addEventListener("scroll", () => requestAnimationFrame(follow), { passive: true });
  follow();

  // A link into a closed part opens it.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const closed = target && target.closest("details:not([open])");
    if (!closed) return;
    closed.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();

  // Paper shows everything.
  addEventListener("beforeprint", () => all("details").forEach((part) => (part.open = true)));
})();
