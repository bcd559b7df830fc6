// Photos beside each other: whoever scrolls one scrolls all to the same part.
const panes = [...document.querySelectorAll("[data-together] .pane")];
let leading = null;

function follow(pane) {
  const across = pane.scrollLeft / Math.max(1, pane.scrollWidth - pane.clientWidth);
  const down = pane.scrollTop / Math.max(1, pane.scrollHeight - pane.clientHeight);
  for (const other of panes) {
    if (other === pane) continue;
    other.scrollLeft = across * (other.scrollWidth - other.clientWidth);
    other.scrollTop = down * (other.scrollHeight - other.clientHeight);
  }
}

for (const pane of panes) {
  for (const name of ["pointerdown", "wheel", "focusin", "keydown"]) {
    pane.addEventListener(name, () => { leading = pane; }, { passive: true });
  }
  pane.addEventListener("scroll", () => { if (pane === leading) follow(pane); }, { passive: true });
}
