"""What strangers send as photos to do harm: files, and names of files.

Each is a name, the bytes, and whether it is a picture that may be taken. What travels
along with a picture is `CANARY`; it must be in nothing that is kept.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, PngImagePlugin

from tests.pictures import CANARY, archive, exif, picture, png, saved

HEIC = Path(__file__).parents[1] / "core" / "pictures"
XMP = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><exif:GPSLatitude>%s</exif:GPSLatitude>"
SCRIPT = b"<html><script>alert('" + CANARY + b"')</script></html>"
LARGEST = 8 * 1024 * 1024
NAMES = (
    "../../etc/passwd",
    "..\\..\\boot.ini",
    "a\0b.jpg",
    "a\u202egpj.exe",
    "x" * 300 + ".jpg",
    "photo.jpg.php",
    "<img src=x>.jpg",
    "con.jpg",
    "'; DROP TABLE photo; --.jpg",
    "a\r\nSet-Cookie: b=c.jpg",
)


@dataclass(frozen=True)
class Sent:
    """One file; `taken` is None where either answer is right."""

    name: str
    data: bytes
    taken: bool | None = False
    heavy: bool = False


def iptc() -> bytes:
    """Return a JPEG segment as Photoshop writes it, with the canary as a place."""
    record = b"\x1c\x02\x5a" + struct.pack(">H", len(CANARY)) + CANARY
    block = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(record)) + record
    body = b"Photoshop 3.0\0" + block + b"\0" * (len(block) % 2)
    return b"\xff\xed" + struct.pack(">H", len(body) + 2) + body


def with_segment(jpeg: bytes, segment: bytes) -> bytes:
    """Put a segment right behind the start of a JPEG."""
    return jpeg[:2] + segment + jpeg[2:]


def with_passengers() -> Iterator[Sent]:
    """Yield pictures that may be taken, and what travels with them must not."""
    xmp, plain = XMP % CANARY, saved(picture())
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", CANARY.decode())
    info.add_itxt("XML:com.adobe.xmp", xmp.decode())
    for way in range(1, 9):
        yield Sent(f"orientation {way}", saved(picture(), exif=exif(way)), True)
    yield Sent("COM", saved(picture(), comment=CANARY), True)
    yield Sent("ICC", saved(picture(), icc_profile=CANARY * 9), True)
    yield Sent("XMP", saved(picture(), xmp=xmp), True)
    yield Sent("IPTC", with_segment(plain, iptc()), True)
    yield Sent("PNG text", saved(picture(), "PNG", pnginfo=info, exif=exif(3)), True)
    yield Sent("WebP", saved(picture(), "WEBP", exif=exif(1), xmp=xmp), True)
    yield Sent("CMYK", saved(picture(mode="CMYK"), comment=CANARY), True)
    grey = Image.new("I;16", (32, 32), 0x8000)
    yield Sent("16 bit", saved(grey, "PNG", pnginfo=info), True)
    yield Sent("JPEG and HTML", plain + SCRIPT, True)
    yield Sent("JPEG and ZIP", plain + archive(), True)
    yield Sent("PNG and HTML", saved(picture(), "PNG") + SCRIPT, True)
    yield Sent("JPEG with PHP", saved(picture(), comment=b"<?php " + CANARY), True)
    yield Sent("one pixel", saved(Image.new("RGB", (1, 1)), comment=CANARY), True)
    for file in sorted(HEIC.glob("*.heic")):
        yield Sent(file.stem, file.read_bytes(), True)


def no_pictures() -> Iterator[Sent]:
    """Yield what must be refused, each for a reason of its own."""
    plain, other = saved(picture((600, 600))), Image.new("RGB", (64, 48))
    yield Sent("empty", b"")
    yield Sent("one byte too many", plain + bytes(LARGEST + 1 - len(plain)))
    yield Sent("just words", CANARY * 3)
    yield Sent("SVG", b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
    yield Sent(
        "SVG in XML",
        b"<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b SYSTEM '"
        b"file:///etc/passwd'>]><svg>&b;</svg>",
    )
    yield Sent("EPS", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage")
    yield Sent("PDF", b"%PDF-1.7\n" + plain)
    yield Sent("PSD", b"8BPS\0\1" + bytes(40))
    yield Sent("HTML first", SCRIPT + plain)
    yield Sent("GIF with script", b"GIF89a/*" + SCRIPT)
    yield Sent("ZIP", archive())
    yield Sent("ELF", b"\x7fELF" + bytes(200))
    for format in ("TIFF", "GIF", "BMP", "ICO", "PPM"):
        yield Sent(format, saved(picture(), format))
    for format in ("PNG", "WEBP"):
        moving = saved(picture(), format, save_all=True, append_images=[other])
        yield Sent(f"moving {format}", moving)
    yield Sent("cut JPEG", plain[:1500])
    yield Sent("cut PNG", saved(picture(), "PNG")[:60])
    yield Sent("cut HEIC", next(iter(sorted(HEIC.glob("*.heic")))).read_bytes()[:300])
    yield Sent("HEIC in name alone", b"\0\0\0\x18ftypheic" + bytes(64))
    for size in ((13000, 13000), (30000, 1), (1, 30000), (12000, 12000)):
        yield Sent(f"PNG {size[0]}x{size[1]}", png(*size))
    yield Sent("PNG without a side", png(0, 5))
    yield Sent("PNG of 2**31", png(2**31 - 1, 2**31 - 1))


def heavy() -> Iterator[Sent]:
    """Yield the largest that are taken, and what only looks small."""
    yield Sent("59 MP JPEG", saved(Image.new("RGB", (9400, 6300)), quality=30), True)
    large = Image.new("RGBA", (6000, 4000), (1, 2, 3, 200))
    yield Sent("24 MP PNG", saved(large, "PNG", compress_level=1), True)
    yield Sent("24 MP of one bit", png(6000, 4000), None)
    sixteen = png(6000, 4000, depth=16, colour=6)
    yield Sent("24 MP of 64 bits", sixteen, None)
    yield Sent("progressive", saved(picture((4000, 3000)), progressive=True), True)


def corpus(*, quick: bool) -> list[Sent]:
    """Return all of them; the heavy ones are for the long run."""
    files = [*with_passengers(), *no_pictures()]
    return files if quick else [*files, *heavy()]
