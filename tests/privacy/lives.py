"""Give somebody a whole life here, each part of it with words that are known."""

import hashlib
import io
import json
import zipfile
from datetime import timedelta

from PIL import Image
from sqlalchemy import select, update

from tests.factories import MONDAY, in_transaction, make_account
from tests.privacy import deeds
from tests.privacy.kinds import add_entry
from tests.worlds import make_trade
from tradeboard.accounts import totp
from tradeboard.accounts.models import (
    Device,
    DeviceName,
    DeviceUse,
    Handle,
    Hold,
    MailedToken,
    Passkey,
    RecoveryCode,
    Restriction,
    Session,
    StaffNote,
    Totp,
    Watch,
)
from tradeboard.accounts.rules.holds import NoteKind, Signal
from tradeboard.accounts.rules.standing import Standing
from tradeboard.accounts.services.looking import LOOK
from tradeboard.api.models import ApiKey
from tradeboard.audit import services as audit
from tradeboard.blacklist.models import (
    Appeal,
    AppealLink,
    Decision,
    EntryDevice,
    EntryDraft,
    Evidence,
    EvidenceFile,
    EvidenceRequest,
)
from tradeboard.blacklist.rules.appeals import AppealState
from tradeboard.core import keyring, photo_store, sealed
from tradeboard.core.db import db
from tradeboard.core.once import Submission
from tradeboard.listings.models import Listing, Photo
from tradeboard.notifications.models import OutboxMail
from tradeboard.trades.models import (
    Leg,
    Message,
    OfferVersion,
    PhoneSide,
    Proof,
    Proposal,
    Trade,
)
from tradeboard.trades.queries import REVEAL, phone_cell
from tradeboard.trades.rules.states import ProposalKind, TradeState
from tradeboard.trades.services import closing

A_DAY = timedelta(days=1)


def picture_name(who, folder):
    """Return the random name of a picture, which is not random here."""
    return hashlib.md5(f"{who} {folder}".encode()).hexdigest()


class Life:
    """Rows in every table of a person; `canary("x")` is `who-x-canary`.

    The name is in katakana, since of a name the form in hiragana stays reserved.
    """

    def __init__(self, who, handle, device="D-1111-0001"):
        self.who, self.device_code = who, device
        self.account = make_account(
            handle,
            email=f"{self.canary('mail')}@example.com",
            password_hash=self.canary("password"),
            prefecture=self.canary("prefecture"),
            completed_count=3,
        )
        self.id = self.account.id
        with in_transaction():
            self._sign_in()
            self._be_held()
            self._talk_to_machines()
            deeds.look_around(self)

    def canary(self, part):
        """Return words that stand nowhere else."""
        return f"{self.who}-{part}-canary"

    def _sign_in(self):
        device = Device(
            key=self.canary("device"),
            kid="k",
            code=self.device_code,
            first_seen=MONDAY,
            last_seen=MONDAY,
        )
        db.session.add(device)
        db.session.flush()
        self.device_id = device.id
        own = {"account_id": self.id}
        times = ("created_at", "last_seen_at", "expires_at", "ends_at", "signed_in_at")
        db.session.add_all(
            [
                DeviceUse(**own, device_id=device.id, used_at=MONDAY),
                DeviceName(**own, device_id=device.id, name=self.canary("device name")),
                Session(
                    **own,
                    token_hash=self.canary("session"),
                    device_id=device.id,
                    label=self.canary("browser"),
                    network=self.canary("network"),
                    **dict.fromkeys(times, MONDAY),
                ),
                Totp(**own, secret=totp.seal(self.canary("totp"), self.id)),
                RecoveryCode(**own, code_hash=self.canary("recovery")),
                Passkey(
                    **own,
                    credential_id=self.canary("passkey id"),
                    user_handle=self.canary("passkey handle"),
                    public_key=self.canary("public key"),
                    sign_count=1,
                    name=self.canary("passkey"),
                    made_at=MONDAY,
                ),
                MailedToken(
                    **own,
                    token_hash=self.canary("token"),
                    purpose="change",
                    email=self.canary("new mail"),
                    email_wire=self.canary("new wire"),
                    made_at=MONDAY,
                    expires_at=MONDAY,
                ),
            ]
        )

    def _be_held(self):
        other = make_account(f"other{self.id}")
        pair = {"low_id": self.id, "high_id": other.id}
        held = {"account_id": self.id, "other_id": other.id, "cause": "entry:0"}
        db.session.add_all(
            [
                Hold(
                    **held,
                    **pair,
                    signal=Signal.DEVICE,
                    device_id=self.device_id,
                    made_at=MONDAY,
                    until=MONDAY,
                    ended_at=MONDAY,
                    statement=self.canary("hold"),
                    sentence=self.canary("hold sentence"),
                ),
                StaffNote(
                    kind=NoteKind.PHONE,
                    account_id=self.id,
                    detail=self.canary("note"),
                    made_at=MONDAY,
                ),
                Restriction(
                    account_id=self.id,
                    cause=self.canary("cause"),
                    standing=Standing.HELD,
                    since=MONDAY,
                    ended_at=MONDAY,
                ),
            ]
        )

    def _talk_to_machines(self):
        key = {"scopes": "bulk", "made_at": MONDAY, "account_id": self.id}
        db.session.add_all(
            [
                ApiKey(
                    **key,
                    name=self.canary("key name"),
                    key_id=self.canary("key id"),
                    secret_hash=self.canary("key hash"),
                ),
                Submission(
                    account_id=self.id,
                    submit_id=self.canary("form"),
                    target="/",
                    at=MONDAY,
                ),
                OutboxMail(
                    key=f"told:{self.id}",
                    account_id=self.id,
                    to=self.account.email,
                    language="ja",
                    template="accounts/mail/closed.txt",
                    facts={"handle": self.account.handle, "at": self.canary("fact")},
                    message_id="m",
                    queued_at=MONDAY,
                    next_try_at=MONDAY,
                ),
            ]
        )


