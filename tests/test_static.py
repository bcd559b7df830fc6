"""What the browser gets beside the pages: colours, drawings, and nothing inline."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.exceptions import UndefinedError

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

    assert sum(len(script.encode()) for script in scripts) < 12_000
    assert not re.search(r"\beval\(|new Function|innerHTML|\.style\b", "".join(scripts))


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
