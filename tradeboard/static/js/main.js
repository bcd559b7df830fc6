// The one entry: imports what a page needs, also after htmx has put in a new part.
// The address of each module carries the version of this one, so that browsers keep both.
const MODULES = {
  "[data-due]": "countdown",
  "form": "submit-busy",
  "textarea, input": "enter-guard",
  "button[data-show]": "show-password",
  "input[type=file]": "shrink",
  "form[data-upload]": "uploader",
  "form[data-passkey]": "passkey",
  "form[data-photo-list]": "photo-queue",
  "form[data-kept]": "listing-form",
  "textarea[data-most]": "letters-left",
  "[data-lightbox]": "lightbox",
  "textarea[data-local-draft]": "local-draft",
  "form[data-search]": "search",
  "[data-room], [data-print]": "room",
  "[data-tracking]": "tracking",
};
const { search } = new URL(import.meta.url);

function load() {
  for (const [mark, name] of Object.entries(MODULES)) {
    if (document.querySelector(mark)) import(`./${name}.js${search}`);
  }
}

load();
document.addEventListener("htmx:after:swap", load);
