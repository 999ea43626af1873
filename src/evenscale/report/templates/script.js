// Adds to a page that is complete without it: sorting, filtering, a measure switch, system cards, copying, themes.
// Names come from files that others wrote: they are only ever put in with textContent.
"use strict";
(() => {
  const root = document.documentElement;
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  root.classList.add("js");

  function say(text) {
    const live = byId("live");
    live.textContent = "";
    window.setTimeout(() => { live.textContent = text; }, 30);
  }

  function make(tag, text, className) {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = String(text);
    if (className) element.className = className;
    return element;
  }

  // --- theme ------------------------------------------------------------------------------------------------------
  const KEY = "evenscale-theme";
  const remembered = () => { try { return window.localStorage.getItem(KEY); } catch { return null; } };
  const remember = (theme) => { try { window.localStorage.setItem(KEY, theme); } catch { /* private window: forget */ } };
  const isDark = () => (root.dataset.theme || (window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

  function startTheme() {
    const button = byId("theme");
    const name = () => { button.textContent = isDark() ? "Light page" : "Dark page"; };
    const saved = remembered();
    if (saved === "dark" || saved === "light") root.dataset.theme = saved;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      remember(root.dataset.theme);
      name();
    });
    name();
  }

  // --- tables: sort, filter, show all -----------------------------------------------------------------------------
  function keyOf(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.key === undefined ? cell.textContent.trim() : cell.dataset.key;
    if (text === "–") return null;
    return cell.classList.contains("n") ? Number(text.replaceAll(",", "")) : text;
  }

  function before(a, b, sign) {
    if (a === null || b === null) return (a === null) - (b === null);
    if (typeof a === "number" && typeof b === "number") return sign * (a - b);
    return sign * String(a).localeCompare(String(b), "en", { numeric: true });
  }

  function sortBy(table, head, column) {
    const first = head.dataset.first || "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const order = head.getAttribute("aria-sort") === first ? other : first;
    for (const cell of all("th[aria-sort]", table)) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const body = table.tBodies[0];
    const keyed = [...body.rows].map((row) => [keyOf(row, column), row]);
    keyed.sort((a, b) => before(a[0], b[0], order === "ascending" ? 1 : -1));
    body.append(...keyed.map(([, row]) => row));
    refresh(table);
    say(`Sorted by ${head.dataset.says || head.textContent.trim()}, ${order}`);
  }

  function makeSortable(table) {
    [...table.tHead.rows[table.tHead.rows.length - 1].cells].forEach((head, column) => {
      const button = make("button", head.textContent.trim(), "sort");
      button.type = "button";
      head.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, head, column));
    });
  }

  const wanted = (table) => all(`input[data-filters="${table.id}"]`)[0];
  const opener = (table) => all(`button[data-opens="${table.id}"]`)[0];

  function refresh(table) {
    const input = wanted(table);
    const text = input ? input.value.trim().toLowerCase() : "";
    const button = opener(table);
    const open = !button || button.getAttribute("aria-expanded") === "true";
    const limit = text || open ? Infinity : Number(table.dataset.limit);
    let matching = 0;
    for (const row of table.tBodies[0].rows) {
      const fits = !text || row.cells[Number(table.dataset.named || 0)].textContent.toLowerCase().includes(text);
      if (fits) matching += 1;
      row.classList.toggle("off", !fits || matching > limit);
    }
    const total = table.tBodies[0].rows.length;
    const count = byId(`${table.id}-count`);
    if (count) count.textContent = text ? `${matching} of ${total} shown` : limit < total ? `first ${limit} of ${total} shown` : "";
  }

  function startTable(table) {
    if (table.dataset.sortable !== undefined) makeSortable(table);
    const input = wanted(table);
    if (input) input.addEventListener("input", () => refresh(table));
    const button = opener(table);
    if (button) {
      const names = [button.textContent, button.dataset.less];
      button.addEventListener("click", () => {
        const open = button.getAttribute("aria-expanded") !== "true";
        button.setAttribute("aria-expanded", String(open));
        button.textContent = names[Number(open)];
        refresh(table);
      });
    }
    refresh(table);
  }

  // --- one measure at a time --------------------------------------------------------------------------------------
  function startMeasures() {
    const choose = (wantedMeasure) => {
      for (const part of all("[data-measure]")) part.classList.toggle("off", wantedMeasure !== "all" && part.dataset.measure !== wantedMeasure);
    };
    for (const input of all("input[name=measure]")) input.addEventListener("change", () => choose(input.value));
    const checked = all("input[name=measure]:checked")[0];
    if (checked) choose(checked.value);
  }

  // --- one system: highlighted in every table, and a card with its scores -----------------------------------------
  function mark(system) {
    for (const row of all("tr.marked")) row.classList.remove("marked");
    const chosen = byId("chosen");
    chosen.hidden = system === null;
    if (system === null) return;
    for (const row of all(`tr[data-system="${system}"]`)) row.classList.add("marked");
    byId("chosen-name").textContent = data.systems[system];
    byId("chosen-name").title = data.systems[system];
  }

  function headed(headings) {
    const table = make("table");
    const row = make("tr");
    headings.forEach((text, k) => {
      const head = make("th", text, k ? "n" : "first");
      head.scope = "col";
      row.append(head);
    });
    const top = make("thead");
    top.append(row);
    table.append(top, make("tbody"));
    return table;
  }

  function addRow(table, cells) {
    const row = make("tr");
    cells.forEach((text, k) => {
      const cell = make(k ? "td" : "th", text === null ? "–" : text, k ? "n" : "");
      if (!k) cell.scope = "row";
      row.append(cell);
    });
    table.tBodies[0].append(row);
  }

  const digits = (value) => (value === null || value === undefined ? null : value.toFixed(4));
  const STANDING = { place: "place", tier: "tier", mean: "mean", interval_place: "interval place", interval_tier: "interval tier", interval_mean: "interval mean" };

  function standing(measure, system) {
    const row = measure.leaderboard.find((candidate) => candidate.system === system);
    return Object.keys(STANDING).map((name) => (name.endsWith("mean") ? digits(row[name]) : row[name]));
  }

  function showCard(system) {
    byId("card-name").textContent = data.systems[system];
    const means = headed(["measure", ...Object.values(STANDING)]);
    for (const measure of data.measures) addRow(means, [measure.label, ...standing(measure, system)]);
    const scores = headed(["topic", ...data.measures.map((measure) => measure.label)]);
    data.topics.forEach((topic, t) => addRow(scores, [topic, ...data.measures.map((m) => digits(m.views.measure.scores[system][t]))]));
    byId("card-means").replaceChildren(means);
    byId("card-scores").replaceChildren(scores);
    byId("card").showModal();
  }

  function startSystems() {
    document.addEventListener("click", (event) => {
      const link = event.target.closest("tr[data-system] th > a");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const system = Number(link.closest("tr").dataset.system);
      event.preventDefault();
      mark(system);
      showCard(system);
    });
    for (const link of all("tr[data-system] th > a")) link.setAttribute("aria-haspopup", "dialog");
    byId("card-close").addEventListener("click", () => byId("card").close());
    byId("chosen-clear").addEventListener("click", () => mark(null));
  }

  // --- copying, tall figures --------------------------------------------------------------------------------------
  async function copy(element) {
    try {
      await navigator.clipboard.writeText(element.textContent);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(element);
      window.getSelection().removeAllRanges();
      window.getSelection().addRange(range);
      document.execCommand("copy");
    }
  }

  function startButtons() {
    for (const button of all("button[data-copies]")) {
      const name = button.textContent;
      button.addEventListener("click", async () => {
        await copy(byId(button.dataset.copies));
        button.textContent = "Copied";
        say("Copied");
        window.setTimeout(() => { button.textContent = name; }, 1500);
      });
    }
    for (const button of all("button[data-grows]")) {
      const box = byId(button.dataset.grows);
      button.addEventListener("click", () => {
        const whole = box.classList.toggle("whole");
        button.setAttribute("aria-expanded", String(whole));
      });
    }
  }

  startTheme();
  startMeasures();
  all("table[id]").forEach(startTable);
  startSystems();
  startButtons();
})();
