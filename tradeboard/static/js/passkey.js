// Shows forms that need a passkey, asks the device, and sends its answer with the form.
const can = Boolean(window.PublicKeyCredential && navigator.credentials);

const bytes = (text) => {
  const plain = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (c) => c.charCodeAt(0));
};
const text = (buffer) => {
  const plain = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(plain).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
};
const named = (list) => (list ?? []).map((one) => ({ ...one, id: bytes(one.id) }));

async function options(form) {
  const answer = await fetch(form.dataset.options, { method: "POST", body: new FormData(form) });
  if (!answer.ok) throw new Error(String(answer.status));
  const found = await answer.json();
  found.challenge = bytes(found.challenge);
  if (found.user) found.user.id = bytes(found.user.id);
  if (found.allowCredentials) found.allowCredentials = named(found.allowCredentials);
  if (found.excludeCredentials) found.excludeCredentials = named(found.excludeCredentials);
  return found;
}

function written({ id, rawId, type, response }) {
  const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
  const said = parts.filter((part) => response[part]).map((part) => [part, text(response[part])]);
  return JSON.stringify({ id, rawId: text(rawId), type, response: Object.fromEntries(said) });
}

async function send(form) {
  const failed = form.querySelector("[data-passkey-failed]");
  failed.hidden = true;
  form.setAttribute("aria-busy", "true");
  try {
    const publicKey = await options(form);
    form.elements.answer.value = written(await navigator.credentials[form.dataset.passkey]({ publicKey }));
    form.submit();
  } catch {
    failed.hidden = false;
  } finally {
    form.removeAttribute("aria-busy");
  }
}

for (const form of can ? document.querySelectorAll("form[data-passkey]") : []) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!form.hasAttribute("aria-busy")) send(form);
  });
}
for (const note of can ? document.querySelectorAll("[data-passkey-missing]") : []) note.hidden = true;
