"""What the browser gets beside the pages: colours, drawings, and nothing inline."""

import hashlib
import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.exceptions import UndefinedError
from PIL import Image

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "tradeboard" / "static"
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
TOKENS = (STATIC / "tokens.css").read_text(encoding="utf-8")
TEXT, BORDER = 4.5, 3.0
PAIRS = [
    ("ink", "bg", TEXT),
    ("ink", "surface", TEXT),
    ("ink", "sunken", TEXT),
    ("muted", "bg", TEXT),
    ("muted", "surface", TEXT),
    ("muted", "sunken", TEXT),
    ("control", "surface", BORDER),
    ("control", "bg", BORDER),
    ("accent", "bg", TEXT),
    ("accent", "surface", TEXT),
    ("on-accent", "accent", TEXT),
    ("on-accent", "accent-hover", TEXT),
    ("accent-ink", "accent-soft", TEXT),
    ("neutral-ink", "neutral-soft", TEXT),
    ("focus", "bg", BORDER),
    ("focus", "surface", BORDER),
    *((f"{look}-ink", f"{look}-soft", TEXT) for look in ("ok", "warn", "danger")),
    *((f"on-{look}", look, TEXT) for look in ("ok", "warn", "danger", "info")),
    ("info-ink", "info-soft", TEXT),
    ("danger", "surface", TEXT),
    ("danger", "bg", TEXT),
]
STATES = {
    "listing": "draft awaiting_email open reserved traded expired withdrawn hidden",
    "trade": "your_turn negotiating agreed phone_confirmed shipped due_soon received"
    " defaulted declined withdrawn lapsed cancelled",
    "leg": "not_sent dispatched received",
    "mark": "contested withheld differs defaulted",
    "entry": "listed upheld held lifted expired",
    "appeal": "open granted refused closed",
    "standing": "good held listed suspended closed",
    "grade": "good fair bad",
    "feedback": "waiting",
    "answer": "none listed under_appeal unknown",
}


def test_the_two_dark_blocks_are_equal():
    by_system, by_choice = dark_blocks()

    assert by_system == by_choice
    assert set(by_choice) == set(light_block())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("front", "back", "least"), PAIRS)
def test_the_colours_can_be_told_apart(theme, front, back, least):
    colours = light_block() if theme == "light" else dark_blocks()[0]

    assert contrast(colours[front], colours[back]) >= least


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_template_holds_style_or_script(path):
    reader = InlineReader()
    reader.feed(re.sub(r"{#.*?#}", "", path.read_text(encoding="utf-8"), flags=re.S))

    assert reader.found == []


def test_every_drawing_in_use_is_in_the_sprite():
    used = set()
    for path in TEMPLATES:
        text = path.read_text(encoding="utf-8")
        used |= set(re.findall(r"""\bicon\(\s*["']([\w-]+)["']""", text))
        used |= set(re.findall(r"""\bicon=["']([\w-]+)["']""", text))

    assert used - drawings() == set()


@pytest.mark.parametrize(
    ("kind", "state"),
    [(kind, state) for kind, states in STATES.items() for state in states.split()],
)
def test_each_state_is_a_drawing_and_a_word(kind, state):
    badge = words().badge(kind, state)

    assert set(re.findall(r"#([\w-]+)", badge)) <= drawings()
    assert re.sub(r"<[^>]+>", "", badge).strip()


@pytest.mark.parametrize(("kind", "state"), [("trade", "lost"), ("parcel", "open")])
def test_an_unknown_state_has_no_badge(kind, state):
    with pytest.raises(UndefinedError):
        words().badge(kind, state)


def test_the_scripts_stay_small_and_need_no_eval():
    scripts = [path.read_text(encoding="utf-8") for path in STATIC.glob("js/*.js")]

    assert sum(len(script.encode()) for script in scripts) < 40_000
    assert not re.search(r"\beval\(|new Function|innerHTML|\.style\b", "".join(scripts))


def test_what_is_vendored_is_what_was_published():
    vendor = STATIC / "vendor"
    said = tomllib.loads((vendor / "VENDOR.toml").read_text(encoding="utf-8"))
    scripts = {path.name for path in vendor.glob("*.js")}

    assert {row["file"] for row in said.values()} == scripts
    for row in said.values():
        digest = hashlib.sha256((vendor / row["file"]).read_bytes()).hexdigest()
        assert digest == row["sha256"]
        assert all(row[key] for key in ("name", "version", "licence", "source"))


def test_the_drawings_of_the_manifest_are_there_and_as_large_as_it_says():
    text = (STATIC / "manifest.webmanifest").read_text(encoding="utf-8")
    icons = {icon["src"]: icon["sizes"] for icon in json.loads(text)["icons"]}

    for source, sizes in icons.items():
        file = STATIC / source.removeprefix("/static/")
        if file.suffix == ".png":
            width, height = Image.open(file).size
            assert sizes == f"{width}x{height}"
        else:
            assert file.is_file()


def test_each_module_is_imported_by_the_entry_or_by_a_page():
    entry = (STATIC / "js" / "main.js").read_text(encoding="utf-8")
    pages = "".join(path.read_text(encoding="utf-8") for path in TEMPLATES)
    modules = {path.stem for path in STATIC.glob("js/*.js")} - {"main"}

    assert [
        name
        for name in sorted(modules)
        if f'"{name}"' not in entry and f"js/{name}.js" not in pages
    ] == []


def words():
    env = Environment(
        loader=FileSystemLoader(ROOT / "templates"),
        extensions=["jinja2.ext.i18n"],
        undefined=StrictUndefined,
        autoescape=True,
    )
    env.install_null_translations(newstyle=True)
    env.globals["url_for"] = lambda _, filename: f"/static/{filename}"
    return env.get_template("macros/words.html").module


def drawings():
    sprite = (STATIC / "icons.svg").read_text(encoding="utf-8")
    return set(re.findall(r'<symbol id="([\w-]+)" viewBox="0 0 24 24">', sprite))


def light_block():
    return colours_of(TOKENS.partition("@media")[0])


def dark_blocks():
    by_system = TOKENS.partition("@media")[2].partition(":root[data-theme")[0]
    by_choice = TOKENS.partition(':root[data-theme="dark"]')[2].partition("}")[0]
    return colours_of(by_system), colours_of(by_choice)


def colours_of(block):
    return dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", block))


def contrast(one, other):
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


class InlineReader(HTMLParser):
    """Notes what the content security policy would refuse."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        if tag == "style" or (tag == "script" and "src" not in names):
            self.found.append(tag)
        for name, value in attrs:
            evaluated = name.startswith(("on", "hx-on")) or name == "style"
            if evaluated or (value or "").strip().startswith(("javascript:", "js:")):
                self.found.append(f"{tag} {name}")
