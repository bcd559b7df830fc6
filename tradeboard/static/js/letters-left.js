// Counts down in the hint of each textarea[data-most] how many letters are left.
for (const box of document.querySelectorAll("textarea[data-most]")) {
  const left = document.getElementById(`${box.id}-hint`)?.querySelector("[data-left]");
  const count = () => { left.textContent = box.dataset.most - [...box.value.trim()].length; };
  if (!left) continue;
  box.addEventListener("input", count);
  count();
}
