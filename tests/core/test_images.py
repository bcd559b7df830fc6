"""What strangers send as photos, and what becomes of it."""

from pathlib import Path

import pytest
from PIL import Image, ImageDraw, PngImagePlugin

from tests.pictures import CANARY, archive, exif, picture, png, saved
from tradeboard.core import images
from tradeboard.core.errors import RuleBroken
from tradeboard.core.photo_store import FolderStore

NAME = "0123456789abcdef0123456789abcdef"
PICTURES = Path(__file__).parent / "pictures"
HEIC = PICTURES / "orientation-6-gps.heic"
# Turned by its EXIF alone, without a property of its own.
HEIC_BY_EXIF = PICTURES / "orientation-6-exif-only.heic"


def encoded(data, folder, file="card.jpg"):
    """Encode, and return both pictures that were written."""
    images.encode(data, FolderStore(folder), NAME, file=file)
    return [Image.open(folder / f"{NAME}-{width}.jpg") for width in (2048, 480)]


def refusal(data, folder, file="card.jpg"):
    """Return the sentence with which a file is refused; nothing was written."""
    with pytest.raises(RuleBroken) as refused:
        images.encode(data, FolderStore(folder), NAME, file=file)
    assert list(folder.iterdir()) == []
    return str(refused.value)


@pytest.mark.parametrize("format", ["JPEG", "PNG", "WEBP"])
def test_a_photo_is_kept_as_jpeg_in_two_sizes(tmp_path, format):
    large, small = encoded(saved(picture((3000, 1500)), format), tmp_path)

    assert (large.format, large.mode, large.size) == ("JPEG", "RGB", (2048, 1024))
    assert (small.format, small.mode, small.size) == ("JPEG", "RGB", (480, 240))


def test_a_small_photo_is_not_blown_up(tmp_path):
    large, small = encoded(saved(Image.new("RGB", (1, 1))), tmp_path)

    assert large.size == small.size == (1, 1)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_ends_upright(tmp_path, orientation):
    turned = saved(picture((40, 20)), exif=exif(orientation))

    large, _ = encoded(turned, tmp_path)

    assert large.size == ((20, 40) if orientation > 4 else (40, 20))


def test_orientation_six_puts_the_left_half_on_top(tmp_path):
    large, _ = encoded(saved(picture(), exif=exif(6)), tmp_path)

    assert large.getpixel((24, 8))[2] > 150  # blue
    assert large.getpixel((24, 56))[0] > 150  # red


@pytest.mark.parametrize("heic", [HEIC, HEIC_BY_EXIF], ids=lambda path: path.stem)
def test_heic_is_known_by_its_content_and_stands_upright(tmp_path, heic):
    assert b"CANARY" in heic.read_bytes()
    large, _ = encoded(heic.read_bytes(), tmp_path, file="photo.bin")

    assert (large.format, large.size) == ("JPEG", (48, 64))
    assert large.getpixel((24, 8))[2] > 150
    assert not large.getexif()


def test_nothing_travels_along(tmp_path):
    info = PngImagePlugin.PngInfo()
    info.add_text("Comment", CANARY.decode())
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>" + CANARY + b"</x:xmpmeta>"
    sent = [
        saved(picture(), exif=exif(6), comment=CANARY, icc_profile=CANARY, xmp=xmp),
        saved(picture(), "PNG", pnginfo=info, exif=exif(3)),
        saved(picture(), "WEBP", exif=exif(1), xmp=xmp),
        saved(picture()) + CANARY + archive(),
        saved(picture()) + b"<html><script>" + CANARY + b"</script></html>",
    ]

    for data in sent:
        assert CANARY in data
        for image in encoded(data, tmp_path):
            written = Path(image.filename).read_bytes()
            assert CANARY not in written
            assert b"Exif" not in written
            assert b"PK\x03\x04" not in written
            assert set(image.info) <= {
                "jfif",
                "jfif_version",
                "jfif_unit",
                "jfif_density",
            }


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "I;16"])
def test_every_mode_of_png_becomes_rgb(tmp_path, mode):
    image = picture(mode="L").convert("I;16") if mode == "I;16" else picture(mode=mode)

    large, _ = encoded(saved(image, "PNG"), tmp_path)

    assert large.mode == "RGB"


