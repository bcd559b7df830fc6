// Keeps a copy of each textarea[data-local-draft=KEY] on this device until it has been sent.
// A sent form is known by the redirect that follows it and by a page without mistakes.
const PREFIX = "draft:";
const SENT = "drafts-sent";

function quietly(act) {
  try {
    return act();
  } catch {
    return null; // storage is full or forbidden: the page works without it
  }
}

const copy = (box) => PREFIX + box.dataset.localDraft;
const isBox = (element) => element.matches?.("textarea[data-local-draft]");
const boxesOf = (form) => [...form.elements].filter(isBox);
const drop = (key) => localStorage.removeItem(key);

quietly(() => {
  const sent = JSON.parse(sessionStorage.getItem(SENT) ?? "[]");
  sessionStorage.removeItem(SENT);
  const redirected = performance.getEntriesByType("navigation")[0]?.redirectCount > 0;
  if (redirected && !document.querySelector("[data-errors]")) sent.forEach(drop);
});

for (const box of document.querySelectorAll("textarea[data-local-draft]")) {
  const kept = quietly(() => localStorage.getItem(copy(box)));
  if (!kept || box.value) continue;
  box.value = kept;
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

document.addEventListener("input", ({ target }) => {
  if (!isBox(target)) return;
  quietly(() => (target.value ? localStorage.setItem(copy(target), target.value) : drop(copy(target))));
});

document.addEventListener("submit", ({ target }) => {
  const keys = boxesOf(target).map(copy);
  if (keys.length) quietly(() => sessionStorage.setItem(SENT, JSON.stringify(keys)));
});

document.addEventListener("reset", ({ target }) => boxesOf(target).map(copy).forEach((key) => quietly(() => drop(key))));
