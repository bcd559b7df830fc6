"""Photos as phones make them: large, turned in every way, with the place in them."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from tests.pictures import exif

ORIENTATIONS = range(1, 9)
# How a camera that is held like this lays the picture down.
LAID = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
# Top left, top right, bottom left, bottom right of the upright picture.
CORNERS = ((200, 30, 30), (30, 160, 30), (30, 30, 200), (220, 200, 30))


@dataclass(frozen=True)
class Shot:
    """A file, and the size of the picture when it stands upright."""

    name: str
    kind: str
    data: bytes
    size: tuple[int, int]


def heif_enc() -> str | None:
    """Return the program that makes HEIC, or None where it is missing."""
    return shutil.which("heif-enc")


class Camera:
    """Takes pictures of one size; the same scene each time, with another number."""

    def __init__(self, size: tuple[int, int], folder: Path):
        self.folder, self.number = folder, 0
        grain = Image.effect_noise((size[0] // 4, size[1] // 4), 40).resize(size)
        light = Image.linear_gradient("L").resize(size)
        self.scene = Image.blend(light, grain, 0.2).convert("RGB")

    def jpeg(self, orientation: int) -> Shot:
        """Take a picture as JPEG."""
        path, size = self._take(orientation)
        return Shot(path.name, "image/jpeg", path.read_bytes(), size)

    def heic(self, orientation: int) -> Shot:
        """Take a picture as HEIC, which phones send without saying what it is."""
        path, size = self._take(orientation)
        made = path.with_suffix(".heic")
        command = [str(heif_enc()), "-q", "50", "-p", "preset=ultrafast"]
        command += ["-o", str(made), str(path)]
        subprocess.run(command, check=True, capture_output=True)
        return Shot(made.name, "application/octet-stream", made.read_bytes(), size)

    def _take(self, orientation: int) -> tuple[Path, tuple[int, int]]:
        self.number += 1
        upright = self.scene.copy()
        if orientation > 4:
            upright = upright.transpose(Image.Transpose.ROTATE_90)
        _mark(upright, self.number)
        laid = LAID.get(orientation)
        picture = upright.transpose(laid) if laid is not None else upright
        path = self.folder / f"IMG_{self.number:04}.jpg"
        picture.save(path, "JPEG", quality=88, exif=exif(orientation))
        return path, upright.size


def corners_of(image: Image.Image) -> tuple[tuple[int, ...], ...]:
    """Return the colours of the four corners."""
    right, bottom = image.width - 1, image.height - 1
    inset = min(image.size) // 20
    places = (
        (inset, inset),
        (right - inset, inset),
        (inset, bottom - inset),
        (right - inset, bottom - inset),
    )
    return tuple(image.getpixel(place) for place in places)


def _mark(image: Image.Image, number: int) -> None:
    side = min(image.size) // 6
    right, bottom = image.width - side, image.height - side
    draw = ImageDraw.Draw(image)
    places = ((0, 0), (right, 0), (0, bottom), (right, bottom))
    for (x, y), colour in zip(places, CORNERS, strict=True):
        draw.rectangle((x, y, x + side, y + side), fill=colour)
    for bit in range(8):
        if number >> bit & 1:
            x = side + bit * side // 2
            draw.rectangle((x, 2 * side, x + side // 3, 3 * side), fill="white")
