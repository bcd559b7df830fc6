"""Tables of people, their browsers, their ways in, and of holds."""

from tradeboard.accounts.models.devices import Device, DeviceName, DeviceUse
from tradeboard.accounts.models.holds import DomainRule, Hold, StaffNote, Watch
from tradeboard.accounts.models.people import Account, Handle, Restriction
from tradeboard.accounts.models.signing_in import (
    MailedToken,
    RecoveryCode,
    Session,
    Totp,
)

__all__ = [
    "Account",
    "Device",
    "DeviceName",
    "DeviceUse",
    "DomainRule",
    "Handle",
    "Hold",
    "MailedToken",
    "RecoveryCode",
    "Restriction",
    "Session",
    "StaffNote",
    "Totp",
    "Watch",
]
