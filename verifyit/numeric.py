"""Numbers in text: one literal grammar, read as exact rationals.

A literal is an integer (plain, or in comma groups of three), a decimal, either with an exponent, or
a fraction of two integers. Only ASCII digits count. Sizes are bounded before a number is built, and
no pattern can be made to look at a character more than a few times.
"""

from __future__ import annotations

import re
from fractions import Fraction

from verifyit.modes.extract import extract_boxed, last_line, strip_math_delimiters

# Python itself converts at most 4300 digits at a time.
MAX_NUMERIC_DIGITS = 4096
# Two numbers of that many digits with a comma every three, and room for signs, point and exponent.
MAX_LITERAL_CHARACTERS = 2 * (MAX_NUMERIC_DIGITS + MAX_NUMERIC_DIGITS // 3) + 32
MAX_EXPONENT_DIGITS = 4

_WHOLE = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_DECIMAL = rf"[+-]?(?:{_WHOLE}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FRACTION = rf"[+-]?{_WHOLE}\s*/\s*[+-]?{_WHOLE}"

_FRACTION_PARTS = re.compile(rf"([+-]?{_WHOLE})\s*/\s*([+-]?{_WHOLE})")
_DECIMAL_PARTS = re.compile(rf"([+-]?)(?:({_WHOLE})(?:\.([0-9]*))?|\.([0-9]+))(?:[eE]([+-]?)([0-9]+))?")
# Three points that end a word are an ellipsis; any other point or comma must not be followed by more.
_TOKEN = re.compile(rf"(?<![\w.,/])(?:{_FRACTION}|{_DECIMAL})(?=\.{{3,}}(?![\w.,])|(?![\w/])(?![.,][\w.,]))")
_DIGIT_START = re.compile(r"(?<!\w)\.?[0-9]")
# Minus signs and dashes that are typed for one; the long dash is punctuation.
_DASHES = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d"
_SIGN_DASH = re.compile(rf"(?<!\w)[{_DASHES}](?=\.?[0-9])")
# One letter, a minus and a digit is an expression, not a word joined to a number.
_LETTER_MINUS = re.compile(rf"(?<!\w)[^\W\d_][-{_DASHES}](?=\.?[0-9])")

_BOX = "\\boxed{"


class NumericCandidateError(ValueError):
    """A candidate's text does not give exactly one number."""


def numeric_literal(text: str) -> Fraction:
    """The exact value of a text that is one numeric literal.

    Raises:
        ValueError: The text is not a literal, divides by zero, or is over the limits on digits.
    """
    stripped = text.strip()
    if len(stripped) > MAX_LITERAL_CHARACTERS:
        raise ValueError(f"a number may have at most {MAX_LITERAL_CHARACTERS} characters")
    fraction = _FRACTION_PARTS.fullmatch(stripped)
    if fraction is not None:
        return _quotient(fraction.group(1), fraction.group(2))
    decimal = _DECIMAL_PARTS.fullmatch(stripped)
    if decimal is None:
        raise ValueError(f"not a number: {stripped[:80]!r}")
    sign, whole, places, bare_places, exponent_sign, exponent = decimal.groups()
    return _decimal(
        sign, (whole or "").replace(",", ""), places or bare_places or "", exponent_sign, exponent or "0"
    )


def _quotient(numerator: str, denominator: str) -> Fraction:
    parts = [part.replace(",", "") for part in (numerator, denominator)]
    if any(len(part.lstrip("+-")) > MAX_NUMERIC_DIGITS for part in parts):
        raise ValueError(f"each part of a fraction may have at most {MAX_NUMERIC_DIGITS} digits")
    divisor = int(parts[1])
    if divisor == 0:
        raise ValueError("a fraction divides by zero")
    return Fraction(int(parts[0]), divisor)


def _decimal(sign: str, whole: str, places: str, exponent_sign: str | None, exponent: str) -> Fraction:
    significant = exponent.lstrip("0") or "0"
    if len(significant) > MAX_EXPONENT_DIGITS:
        raise ValueError(f"an exponent may have at most {MAX_EXPONENT_DIGITS} digits")
    digits = whole + places
    shift = int(significant)
    if len(digits) + shift > MAX_NUMERIC_DIGITS:
        raise ValueError(f"digits and exponent together may be at most {MAX_NUMERIC_DIGITS}")
    power = (-shift if exponent_sign == "-" else shift) - len(places)
    value = Fraction(int(digits) * 10 ** max(power, 0), 10 ** max(-power, 0))
    return -value if sign == "-" else value


def extract_numeric_candidate(text: str) -> Fraction:
    r"""The number that a candidate's text gives as its answer.

    With a ``\boxed{`` anywhere, the last box must hold one literal and nothing else. Otherwise the
    last line that is not blank must hold exactly one.

    Raises:
        NumericCandidateError: There is no such number, or more than one.
    """
    if _BOX in text:
        content = extract_boxed(text)
        if not content:
            raise NumericCandidateError("the last box is empty or does not close")
        literal = strip_math_delimiters(content)
    else:
        literal = _only_token(last_line(text) or "")
    try:
        return numeric_literal(_SIGN_DASH.sub("-", literal))
    except ValueError as error:
        raise NumericCandidateError(str(error)) from None


def _only_token(line: str) -> str:
    line = _SIGN_DASH.sub("-", line)
    token = _TOKEN.search(line)
    if token is None:
        raise NumericCandidateError("the last line holds no number")
    for start in _DIGIT_START.finditer(line):
        if not token.start() <= start.start() < token.end():
            raise NumericCandidateError("the last line holds more than one number")
    if _LETTER_MINUS.search(line):
        raise NumericCandidateError("the last line holds an expression")
    return token.group()
