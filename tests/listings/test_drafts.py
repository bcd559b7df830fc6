"""The form of a listing: nothing typed or picked is ever lost."""

import io
from datetime import timedelta
from pathlib import Path

import pytest

from tests import pictures
from tests.factories import count, make_account
from tests.listings import boards
from tests.page_forms import form_fields, get, send, submit, text
from tradeboard.core import clock, photo_store
from tradeboard.core.db import db
from tradeboard.listings import jobs, queries, services
from tradeboard.listings.models import Listing, Photo
from tradeboard.listings.rules import ListingState
from tradeboard.terms.models import Agreement

NEW = "/listings/new"
HEIC = Path(__file__).parents[1] / "core/pictures/orientation-6-gps.heic"
GOOD = {
    "have-0-name": "蒼天の竜王",
    "have-0-condition": "A",
    "have-0-quantity": "２",
    "want-0-name": "星詠みの魔導師",
    "ships_from": "40",
    "note": "スリーブに入れて保管しています。",
}


def photo(name="card.jpg", colour="navy"):
    return (io.BytesIO(pictures.jpeg(colour)), name)


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
    bad = [(io.BytesIO(b"no"), name) for name in ("IMG.heic.txt", "memo.heic")]
    heic = (io.BytesIO(HEIC.read_bytes()), "IMG_1.HEIC", "application/octet-stream")
    picked = [photo("good.jpg"), *bad, heic]

    answer = press(client, NEW, "photo", photo=picked, **GOOD)

    assert answer.status_code == 422
    for name in ("IMG.heic.txt", "memo.heic"):
        assert f"{name}：画像として読めませんでした" in page_of(answer)
    assert "スリーブに入れて" in page_of(answer)
    found = db.session.scalars(db.select(Photo.id)).all()
    kept = [client.get(f"/photos/{photo_id}-480.jpg") for photo_id in found]
    assert [one.mimetype for one in kept] == ["image/jpeg"] * 2
    assert all(one.data.startswith(b"\xff\xd8") for one in kept)


def test_a_seventh_photo_is_named_and_six_stay(log_in, alice):
    client = log_in(alice)
    picked = [photo(f"{n}.jpg") for n in range(7)]

    answer = press(client, NEW, "photo", photo=picked)

    assert answer.status_code == 422
    assert "6.jpg：写真は6枚まで" in page_of(answer)
    assert count(Photo) == 6


def shown(draft):
    """Return what each photo of a draft says, in their order."""
    db.session.rollback()
    photos = queries.get_listing(draft).photos
    return [(photo.id, photo.alt, photo.caption) for photo in photos]


def test_photos_are_moved_described_taken_off_and_put_back(app, log_in, alice):
    client = log_in(alice)
    draft = boards.draft(alice)
    ids = [boards.add_photo(alice, draft, app) for _ in range(3)]
    url = f"/listings/drafts/{draft}"
    said = {f"shot-{ids[1]}": "back", f"caption-{ids[1]}": " 裏面の　全体 "}
    one, two, three = (
        (ids[0], "front", ""),
        (ids[1], "back", "裏面の 全体"),
        (ids[2], "", ""),
    )

    press(client, url, f"down:{ids[0]}", **said)
    press(client, url, f"up:{ids[2]}")
    assert shown(draft) == [two, three, one]
    press(client, url, f"delete:{ids[2]}")
    press(client, url, f"delete:{ids[0]}")
    assert shown(draft) == [two]
    press(client, url, f"restore:{ids[2]}")

    assert shown(draft) == [two, three]
    assert 'alt="裏面：裏面の 全体"' in get(client, url)


def test_a_photo_taken_off_is_forgotten_after_a_day_and_at_posting(app, log_in, alice):
    client = log_in(alice)
    kept, gone = (boards.draft(alice) for _ in range(2))
    for draft in (kept, gone):
        for _ in range(2):
            photo_id = boards.add_photo(alice, draft, app)
        press(client, f"/listings/drafts/{draft}", f"delete:{photo_id}", **GOOD)
    assert count(Photo) == 4

    boards.do(services.post, kept, boards.data(), by=alice, now=clock.now())
    assert count(Photo) == 3
    jobs.clean_photos(clock.now() + timedelta(hours=23))
    assert count(Photo) == 3
    jobs.clean_photos(clock.now() + timedelta(hours=25))
    assert count(Photo) == 2
    submit(client, f"/listings/drafts/{gone}/discard", button="破棄する")

    assert count(Photo) == 1


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
    elsewhere = log_in(alice)
    for there in (client, elsewhere):
        get(there, "/")
        assert first.partition("#")[0] in get(there, "/me/listings")
        assert "一つ目" in get(there, first)
        assert "二つ目" in get(there, second)


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


def test_a_large_photo_and_a_long_text_come_back_named_with_the_rest(log_in, alice):
    client = log_in(alice)
    large = (io.BytesIO(bytes(15_000_000)), "DSC_0001.jpg")
    note = "a" * 600_000

    answer = press(
        client, NEW, "review", photo=[photo(), large], **GOOD | {"note": note}
    )
    longest = "a" * 1_000_000
    longer = press(client, NEW, "review", **GOOD | {"note": longest})

    page = page_of(answer)
    assert (answer.status_code, longer.status_code) == (422, 422)
    assert "DSC_0001.jpg：8MBより大きい" in page
    assert "1000字までです" in text(page)
    assert note in page
    assert "蒼天の竜王" in page
    assert count(Photo) == 1
    assert longest in page_of(longer)


