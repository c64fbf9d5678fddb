"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const articles = all("article");
  const form = document.querySelector(".filters");
  const picked = { rule: new Set(), path: new Set() };
  const total = document.querySelector("#count").textContent;
  document.body.classList.add("live");

  const root = document.documentElement;
  const keep = (value) => { try { localStorage.setItem("tfnanlint-theme", value); } catch { /* a page opened from disk may not */ } };
  try { const kept = localStorage.getItem("tfnanlint-theme"); if (kept) root.dataset.theme = kept; } catch { /* as above */ }
  document.querySelector("#theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    keep(root.dataset.theme);
  });
  if (!form) return;

  // What is scrolled to stops below the header, which is as high as its filters need and on a phone stays behind.
  const header = document.querySelector("header");
  const measure = () => {
    const stays = getComputedStyle(header).position === "sticky";
    root.style.setProperty("--head", `${stays ? header.offsetHeight : 0}px`);
  };
  addEventListener("resize", measure);
  measure();

  const words = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
  const ticked = (name) => all(`input[name=${name}]`, form).filter((box) => box.checked).map((box) => box.value);

  function wanted(article, text, severities, certainties, fixes) {
    const data = article.dataset;
    return severities.includes(data.severity) && certainties.includes(data.certainty) && fixes.includes(data.fix)
      && (!picked.rule.size || picked.rule.has(data.rule)) && (!picked.path.size || picked.path.has(data.path))
      && text.every((word) => words.get(article).includes(word) || data.path.toLowerCase().includes(word));
  }

  // In the order of the files, or the most severe first: files by their gravest finding, and their findings as well.
  const sections = all("section.file"), main = document.querySelector("main"), after = sections.at(-1).nextSibling;
  const grades = ["error", "warning", "info"];
  const grade = (article) => grades.indexOf(article.dataset.severity);
  let order = "";
  function arrange(wanted) {
    if (wanted === order) return;
    order = wanted;
    const inside = new Map(sections.map((section) => [section, articles.filter((article) => section.contains(article))]));
    const sorted = (list, key) => (wanted ? [...list].sort((a, b) => key(a) - key(b)) : list);
    for (const section of sorted(sections, (one) => Math.min(...inside.get(one).map(grade)))) {
      for (const article of sorted(inside.get(section), grade)) section.append(article);
      main.insertBefore(section, after);
    }
  }

  function apply() {
    const text = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = ticked("severity"), certainties = ticked("certainty"), fixes = ticked("fix");
    arrange(form.elements.order.value);
    let shown = 0;
    for (const article of articles) {
      article.hidden = !wanted(article, text, severities, certainties, fixes);
      shown += !article.hidden;
    }
    for (const section of all("section.file")) section.hidden = !section.querySelector("article:not([hidden])");
    for (const button of all("nav button")) {
      button.setAttribute("aria-pressed", String(picked[button.dataset.filter].has(button.dataset.value)));
    }
    document.querySelector("#count").textContent = shown === articles.length ? total : `${shown} of ${articles.length} problems`;
    document.querySelector("#nothing").hidden = shown > 0;
  }

  // The filters stand in the address, so that what is shared is what is seen.
  function remember() {
    const query = new URLSearchParams();
    if (form.elements.text.value) query.set("text", form.elements.text.value);
    for (const name of ["rule", "path"]) for (const value of picked[name]) query.append(name, value);
    if (form.elements.order.value) query.set("order", form.elements.order.value);
    for (const name of ["severity", "certainty", "fix"]) {
      const off = all(`input[name=${name}]`, form).filter((box) => !box.checked);
      for (const box of off) query.append(`no-${name}`, box.value);
    }
    const found = query.toString();
    history.replaceState(null, "", found ? `#?${found}` : location.pathname + location.search);
  }

  function recall() {
    if (!location.hash.startsWith("#?")) return;
    const query = new URLSearchParams(location.hash.slice(2));
    form.elements.text.value = query.get("text") ?? "";
    for (const name of ["rule", "path"]) picked[name] = new Set(query.getAll(name));
    form.elements.order.value = query.get("order") ?? "";
    for (const name of ["severity", "certainty", "fix"]) {
      const off = query.getAll(`no-${name}`);
      for (const box of all(`input[name=${name}]`, form)) box.checked = !off.includes(box.value);
    }
  }

  function change() { apply(); remember(); }
  form.addEventListener("input", change);
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const button of all("nav button")) button.addEventListener("click", () => {
    const set = picked[button.dataset.filter];
    if (!set.delete(button.dataset.value)) set.add(button.dataset.value);
    change();
  });
  document.querySelector("[data-reset]").addEventListener("click", () => {
    form.reset();
    picked.rule.clear();
    picked.path.clear();
    change();
  });
  for (const link of all('a[href^="#rule-"]')) link.addEventListener("click", () => {
    document.getElementById(link.getAttribute("href").slice(1)).open = true;
  });

  const folds = all("article > details"), fold = document.querySelector("#fold");
  fold.addEventListener("click", () => {
    const open = folds.every((one) => !one.open);
    for (const one of folds) one.open = open;
    fold.textContent = open ? "Collapse all" : "Expand all";
  });

  async function copied(text) {
    try { await navigator.clipboard.writeText(text); } catch {
      const area = document.body.appendChild(document.createElement("textarea"));  // a page opened from disk may not ask
      area.value = text;
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  }
  for (const button of all("[data-copy]")) button.addEventListener("click", async () => {
    const said = button.textContent;
    await copied(button.dataset.copy);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = said; }, 1500);
  });

  // From finding to finding, by key or button.
  let current = null;  // a click on a button takes the focus from the finding
  function step(by) {
    const shown = all("article:not([hidden])");
    const at = shown.indexOf(document.activeElement.closest("article") ?? current);
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (!next) return;
    current = next;
    next.tabIndex = -1;
    next.focus();
    next.scrollIntoView();
  }
  for (const [id, by] of [["previous", -1], ["next", 1]]) document.getElementById(id).addEventListener("click", () => step(by));
  document.addEventListener("keydown", (event) => {
    const text = form.elements.text;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.activeElement === text) {
      if (event.key === "Escape") { text.value = ""; text.blur(); change(); }
      return;
    }
    const act = { "/": () => text.focus(), j: () => step(1), k: () => step(-1) }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  addEventListener("hashchange", () => { recall(); apply(); });
  recall();
  apply();
})();
