// What every page gains with scripts: times in the reader's own zone, and ages that go on while the page is open.
"use strict";

// What the node's clock showed, when that was by the browser's stopwatch, and how fast it runs. The browser's own clock
// may be wrong, and the node may live in fast motion.
let clock = null;
let asked = false;
const STATUS = new URL("../api/v1/status", document.currentScript.src);

async function askForClock() {
  asked = true;
  try {
    const answer = await fetch(STATUS);
    const told = await answer.json();
    const at = new Date(told.now).getTime();
    if (Number.isFinite(at)) clock = { at, speed: told.speed, since: performance.now() };
    showAges();
  } catch { /* The node is away; the ages stay as they were. */ }
}

const nodeTime = () => clock.at + (performance.now() - clock.since) * clock.speed;

// As the node says it.
function span(seconds) {
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7200) return `${(seconds / 60).toFixed(0)} min`;
  if (seconds < 172800) return `${(seconds / 3600).toFixed(0)} h`;
  return `${(seconds / 86400).toFixed(0)} days`;
}

function distance(ahead, wasAhead) {
  if (ahead >= 1) return `in ${span(ahead)}`;
  // What was to come has come; when it really did, the node says.
  if (wasAhead) return "now";
  return ahead > -5 ? "just now" : `${span(-ahead)} ago`;
}

const local = (at) => at.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

function show(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function showAges() {
  if (!clock || document.hidden) return;
  const now = nodeTime();
  for (const time of document.querySelectorAll("time[data-relative]")) {
    const at = new Date(time.dateTime).getTime();
    time.dataset.ahead ??= time.textContent.startsWith("in ");
    if (!Number.isNaN(at)) show(time, distance((at - now) / 1000, time.dataset.ahead === "true"));
  }
  for (const time of document.querySelectorAll("time[data-clock]")) show(time, local(new Date(now)));
}

function localTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    if ("relative" in time.dataset) {
      time.title = local(at);
      if (!asked) askForClock();
    } else {
      time.title = time.textContent;
      time.textContent = local(at);
      if ("clock" in time.dataset && !asked) askForClock();
    }
  }
}
localTimes(document);
setInterval(showAges, 1000);
// A stopwatch stands still while a machine sleeps.
document.addEventListener("visibilitychange", () => { if (asked && !document.hidden) askForClock(); });
