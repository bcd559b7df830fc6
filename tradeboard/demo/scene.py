"""Where the demo's stories take place: the people, their browsers, their listings."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from tradeboard.accounts import queries as accounts
from tradeboard.accounts import totp
from tradeboard.accounts.models import Account
from tradeboard.accounts.services import (
    admin,
    devices,
    holds,
    registration,
    second_factor,
)
from tradeboard.core.db import db
from tradeboard.demo.diary import Diary
from tradeboard.demo.people import PASSWORD, PEOPLE, Person, staff
from tradeboard.demo.pictures import Pictures
from tradeboard.terms import queries as terms_queries
from tradeboard.terms import services as terms

Act = Callable[[Account, datetime], Any]


class Scene:
    """What every story needs; instants are counted back from `now`."""

    def __init__(self, now: datetime, pictures: Pictures):
        self.now = now
        self.pictures = pictures
        self.diary = Diary(until=now)
        self.listings: dict[str, int] = {}
        self._ids: dict[str, int] = {}
        self._browsers: dict[str, devices.Recognised] = {}

    def ago(self, days: float = 0, hours: float = 0, minutes: float = 0) -> datetime:
        """Return an instant before now."""
        return self.now - timedelta(days=days, hours=hours, minutes=minutes)

    def person(self, handle: str) -> Account:
        """Return somebody as he is at this moment of the play."""
        return accounts.get_account(self._ids[handle])

    def let(self, handle: str, at: datetime, act: Act) -> None:
        """Let somebody do something at an instant, from the own browser."""

        def verb(now: datetime) -> None:
            account = self.person(handle)
            self._writes(handle, account, now)
            act(account, now)

        self.diary.on(at, verb)

    def begin(self) -> None:
        """Let everybody register; who moderates sets up the second factor."""
        for person in PEOPLE:
            self.diary.on(self.ago(person.joined), self._registers(person))
            if person.confirmed:
                joined = self.ago(person.joined, hours=-1)
                self.let(person.handle, joined, _agree)
        for person in staff():
            self.let(person.handle, self.ago(person.joined - 1), _set_up_second_factor)

    def _registers(self, person: Person) -> Callable[[datetime], None]:
        def register(now: datetime) -> None:
            if person.confirmed:
                account = admin.create(
                    person.handle,
                    person.email,
                    PASSWORD,
                    person.language,
                    person.role,
                    now=now,
                )
            else:
                asked = registration.prepare(person.handle, person.email, PASSWORD)
                account = registration.register(
                    asked, language=person.language, now=now
                )
                _agree(account, now)
            account.prefecture = person.place
            self._ids[person.handle] = account.id
            self._browsers[person.handle] = (
                self._browsers[person.browser]
                if person.browser
                else devices.recognise(None, now=now)
            )
            self._writes(person.handle, account, now)

        return register

    def _writes(self, handle: str, account: Account, now: datetime) -> None:
        """Note from which browser somebody writes, as every page does."""
        device = devices.record_use(self._browsers[handle], account, now=now)
        holds.device_seen(account, device, now=now)


def _agree(account: Account, now: datetime) -> None:
    number = terms_queries.newest_number()
    assert number is not None
    terms.agree(account, number, now)


def _set_up_second_factor(account: Account, now: datetime) -> None:
    second_factor.begin(account, now=now)
    db.session.flush()
    code = totp.code_at(secret_of(account.id), now)
    second_factor.confirm(account, code, now=now)


def secret_of(account_id: int) -> str:
    """Return the secret that an authenticator app would hold."""
    row = accounts.find_totp(account_id)
    assert row is not None
    return totp.unseal(row.secret, account_id)
