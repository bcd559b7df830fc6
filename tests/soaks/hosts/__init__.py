"""Several hosts: what holds although each of them sees only a part (as root)."""
