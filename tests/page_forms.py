"""Read the forms of a page and send them, as a browser without script would."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

NEVER_SENT = frozenset({"submit", "image", "button", "reset", "file"})


@dataclass
class Button:
    """A button: what it says, and what it sends when it is pressed."""

    name: str | None
    value: str
    text: str = ""


@dataclass
class PageForm:
    """A form as it stands on the page; `fields` is what it would send untouched."""

    id: str | None
    action: str
    method: str
    in_main: bool
    enctype: str = "application/x-www-form-urlencoded"
    fields: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    buttons: list[Button] = field(default_factory=list)

    def values(self) -> dict[str, str | list[str]]:
        """Return the fields by name; one sent several times as a list."""
        found: dict[str, str | list[str]] = {}
        for name, value in self.fields:
            before = found.get(name)
            if before is None:
                found[name] = value
            else:
                earlier = before if isinstance(before, list) else [before]
                found[name] = [*earlier, value]
        return found


class _Reader(HTMLParser):
    """Collects forms; a field or button may name its form from outside of it."""

    def __init__(self):
        super().__init__()
        self.forms: list[PageForm] = []
        self.elsewhere: list[tuple[str, str, object]] = []
        self.form = None
        self.main = False
        self.button = self.area = self.select = self.option = None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        start = getattr(self, f"start_{tag}", None)
        if start:
            start(attributes)

    def handle_endtag(self, tag):
        end = getattr(self, f"end_{tag}", None)
        if end:
            end()

    def handle_data(self, data):
        if self.button is not None:
            self.button.text += data
        if self.area is not None:
            self.area[1] += data
        if self.option is not None:
            self.option["text"] += data

    def start_main(self, _):
        self.main = True

    def end_main(self):
        self.main = False

    def start_form(self, attributes):
        self.form = PageForm(
            attributes.get("id"),
            attributes.get("action") or "",
            (attributes.get("method") or "get").lower(),
            self.main,
            attributes.get("enctype") or PageForm.enctype,
        )
        self.forms.append(self.form)

    def end_form(self):
        self.form = None

    def start_input(self, attributes):
        name, kind = attributes.get("name"), attributes.get("type", "text").lower()
        if kind in {"submit", "image"}:
            text = attributes.get("value") or ""
            self.put(attributes, "button", Button(name, text, text))
        if not name:
            return
        self.put(attributes, "name", name)
        off = kind in {"checkbox", "radio"} and "checked" not in attributes
        if kind in NEVER_SENT or off or "disabled" in attributes:
            return
        silent = "on" if kind in {"checkbox", "radio"} else ""
        value = attributes.get("value")
        self.put(attributes, "field", (name, silent if value is None else value))

    def start_button(self, attributes):
        self.button = Button(attributes.get("name"), attributes.get("value") or "")
        if (attributes.get("type") or "submit") == "submit":
            self.put(attributes, "button", self.button)

    def end_button(self):
        if self.button is not None:
            self.button.text = " ".join(self.button.text.split())
        self.button = None

    def start_textarea(self, attributes):
        self.area = [attributes, ""]

    def end_textarea(self):
        attributes, text = self.area
        self.area = None
        if name := attributes.get("name"):
            self.put(attributes, "name", name)
            # The first line end belongs to the tag.
            text = text.replace("\r\n", "\n").removeprefix("\n")
            self.put(attributes, "field", (name, text))

    def start_select(self, attributes):
        self.select = (attributes, [])

    def start_option(self, attributes):
        self.end_option()
        self.option = {"attributes": attributes, "text": ""}

    def end_option(self):
        if self.option is not None and self.select is not None:
            self.select[1].append(self.option)
        self.option = None

    def end_select(self):
        self.end_option()
        attributes, options = self.select
        self.select = None
        if not (name := attributes.get("name")):
            return
        self.put(attributes, "name", name)
        chosen = [o for o in options if "selected" in o["attributes"]]
        if not chosen and "multiple" not in attributes:
            chosen = options[:1]
        for option in chosen:
            value = option["attributes"].get("value", option["text"].strip())
            self.put(attributes, "field", (name, value))

    def put(self, attributes, kind, what):
        if attributes.get("form"):
            self.elsewhere.append((attributes["form"], kind, what))
        elif self.form is not None:
            _put(self.form, kind, what)


def _put(form, kind, what):
    if kind == "button":
        form.buttons.append(what)
    elif kind == "name":
        form.names.add(what)
    else:
        form.fields.append(what)


def forms(html: str) -> list[PageForm]:
    """Return every form of a page, in its order."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    by_id = {form.id: form for form in reader.forms if form.id}
    for form_id, kind, what in reader.elsewhere:
        if form_id in by_id:
            _put(by_id[form_id], kind, what)
    return reader.forms


