// The Enter that confirms kanji never sends a form. Ctrl or Command and Enter sends a message
// box (data-send) on desktops; on touch devices Enter is a new line and nothing else.
const desktop = matchMedia("(hover: hover) and (pointer: fine)");

document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" && event.keyCode !== 229) return;
  const box = event.target;
  if (event.isComposing || event.keyCode === 229) {
    event.stopImmediatePropagation();
    if (event.key === "Enter" && box.tagName === "INPUT") event.preventDefault();
    return;
  }
  const asked = (event.ctrlKey || event.metaKey) && box.matches("textarea[data-send]");
  if (asked && desktop.matches && box.form) {
    event.preventDefault();
    box.form.requestSubmit();
  }
}, true);
