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

  const words = new Map(articles.map((article) => [article, article.textContent.toLowerCase()]));
  const ticked = (name) => all(`input[name=${name}]`, form).filter((box) => box.checked).map((box) => box.value);

  function wanted(article, text, severities, certainties) {
    const data = article.dataset;
    return severities.includes(data.severity) && certainties.includes(data.certainty)
      && (!picked.rule.size || picked.rule.has(data.rule)) && (!picked.path.size || picked.path.has(data.path))
      && text.every((word) => words.get(article).includes(word) || data.path.toLowerCase().includes(word));
  }

  function apply() {
    const text = form.elements.text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const severities = ticked("severity"), certainties = ticked("certainty");
    let shown = 0;
    for (const article of articles) {
      article.hidden = !wanted(article, text, severities, certainties);
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
    for (const name of ["severity", "certainty"]) {
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
    for (const name of ["severity", "certainty"]) {
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

  // Whoever reads with the keyboard goes from finding to finding.
  function step(by) {
    const shown = articles.filter((article) => !article.hidden);
    const at = shown.indexOf(document.activeElement.closest("article"));
    const next = shown[at < 0 ? (by > 0 ? 0 : shown.length - 1) : at + by];
    if (!next) return;
    next.tabIndex = -1;
    next.focus();
    next.scrollIntoView();
  }
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
