from tradeboard.web.fields import Form, LineField, TextField


class Sheet(Form):
    name = LineField()
    note = TextField()
    kept = TextField()


def test_a_field_that_was_not_sent_is_empty_or_as_it_was(app):
    with app.test_request_context(method="POST", data={"other": "x"}):
        form = Sheet(data={"kept": "before"})

    assert (form.name.data, form.note.data, form.kept.data) == ("", "", "before")


def test_what_was_sent_is_kept_without_outer_space(app):
    typed = {"name": " a  b ", "note": " a\r\nb ", "kept": ""}
    with app.test_request_context(method="POST", data=typed):
        form = Sheet(data={"kept": "before"})

    assert (form.name.data, form.note.data, form.kept.data) == ("a b", "a\nb", "")
