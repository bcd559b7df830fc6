// Picked photos are sent one after the other, each with its progress; the rest of the form goes
// along and is kept. A photo that could not be sent waits in its row until it is sent again.
const { smaller } = await import(`./shrink.js${new URL(import.meta.url).search}`);
const MOST_BYTES = 8 * 1024 * 1024;
const form = document.querySelector("form[data-photo-list]");
const sending = document.getElementById("sending");
const template = document.getElementById("sending-row");
const words = template.dataset;
const drop = form.querySelector(".drop");
const input = form.elements.photo;
let line = Promise.resolve();
let busy = 0;
let held = null; // the button that waits for the photos

form.querySelector("button[value=photo]").hidden = true;

function row(file) {
  const item = template.content.firstElementChild.cloneNode(true);
  const [name, state] = item.querySelectorAll("bdi, .muted");
  const progress = item.querySelector("progress");
  const buttons = item.querySelector(".row");
  name.textContent = file.name;
  progress.setAttribute("aria-label", file.name);
  item.say = (text, share) => {
    state.textContent = text;
    if (share === undefined) progress.removeAttribute("value");
    else progress.value = share;
  };
  item.fail = (text) => {
    item.say(text, 0);
    progress.hidden = true;
    buttons.hidden = false;
    announce(`${file.name} ${text}`);
  };
  item.querySelector("[data-again]").addEventListener("click", () => {
    progress.hidden = false;
    buttons.hidden = true;
    queue(file, item);
  });
  item.querySelector("[data-away]").addEventListener("click", () => away(item));
  sending.append(item);
  sending.hidden = false;
  return item;
}

function away(item) {
  const focused = item.contains(document.activeElement);
  item.remove();
  sending.hidden = !sending.children.length;
  if (focused) input.focus();
}

function announce(text) {
  document.getElementById("announce").textContent = text;
}

function queue(file, item = row(file)) {
  busy += 1;
  item.say(words.waiting, 0);
  line = line.then(() => send(file, item)).catch(() => item.fail(words.unreached)).finally(settle);
}

function settle() {
  busy -= 1;
  if (busy || !held) return;
  const button = held;
  held = null;
  if (!sending.children.length) form.requestSubmit(button);
  else button.removeAttribute("aria-busy");
}

async function send(file, item) {
  item.say(words.shrinking);
  const photo = await smaller(file);
  if (photo.size > MOST_BYTES) return item.fail(words.tooLarge);
  let answer = await post(photo, item);
  for (let tries = 3; answer.status === 400 && tries && (await freshToken()); tries -= 1) {
    answer = await post(photo, item);
  }
  if (answer.status === 401) return item.fail(words.signedOut);
  const page = new DOMParser().parseFromString(answer.responseText, "text/html");
  const list = page.getElementById("photo-list");
  if (!list) return item.fail(page.querySelector("h1, strong")?.textContent ?? words.unreached);
  const refused = list.querySelector("[data-errors]");
  const why = refused?.querySelector("li")?.textContent;
  refused?.remove();
  put(document.importNode(list, true));
  if (why) item.fail(why.replace(`${file.name}：`, ""));
  else away(item);
}

function post(photo, item) {
  const fields = new FormData(form);
  fields.delete("photo");
  fields.append("photo", photo, photo.name);
  fields.append("do", "photo");
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("HX-Request", "true");
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      const share = Math.round((100 * loaded) / total);
      item.say(share < 100 ? `${words.sending} ${share}%` : words.drawing, share < 100 ? share : undefined);
    });
    request.addEventListener("load", () => done(request));
    request.addEventListener("error", failed);
    request.send(fields);
  });
}

async function freshToken() {
  const page = await (await fetch(location.href)).text();
  const token = new DOMParser().parseFromString(page, "text/html").querySelector("main [name=csrf_token]");
  if (token) form.elements.csrf_token.value = token.value;
  return token;
}

// What was typed while the answer was on its way is newer than what it brings.
function put(list) {
  const old = document.getElementById("photo-list");
  for (const field of old.querySelectorAll("input, select")) {
    const now = list.querySelector(`[id="${field.id}"]`);
    if (now) now.value = field.value;
  }
  old.replaceWith(list);
  window.htmx?.process(list);
  history.replaceState(history.state, "", list.dataset.action);
  shown(list);
}

function shown(list) {
  drop.hidden = Number(list.dataset.space) <= 0;
  if (list.dataset.said) announce(list.dataset.said);
  form.dispatchEvent(new CustomEvent("photos-changed"));
}

function pick(files) {
  for (const file of files) queue(file);
}

input.addEventListener("input", (event) => event.stopPropagation()); // photos bring the text
input.addEventListener("change", (event) => {
  event.stopPropagation();
  pick([...input.files]);
  input.value = "";
});
drop.addEventListener("dragover", (event) => event.preventDefault());
drop.addEventListener("drop", (event) => {
  event.preventDefault();
  pick(event.dataTransfer.files);
});

form.addEventListener("submit", (event) => {
  if (!busy) return;
  event.preventDefault();
  held = event.submitter;
  held?.setAttribute("aria-busy", "true");
  announce(words.sending);
});

// After 上へ and 下へ the same button is under the finger again, or the photo's first one.
let pressed = "";
document.addEventListener("htmx:before:request", ({ target }) => {
  if (target.form === form && target.name === "do") pressed = target.id;
});
document.addEventListener("htmx:after:swap", ({ detail }) => {
  const list = document.getElementById("photo-list");
  if (!pressed || !list || detail.ctx.target?.id !== list.id) return;
  const [, id] = pressed.split("-");
  const again = list.querySelector(`[id="${pressed}"], button[id$="-${id}"]`) ?? document.getElementById("h-photo");
  pressed = "";
  again.focus();
  shown(list);
});
