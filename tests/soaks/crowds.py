"""A filled board on which every list has as many rows as one likes."""

import secrets

from sqlalchemy import Engine, func, select

from tests.soaks.growing import Growing, unchecked
from tradeboard.accounts.rules.email import DomainVerdict
from tradeboard.core import clock
from tradeboard.core.db import db
from tradeboard.demo.people import KUROBANE, KUSUNOKI, MINATO, TSUBAME
from tradeboard.listings.rules.search import MOST_SAVED
from tradeboard.trades.rules.states import RUNNING, TradeState


def crowd(engine: Engine, number: int) -> None:
    """Let every list of the filled board have at least so many rows."""
    with unchecked(engine) as connection:
        world = _World(Growing(connection), number)
        world.people()
        world.trading()
        world.member()
        world.desk()


class _World:
    def __init__(self, growing: Growing, number: int):
        self.growing, self.number = growing, number
        self.now = clock.now()
        self.tables = db.metadata.tables
        names = (MINATO, TSUBAME, KUROBANE, KUSUNOKI)
        self.mine, self.partner, self.listed, self.admin = map(self._id, names)
        self.others: list[int] = []

    def _id(self, handle: str) -> int:
        account = self.tables["account"]
        (row,) = self.growing.rows(account, account.c.handle == handle)
        return row["id"]

    def grow(self, name: str, *where, **more) -> None:
        self.growing.grow(self.tables[name], self.number, *where, **more)

    def begin(self, name: str, /, **values) -> None:
        """Add the first row of a table that the filled board leaves empty."""
        table = self.tables[name]
        if not self.growing.rows(table):
            self.growing.add(table, [values])

    def people(self) -> None:
        """More people who have the cards of somebody whom the member may meet."""
        account = self.tables["account"].c
        like = account.handle.like(f"{TSUBAME}%")
        name = f"{TSUBAME}" + "{}"
        self.growing.grow(
            self.tables["account"],
            3 * self.number,
            like,
            below=("handle", "card", "agreement"),
            change=lambda row, n: {"handle": name.format(row["id"])},
        )
        rows = self.growing.rows(self.tables["account"], like)
        self.others = sorted(row["id"] for row in rows)[self.number :]

    def trading(self) -> None:
        """More listings and trades of the member, and defaults of the listed one."""
        listing, trade = self.tables["listing"].c, self.tables["trade"].c
        parts = ("line", "listing_token", "photo")
        self.grow(
            "listing", listing.owner_id == self.mine, listing.state == "open",
            below=parts,
        )  # fmt: skip
        mine = (trade.poster_id == self.mine) | (trade.proposer_id == self.mine)
        self.grow("trade", mine, trade.state == TradeState.RECEIVED)
        for state in sorted(RUNNING):
            number = self.number // len(RUNNING) + 1
            self.growing.grow(self.tables["trade"], number, mine, trade.state == state)
        entry = self.tables["entry"].c
        defaulted = select(entry.trade_id).where(entry.account_id == self.listed)
        self.grow("trade", trade.id.in_(defaulted))
        message = self.tables["message"].c
        spoken = select(message.trade_id).join(
            self.tables["trade"], trade.id == message.trade_id
        )
        of_member = spoken.where(trade.poster_id == self.mine)
        first = of_member.order_by(trade.id).limit(1).scalar_subquery()
        self.grow("message", message.trade_id == first)

    def member(self) -> None:
        """More of what a member keeps and is told."""
        tables, now, mine = self.tables, self.now, {"account_id": self.mine}
        kept = {"card": self.number, "notice": self.number}
        for name, number in (kept | {"saved_search": MOST_SAVED}).items():
            table = tables[name]
            own = table.c.account_id == self.mine
            where = [own] if self.growing.rows(table, own) else []
            self.growing.grow(table, number, *where, change=lambda row, n: mine)
        use = tables["device_use"].c
        used = select(use.device_id).where(use.account_id == self.mine)
        self.grow(
            "device",
            tables["device"].c.id.in_(used),
            below=("device_use", "device_name"),
        )
        self.begin("block", **mine, blocked_id=self.others[-1], since=now)
        self.grow(
            "block", change=lambda row, n: {"blocked_id": self._fresh("block", n)}
        )
        self.begin(
            "api_key", **mine, name="a key", key_id="k", secret_hash="h",
            scopes="check", made_at=now,
        )  # fmt: skip
        self.grow("api_key")
        self.grow("member_warning", change=lambda row, n: mine)
        audit = tables["audit_row"].c
        revealed = audit.object == f"account:{self.mine}"
        self.grow("audit_row", audit.action == "reveal number", revealed)
        self._go_on_with_the_audit_log()

    def _go_on_with_the_audit_log(self) -> None:
        """Let the next row come after those that were added past the chain."""
        rows, head = self.tables["audit_row"], self.tables["audit_head"]
        newest = select(func.max(rows.c.seq)).scalar_subquery()
        self.growing.connection.execute(
            head.update().values(seq=newest, hash=secrets.token_hex(32))
        )

    def desk(self) -> None:
        """More of what waits for moderators, and of what they wrote."""
        now, by = self.now, {"by_id": self.admin}
        for name in ("report", "staff_note", "outbox_mail", "announcement"):
            self.grow(name)
        self.grow("remark", change=lambda row, n: {"account_id": self.mine})
        self.grow("hold", change=self._hold)
        self.begin(
            "domain_rule", domain="a.example", verdict=next(iter(DomainVerdict)),
            reason="why", at=now, **by,
        )  # fmt: skip
        self.grow("domain_rule")
        self.begin("setting_change", key="site_name", value="v", at=now, **by)
        self.grow("setting_change")
        self.begin(
            "help_version",
            slug="rules",
            language="ja",
            number=1,
            text="x",
            at=now,
            **by,
        )
        self.grow("help_version", change=self._numbered("help_version", slug="rules"))
        self.grow("terms_version", change=self._numbered("terms_version"))

    def _fresh(self, name: str, n: int) -> int:
        """Return somebody of whom there is no such row yet."""
        there = len(self.growing.rows(self.tables[name]))
        return self.others[-1 - there - n]

    def _hold(self, row: dict, n: int) -> dict:
        """Hold another pair for the same browser."""
        account_id = self._fresh("hold", n)
        low, high = sorted((account_id, row["other_id"]))
        return {"account_id": account_id, "low_id": low, "high_id": high}

    def _numbered(self, name: str, **more):
        """Return how copies of a version get numbers of their own."""
        numbers = [row["number"] for row in self.growing.rows(self.tables[name])]
        return lambda row, n: {"number": max(numbers) + n + 1, **more}
