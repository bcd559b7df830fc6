"""The form of a listing: nothing typed or picked is ever lost."""

import io

import pytest

from tests.factories import count, make_account
from tests.listings import boards
from tests.page_forms import form_fields, get, send, submit, text
from tradeboard.core.db import db
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.rules import ListingState
from tradeboard.terms.models import Agreement

NEW = "/listings/new"
GOOD = {
    "have-0-name": "蒼天の竜王",
    "have-0-condition": "A",
    "have-0-quantity": "２",
    "want-0-name": "星詠みの魔導師",
    "ships_from": "40",
    "note": "スリーブに入れて保管しています。",
}


def photo(name="card.jpg", colour="navy"):
    return (io.BytesIO(boards.jpeg(colour)), name)


def page_of(answer):
    return answer.get_data(as_text=True)


def only_listing():
    db.session.rollback()
    return db.session.scalars(db.select(Listing)).one()


def press(client, url, do, **fields):
    """Press a button of the form."""
    return submit(client, url, button=f"do={do}", **fields)


def test_opening_the_form_keeps_nothing(log_in, alice):
    get(log_in(alice), NEW)

    assert count(Listing) == 0


def test_a_draft_keeps_mistakes_as_they_were_typed(log_in, alice):
    client = log_in(alice)
    typed = GOOD | {"have-0-quantity": "二枚", "want-0-name": "", "game": "星 霜"}

    answer = press(client, NEW, "draft", **typed)

    assert answer.status_code == 303
    fields = form_fields(get(client, answer.location), answer.location.split("#")[0])
    for name, value in typed.items():
        assert fields[name].strip() == value


def test_photos_survive_a_mistake(log_in, alice):
    client = log_in(alice)
    picked = [photo("1.jpg", "red"), photo("2.jpg", "green"), photo("3.jpg", "blue")]
    typed = GOOD | {"want-0-name": ""}

    answer = press(client, NEW, "review", photo=picked, **typed)

    page = page_of(answer)
    assert answer.status_code == 422
    assert "ほしいカードを1枚以上書いてください" in page
    assert page.count('class="shots"') == 1
    ids = [p.id for p in db.session.scalars(db.select(Photo).order_by(Photo.position))]
    assert len(ids) == 3
    assert sorted(ids, key=page.index) == ids

    url = f"/listings/drafts/{only_listing().id}"
    answer = send(client, url, page, button="do=review", **GOOD)
    assert answer.location == f"{url}/review"
    answer = submit(client, answer.location, button="募集を出す")
    assert answer.status_code == 303

    listing = only_listing()
    assert listing.state is ListingState.OPEN
    shown = get(client, answer.location)
    assert all(photo_id in shown for photo_id in ids)
    assert "×2" in shown


def test_a_bad_file_is_named_and_the_others_stay(log_in, alice):
    client = log_in(alice)
    picked = [photo("good.jpg"), (io.BytesIO(b"no"), "IMG.heic.txt"), photo("b.jpg")]

    answer = press(client, NEW, "photo", photo=picked, **GOOD)

    assert answer.status_code == 422
    assert "IMG.heic.txt：画像として読めませんでした" in page_of(answer)
    assert "スリーブに入れて" in page_of(answer)
    assert count(Photo) == 2


def test_a_seventh_photo_is_named_and_six_stay(log_in, alice):
    client = log_in(alice)
    picked = [photo(f"{n}.jpg") for n in range(7)]

    answer = press(client, NEW, "photo", photo=picked)

    assert answer.status_code == 422
    assert "6.jpg：写真は6枚まで" in page_of(answer)
    assert count(Photo) == 6


def test_photos_are_moved_described_and_deleted(app, log_in, alice):
    client = log_in(alice)
    draft = boards.draft(alice)
    ids = [boards.add_photo(alice, draft, app) for _ in range(3)]
    url = f"/listings/drafts/{draft}"

    press(client, url, f"down:{ids[0]}", **{f"shot-{ids[1]}": "back"})
    press(client, url, f"up:{ids[2]}")
    press(client, url, f"delete:{ids[0]}")

    left = db.session.scalars(db.select(Photo).order_by(Photo.position)).all()
    assert [(p.id, p.alt) for p in left] == [(ids[1], "back"), (ids[2], "")]


def test_cards_are_added_and_dropped_without_losing_text(log_in, alice):
    client = log_in(alice)
    answer = press(client, NEW, "add-have", **GOOD)
    url = answer.location.split("#")[0]
    assert answer.location.endswith("#have")

    press(client, url, "add-have", **{"have-1-name": "旋風の一撃"})
    press(client, url, "drop-have:0", **{"have-2-name": "盾騎士"})

    fields = form_fields(get(client, url), url)
    assert [fields["have-0-name"], fields["have-1-name"]] == ["旋風の一撃", "盾騎士"]
    assert "have-2-name" not in fields
    assert fields["want-0-name"] == "星詠みの魔導師"


def test_the_same_form_twice_begins_one_draft_with_one_photo(log_in, alice):
    client = log_in(alice)
    fields = form_fields(get(client, NEW), NEW) | GOOD | {"do": "photo"}

    answers = [client.post(NEW, data=fields | {"photo": photo()}) for _ in range(2)]

    assert answers[0].location == answers[1].location
    assert (count(Listing), count(Photo)) == (1, 1)


