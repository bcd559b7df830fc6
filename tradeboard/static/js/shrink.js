// Makes a picked photo smaller where the browser can; if anything fails, it stays as it is.
const LONGEST = 2048;
const SHRINKABLE = ["image/jpeg", "image/png", "image/webp"];

export async function smaller(file) {
  if (!SHRINKABLE.includes(file.type)) return file;
  try {
    const image = await createImageBitmap(file, { imageOrientation: "from-image" });
    const scale = LONGEST / Math.max(image.width, image.height);
    if (scale >= 1) return file;
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    image.close();
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
    if (!blob || blob.size >= file.size) return file;
    return new File([blob], file.name.replace(/\.\w+$/, "") + ".jpg", { type: "image/jpeg" });
  } catch {
    return file;
  }
}
