"""How a page is judged: by axe, by its width, by what the browser complains of."""

from functools import cache
from pathlib import Path

AXE = Path(__file__).parent / "vendor" / "axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN = """tags => axe.run(document, {
  preload: false, resultTypes: ["violations"], runOnly: {type: "tag", values: tags},
}).then(found => found.violations.map(
  v => `${v.id}: ${v.nodes.map(n => n.target).join(", ")}`))"""
WIDER = """() => [document.documentElement.scrollWidth, innerWidth]"""
NARROWEST = 320
# A bar that keeps to the window's bottom must cover nothing, not even if a clock on the
# page has taken another line since its height was read.
SPARE_PX = 300


@cache
def axe() -> str:
    """Return the source of axe, which the page's policy lets in only as a value."""
    return AXE.read_text(encoding="utf-8")


def faults(page, address: str, *, width: int = NARROWEST) -> list[str]:
    """Open an address, at the page's full height; return all that is wrong with it."""
    page.set_viewport_size({"width": width, "height": 800})
    answer = page.goto(address)
    if answer.status != 200:
        return [f"{address} {answer.status}"]
    return faults_here(page, width=width)


def faults_here(page, *, width: int = NARROWEST) -> list[str]:
    """Return all that is wrong with the page that is shown."""
    address = page.url
    wide = sticks_out(page, address, width)
    show_whole(page, width)
    page.evaluate(axe())
    judged = [f"{address} {fault}" for fault in page.evaluate(RUN, TAGS)]
    return [wide, *judged] if wide else judged


def show_whole(page, width: int) -> None:
    """Make the window so high that nothing is scrolled, and nothing covers the page."""
    height = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": width, "height": height + SPARE_PX})


def sticks_out(page, address: str, width: int) -> str | None:
    """Tell whether the page that is shown is wider than a window of that width."""
    page.set_viewport_size({"width": width, "height": 800})
    wide, shown = page.evaluate(WIDER)
    return f"{address} is {wide} px wide in {shown}" if wide > shown else None