def test_the_same_form_changed_after_going_back_is_saved(log_in, alice):
    client = log_in(alice)
    fields = form_fields(get(client, NEW), NEW) | GOOD | {"do": "draft"}
    client.post(NEW, data=fields)

    client.post(NEW, data=fields | {"note": "書きなおした"})

    assert only_listing().form["note"] == "書きなおした"


def test_two_drafts_never_merge(log_in, alice):
    client = log_in(alice)

    first = press(client, NEW, "draft", **GOOD | {"note": "一つ目"}).location
    second = press(client, NEW, "draft", **GOOD | {"note": "二つ目"}).location

    assert first != second
    assert "一つ目" in get(client, first)
    assert "二つ目" in get(client, second)


def test_a_sub_address_in_the_note_is_refused_with_the_text_kept(log_in, alice):
    client = log_in(alice)
    note = "連絡は alice+card@example.com まで"

    answer = press(client, NEW, "review", **GOOD | {"note": note})

    page = page_of(answer)
    assert answer.status_code == 422
    assert "「alice+card@example.com」は登録した本アドレスではない" in page
    assert note in page
    assert only_listing().form["note"] == note


def test_the_terms_are_asked_for_while_the_draft_is_safe(log_in):
    dora = make_account("dora", agreed=False)
    client = log_in(dora)
    review = press(client, NEW, "review", **GOOD).location

    asked = submit(client, review, button="募集を出す")
    assert "利用規約への同意" in page_of(asked)
    assert only_listing().state is ListingState.DRAFT
    post = review.replace("review", "post")
    agreed = send(client, review, page_of(asked), post, agree_terms="1")

    assert agreed.status_code == 303
    assert only_listing().state is ListingState.OPEN
    assert count(Agreement, Agreement.account_id == dora.id) == 1


def test_posting_twice_leads_to_the_same_page(log_in, alice):
    client = log_in(alice)
    review = press(client, NEW, "review", **GOOD).location
    page = get(client, review)

    first = send(client, review, page, button="募集を出す")
    second = send(client, review, page, button="募集を出す")

    assert first.location == second.location
    assert count(Listing) == 1


def test_a_draft_with_mistakes_has_no_review(log_in, alice):
    client = log_in(alice)
    draft = press(client, NEW, "draft", **GOOD | {"ships_from": ""}).location

    answer = client.get(f"{draft}/review")

    assert answer.location == draft


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("have-0-quantity", "0", "1から99までの数"),
        ("have-0-quantity", "百", "1から99までの数"),
        ("have-0-name", "あ" * 81, "80字までです"),
        ("have-0-condition", "E", "一覧から選んでください"),
        ("ships_from", "", "発送元を選んでください"),
        ("ships_from", "99", "一覧から選んでください"),
        ("note", "あ" * 1001, "1000字までです"),
    ],
)
def test_each_mistake_is_said_and_kept(log_in, alice, field, value, said):
    client = log_in(alice)

    answer = press(client, NEW, "review", **GOOD | {field: value})

    assert answer.status_code == 422
    assert said in text(page_of(answer))
    assert "スリーブに入れて" in page_of(answer) or field == "note"
    kept = form_fields(page_of(answer), f"/listings/drafts/{only_listing().id}")
    # A choice that was never offered cannot be shown again.
    made_up = {"have-0-condition": "A", "ships_from": ""}
    assert kept[field].strip() == made_up.get(field, value)


def test_a_draft_is_discarded_after_one_question(log_in, alice):
    client = log_in(alice)
    draft = press(client, NEW, "draft", **GOOD).location

    assert "元に戻せません" in get(client, f"{draft}/discard")
    submit(client, f"{draft}/discard", button="破棄する")

    assert count(Listing) == 0


def test_a_long_text_comes_back_with_the_form(log_in, alice):
    client = log_in(alice)
    note = "長" * 20_000

    answer = press(client, NEW, "review", **GOOD | {"note": note})

    assert answer.status_code == 422
    assert note in page_of(answer)


def test_too_large_a_body_names_the_limit(app, log_in, alice, monkeypatch):
    client = log_in(alice)
    monkeypatch.setitem(app.config, "MAX_CONTENT_LENGTH", 50_000)

    answer = press(client, NEW, "photo", photo=(io.BytesIO(bytes(60_000)), "big.jpg"))

    assert answer.status_code == 413
    assert "8MB" in page_of(answer)
    assert "50MB" in page_of(answer)


def test_a_full_disk_is_said(log_in, alice, monkeypatch):
    from tradeboard.core import images

    monkeypatch.setattr(images, "ROOM_TO_KEEP", 1 << 62)

    answer = press(log_in(alice), NEW, "photo", photo=photo())

    assert answer.status_code == 507


def test_the_preview_is_the_tile_of_the_board(log_in, alice):
    client = log_in(alice)

    page = get(client, press(client, NEW, "photo", photo=photo(), **GOOD).location)

    assert "蒼天の竜王 ×2" not in page.split('class="tile-text"')[0]
    assert "蒼天の竜王" in page.split('class="tile-text"')[1]
