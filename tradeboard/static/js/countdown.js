// Counts down to data-due by the server's clock (data-now on <html>), never the phone's.
// Only the time that passed since the page came is taken from this device.
const root = document.documentElement;
const served = Date.parse(root.dataset.now);
const arrived = performance.getEntriesByType("navigation")[0]?.responseStart ?? 0;
const wall = Date.now() - (performance.now() - arrived);
const MINUTE = 60, HOUR = 3600, DAY = 86400;

// The sentences come with the page, the units from the browser; Japanese writes no space.
const region = document.getElementById("announce");
const words = region?.dataset ?? {};
const soon = { [DAY]: words.day, [HOUR]: words.hour };
const space = root.lang === "ja" ? "" : " ";
const before = new WeakMap();

function counted(unit, n) {
  const format = { style: "unit", unit, unitDisplay: "long" };
  return new Intl.NumberFormat(root.lang, format).format(n).replace(" ", space);
}

// A device that slept may have stopped the one clock, so the longer span counts.
function now() {
  return served + Math.max(performance.now() - arrived, Date.now() - wall);
}

export function text(seconds) {
  if (seconds <= 0) return words.past;
  const second = Math.floor(seconds) % MINUTE, minute = Math.floor((seconds % HOUR) / MINUTE);
  const hour = Math.floor((seconds % DAY) / HOUR), day = Math.floor(seconds / DAY);
  const parts = day ? { day, hour } : hour ? { hour, minute } : { minute, second };
  const said = Object.entries(parts).filter(([, n]) => n).map(([unit, n]) => counted(unit, n));
  return words.left.replace("{}", said.length ? said.join(space) : counted("second", 0));
}

function announce(sentence) {
  if (region) region.textContent = sentence;
}

function tick() {
  const instant = now();
  for (const timer of document.querySelectorAll("[data-due]")) {
    const seconds = (Date.parse(timer.dataset.due) - instant) / 1000;
    if (Number.isNaN(seconds)) continue;
    const said = text(seconds);
    if (timer.textContent !== said) timer.textContent = said;
    for (const mark of [DAY, HOUR]) {
      if (before.get(timer) > mark && seconds <= mark) announce(soon[mark]);
    }
    before.set(timer, seconds);
  }
}

if (!Number.isNaN(served) && words.left) {
  tick();
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}
