"""Somebody registers from the browser of a listed member, and is held for it."""

from datetime import datetime

from tradeboard.accounts import queries as accounts
from tradeboard.accounts.models import Account
from tradeboard.accounts.services import holds
from tradeboard.demo import people as who
from tradeboard.demo.scene import Scene

WORDS = (
    "家のパソコンを兄と一緒に使っています。"
    "カードは自分で集めたもので、電話番号も自分のものがあります。"
)


def tell(scene: Scene) -> None:
    """すずらん used 黒翼's browser, says why, and 黒翼 used it again afterwards."""
    scene.let(who.SUZURAN, scene.ago(0, 10), _answer)
    scene.let(who.KUROBANE, scene.ago(0, 8), lambda by, now: None)


def _answer(by: Account, now: datetime) -> None:
    [hold] = accounts.open_holds_of(by.id)
    holds.state(hold.id, WORDS, by=by, now=now)
