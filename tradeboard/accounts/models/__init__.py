"""Tables of people, their browsers, their ways in, and of holds."""

from tradeboard.accounts.models.devices import Device, DeviceName, DeviceUse
from tradeboard.accounts.models.holds import DomainRule, Hold, StaffNote, Watch
from tradeboard.accounts.models.people import Account, Block, Handle, Restriction
from tradeboard.accounts.models.reasons import StaffReason
from tradeboard.accounts.models.signing_in import (
    MailedToken,
    Passkey,
    RecoveryCode,
    Session,
    Totp,
)

__all__ = [
    "Account",
    "Block",
    "Device",
    "DeviceName",
    "DeviceUse",
    "DomainRule",
    "Handle",
    "Hold",
    "MailedToken",
    "Passkey",
    "RecoveryCode",
    "Restriction",
    "Session",
    "StaffNote",
    "StaffReason",
    "Totp",
    "Watch",
]
