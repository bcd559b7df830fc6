// Reveals the button beside a password field; pressed means shown.
for (const button of document.querySelectorAll("button[data-show]")) {
  const input = document.getElementById(button.getAttribute("aria-controls"));
  if (!input) continue;
  button.hidden = false;
  const show = (shown) => {
    input.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
  };
  button.addEventListener("click", () => show(input.type === "password"));
  input.form?.addEventListener("submit", () => show(false));
}
