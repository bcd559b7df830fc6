"""Tests of the help pages; and how any test fills in the forms of a page."""

from tests.page_forms import (
    PageForm,
    find_form,
    form_fields,
    forms,
    get,
    send,
    submit,
    text,
)

__all__ = [
    "PageForm",
    "find_form",
    "form_fields",
    "forms",
    "get",
    "send",
    "submit",
    "text",
]
