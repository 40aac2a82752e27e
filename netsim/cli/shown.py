"""Text that a terminal can show: no character that it would obey, and none that its encoding lacks."""

from __future__ import annotations

import codecs
import sys

# Characters that a terminal would obey instead of showing them, such as in a title of models from elsewhere: C0 and C1
# except for newlines and tabs, and marks that change the direction of writing (Unicode, Bidi_Control).
_OBEYED = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if chr(code) not in "\n\t"}
_OBEYED |= {code: f"\\u{code:04x}" for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}
_PLAIN = {"±": "+/-", "µ": "u", "μ": "u", "−": "-", "–": "-", "→": "->", "×": "x", "…": "..."}


def shown(text: str) -> str:
    """Text as it can be sent to stdout, whatever its encoding (LANG=C: ASCII; Windows: cp1252 and others)."""
    return encodable(text.translate(_OBEYED), getattr(sys.stdout, "encoding", None) or "utf-8")


def encodable(text: str, encoding: str) -> str:
    """Text with each character that an encoding lacks replaced by a plain one, or else by its code point."""
    return text.encode(encoding, _ERRORS).decode(encoding)


def _instead(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    first = error.object[error.start]
    if first in _PLAIN:
        return _PLAIN[first], error.start + 1
    end = error.start + 1
    return codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, end, error.reason)
    )


_ERRORS = "netsim.plain"
codecs.register_error(_ERRORS, _instead)
