"""The demo's photos: each drawn anew once, then copied for every row that shows it."""

import secrets
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from tradeboard.core.image_child import WIDTHS
from tradeboard.core.photo_store import FolderStore, Store, path
from tradeboard.listings import photos as listing_photos
from tradeboard.trades import photos as trade_photos

OURS = Path(__file__).parents[1] / "demo_photos"
AT_ONCE = 2


class Pictures:
    """Drawn pictures in a passing folder, by the name of their file."""

    def __init__(self, folder: Path, store: Store):
        self.drawn_in, self.store = FolderStore(folder), store
        files = sorted(OURS.glob("*.jpg"))
        with ThreadPoolExecutor(AT_ONCE) as pool:
            drawn = pool.map(self._draw, files)
        self._drawn = {file.stem: one for file, one in zip(files, drawn, strict=True)}

    def __contains__(self, name: str) -> bool:
        return name in self._drawn

    def for_listing(self, name: str) -> listing_photos.Stored:
        """Put a picture among those of listings."""
        one = self._drawn[name]
        copied = self._copy(one, listing_photos.SUBFOLDER)
        return replace(one, id=copied)

    def for_parcel(self, name: str) -> trade_photos.Stored:
        """Put a picture among those that only two people see."""
        one = self._drawn[name]
        copied = self._copy(one, trade_photos.SUBFOLDER)
        return trade_photos.Stored(copied, one.width, one.height)

    def _draw(self, file: Path) -> listing_photos.Stored:
        return listing_photos.accept(file.read_bytes(), self.drawn_in, file=file.name)

    def _copy(self, drawn: listing_photos.Stored, subfolder: str) -> str:
        source = self.drawn_in.within(listing_photos.SUBFOLDER)
        target, name = self.store.within(subfolder), secrets.token_hex(16)
        target.make_room()
        for width in WIDTHS:
            body = path(source.folder, drawn.id, width).read_bytes()
            target.put(name, width, body)
        return name
