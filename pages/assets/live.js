// Keeps figures and rows of an open page up to date. The node sends only what has changed, ready to be shown.
"use strict";
(() => {
  const script = document.currentScript;
  const note = document.querySelector("[data-live-note]");
  const listed = document.querySelector("[data-live-sources]");
  const charts = document.querySelector("[data-live-charts]");
  const address = new URL(script.dataset.live, document.baseURI);
  if (listed) address.searchParams.set("sources", listed.dataset.liveSources);
  if (charts) address.searchParams.set("charts", charts.dataset.liveCharts);
  let patience;

  function tell(text) {
    if (!note) return;
    note.textContent = text;
    note.hidden = text === "";
  }

  function put(place, html) {
    // The node escapes what it sends, as in the page itself.
    place.innerHTML = html;
    localTimes(place);
  }

  // What has the focus stays as it is until the focus leaves it.
  const waiting = new Map();
  function show(parts) {
    for (const [key, html] of Object.entries(parts)) {
      for (const place of document.querySelectorAll(`[data-live="${CSS.escape(key)}"]`)) {
        if (place.contains(document.activeElement)) waiting.set(place, html);
        else put(place, html);
      }
    }
  }
  document.addEventListener("focusout", () => setTimeout(() => {
    for (const [place, html] of waiting) {
      if (place.contains(document.activeElement)) continue;
      waiting.delete(place);
      put(place, html);
    }
  }));

  let events;

  function open() {
    events = new EventSource(address);
    events.addEventListener("open", () => {
      clearTimeout(patience);
      patience = undefined;
      tell("");
    });
    events.addEventListener("message", (event) => show(JSON.parse(event.data)));
    events.addEventListener("error", () => {
      // The browser connects again by itself, unless it was refused; a short break is nobody's business.
      patience ??= setTimeout(() => tell("The node does not answer at the moment. These figures may be old."), 5000);
      if (events.readyState === EventSource.CLOSED) setTimeout(() => events.readyState === EventSource.CLOSED && !document.hidden && open(), 10000);
    });
  }

  // A page that nobody sees needs no news, and a browser has few connections for one node.
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) events?.close();
    else if (!events || events.readyState === EventSource.CLOSED) open();
  });
  if (!document.hidden) open();
})();