def test_sixteen_bits_keep_their_shades(tmp_path):
    grey = Image.new("I;16", (8, 8), 0x8000)

    large, _ = encoded(saved(grey, "PNG"), tmp_path)

    assert abs(large.getpixel((4, 4))[0] - 128) < 4


def test_what_is_see_through_becomes_white(tmp_path):
    large, _ = encoded(saved(Image.new("RGBA", (8, 8), (0, 0, 0, 0)), "PNG"), tmp_path)

    assert min(large.getpixel((4, 4))) > 250


def test_cmyk_becomes_rgb(tmp_path):
    large, _ = encoded(saved(picture(mode="CMYK")), tmp_path)

    assert large.mode == "RGB"
    assert large.getpixel((8, 24))[2] > large.getpixel((8, 24))[0]


@pytest.mark.parametrize("size", [(13000, 13000), (30000, 1), (12000, 12000)])
def test_a_bomb_is_refused_unopened(tmp_path, size):
    assert "画素数が多すぎます" in refusal(png(*size), tmp_path)


def test_a_photo_of_a_large_camera_is_taken(tmp_path):
    large, _ = encoded(saved(Image.new("RGB", (9400, 6300)), quality=30), tmp_path)

    assert max(large.size) == 2048


def test_the_largest_png_fits_into_the_means(tmp_path):
    image = Image.new("RGBA", (6000, 4000), (1, 2, 3, 200))

    large, _ = encoded(saved(image, "PNG", compress_level=1), tmp_path)

    assert large.size == (2048, 1365)


@pytest.mark.parametrize("format", ["PNG", "WEBP"])
def test_moving_pictures_are_refused(tmp_path, format):
    frames = [picture(), Image.new("RGB", (64, 48))]
    data = saved(frames[0], format, save_all=True, append_images=frames[1:])

    assert "動く画像は使えません" in refusal(data, tmp_path)


@pytest.mark.parametrize(
    "data",
    [
        b"just words",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>",
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\nshowpage",
        b"8BPS\0\1" + bytes(40),
        saved(picture(), "TIFF"),
        saved(picture(), "GIF"),
        saved(picture(), "BMP"),
        saved(picture((600, 600)))[:1500],
        saved(picture((64, 48)), "PNG")[:60],
        HEIC.read_bytes()[:300],
        b"\0\0\0\x18ftypheic" + bytes(64),
    ],
)
def test_what_is_no_photo_is_refused_by_name(tmp_path, data):
    text = refusal(data, tmp_path, file="holiday.jpg")

    assert text.startswith("holiday.jpg：画像として読めませんでした")


def test_an_empty_file_is_refused(tmp_path):
    assert "中身のない" in refusal(b"", tmp_path)


def test_one_byte_too_many_is_refused(tmp_path):
    data = saved(picture())
    padded = data + bytes(images.LARGEST_FILE + 1 - len(data))

    assert "8MBより大きい" in refusal(padded, tmp_path)
    assert encoded(padded[:-1], tmp_path)


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\photos\\a.jpg", "a.jpg"),
        ("a\0b.jpg", "ab.jpg"),
        ("a\u202egpj.exe", "agpj.exe"),
        ("カード.jpg", "カード.jpg"),
        ("x" * 300 + ".jpg", "x" * 40 + "…" + "x" * 8 + ".jpg"),
    ],
)
def test_a_file_is_named_without_tricks(tmp_path, file, shown):
    assert refusal(b"no", tmp_path, file=file).startswith(f"{shown}：")


def test_a_digest_is_alike_for_pictures_that_look_alike(tmp_path):
    def digest(image, **options):
        encoded = images.encode(saved(image, **options), FolderStore(tmp_path), NAME)
        return int(encoded.digest or "0", 16), encoded.digest

    steps = Image.linear_gradient("L").rotate(90).resize((640, 480)).convert("RGB")
    marked = steps.copy()
    ImageDraw.Draw(marked).ellipse((200, 120, 420, 340), fill=(255, 255, 255))

    first, text = digest(marked)
    again, _ = digest(marked.resize((400, 300)), quality=40)
    other, _ = digest(marked.transpose(Image.Transpose.FLIP_LEFT_RIGHT))

    assert len(text) == 16
    assert (first ^ again).bit_count() <= 4
    assert (first ^ other).bit_count() >= 20
    assert digest(Image.new("RGB", (64, 48), "navy"))[1] == ""
