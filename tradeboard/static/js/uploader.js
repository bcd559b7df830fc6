// In a form with data-upload, a picked photo is sent at once by the form's own do=photo button.
const { smaller } = await import(`./shrink.js${new URL(import.meta.url).search}`);

async function shrinkAll(input, progress) {
  const files = new DataTransfer();
  for (const file of input.files) {
    files.items.add(await smaller(file));
    progress.value += 1;
  }
  input.files = files.files;
}

document.addEventListener("change", async (event) => {
  const input = event.target;
  const form = input.form;
  if (input.type !== "file" || !input.files.length || !form?.hasAttribute("data-upload")) return;
  const button = [...form.elements].find((e) => e.name === "do" && e.value === "photo");
  if (!button) return;
  const progress = document.createElement("progress");
  progress.setAttribute("aria-label", input.labels?.[0]?.textContent.trim() ?? "");
  progress.max = input.files.length + 1; // the last step is the sending itself
  progress.value = 0;
  input.after(progress);
  await shrinkAll(input, progress).catch(() => {});
  form.requestSubmit(button);
});