def find_form(
    html: str,
    action: str | None = None,
    *,
    button: str | None = None,
    names: set[str] = frozenset(),
) -> PageForm:
    """Return the form with that action, that button, and those fields.

    Without an action the forms of <main> are tried, and one that knows all the given
    names is preferred. `button` is what the button says, or `name=value`.
    """
    found = [form for form in forms(html) if form.method == "post"]
    if action is not None:
        found = [form for form in found if _leads(form.action, action)]
    else:
        found = [form for form in found if form.in_main]
    if button is not None:
        found = [form for form in found if _pressed(form, button)]
    knowing = [
        form
        for form in found
        if names <= form.names | {b.name for b in form.buttons if b.name}
    ]
    if not found:
        there = [(f.action, [b.text for b in f.buttons]) for f in forms(html)]
        raise AssertionError(f"no form {action or ''} {button or ''}, only {there}")
    return (knowing or found)[0]


def form_fields(
    html: str, action: str | None = None, *, button: str | None = None
) -> dict[str, str | list[str]]:
    """Return what a form would send untouched, its token and submit_id included."""
    return find_form(html, action, button=button).values()


def get(client, url: str) -> str:
    """Return the text of a page that must be there."""
    response = client.get(url)
    assert response.status_code == 200, (
        f"GET {url}: {response.status_code} {response.headers.get('Location', '')}"
    )
    return response.get_data(as_text=True)


def submit(
    client, page_url: str, /, action: str | None = None, *, button=None, **fields
):
    """Open a page, fill its form in, send it, and return the answer unfollowed.

    A value may be a text, a list, a file as `(stream, name)`, or None to leave the
    field out. `button` presses the button that says so, or that sends `name=value`.
    """
    page = get(client, page_url)
    return send(client, page_url, page, action, button=button, **fields)


def send(client, page_url: str, html: str, /, action=None, *, button=None, **fields):
    """Send a form of a page that has been opened already, such as an answer of 422."""
    form = find_form(html, action, button=button, names=set(fields))
    data = form.values()
    if button is not None and (pressed := _pressed(form, button)) and pressed.name:
        data[pressed.name] = pressed.value
    data.update(fields)
    data = {name: value for name, value in data.items() if value is not None}
    headers = {"Origin": "http://localhost"}  # as browsers say of themselves
    url = urljoin(page_url, form.action or page_url)
    return client.post(url, data=data, headers=headers, content_type=form.enctype)


def text(html: str) -> str:
    """Return the words of a page without markup, single spaces."""
    reader = _Words()
    reader.feed(html)
    reader.close()
    return " ".join("".join(reader.words).split())


class _Words(HTMLParser):
    def __init__(self):
        super().__init__()
        self.words: list[str] = []

    def handle_data(self, data):
        self.words.append(data)


def _leads(form_action: str, wanted: str) -> bool:
    if "?" not in wanted:
        form_action = urlsplit(form_action).path
    return form_action == wanted


def _pressed(form: PageForm, wanted: str) -> Button | None:
    for button in form.buttons:
        if f"{button.name}={button.value}" == wanted or button.text == wanted:
            return button
    return next((b for b in form.buttons if wanted in b.text), None)
