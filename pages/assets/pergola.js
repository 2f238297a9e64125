// What every page gains with scripts: times in the reader's own zone.
"use strict";
function localTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const local = at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
    if ("relative" in time.dataset) {
      // "3 min ago" is by the node's clock and stays; the title says when that was.
      time.title = local;
    } else {
      time.title = time.textContent;
      time.textContent = local;
    }
  }
}
localTimes(document);
