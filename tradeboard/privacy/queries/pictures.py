"""Read which picture files are a person's own."""

from collections.abc import Iterator

from sqlalchemy import select

from tradeboard.blacklist.models import Evidence, EvidenceFile
from tradeboard.core.db import db
from tradeboard.listings.models import Photo
from tradeboard.trades.models import MessagePhoto, Proof

LISTINGS, PROOFS, EVIDENCE = "listings", "proofs", "evidence"


def pictures_of(account_id: int) -> Iterator[tuple[str, str]]:
    """Yield the folder and the name of each own picture, the proofs first."""
    own = [
        (PROOFS, select(Proof.id).where(Proof.by_id == account_id)),
        (PROOFS, select(MessagePhoto.id).where(MessagePhoto.by_id == account_id)),
        (
            EVIDENCE,
            select(EvidenceFile.id)
            .join(Evidence, Evidence.id == EvidenceFile.evidence_id)
            .where(Evidence.by_id == account_id),
        ),
        (LISTINGS, select(Photo.id).where(Photo.owner_id == account_id)),
    ]
    for folder, found in own:
        for name in db.session.scalars(found):
            yield folder, name
