// Says that a form is on its way. The button stays enabled: the server knows a second press.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  event.target.setAttribute("aria-busy", "true");
  event.submitter?.setAttribute("aria-busy", "true");
});

addEventListener("pageshow", () => {
  for (const busy of document.querySelectorAll("[aria-busy]")) busy.removeAttribute("aria-busy");
});
