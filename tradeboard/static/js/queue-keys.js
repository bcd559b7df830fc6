// In the desk's queue j and k (or the arrows, inside the list) go to the next and the last row;
// Enter opens it, as it opens any link. The button switches the keys off, and that is kept.
const hint = document.querySelector("[data-keys]");
const button = hint?.querySelector("button");
const rows = [...document.querySelectorAll("[data-queue] a[data-row]")];
const KEPT = "queue-keys";

const kept = (value) => {
  try {
    if (value) localStorage.setItem(KEPT, value);
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
};
let on = kept() !== "off";

function show() {
  button.textContent = on ? button.dataset.on : button.dataset.off;
}

function step(event) {
  const { key, target } = event;
  const inList = rows.includes(target);
  if (key === "j" || (inList && key === "ArrowDown")) return 1;
  return key === "k" || (inList && key === "ArrowUp") ? -1 : 0;
}

if (button) {
  hint.hidden = false;
  show();
  button.addEventListener("click", () => {
    on = !on;
    kept(on ? "on" : "off");
    show();
  });
  document.addEventListener("keydown", (event) => {
    if (!on || event.isComposing || event.keyCode === 229) return;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, textarea, select, [contenteditable]")) return;
    const by = step(event);
    if (!by) return;
    event.preventDefault();
    const now = rows.indexOf(document.activeElement);
    const next = now < 0 ? 0 : Math.min(Math.max(now + by, 0), rows.length - 1);
    rows[next]?.focus();
  });
}
