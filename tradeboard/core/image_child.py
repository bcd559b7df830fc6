"""The child process that opens a stranger's file; run by path, imports no feature.

Reads the file on standard input, writes one JSON line and then the new JPEG files on
standard output. It can write no file, start nothing, and use little memory and time.
"""

import contextlib
import io
import json
import sys

MEMORY = 512 * 1024 * 1024
SECONDS = 5
LONGEST_SIDE = 12_000
WIDTHS = (2048, 480)
QUALITY = 85
MEGAPIXELS = {"JPEG": 60, "MPO": 60, "HEIF": 50, "PNG": 24, "WEBP": 24}
# What HEIC calls itself, right after its length.
HEIC_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"mif1", b"msf1", b"hevc", b"hevx")
# How HEIC turns its picture; where it says neither, what its EXIF says counts.
HEIC_TURNS = (b"irot", b"imir")
ORIENTATION = 0x0112


class Refused(Exception):
    """The file is not taken; the text is a code."""


def limit() -> None:
    """Bound what this process may use, before it looks at the file."""
    try:
        import resource
    except ImportError:  # Not a Unix; the parent's time limit remains.
        return
    if sys.platform == "linux":  # Elsewhere the address space cannot be bounded.
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def open_picture(data: bytes):
    """Open one of four formats by its content, and refuse a bomb unopened."""
    from PIL import Image

    formats = ["JPEG", "PNG", "WEBP"]
    if data[4:8] == b"ftyp" and data[8:12] in HEIC_BRANDS:
        import pi_heif

        pi_heif.register_heif_opener(thumbnails=False)
        formats = ["HEIF"]
    Image.MAX_IMAGE_PIXELS = None  # Our own limits, per format, are below.
    image = Image.open(io.BytesIO(data), formats=formats)
    width, height = image.size
    if max(width, height) > LONGEST_SIDE:
        raise Refused("too_many_pixels")
    if width * height > MEGAPIXELS[str(image.format)] * 1_000_000:
        raise Refused("too_many_pixels")
    if image.format == "HEIF" and not any(turn in data for turn in HEIC_TURNS):
        image.getexif()[ORIENTATION] = image.info.get("original_orientation") or 1
    # A telephone's JPEG may carry a second view, and HEIC a burst: the first counts.
    if image.format in ("PNG", "WEBP") and getattr(image, "n_frames", 1) > 1:
        raise Refused("animated")
    return image


def redraw(image):
    """Return a new upright RGB picture, into which nothing but colours has come."""
    from PIL import Image, ImageOps

    if image.mode.startswith("I"):  # 16 bits a pixel
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    if image.mode not in ("L", "RGB", "RGBA", "CMYK"):
        see_through = "transparency" in image.info or image.mode in ("LA", "PA", "La")
        image = _keep_exif(image, image.convert("RGBA" if see_through else "RGB"))
    image.thumbnail((WIDTHS[0], WIDTHS[0]), Image.Resampling.LANCZOS, reducing_gap=2.0)
    # Broken EXIF says nothing of the picture itself.
    with contextlib.suppress(Exception):
        image = ImageOps.exif_transpose(image)
    fresh = Image.new("RGB", image.size, "white")
    if image.mode == "RGBA":
        fresh.paste(image, mask=image.getchannel("A"))
    else:
        fresh.paste(image.convert("RGB"))
    return fresh


def _keep_exif(old, new):
    """Carry over which way is up, until the picture has been turned."""
    new.info["exif"] = old.getexif().tobytes()
    return new


def encode(image, longest: int) -> bytes:
    """Return the picture as JPEG, with its longer side no longer than that."""
    from PIL import Image

    copy = image.copy()
    copy.thumbnail((longest, longest), Image.Resampling.LANCZOS, reducing_gap=2.0)
    out = io.BytesIO()
    copy.save(out, "JPEG", quality=QUALITY)
    return out.getvalue()


def digest(picture: bytes) -> str:
    """Return 64 bits, as hex, that pictures share which look alike.

    Each bit says whether a place is darker than the one to its right. A picture in
    one colour looks like every other in one colour, so it has none.
    """
    from PIL import Image

    with Image.open(io.BytesIO(picture)) as image:
        small = image.convert("L").resize((9, 8), Image.Resampling.LANCZOS)
    rows = [small.crop((0, y, 9, y + 1)).tobytes() for y in range(8)]
    bits = "".join(str(int(row[x] < row[x + 1])) for row in rows for x in range(8))
    return f"{int(bits, 2):016x}" if "1" in bits else ""


def answer(head: dict, bodies: list[bytes]) -> None:
    """Write one JSON line and the files after it."""
    head["lengths"] = [len(body) for body in bodies]
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + b"".join(bodies))
    sys.stdout.buffer.flush()


def main() -> None:
    """Turn the file on standard input into pictures of ours, or refuse it."""
    limit()
    try:
        image = redraw(open_picture(sys.stdin.buffer.read()))
        bodies = [encode(image, longest) for longest in WIDTHS]
    except Refused as refused:
        answer({"refused": str(refused)}, [])
    except MemoryError:
        answer({"refused": "too_many_pixels"}, [])
    except Exception:  # Whatever breaks on it is no picture.
        answer({"refused": "not_an_image"}, [])
    else:
        head = {"width": image.width, "height": image.height}
        answer({**head, "digest": digest(bodies[-1])}, bodies)


if __name__ == "__main__":
    main()
