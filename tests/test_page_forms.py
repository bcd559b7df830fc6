"""The reader of pages that other tests rely on."""

from tests import pages

PAGE = """
<form action="/preferences" method="post"><input type="hidden" name="csrf_token"
value="shell"><button name="language" value="en">English</button></form>
<main>
<form id="post" action="/listings/drafts/3" method="post">
<input type="hidden" name="csrf_token" value="t&amp;1">
<input type="hidden" name="submit_id" value="s1">
<input name="have-0-name" value="竜"><input type="checkbox" name="agree" value="y">
<input type="radio" name="ship" value="jp" checked>
<input type="radio" name="ship" value="any">
<select name="grade"><option value="A">A<option value="B" selected>B</select>
<textarea name="note">
two
lines</textarea>
<button name="do" value="post">募集を出す</button>
<button name="do" value="draft">下書きに残す</button></form>
<form action="/listings/3/withdraw?x=1" method="post">
<input type="hidden" name="csrf_token" value="t2"><button>取り下げる</button></form>
<input name="outside" value="o" form="post">
</main>
"""


def test_a_form_is_read_as_a_browser_would_send_it():
    assert pages.form_fields(PAGE, "/listings/drafts/3") == {
        "csrf_token": "t&1",
        "submit_id": "s1",
        "have-0-name": "竜",
        "ship": "jp",
        "grade": "B",
        "note": "two\nlines",
        "outside": "o",
    }


def test_a_form_is_found_by_action_by_button_and_by_its_fields():
    assert pages.find_form(PAGE).id == "post"
    assert pages.find_form(PAGE, "/listings/3/withdraw").buttons[0].text == "取り下げる"
    assert pages.find_form(PAGE, button="取り下げる").action.startswith("/listings/3")
    assert pages.find_form(PAGE, "/preferences").values() == {"csrf_token": "shell"}


def test_the_pressed_button_is_sent_with_the_form():
    class Client:
        def post(self, url, data, headers, content_type):
            return url, data

    url, data = pages.send(
        Client(),
        "/listings/drafts/3",
        PAGE,
        button="下書きに残す",
        note=None,
        agree="y",
    )

    assert url == "/listings/drafts/3"
    assert (data["do"], data["agree"], "note" in data) == ("draft", "y", False)
