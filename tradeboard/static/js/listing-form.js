// Beside the form of a listing: whether the draft is kept, and the last words of somebody who
// leaves the page. htmx sends the draft; this only watches.
const form = document.querySelector("form[data-kept]");
const kept = document.querySelector(form.dataset.kept);
const unkept = document.querySelector(form.dataset.unkept);
let changed = false;

// A new form has a draft from its first keeping on.
function follow() {
  const draft = location.pathname.match(/^\/listings\/drafts\/(\d+)$/);
  if (!draft) return;
  form.action = draft[0];
  form.elements.draft.value = draft[1];
}

form.addEventListener("input", () => { changed = true; });
form.addEventListener("submit", (event) => { if (!event.defaultPrevented) changed = false; });
form.addEventListener("photos-changed", follow);
kept.addEventListener("htmx:before:request", () => { changed = false; });
kept.addEventListener("htmx:after:swap", () => {
  unkept.hidden = true;
  follow();
});
kept.addEventListener("htmx:error", fail);

function fail() {
  unkept.hidden = false;
  changed = true;
}

// Whole pages of refusal have no place here; what was typed stays where it is.
document.addEventListener("htmx:before:swap", (event) => {
  const { response, text } = event.detail.ctx;
  if (response.status < 400 || text.includes('id="photo-list"')) return;
  event.preventDefault();
  fail();
});

document.addEventListener("visibilitychange", () => {
  if (!changed || document.visibilityState !== "hidden") return;
  const fields = new FormData(form);
  fields.delete("photo");
  fields.append("do", "keep");
  changed = !navigator.sendBeacon(form.action, fields);
});
