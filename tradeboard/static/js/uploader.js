// In a form with data-upload, a picked photo is sent at once by the form's own do=photo button.
// It is made smaller first where the browser can; if anything fails, the original is sent.
const LONGEST = 2048;
const SHRINKABLE = ["image/jpeg", "image/png", "image/webp"];

async function smaller(file) {
  if (!SHRINKABLE.includes(file.type)) return file;
  try {
    const image = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = LONGEST / Math.max(image.width, image.height);
    if (scale >= 1) return file;
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
    if (!blob || blob.size >= file.size) return file;
    return new File([blob], file.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
  } catch {
    return file;
  }
}

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