def trade_between(one, other, *, ended_at=None):
    """Let two trade, each with own words in everything; return the trade's id."""
    trade = make_trade(one.account, other.account)
    trade_id, listing_id = trade.id, trade.listing_id
    with in_transaction():
        trade = db.session.get_one(Trade, trade_id)
        for life in (one, other):
            _write(life, trade)
        db.session.flush()
        for life, partner in ((one, other), (other, one)):
            deeds.judge(life, trade, partner)
        _illustrate(one, listing_id)
        deeds.index(one, listing_id)
        by = {"by_id": other.id, "trade_id": trade_id}
        words = {"kind": ProposalKind.SETTLE, "words": other.canary("proposal")}
        db.session.add(Proposal(**by, **words, made_at=MONDAY, answered_at=MONDAY))
        offers = update(OfferVersion).where(OfferVersion.trade_id == trade_id)
        db.session.execute(offers.values(note=other.canary("offer")))
        for owner, viewer in ((one, other), (other, one)):
            shown = {"viewer": viewer.id, "trade": trade_id}
            whose, thing = f"account:{owner.id}", f"trade:{trade_id}"
            audit.record(REVEAL, whose, by_id=owner.id, now=MONDAY, **shown)
            audit.record(LOOK, whose, by_id=None, now=MONDAY, thing=thing)
        if ended_at is not None:
            trade.state, trade.ended_at = TradeState.RECEIVED, ended_at
            closing.trade_away(trade, now=ended_at)
    return trade_id


def _write(life, trade):
    leg = trade.leg_from(life.id)
    leg.tracking = life.canary("tracking")
    partner_leg = next(leg for leg in trade.legs if leg.sender_id != life.id)
    partner_leg.differs_words = life.canary("differs")
    text = life.canary("message")
    note = Message(trade_id=trade.id, author_id=life.id, text=text, sent_at=MONDAY)
    proof = Proof(
        id=picture_name(life.who, "proofs"),
        leg_id=leg.id,
        by_id=life.id,
        purpose="dispatch",
        width=1,
        height=1,
        added_at=MONDAY,
    )
    db.session.add_all([note, proof])
    side = db.session.scalars(
        select(PhoneSide).where(
            PhoneSide.trade_id == trade.id, PhoneSide.account_id == life.id
        )
    ).one()
    cell = phone_cell(side)
    side.number = sealed.seal(life.canary("number"), cell=f"{cell}.number")
    side.address = sealed.seal(life.canary("address"), cell=f"{cell}.address")
    side.number_hash = life.canary("number hash")
    side.number_masked = life.canary("masked")


