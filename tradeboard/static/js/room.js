// The open room of a trade: asks every half minute while it is seen whether anything moved, and
// says which messages were seen. What somebody is typing in is never put away by an answer.
const EVERY = 30_000;
const room = () => document.querySelector("[data-room]");
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting || document.visibilityState !== "visible") continue;
    seen.unobserve(target);
    target.dispatchEvent(new CustomEvent("seen"));
  }
});
let mark = room()?.dataset.room;

function watch() {
  for (const form of document.querySelectorAll("form[data-seen]")) {
    seen.unobserve(form);
    seen.observe(form);
  }
}

function ask() {
  if (document.visibilityState === "visible") room()?.dispatchEvent(new CustomEvent("ask"));
}

function say(sentence) {
  const region = document.getElementById("announce");
  if (region && sentence) region.textContent = sentence;
}

// What is the same in two parts that differ in nothing but what each answer makes anew.
function essence(element) {
  const copy = element.cloneNode(true);
  copy.querySelectorAll("input[name=submit_id], input[name=csrf_token]").forEach((input) => input.remove());
  copy.querySelectorAll("[data-due]").forEach((timer) => timer.replaceChildren());
  copy.querySelectorAll("details").forEach((details) => details.removeAttribute("open"));
  copy.querySelectorAll("[data-tracking]").forEach((input) => input.removeAttribute("inputmode"));
  copy.querySelectorAll("[data-tracking-said]").forEach((hint) => hint.replaceChildren());
  for (const one of [copy, ...copy.querySelectorAll("*")]) {
    one.removeAttribute("data-htmx-powered");
    one.removeAttribute("data-hx-swap-oob");
  }
  return copy;
}

function isTyped(field) {
  if (field.type === "hidden") return false;
  if (field.type === "file") return field.files.length > 0;
  if (field.tagName === "SELECT") {
    const given = [...field.options].findIndex((option) => option.defaultSelected);
    return field.selectedIndex !== Math.max(0, given);
  }
  if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
  return "defaultValue" in field && field.value !== field.defaultValue;
}

function isInUse(part) {
  if (part.contains(document.activeElement)) return true;
  return [...part.querySelectorAll("input, select, textarea")].some(isTyped);
}

function onlyWhatChanged(tasks) {
  const changed = tasks.filter(({ fragment, target }) => {
    const fresh = fragment.firstElementChild;
    return fresh && !essence(fresh).isEqualNode(essence(target));
  });
  const free = changed.filter(({ target }) => !isInUse(target));
  const note = document.querySelector("[data-moved]");
  if (note && free.length < changed.length) note.hidden = false;
  if (changed.length) {
    const talk = changed.some(({ target }) => target.id === "room-msgs");
    say(talk ? room().dataset.saidMessage : room().dataset.saidMoved);
  }
  return free;
}

// An answer that is no part of the room, such as the way to sign in, is for the whole page.
function sendAsPage(form, submitter) {
  if (submitter?.name) {
    const pressed = document.createElement("input");
    Object.assign(pressed, { type: "hidden", name: submitter.name, value: submitter.value });
    form.append(pressed);
  }
  HTMLFormElement.prototype.submit.call(form);
}

const isAsking = ({ ctx }) => ctx.sourceElement === room();
const isSaying = ({ ctx }) => ctx.sourceElement.matches("form[data-say]");

document.addEventListener("htmx:config:request", ({ detail }) => {
  if (isAsking(detail) && mark) detail.ctx.request.headers["If-None-Match"] = `"${mark}"`;
});

document.addEventListener("htmx:before:request", ({ detail }) => {
  if (!isSaying(detail)) return;
  const form = detail.ctx.sourceElement;
  form.setAttribute("aria-busy", "true");
  const progress = form.querySelector("[data-sending]");
  if (progress) progress.hidden = false;
});

document.addEventListener("htmx:before:swap", (event) => {
  const { ctx, tasks } = event.detail;
  if (isAsking(event.detail)) {
    if (ctx.response.status !== 200 || !ctx.text.includes('id="room-msgs"')) return event.preventDefault();
    mark = ctx.response.headers.get("ETag")?.replaceAll(/^W\/|"/g, "") ?? mark;
    tasks.splice(0, tasks.length, ...onlyWhatChanged(tasks.filter(({ type }) => type === "oob")));
  } else if (isSaying(event.detail) && !/^\s*<section[^>]* id="room-talk"/.test(ctx.text)) {
    event.preventDefault();
    sendAsPage(ctx.sourceElement, ctx.request.submitter);
  }
});

document.addEventListener("htmx:after:swap", () => {
  const box = document.querySelector("form[data-say] textarea");
  if (box && !box.value) {
    try {
      localStorage.removeItem(`draft:${box.dataset.localDraft}`);
    } catch {
      // Storage is forbidden: there is no copy either.
    }
  }
  watch();
});

document.addEventListener("click", ({ target }) => {
  if (target.closest?.("[data-print]")) print();
});

function start() {
  document.querySelectorAll("[data-print]").forEach((button) => { button.hidden = false; });
  watch();
  setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", () => {
    ask();
    watch();
  });
}

if (document.readyState === "complete") start();
else addEventListener("load", start);
