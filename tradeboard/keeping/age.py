"""Encryption for somebody who is elsewhere, by the program `age`."""

from pathlib import Path

from tradeboard.keeping import programs

SUFFIX = ".age"


def encrypt(source: Path, target: Path, recipient: str) -> None:
    """Write a file that only the recipient's key opens."""
    program = programs.find("age")
    programs.run([program, "-r", recipient, "-o", str(target), str(source)])
    target.chmod(0o600)


def encrypted(body: bytes, recipient: str) -> bytes:
    """Return what only the recipient's key opens."""
    return programs.run([programs.find("age"), "-r", recipient], typed=body)


def decrypt(source: Path, target: Path, identity: Path | None) -> None:
    """Write what a file was before, with the key in a file."""
    key = str(_need(identity))
    programs.run(
        [programs.find("age"), "-d", "-i", key, "-o", str(target), str(source)]
    )


def decrypted(source: Path, identity: Path | None) -> bytes:
    """Return what a small file was before, with the key in a file."""
    key = str(_need(identity))
    return programs.run([programs.find("age"), "-d", "-i", key, str(source)])


def _need(identity: Path | None) -> Path:
    if identity is None:
        raise programs.Failed("The backup is encrypted: name the file of its age key.")
    return identity
