// Reading with scripts: items open in place, marks need no new page, and there are keys.
"use strict";
(() => {
  const items = () => [...document.querySelectorAll("article.item")];
  let current = null;

  // Counts beside the list.
  function count(article, by) {
    const own = document.querySelector(`.count[data-stream="${CSS.escape(article.dataset.from)}"]`);
    const folder = own?.closest(".group")?.querySelector(".folder .count");
    const all = document.querySelector(`.count[data-stream="all="]`);
    for (const place of new Set([own, folder, all])) {
      const number = place?.querySelector(".number");
      if (number) {
        const now = Math.max(0, Number(number.textContent) + by);
        number.textContent = String(now);
        place.hidden = now === 0;
      }
    }
  }

  function showRead(article, read) {
    if (article.classList.contains("is-read") === read) return;
    article.classList.toggle("is-read", read);
    const dot = article.querySelector(".unread");
    if (dot) dot.hidden = read;
    const button = article.querySelector("button.mark");
    if (button) {
      button.value = read ? "0" : "1";
      button.textContent = read ? "Mark unread" : "Mark read";
    }
    count(article, read ? -1 : 1);
  }

  function showStar(article, starred) {
    const button = article.querySelector("button.star");
    button.value = starred ? "0" : "1";
    button.textContent = starred ? "★ Starred" : "☆ Star";
    button.setAttribute("aria-pressed", String(starred));
  }

  // Sends a form. A session that has ended shows itself when the page is loaded again.
  async function send(form, button) {
    const article = form.closest("article.item");
    const fields = new URLSearchParams(new FormData(form));
    fields.set(button.name, button.value);
    const wanted = button.value === "1";
    let answer;
    try {
      answer = await fetch(form.action, { method: "POST", body: fields, headers: { accept: "application/json" } });
    } catch {
      answer = null;
    }
    if (answer?.status !== 204) {
      location.reload();
    } else if (button.name === "star") {
      showStar(article, wanted);
    } else {
      showRead(article, wanted);
    }
  }

  // Opens an item in place, or closes it.
  async function toggle(article) {
    const whole = article.querySelector(".whole");
    const excerpt = article.querySelector(".excerpt");
    if (whole) {
      whole.hidden = !whole.hidden && excerpt !== null;
      if (excerpt) excerpt.hidden = !whole.hidden;
      return;
    }
    let text;
    try {
      const answer = await fetch(article.dataset.whole, { headers: { accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      text = await answer.text();
    } catch {
      location.href = article.querySelector("a.open").href;
      return;
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    const loaded = page.querySelector(".whole");
    if (!loaded) {
      location.reload();
      return;
    }
    if (excerpt) {
      excerpt.after(document.adoptNode(loaded));
      excerpt.hidden = true;
    }
    showRead(article, true);
  }

  function choose(article) {
    current?.classList.remove("is-current");
    current = article;
    current.classList.add("is-current");
    current.querySelector("a.open").focus({ preventScroll: true });
    current.scrollIntoView({ block: "nearest" });
  }

  function step(by) {
    const all = items();
    const place = all.indexOf(current);
    const next = all[place < 0 ? 0 : Math.min(all.length - 1, Math.max(0, place + by))];
    if (next) choose(next);
  }

  document.addEventListener("click", (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target.closest("article.item a.open");
    const article = link?.closest("article.item");
    // A page with this one item has nothing to close.
    if (!article || !document.querySelector(".stream")) return;
    event.preventDefault();
    choose(article);
    toggle(article);
  });

  document.addEventListener("submit", (event) => {
    if (event.target.matches("form.marks") && event.submitter) {
      event.preventDefault();
      send(event.target, event.submitter);
    }
  });

  const keys = document.getElementById("keys");
  const actions = {
    j: () => step(1),
    k: () => step(-1),
    o: () => current && toggle(current),
    m: () => current?.querySelector("button.mark").click(),
    s: () => current?.querySelector("button.star").click(),
    v: () => current?.dataset.page && window.open(current.dataset.page, "_blank", "noopener,noreferrer"),
    "/": () => document.getElementById("q")?.focus(),
    "?": () => keys?.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.metaKey || event.ctrlKey || event.altKey || keys?.open) return;
    if (event.target.closest("input, textarea, select")) return;
    const action = actions[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });
  const button = document.querySelector("button.keys");
  if (button && keys) {
    button.hidden = false;
    button.addEventListener("click", () => keys.showModal());
  }

  // On a narrow screen the list of subscriptions stands above the items: closed, unless somebody opens it.
  const side = document.querySelector(".side details");
  if (side && window.matchMedia("(max-width: 50rem)").matches) side.open = false;
  const opened = location.hash && document.querySelector(`article.item${CSS.escape(location.hash).replace("\\#", "#")}`);
  if (opened) {
    current = opened;
    current.classList.add("is-current");
  }
})();
