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

# "transaction" if a pooler such as PgBouncer stands between, in that mode.
DATABASE_POOLER = ""

# A standby, with which public pages share the work while it is less than five seconds
# behind: postgresql://user:password@host/name.
DATABASE_REPLICA_URL = None

# How people reach the board. Links in mails start with it; https outside loopback.
PUBLIC_URL = "http://127.0.0.1:8000"

# Host names that are answered, as a list; compulsory unless PUBLIC_URL is on loopback.
TRUSTED_HOSTS = None

# How many proxies of your own stand in front; 0 ignores what such headers say.
TRUSTED_PROXY_HOPS = 0

# Invented members with known passwords, and a page that shows every mail. Never for
# real use: `python3 run.py` writes a config.py of its own with True here.
DEMO = False

# Where all hosts count how often something was done: redis://, rediss:// or valkey://.
# None, or while it is away: a table of the database.
THROTTLE_URL = None

# Multiplies every rate, for measuring; more than 1 is refused outside loopback.
LIMIT_FACTOR = 1

# How many seconds a person needs at least to register, or to ask for a mail. What comes
# sooner is answered and does nothing; fewer than 2 is refused outside loopback.
QUICKEST_FORM = 2

# The file with the keys, made by `flask --app wsgi keys init`. None: keyring.json in
# this folder. Back it up apart from the database: without it nothing can be opened.
KEYRING = None

# The folder with the photos. None: uploads in this folder.
UPLOADS = None

# s3://bucket/prefix for photos that all hosts share, in place of the folder, and the
# address of that store unless it is Amazon's. Keys: in the environment, as boto3 reads
# them (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY).
PHOTO_STORE = ""
S3_ENDPOINT_URL = None

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

# The languages of the interface, each in its own words, Japanese first. One more is a
# line here and a catalogue: see docs/languages.md.
LANGUAGES = {
    "ja": "日本語",
    "en": "English",
}

# The folder with a catalogue for each language. None: those that come with the board.
TRANSLATIONS = None

# DEBUG, INFO, WARNING or ERROR; one JSON line for each request and event.
LOG_LEVEL = "INFO"

# A statement that takes more milliseconds is logged, without what it was about.
# 0: none.
SLOW_QUERY_MS = 500

# Opens /metrics, figures for Prometheus, to whoever sends this as a bearer token: at
# least 16 random characters. None: there is no such page.
METRICS_TOKEN = None

# The folder that the scheduler makes a backup in each night and tries it; best on
# another disk. Set it on one machine alone. None: none are made by the clock.
BACKUPS = None

# For whom backups are encrypted, by the program age: "age1…". None: they are not.
BACKUP_RECIPIENT = None

# The file with the age key that opens them, so that each can be tried here. Without it
# encrypted backups are tried elsewhere, by hand.
BACKUP_IDENTITY = None

# Cost of a password hash: memory in KiB and rounds of argon2id.
ARGON2_MEMORY = 19456
ARGON2_ROUNDS = 2

# Pages of carriers that tell where a parcel is, in place of the built-in ones. Look at
# them by hand now and then: they are the carriers' own and change without notice.
# For example {"yamato": "https://example.org/track?number={number}"}.
TRACKING_URLS = {}
