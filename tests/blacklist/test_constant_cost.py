"""What anybody may ask takes as many statements at a thousand entries as at ten."""

from tests.api.cases import CHECK, bearer, make_key
from tests.factories import make_account
from tests.soaks import look_ups
from tradeboard.accounts.models import Account
from tradeboard.core.db import db

FEW, MANY = 10, 1000


def ask(client, method, path, **rest):
    """Ask, and return the answer."""
    answer = client.open(path, method=method, **rest)
    assert answer.status_code == 200
    return answer


def cost(clients, key, entries, statements):
    """Return how many statements each question takes."""
    visitor, member = clients
    name, code = look_ups.name(entries - 1), look_ups.code(entries - 1)
    hundred = {
        "handles": [look_ups.name(n) for n in range(entries - 10, entries)] * 5,
        "devices": [look_ups.code(n) for n in range(entries - 10, entries)] * 5,
    }
    asked = {
        "page, name": lambda: ask(visitor, "GET", f"/blacklist?handle={name}"),
        "page, code": lambda: ask(visitor, "GET", f"/blacklist?handle={code}"),
        "name": lambda: ask(visitor, "GET", f"{CHECK}?handle={name}"),
        "code": lambda: ask(visitor, "GET", f"{CHECK}?device={code}"),
        "hundred": lambda: ask(
            visitor, "POST", CHECK, json=hundred, headers=bearer(key)
        ),
        "list": lambda: ask(member, "GET", "/blacklist/list"),
    }
    counted = {}
    for what, question in asked.items():
        question()
        db.session.rollback()
        with statements() as seen:
            answer = question()
        counted[what] = len(seen)
        if what == "hundred":
            assert {one["status"] for one in answer.json["answers"]} == {"listed"}
        else:
            assert name in answer.get_data(as_text=True)
    return counted


def test_a_question_costs_the_same_at_ten_and_at_a_thousand_entries(
    app, charlie, log_in, statements
):
    model = make_account("model", agreed=False)
    columns = {c.name: getattr(model, c.name) for c in Account.__table__.columns}
    clients, key = (app.test_client(), log_in(charlie)), make_key("bulk")

    look_ups.fill(columns, 0, FEW)
    few = cost(clients, key, FEW, statements)
    look_ups.fill(columns, FEW, MANY)

    assert cost(clients, key, MANY, statements) == few
    assert max(few.values()) <= 8
