// A slider for the budget, with what it brings while it is moved; and keys that are found while typing.
"use strict";
(() => {
  const form = document.querySelector("form.budget");
  const field = document.getElementById("refreshes");
  const predicted = document.getElementById("predicted");
  if (form && field && predicted) {
    const now = Math.max(Number(field.value) || 1, 0.001);
    const slider = document.createElement("input");
    slider.type = "range";
    slider.min = -6;
    slider.max = 6;
    slider.step = 0.1;
    slider.value = 0;
    slider.setAttribute("aria-label", "Refreshes a minute, from a 64th to 64 times");
    field.after(slider);
    let turn = 0, pause;
    const predict = () => {
      clearTimeout(pause);
      pause = setTimeout(async () => {
        const mine = ++turn;
        try {
          const asked = new URLSearchParams({ refreshes_per_minute: field.value });
          const answer = await fetch(form.dataset.predict + "?" + asked);
          // Written by the node, with everything in it escaped.
          if (answer.ok && mine === turn) predicted.innerHTML = await answer.text();
        } catch { /* The node is away; the form says so when it is sent. */ }
      }, 150);
    };
    slider.addEventListener("input", () => {
      const value = now * 2 ** Number(slider.value);
      field.value = Number(value.toPrecision(value >= 1000 ? 4 : 3));
      predict();
    });
    field.addEventListener("input", () => {
      const value = Number(field.value);
      if (value > 0) { slider.value = Math.log2(value / now); predict(); }
    });
  }
  const find = document.getElementById("find");
  if (find) {
    find.addEventListener("input", () => {
      const wanted = find.value.trim().toLowerCase();
      for (const key of document.querySelectorAll("[data-key]")) {
        key.hidden = !key.textContent.toLowerCase().includes(wanted);
      }
    });
  }
})();
