"""How much each guarantee is tried: quick in every run of the tests, soak for long."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """How often, or how many; what is counted stands beside each guarantee."""

    quick: int
    soak: int


SIZES = {
    "G1": Size(300, 10_000),  # trades that fall due
    "G2": Size(4, 200),  # kills
    "G3": Size(30, 500),  # races
    "G4": Size(200, 10_000),  # moments; trades due at once
    "G5": Size(5, 60),  # ticks
    "G6": Size(3, 6),  # faults
    "G7": Size(20, 100),  # trades beside the poison
    "G8": Size(50, 1_000),  # instants
    "G9": Size(5, 10_000),  # points at most of each verb
    "D1": Size(10, 200),  # races of each kind
    "D2": Size(20, 300),  # lives of a trade, each of so many steps (below)
    "D2 steps": Size(30, 60),
    "D3": Size(20, 250),  # changes of each process
    "D3 processes": Size(2, 4),
    "D4": Size(5, 100),  # ends at a bad moment
    "D5": Size(1, 20),  # backups that are restored and used
    "D7": Size(100, 1_000),  # rows of the longest list
    "D7 look-ups": Size(1_000, 100_000),  # entries
    "D8": Size(30, 600),  # seconds of traffic
    "D9": Size(20, 200),  # histories
    "S3": Size(0, 200),  # pairs of answers whose times are compared
    "S8-http": Size(4, 100),  # photos
    "S11": Size(150, 1_000),  # wrong log-ins, from one network and from many
    "S11 networks": Size(40, 200),
    "S12": Size(2, 100),  # races for one link
    "mirror": Size(150, 10_000),  # changes
    "openapi": Size(100, 4_000),  # questions
}


def size(guarantee: str, *, quick: bool) -> int:
    """Return how much of a guarantee this run tries."""
    sizes = SIZES[guarantee]
    return sizes.quick if quick else sizes.soak


def name(*, quick: bool) -> str:
    """Return what a line calls the size."""
    return "quick" if quick else "soak"


def name_of(guarantee: str, n: int) -> str:
    """Return what a line calls its size, by how much was tried."""
    return name(quick=n < SIZES[guarantee].soak)
