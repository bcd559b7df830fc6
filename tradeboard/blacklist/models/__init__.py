"""Tables of the blacklist: entries, what is said about them, what mirrors read."""

from tradeboard.blacklist.models.cases import (
    Appeal,
    AppealLink,
    Claim,
    Decision,
    EntryDraft,
    Evidence,
    EvidenceFile,
    EvidenceRequest,
)
from tradeboard.blacklist.models.entries import Entry, EntryDevice
from tradeboard.blacklist.models.feed import Change, FeedHead

__all__ = [
    "Appeal",
    "AppealLink",
    "Change",
    "Claim",
    "Decision",
    "Entry",
    "EntryDevice",
    "EntryDraft",
    "Evidence",
    "EvidenceFile",
    "EvidenceRequest",
    "FeedHead",
]
