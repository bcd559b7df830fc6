"""S4 in a real browser: listed, then it turns out to have come after all."""

from datetime import timedelta

import pytest

from tests.blacklist.cases import A_DAY, never_sent, receive
from tests.browser import chromium
from tests.browser.test_call import sign_in
from tests.browser.test_s3 import look_up
from tests.factories import make_account
from tests.stories.people import letters_to, link_in
from tests.worlds import make_trade
from tradeboard.accounts import queries as accounts
from tradeboard.accounts.rules.standing import Role, Standing
from tradeboard.blacklist.jobs import sweep_overdue_trades
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.core.japan import JAPAN

pytestmark = pytest.mark.browser


@pytest.fixture
def her(board, open_browser):
    """She waits for parcels; her browser is signed in."""
    person = make_account("mina", created_at=clock.now() - 90 * A_DAY)
    page = open_browser()
    sign_in(page, person, board)
    page.person = person
    return page


def listed(her, him, *, sends):
    """Let somebody be listed since nothing came from him in time."""
    at = clock.now() - 16 * A_DAY
    if isinstance(him, str):
        him = make_account(him, created_at=at - 90 * A_DAY)
    if sends:
        trade = make_trade(her, him, sent_by=[her, him], at=at)
        receive(trade, her, now=at + A_DAY)
    else:
        trade = never_sent(her, him, at=at)
    assert sweep_overdue_trades(trade.due_at).done == 1
    return him, trade


def standing(person):
    db.session.rollback()
    return accounts.get_account(person.id).standing


def confirm(page, when):
    """Follow the link in her newest mail, and say when it came."""
    _, body = letters_to(page.person.email)[-1]
    page.goto(link_in(body))
    local = when.astimezone(JAPAN)
    page.locator("[name=arrived_at]").fill(f"{local:%Y-%m-%d}")
    page.locator("[name=arrived_time]").fill(f"{local:%H:%M}")
    page.get_by_role("button", name="届いたことを記録する").click()
    page.wait_for_load_state()


def test_s4_it_had_come_in_time(her, open_browser):
    him, trade = listed(her.person, "kuro", sends=True)
    stranger = open_browser()
    assert "登録あり" in look_up(stranger, "kuro")
    assert standing(him) is Standing.LISTED

    confirm(her, trade.due_at - timedelta(hours=3))

    assert standing(him) is Standing.GOOD
    assert "登録なし" in look_up(stranger, "kuro")
    assert accounts.get_account(him.id).late_count == 0


def test_s4_it_came_later(her, open_browser, board):
    him, trade = listed(her.person, "kuro", sends=False)
    stranger, his = open_browser(), open_browser()
    sign_in(his, him, board)
    his.goto(f"/trades/legs/{trade.leg_from(him.id).id}/late-dispatch")
    his.get_by_role("button", name="発送").last.click()
    his.wait_for_load_state()
    assert "登録あり" in look_up(stranger, "kuro")

    confirm(her, trade.due_at + timedelta(hours=3))

    assert standing(him) is Standing.GOOD
    assert "登録なし" in look_up(stranger, "kuro")
    assert accounts.get_account(him.id).late_count == 1

    # The second time a moderator decides, and until then it stands.
    _, second = listed(her.person, him, sends=False)
    confirm(her, second.due_at + timedelta(hours=3))
    assert standing(him) is Standing.LISTED
    assert "登録あり" in look_up(stranger, "kuro")
    desk = open_browser(viewport=chromium.DESK)
    sign_in(desk, make_account("mod", role=Role.MODERATOR), board)
    desk.goto("/desk/entries")
    assert "kuro" in desk.locator("main").inner_text()
