"""Security headers on every answer: nothing inline, nothing foreign, no framing."""

from flask import Flask, current_app, request
from flask_login import current_user

from tradeboard.web import access

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "object-src 'none'",
    )
)

ALWAYS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
}
ONE_YEAR = "max-age=31536000; includeSubDomains"


def add(response):
    """Add the headers; pages of signed-in people are not stored anywhere."""
    there = {name for name, _ in response.headers}
    for name, value in ALWAYS.items():
        if name not in there:
            response.headers.add(name, value)
    if current_app.config["SESSION_COOKIE_SECURE"]:
        response.headers["Strict-Transport-Security"] = ONE_YEAR
    if request.endpoint != "static":
        if not access.is_for_programs() and "Vary" not in there:
            response.headers.add("Vary", "Accept-Language, Cookie")
        else:
            response.vary.add("Accept-Language")
            if not access.is_for_programs():
                response.vary.add("Cookie")
        if current_user.is_authenticated:
            response.headers.setdefault("Cache-Control", "no-store")
        else:
            response.headers.setdefault("Cache-Control", "no-cache")
    return response


def init_app(app: Flask) -> None:
    """Add the headers to each answer."""
    app.after_request(add)