def test_too_large_a_body_names_the_limit(app, log_in, alice, monkeypatch):
    client = log_in(alice)
    monkeypatch.setitem(app.config, "MAX_CONTENT_LENGTH", 50_000)

    answer = press(client, NEW, "photo", photo=(io.BytesIO(bytes(60_000)), "big.jpg"))

    assert answer.status_code == 413
    assert "8MB" in page_of(answer)
    assert "50MB" in page_of(answer)


def test_what_was_typed_comes_back_with_a_body_that_is_too_large(
    app, log_in, alice, monkeypatch
):
    client = log_in(alice)
    url = press(client, NEW, "photo", photo=photo(), **GOOD).location.split("#")[0]
    monkeypatch.setitem(app.config, "MAX_CONTENT_LENGTH", 50_000)
    typed = GOOD | {"note": "書きなおした"}

    for page_url in (NEW, url):
        big = (io.BytesIO(bytes(60_000)), "big.jpg")
        answer = press(client, page_url, "review", photo=big, **typed)
        fields = form_fields(page_of(answer), page_url)
        assert answer.status_code == 413
        assert (fields["note"].strip(), fields["have-0-name"]) == (
            "書きなおした",
            "蒼天の竜王",
        )
    assert page_of(answer).count('class="shots"') == 1
    huge = (io.BytesIO(bytes(250_000)), "huge.jpg")
    assert press(client, NEW, "photo", photo=huge).status_code == 413


def test_a_full_disk_is_said_and_the_text_stays(log_in, alice, monkeypatch):
    monkeypatch.setattr(photo_store, "ROOM_TO_KEEP", 1 << 62)

    answer = press(log_in(alice), NEW, "photo", photo=photo(), **GOOD)

    assert answer.status_code == 507
    assert "保存する場所が足りません" in page_of(answer)
    assert only_listing().form["note"] == GOOD["note"]


def test_a_script_keeps_previews_and_adds_without_loading_the_page(log_in, alice):
    client = log_in(alice)
    fields = form_fields(get(client, NEW), NEW)

    def ask(url, do, **changed):
        data = fields | changed | {"do": do}
        return client.post(url, data=data, headers={"HX-Request": "true"})

    for note in ("一", "一二", "一"):
        kept = ask(NEW, "keep", note=note)
        assert "<html" not in page_of(kept)
        assert only_listing().form["note"] == note
    url = kept.headers["HX-Replace-Url"]
    added = ask(NEW, "photo", photo=[photo("1.jpg"), (io.BytesIO(b"no"), "x.txt")])
    look = ask("/listings/preview", "", **GOOD, draft=url.rpartition("/")[2])

    assert url == f"/listings/drafts/{only_listing().id}"
    assert (added.status_code, count(Photo)) == (422, 1)
    assert "x.txt：画像として読めませんでした" in page_of(added)
    assert 'id="photo-list"' in page_of(added)
    assert "蒼天の竜王 ×２" not in page_of(look)
    assert "蒼天の竜王" in page_of(look)
    assert db.session.scalars(db.select(Photo.id)).one() in page_of(look)
    assert only_listing().form["have"][0]["name"] == ""


def test_what_was_written_after_posting_elsewhere_becomes_a_new_draft(log_in, alice):
    client = log_in(alice)
    url = press(client, NEW, "draft", **GOOD).location
    page = get(client, url)
    boards.do(
        services.post, only_listing().id, boards.data(), by=alice, now=clock.now()
    )

    answers = [
        send(client, url, page, button="do=draft", note=note)
        for note in ("あと", "なお")
    ]

    assert answers[0].location == answers[1].location != url
    assert "なお" in get(client, answers[0].location)
    assert client.post(url, data={"do": "keep"}).status_code in (400, 409)


def test_too_many_drafts_are_said_with_the_text_kept(log_in, alice, monkeypatch):
    monkeypatch.setattr("tradeboard.listings.rules.states.MOST_DRAFTS", 0)

    answer = press(log_in(alice), NEW, "draft", **GOOD)

    assert answer.status_code == 422
    assert "下書きは0件まで" in page_of(answer)
    assert GOOD["note"] in page_of(answer)


def test_a_new_form_begins_as_the_last_listing_ended(log_in, alice):
    boards.post(alice, ships_from="13", ships_to="abroad", game="星霜")

    fields = form_fields(get(log_in(alice), NEW), NEW)

    filled = [fields[name] for name in ("ships_from", "ships_to", "game")]
    assert filled == ["13", "abroad", "星霜"]


def test_a_caption_names_no_foreign_address(log_in, alice):
    client = log_in(alice)
    url = press(client, NEW, "photo", photo=photo(), **GOOD).location.split("#")[0]
    photo_id = db.session.scalars(db.select(Photo.id)).one()
    typed = {f"caption-{photo_id}": "x@example.org"}

    answer = press(client, url, "review", **typed)

    assert answer.status_code == 422
    assert "「x@example.org」は登録した本アドレスではない" in page_of(answer)


def test_the_preview_is_the_tile_of_the_board(log_in, alice):
    client = log_in(alice)

    page = get(client, press(client, NEW, "photo", photo=photo(), **GOOD).location)

    assert "蒼天の竜王 ×2" not in page.split('class="tile-text"')[0]
    assert "蒼天の竜王" in page.split('class="tile-text"')[1]
