"""How much a member can keep on the two lists, and hand in at once."""

MOST_LINES = 2000
MOST_COPIES = 999
LONGEST_NAME = 80
LONGEST_CODE = 40
LONGEST_GAME = 40
# Of a text or file that is read at once.
MOST_READ_LINES = 5000
LARGEST_TEXT = 200_000
LARGEST_FILE = 400_000
