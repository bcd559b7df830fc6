"""Pictures as files, also with what must not travel along with them."""

import io
import struct
import zipfile
import zlib

from PIL import Image, ImageDraw

# It must be in nothing that is kept.
CANARY = b"CANARY-7f3a"


def picture(size=(64, 48), mode="RGB"):
    """Draw the left half blue, the right half red."""
    image = Image.new("RGB", size, (200, 30, 30))
    half = (0, 0, size[0] // 2 - 1, size[1] - 1)
    ImageDraw.Draw(image).rectangle(half, fill=(20, 20, 200))
    return image.convert(mode)


def saved(image, format="JPEG", **options) -> bytes:
    """Return the bytes of a file."""
    out = io.BytesIO()
    image.save(out, format, **options)
    return out.getvalue()


def jpeg(colour="navy", size=(64, 80)) -> bytes:
    """Return a small photo."""
    return saved(Image.new("RGB", size, colour))


def exif(orientation: int) -> Image.Exif:
    """Return EXIF with the canary and a place."""
    data = Image.Exif()
    data[0x0112], data[0x010F] = orientation, CANARY.decode()
    place = data.get_ifd(0x8825)
    place[1], place[2] = "N", (33.0, 35.0, 24.0)
    place[3], place[4] = "E", (130.0, 24.0, 6.0)
    return data


def png(width: int, height: int, depth: int = 1, colour: int = 0) -> bytes:
    """Return a PNG that claims a size, and holds next to nothing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        whole = kind + body
        crc = struct.pack(">I", zlib.crc32(whole))
        return struct.pack(">I", len(body)) + whole + crc

    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    row = bytes(min((width * depth + 7) // 8 + 1, 50_000))
    rows = zlib.compress(row * min(height, 2000))
    parts = chunk(b"IHDR", head), chunk(b"IDAT", rows), chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def archive() -> bytes:
    """Return a ZIP with the canary."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("canary.txt", CANARY * 20)
    return out.getvalue()
