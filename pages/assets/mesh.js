// Renews the mesh while somebody looks at it.
"use strict";
(() => {
  const mesh = document.getElementById("mesh");
  if (!mesh) return;
  setInterval(async () => {
    if (document.hidden || mesh.contains(document.activeElement)) return;
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      if (!answer.ok) return;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const renewed = page.getElementById("mesh");
      if (renewed) mesh.replaceChildren(...renewed.childNodes);
    } catch { /* The node is away; the next time may do. */ }
  }, 1000 * Number(mesh.dataset.renew || 10));
})();
