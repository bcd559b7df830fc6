"""Every setting of a board. Copy this to `config.py` beside it, and set what differs.

Each can come from the environment too, with TRADEBOARD_ in front, and that one wins:
TRADEBOARD_PUBLIC_URL=https://board.example.org. Days, limits and deadlines are not
settings: they are rules, changed like code. Keep config.py readable to the board alone.
"""

# Signs cookies and form tokens; at least 32 random characters, never shown to anyone:
# python3 -c "import secrets; print(secrets.token_hex(32))"
SECRET_KEY = "dev"

# None: SQLite in this folder. Else postgresql://user:password@host/name.
DATABASE_URL = None

# How people reach the board. Links in mails start with it; https outside loopback.
PUBLIC_URL = "http://127.0.0.1:8000"

# Host names that are answered, as a list; compulsory unless PUBLIC_URL is on loopback.
TRUSTED_HOSTS = None

# How many proxies of your own stand in front; 0 ignores what such headers say.
TRUSTED_PROXY_HOPS = 0

# Invented members with known passwords, and a page that shows every mail. Never for
# real use: `python3 run.py` writes a config.py of its own with True here.
DEMO = False

# The file with the keys, made by `flask --app wsgi keys init`. None: keyring.json in
# this folder. Back it up apart from the database: without it nothing can be opened.
KEYRING = None

# The folder with the photos. None: uploads in this folder.
UPLOADS = None

# The file that anchors of the audit log are added to. None: audit-anchors.jsonl in this
# folder. Best on a disk that whoever holds the database cannot write to.
AUDIT_ANCHORS = None

# Where anchors go as well: a syslog socket such as "/dev/log", or "host:port".
AUDIT_SYSLOG = None

# Where mail is handed over; without a host it waits in the outbox.
SMTP_HOST = None
SMTP_PORT = 587
SMTP_USER = None
SMTP_PASSWORD = None
SMTP_STARTTLS = True

# The certificates that the mail server's must descend from. None: the system's.
SMTP_CA_FILE = None

# How many seconds a mail server may take to answer.
SMTP_TIMEOUT = 10

# The sender of every mail.
MAIL_FROM = "tradeboard@localhost"

# What the board calls itself in mails.
SITE_NAME = "トレード掲示板"

# DEBUG, INFO, WARNING or ERROR; one JSON line for each request and event.
LOG_LEVEL = "INFO"

# Cost of a password hash: memory in KiB and rounds of argon2id.
ARGON2_MEMORY = 19456
ARGON2_ROUNDS = 2
