// Hints while a parcel's number is typed: its shape and its check digit. It never refuses: the
// server says the same again. The rules of each carrier come with the page as data.
const DROPPED = /[-‐‑‒–—―−ー\s]+/g;
const digits = (text) => [...text].map(Number);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

const CHECKS = {
  mod7: (n) => Number(BigInt(n.slice(0, -1)) % 7n) === Number(n.at(-1)),
  s10: (n) => {
    const weights = [8, 6, 4, 2, 3, 5, 9, 7];
    const left = 11 - (sum(digits(n.slice(2, 10)).map((digit, i) => digit * weights[i])) % 11);
    return ({ 10: 0, 11: 5 }[left] ?? left) === Number(n[10]);
  },
  mod10_31: (n) => {
    const routed = n.match(/^420[0-9]{5}(?:[0-9]{4})?(9(?:[0-9]{19}|[0-9]{21}|[0-9]{25}))$/);
    const all = digits(routed ? routed[1] : n);
    const last = all.pop();
    const total = sum(all.reverse().map((digit, i) => digit * (i % 2 ? 1 : 3)));
    return (10 - (total % 10)) % 10 === last;
  },
  ups: (n) => {
    const all = [...n.slice(2)].map((c) => (/[0-9]/.test(c) ? Number(c) : (c.charCodeAt(0) - 63) % 10));
    const last = all.pop();
    return (10 - (sum(all.map((value, i) => value * (i % 2 ? 2 : 1))) % 10)) % 10 === last;
  },
  fedex: (n) => {
    if (n.length !== 12) return null;
    return (sum(digits(n.slice(0, -1)).map((digit, i) => digit * [3, 1, 7][i % 3])) % 11) % 10 === Number(n.at(-1));
  },
};

export function normalise(text) {
  return text.normalize("NFKC").toUpperCase().replace(DROPPED, "");
}

// "right", "wrong", "shape" where it looks like none of the carrier's, or "" where nobody can tell.
export function verdict(carriers, code, text) {
  const carrier = carriers[code];
  const number = normalise(text);
  if (!carrier || !carrier.forms.length || !number) return "";
  if (!carrier.forms.some((form) => new RegExp(`^(?:${form})$`).test(number))) return "shape";
  const right = CHECKS[carrier.check]?.(number) ?? null;
  return right === null ? "" : right ? "right" : "wrong";
}

function hint(input) {
  const form = input.form;
  const select = form.elements.namedItem("carrier");
  const said = form.querySelector("[data-tracking-said]");
  if (!select || !said) return;
  const carriers = JSON.parse(form.dataset.carriers);
  // Letters must stay possible where a carrier has them; elsewhere digits are nearer.
  const forms = carriers[select.value]?.forms ?? [];
  input.inputMode = forms.length && !forms.some((one) => one.includes("A-Z")) ? "numeric" : "text";
  const found = verdict(carriers, select.value, input.value);
  // Half a number is no slip yet: the shape is judged when the field is left.
  const told = found === "shape" && document.activeElement === input ? "" : found;
  const text = said.dataset[told] ?? "";
  if (said.textContent !== text) said.textContent = text;
}

function update({ target }) {
  const form = target.form;
  if (!form?.dataset.carriers) return;
  const input = form.querySelector("[data-tracking]");
  if (input) hint(input);
}

for (const name of ["input", "change", "focusout"]) {
  document.addEventListener(name, (event) => queueMicrotask(() => setTimeout(() => update(event))));
}