def _illustrate(life, listing_id):
    listing = db.session.get_one(Listing, listing_id)
    listing.note, listing.form = life.canary("listing"), {"x": life.canary("draft")}
    listing.ships_from = life.canary("ships from")
    db.session.add(
        Photo(
            id=picture_name(life.who, "listings"),
            listing_id=listing_id,
            owner_id=life.id,
            position=0,
            width=1,
            height=1,
            added_at=MONDAY,
        )
    )


def list_by_hand(life, **columns):
    """List somebody, with an appeal, a link, and all that is said about it."""
    entry = add_entry(life.account, **columns)
    entry_id = entry.id
    with in_transaction():
        kid = keyring.ring().kid("email")
        entry = db.session.merge(entry)
        entry.email_hash, entry.email_kid = life.canary("hash"), kid
        entry.facts = {"x": life.canary("facts")}
        appeal = Appeal(
            entry_id=entry_id,
            words=life.canary("appeal"),
            made_at=MONDAY,
            due_at=MONDAY,
            state=AppealState.REFUSED,
            decided_at=MONDAY,
            sentence=life.canary("appeal sentence"),
        )
        evidence = Evidence(
            entry_id=entry_id,
            by_id=life.id,
            at=MONDAY,
            kind="statement",
            words=life.canary("evidence"),
            files=[
                EvidenceFile(
                    id=picture_name(life.who, "evidence"),
                    width=1,
                    height=1,
                    added_at=MONDAY,
                )
            ],
        )
        about = {"entry_id": entry_id}
        db.session.add_all(
            [
                appeal,
                evidence,
                AppealLink(**about, token_hash=life.canary("link"), made_at=MONDAY),
                Decision(
                    **about,
                    at=MONDAY,
                    decision="list",
                    reason="record",
                    sentence=life.canary("decision"),
                ),
                EvidenceRequest(
                    **about,
                    to_id=life.id,
                    by_id=life.id,
                    words=life.canary("request"),
                    made_at=MONDAY,
                    due_at=MONDAY,
                ),
                EntryDraft(
                    **about,
                    account_id=life.id,
                    kind="statement",
                    words=life.canary("entry draft"),
                    changed_at=MONDAY,
                ),
                EntryDevice(**about, device_id=life.device_id, code=life.device_code),
                Watch(
                    account_id=life.id,
                    cause=f"entry:{entry_id}",
                    signal=Signal.MAILBOX,
                    hash=life.canary("watch"),
                    kid=kid,
                    since=MONDAY,
                ),
                Restriction(
                    account_id=life.id,
                    cause=f"entry:{entry_id}",
                    standing=Standing.LISTED,
                    since=MONDAY,
                ),
            ]
        )
    return entry_id


def draw(uploads, *lives):
    """Write the files of everybody's pictures."""
    for life in lives:
        for folder in ("proofs", "evidence", "listings"):
            (uploads / folder).mkdir(parents=True, exist_ok=True)
            name = picture_name(life.who, folder)
            file = photo_store.path(uploads / folder, name, 2048)
            Image.new("RGB", (1, 1)).save(file)


def left_of(*words):
    """Return which columns hold one of some words: {table.column: words}."""
    db.session.rollback()
    found = {}
    for table in db.metadata.sorted_tables:
        for row in db.session.execute(select(table)).mappings():
            for column, value in row.items():
                is_json = isinstance(value, dict | list)
                text = json.dumps(value, ensure_ascii=False) if is_json else str(value)
                if held := {word for word in words if word in text}:
                    found.setdefault(f"{table.name}.{column}", set()).update(held)
    return found


def unpacked(body):
    """Return the lists in a copy by name, all its text, and the names of its files."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        texts = {
            name: archive.read(name).decode()
            for name in archive.namelist()
            if not name.endswith(".jpg")
        }
        names = archive.namelist()
    lists = {
        name.removesuffix(".json"): json.loads(text)
        for name, text in texts.items()
        if name.endswith(".json")
    }
    return lists, "\n".join(texts.values()), names


def handle_rows(account_id):
    """Return the reserved forms of a person's names."""
    return db.session.scalars(
        select(Handle).where(Handle.account_id == account_id)
    ).all()


def legs_of(trade_id):
    """Return the parcels of a trade."""
    return db.session.scalars(select(Leg).where(Leg.trade_id == trade_id)).all()
