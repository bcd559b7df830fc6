"""Keys for machines: made by members, with scopes, a quota and an end."""
