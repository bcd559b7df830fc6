// Photos that fill the screen: their links open one dialog, in which arrows, a finger or the
// buttons go on. Without it each link leads to the photo itself. The dialog keeps the focus
// inside, Escape closes it, and the focus returns to the photo that was last seen.
const strip = document.querySelector("[data-lightbox]");
const dialog = document.getElementById("lightbox");
const image = dialog.querySelector("img");
const place = dialog.querySelector("[data-place]");
const caption = dialog.querySelector("[data-caption]");
const links = [...strip.querySelectorAll("a")];
let at = 0;
let from = null;

function show(index) {
  at = (index + links.length) % links.length;
  const shown = links[at].querySelector("img");
  image.src = links[at].href;
  image.alt = shown.alt;
  place.textContent = `${at + 1} / ${links.length}`;
  caption.textContent = shown.alt;
}

strip.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(links.indexOf(link));
  dialog.showModal();
});

dialog.addEventListener("click", ({ target }) => {
  const button = target.closest("button");
  if (button?.dataset.step) show(at + Number(button.dataset.step));
  else if (button || target === dialog) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  show(at + step);
});
dialog.addEventListener("close", () => links[at].focus());

image.addEventListener("pointerdown", (event) => { from = event.clientX; });
image.addEventListener("pointerup", (event) => {
  const moved = event.clientX - (from ?? event.clientX);
  if (Math.abs(moved) > 40) show(at - Math.sign(moved));
  from = null;
});
