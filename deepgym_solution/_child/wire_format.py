"""The form of a value on the wire, and the limits that both sides keep.

A value is a tag byte and a body. All numbers are little-endian; counts and lengths are 4 bytes.

    N T F                      None, True, False
    i 8 bytes                  an int that fits; I length bytes: any other (two's complement)
    f 8 bytes, c 16 bytes      float, complex
    s length bytes             str, as UTF-8 in which lone surrogates stand for themselves
    b length bytes             bytes
    l t e z column             list, tuple, set, frozenset
    d column column            dict: its keys, its values

A column is a count, a form byte and the items, packed by type where all have the same one:

    v   each a value of its own
    i f b                      8 bytes, 8 bytes, 1 byte each: int, float, bool
    s   a length in characters each, then one str of all of them
    l t a length each, then one column of all their items: lists, tuples
"""

import struct

# The largest honest answers (tens of megabytes of text) fit; a hostile length cannot exhaust the judge,
# where text may take four bytes a character.
MAX_FRAME_BYTES = 64 * 1024 * 1024

# Honest answers nest a few levels. Both sides recurse, and so does whatever compares the value later:
# 200 stays far below the interpreter's own limit of 1,000.
MAX_DEPTH = 200

# An empty list takes 1 byte on the wire and 56 in memory: 64 MiB of them would take gigabytes.
# Four million values stay below half a gigabyte, and no honest answer has come near.
MAX_NODES = 4_000_000

# An empty set takes 216 bytes, as much as four other values.
SET_NODES = 4

# One multiplication of two such numbers takes the judge about a second. Longer ones would let an
# answer stall a verifier that does nothing but arithmetic.
MAX_DIGITS = 2_000_000
MAX_INT_BYTES = MAX_DIGITS * 3322 // 8000 + 1  # log2(10) is 3.322

COUNT = struct.Struct("<I")
COLUMN = struct.Struct("<IB")
TAG_COUNT = struct.Struct("<BI")
TAG_INT = struct.Struct("<Bq")
TAG_FLOAT = struct.Struct("<Bd")
TAG_COMPLEX = struct.Struct("<Bdd")
INT = struct.Struct("<q")
FLOAT = struct.Struct("<d")
COMPLEX = struct.Struct("<dd")


class WireError(Exception):
    """The bytes are not a value or a frame that this codec writes. The message says why."""
