// Shows what selectors find while they are typed. Without scripts the button does the same.
"use strict";
(() => {
  const place = document.getElementById("preview");
  const form = place?.closest("form");
  const names = ["item", "item_title", "item_link", "item_date"];
  if (!form) return;
  let timer;
  let latest = 0;

  async function preview() {
    const turn = ++latest;
    if (form.elements.item.value.trim() === "") return;
    const body = new URLSearchParams({ url: form.elements.url.value });
    for (const name of names) body.set(name, form.elements[name].value);
    try {
      const answer = await fetch(new URL("preview", form.action), { method: "POST", body });
      const html = await answer.text();
      if (turn === latest && answer.headers.get("content-type")?.startsWith("text/html")) {
        // The node escapes what it sends, as in the page itself.
        place.innerHTML = html;
      }
    } catch {
      if (turn === latest) place.textContent = "The node does not answer at the moment.";
    }
  }

  for (const name of names) {
    form.elements[name].addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(preview, 400);
    });
  }
})();
