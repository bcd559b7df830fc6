// The search of the board: names are suggested while typing, never while kanji are being
// composed; what is not asked for stays out of the address; what was found is announced.
const WAIT_MS = 200;

function soon(act) {
  let timer = 0;
  return (now) => {
    clearTimeout(timer);
    if (now !== null) timer = setTimeout(act, WAIT_MS);
  };
}

function suggest(box) {
  const list = document.getElementById("suggestions");
  let asked = "";
  let chosen = -1;

  function show(open) {
    chosen = -1;
    list.hidden = !open;
    box.setAttribute("aria-expanded", String(open));
    box.removeAttribute("aria-activedescendant");
  }

  function mark(step) {
    const all = [...list.children];
    chosen = chosen < 0 && step < 0 ? all.length - 1 : (chosen + step + all.length) % all.length;
    all.forEach((option, n) => option.setAttribute("aria-selected", String(n === chosen)));
    all[chosen].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", all[chosen].id);
  }

  function take(option) {
    box.value = option.textContent;
    box.form.requestSubmit();
  }

  const later = soon(async () => {
    const typed = box.value.trim();
    if (typed === asked) return;
    asked = typed;
    const query = new URLSearchParams({ q: typed });
    const answer = typed && await fetch(`${box.dataset.suggest}?${query}`).catch(() => null);
    if (asked !== typed || document.activeElement !== box) return;
    const part = answer && answer.ok ? await answer.text() : "";
    list.replaceChildren(...new DOMParser().parseFromString(part, "text/html").body.children);
    show(list.children.length > 0);
  });

  box.setAttribute("role", "combobox");
  box.setAttribute("aria-autocomplete", "list");
  box.setAttribute("aria-controls", list.id);
  show(false);
  box.addEventListener("input", (event) => event.isComposing || later());
  box.addEventListener("compositionend", later);
  box.addEventListener("blur", () => { later(null); show(false); });
  box.form.addEventListener("submit", () => { later(null); asked = box.value.trim(); show(false); });
  box.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229 || list.hidden) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) mark(step);
    else if (event.key === "Enter" && chosen >= 0) take(list.children[chosen]);
    else if (event.key === "Escape") show(false);
    else return;
    event.preventDefault();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", ({ target }) => {
    if (target.matches("[role=option]")) take(target);
  });
}

function begin() {
  const form = document.querySelector("form[data-search]:not([data-begun])");
  if (!form) return;
  form.dataset.begun = "";
  form.addEventListener("formdata", ({ formData }) => {
    for (const [name, value] of [...formData]) if (!value.trim()) formData.delete(name);
  });
  form.querySelector(".filters").addEventListener("change", soon(() => form.requestSubmit()));
  suggest(form.querySelector("[data-suggest]"));
}

document.addEventListener("htmx:after:swap", () => {
  begin();
  const found = document.querySelector("#results [data-found]");
  if (found) document.getElementById("announce").textContent = found.textContent;
});
begin();
