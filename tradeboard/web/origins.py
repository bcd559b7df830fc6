"""From which pages forms may come: those of this board, by scheme, host and port.

Under the name of `PUBLIC_URL` that is the one origin. Under others, such as loopback,
it is what the request came to; its scheme counts behind a proxy only if the proxy is
trusted, else a page of https may send to what arrives as http.
"""

from urllib.parse import SplitResult, urlsplit

from flask import current_app, request

PORTS = {"http": 80, "https": 443}


def is_ours(address: str | None) -> bool:
    """Tell whether an origin, or the address of a page, is of this board."""
    found = _origin(address)
    return found is not None and found in _ours()


def _ours() -> set[tuple[str, str]]:
    public = _origin(current_app.config["PUBLIC_URL"])
    if public is not None and public[1] == request.host:
        return {public}
    return {("https", request.host), (request.scheme, request.host)}


def _origin(address: str | None) -> tuple[str, str] | None:
    """Return scheme and host of an address; a made-up one has none."""
    try:
        parts = urlsplit(address or "")
        host = _host(parts)
    except ValueError:
        return None
    return (parts.scheme, host) if parts.scheme in PORTS and host else None


def _host(parts: SplitResult) -> str:
    """Return the host, with the port unless it is the scheme's own."""
    port = parts.port
    name = parts.netloc.lower().removesuffix(f":{port}")
    return name if port in (None, PORTS.get(parts.scheme)) else f"{name}:{port}"
