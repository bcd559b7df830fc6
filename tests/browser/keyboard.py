"""A person who has a keyboard and nothing else.

Behaves like a page of playwright as far as `acts` uses it; all is reached by Tab,
pressed by Enter or Space, typed. What cannot be reached in this way fails.
"""

from contextlib import suppress

from playwright.sync_api import TimeoutError

# More than any page of the story has.
MOST_STOPS = 150
IS_FOCUSED = "element => element === document.activeElement"


class Keyboard:
    """A page that is used by keyboard alone; the address bar may be typed into."""

    def __init__(self, page):
        self.page = page

    @property
    def url(self):
        """Return the address that is shown."""
        return self.page.url

    def __getattr__(self, name):
        """Read the page as anybody does."""
        if name in {"goto", "wait_for_url", "wait_for_load_state", "inner_text"}:
            return getattr(self.page, name)
        raise AttributeError(f"a keyboard has no {name}")

    def locator(self, *args, **options):
        """Find something on the page."""
        return Thing(self.page, self.page.locator(*args, **options))

    def get_by_label(self, *args, **options):
        """Find a field by its label."""
        return Thing(self.page, self.page.get_by_label(*args, **options))

    def get_by_role(self, *args, **options):
        """Find something by what it is."""
        return Thing(self.page, self.page.get_by_role(*args, **options))

    def get_by_text(self, *args, **options):
        """Find something by what it says."""
        return Thing(self.page, self.page.get_by_text(*args, **options))


class Thing:
    """Something on the page: reached by Tab, then used."""

    def __init__(self, page, found):
        self.page, self.found = page, found

    @property
    def first(self):
        """Return the first of several."""
        return Thing(self.page, self.found.first)

    def locator(self, *args, **options):
        """Find something inside."""
        return Thing(self.page, self.found.locator(*args, **options))

    def get_by_role(self, *args, **options):
        """Find something inside by what it is."""
        return Thing(self.page, self.found.get_by_role(*args, **options))

    def wait_for(self, **options):
        """Wait until it is there."""
        self.found.wait_for(**options)

    def is_visible(self):
        """Tell whether it can be seen."""
        return self.found.is_visible()

    def inner_text(self):
        """Read it."""
        return self.found.inner_text()

    def all_inner_texts(self):
        """Read all of them."""
        return self.found.all_inner_texts()

    def reach(self):
        """Press Tab until it has the focus."""
        self.found.wait_for(state="attached")
        for _ in range(MOST_STOPS):
            if self.found.evaluate(IS_FOCUSED):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not lead to {self.found}")

    def fill(self, text):
        """Type over what is in the field."""
        self.reach()
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.insert_text(text)

    def click(self):
        """Press the button, or follow the link, and wait for where it leads."""
        self.reach()
        with self.page.expect_navigation():
            self.page.keyboard.press("Enter")

    def check(self):
        """Choose it: a radio button is reached by Tab or by the arrows."""
        if self.found.get_attribute("type") == "radio":
            self._reach_in_group()
        else:
            self.reach()
        if not self.found.is_checked():
            self.page.keyboard.press("Space")
        assert self.found.is_checked()

    def _reach_in_group(self):
        name = self.found.get_attribute("name")
        group = self.page.locator(f'input[type=radio][name="{name}"]')
        in_group = "(element, name) => document.activeElement?.name === name"
        for _ in range(MOST_STOPS):
            if group.first.evaluate(in_group, name):
                break
            self.page.keyboard.press("Tab")
        for _ in range(group.count()):
            if self.found.evaluate(IS_FOCUSED):
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"the arrows do not lead to {self.found}")

    def select_option(self, value=None, *, label=None):
        """Choose from a list: the arrows go through it."""
        self.reach()
        chosen = "e => [e.value, e.selectedOptions[0]?.label]"
        self.page.keyboard.press("Home")
        for _ in range(self.found.evaluate("e => e.options.length")):
            if (value or label) in self.found.evaluate(chosen):
                return
            self.page.keyboard.press("ArrowDown")
        raise AssertionError(f"the arrows do not lead to {value or label}")

    def set_input_files(self, files):
        """Open the chooser and take a file; a busy Chromium may miss an Enter."""
        for patience_ms in (3_000, 10_000, 30_000):
            self.reach()
            with suppress(TimeoutError):
                with self.page.expect_file_chooser(timeout=patience_ms) as chooser:
                    self.page.keyboard.press("Enter")
                chooser.value.set_files(files)
                return
        raise AssertionError("Enter opens no chooser of files")
