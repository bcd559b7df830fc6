"""What is new to whom: notices of the last day unread, mails as people like them."""

from datetime import datetime

from tradeboard.accounts.models import Account
from tradeboard.accounts.services import profile
from tradeboard.demo.people import HARU, MINATO, PEOPLE
from tradeboard.demo.scene import Scene
from tradeboard.notifications import rules, services
from tradeboard.notifications.rules import Kind, MailMode

LAST_LOOK = 1.2


def tell(scene: Scene) -> None:
    """Let people choose how mail comes, and look at their notices a day ago."""
    scene.let(MINATO, scene.ago(200), _likes_it_daily)
    scene.let(HARU, scene.ago(200), _lives_elsewhere)
    for person in PEOPLE:
        if person.joined > LAST_LOOK:
            scene.let(person.handle, scene.ago(LAST_LOOK), _looks)


def forget_old(now: datetime) -> None:
    """Let notices of long ago be gone."""
    while services.forget_notices(before=now - rules.NOTICES_KEPT):
        pass


def _likes_it_daily(account: Account, now: datetime) -> None:
    daily = (Kind.MATCHES.value, Kind.SAVED_SEARCH.value)
    modes = dict.fromkeys(daily, MailMode.DAILY.value)
    services.choose(account.id, modes, now=now)


def _lives_elsewhere(account: Account, now: datetime) -> None:
    profile.choose(account, account.language, "Pacific/Honolulu", now=now)


def _looks(account: Account, now: datetime) -> None:
    services.read_all(account.id, now=now)
