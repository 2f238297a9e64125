// The editor of queries: colours behind the text, mistakes while typing, words to go on with.
"use strict";
(() => {
  const editor = document.querySelector(".editor");
  if (!editor) return;
  const pad = editor.querySelector(".pad");
  const ink = editor.querySelector(".ink");
  const field = editor.querySelector("textarea");
  const list = editor.querySelector(".offered");
  const verdict = editor.querySelector(".mistake");
  const KEYWORDS = new Set(("CREATE DROP ALTER EXPLAIN FEED AS RETURN OPML PEER WHERE AND OR NOT TITLE CONTENT AUTHOR LINK " +
    "CATEGORY SOURCE ITEM PUBLISHED CONTAINS MATCHES EXACT IN BETWEEN WITHIN SECONDS MINUTES HOURS DAYS WEEKS SECOND MINUTE " +
    "HOUR DAY WEEK WINDOW KEEP ORDER BY WEIGHT NOVEL SET RESET RENAME TO ADD REMOVE FOLDER").split(" "));
  const PARTS = /(--[^\n]*)|(r"[^"\n]*"|r'[^'\n]*'|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(r?["'][^\n]*)|(\$[\p{L}\p{N}\p{M}_-]*)|(\d+(?:\.\d+)?)|([\p{L}_][\p{L}\p{N}\p{M}_-]*)/giu;
  const CLASSES = [null, "c", "t", "w", "v", "d", null];

  // The mistake that the node told of, by characters, and the text that it is in.
  let mistake = null;

  function colour() {
    const text = field.value;
    const part = document.createDocumentFragment();
    const put = (piece, kind, at) => {
      if (!piece) return;
      const marked = mistake && mistake.text === text && at < mistake.end && at + piece.length > mistake.start;
      if (!kind && !marked) return part.append(piece);
      const node = document.createElement(marked ? "mark" : "span");
      if (kind) node.className = kind;
      node.textContent = piece;
      part.append(node);
    };
    let at = 0;
    for (const found of text.matchAll(PARTS)) {
      put(text.slice(at, found.index), null, at);
      let kind = CLASSES[found.findIndex((group, index) => index > 0 && group !== undefined)];
      if (found[6] !== undefined) kind = KEYWORDS.has(found[6].toUpperCase()) ? "k" : "n";
      put(found[0], kind, found.index);
      at = found.index + found[0].length;
    }
    put(text.slice(at), null, at);
    // The last line has a height although nothing stands in it.
    part.append("\n");
    ink.replaceChildren(part);
    ink.scrollTop = field.scrollTop;
  }

  const units = (text, characters) => [...text].slice(0, characters).join("").length;
  const form = (values) => ({ method: "POST", body: new URLSearchParams(values) });

  let checking = 0;
  async function check() {
    const turn = ++checking;
    const text = field.value;
    if (!text.trim()) { mistake = null; verdict.replaceChildren(); colour(); return; }
    try {
      const answer = await fetch(editor.dataset.check, form({ query: text }));
      if (!answer.ok || turn !== checking) return;
      const told = await answer.json();
      mistake = told.place
        ? { text, start: units(text, told.place.start), end: Math.max(units(text, told.place.end), units(text, told.place.start) + 1) }
        : null;
      // Written by the node, with everything in it escaped.
      verdict.innerHTML = told.html;
      if (told.place || told.wrong) field.setAttribute("aria-invalid", "true"); else field.removeAttribute("aria-invalid");
      colour();
    } catch { /* The node is away; the form says so when it is sent. */ }
  }

  let offers = [], chosen = 0, begun = 0, asking = 0;
  function close() { list.hidden = true; offers = []; }
  function choose(index) {
    chosen = (index + offers.length) % offers.length;
    [...list.children].forEach((item, at) => item.setAttribute("aria-selected", at === chosen));
    list.children[chosen].scrollIntoView({ block: "nearest" });
  }
  function take(index) {
    const end = field.selectionStart;
    field.setRangeText(offers[index].insert, end - begun, end, "end");
    close();
    field.focus();
    field.dispatchEvent(new Event("input"));
  }
  async function complete() {
    const turn = ++asking;
    const end = field.selectionStart;
    if (end !== field.selectionEnd) return close();
    const line = field.value.slice(Math.max(0, end - 1000), end);
    try {
      const answer = await fetch(editor.dataset.complete, form({ before: line }));
      if (!answer.ok || turn !== asking || field.selectionStart !== end) return;
      const told = await answer.json();
      offers = told.offered;
      begun = told.begun;
      if (offers.length === 0) return close();
      list.replaceChildren(...offers.map((offer, index) => {
        const item = document.createElement("li");
        item.role = "option";
        const about = document.createElement("small");
        about.textContent = offer.about;
        item.append(offer.insert, about);
        item.addEventListener("mousedown", (event) => { event.preventDefault(); take(index); });
        return item;
      }));
      list.hidden = false;
      choose(0);
    } catch { close(); }
  }

  let pause;
  field.addEventListener("input", () => {
    colour();
    clearTimeout(pause);
    pause = setTimeout(() => { check(); complete(); }, 300);
  });
  field.addEventListener("scroll", () => { ink.scrollTop = field.scrollTop; });
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); complete(); return; }
    if (list.hidden) return;
    const act = {
      ArrowDown: () => choose(chosen + 1),
      ArrowUp: () => choose(chosen - 1),
      Enter: () => take(chosen),
      Tab: () => take(chosen),
      Escape: close,
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  pad.classList.add("live");
  new ResizeObserver(colour).observe(field);
  colour();
  if (field.hasAttribute("aria-invalid")) check();
})();
