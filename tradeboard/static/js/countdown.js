// Counts down to data-due by the server's clock (data-now on <html>), never the phone's.
// Only the time that passed since the page came is taken from this device.
const root = document.documentElement;
const served = Date.parse(root.dataset.now);
const arrived = performance.getEntriesByType("navigation")[0]?.responseStart ?? 0;
const wall = Date.now() - (performance.now() - arrived);
const MINUTE = 60, HOUR = 3600, DAY = 86400;

const WORDS = {
  ja: {
    left: (parts) => "あと" + parts.join(""),
    units: { d: (n) => `${n}日`, h: (n) => `${n}時間`, m: (n) => `${n}分`, s: (n) => `${n}秒` },
    past: "期限を過ぎました。確認しています",
    soon: { [DAY]: "期限まで24時間です", [HOUR]: "期限まで1時間です" },
  },
  en: {
    left: (parts) => parts.join(" ") + " left",
    units: { d: many("day"), h: many("hour"), m: many("minute"), s: many("second") },
    past: "The due time has passed. We are checking",
    soon: { [DAY]: "24 hours until the due time", [HOUR]: "1 hour until the due time" },
  },
};
const words = WORDS[root.lang] ?? WORDS.ja;
const before = new WeakMap();

function many(unit) {
  return (n) => `${n} ${unit}${n === 1 ? "" : "s"}`;
}

// A device that slept may have stopped the one clock, so the longer span counts.
function now() {
  return served + Math.max(performance.now() - arrived, Date.now() - wall);
}

export function text(seconds) {
  if (seconds <= 0) return words.past;
  const s = Math.floor(seconds);
  const d = Math.floor(s / DAY), h = Math.floor((s % DAY) / HOUR), m = Math.floor((s % HOUR) / MINUTE);
  const parts = d ? { d, h } : h ? { h, m } : { m, s: s % MINUTE };
  const said = Object.entries(parts).filter(([, n]) => n).map(([unit, n]) => words.units[unit](n));
  return words.left(said.length ? said : [words.units.s(0)]);
}

function announce(sentence) {
  const region = document.getElementById("announce");
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
      if (before.get(timer) > mark && seconds <= mark) announce(words.soon[mark]);
    }
    before.set(timer, seconds);
  }
}

if (!Number.isNaN(served)) {
  tick();
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", tick);
}
