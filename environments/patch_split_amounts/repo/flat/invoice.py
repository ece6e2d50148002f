"""Invoices of a shared flat. Amounts are whole cents."""


def share(amount, people):
    """What each person pays: everybody the same, as far as cents can be shared."""
    return [round(amount / people)] * people


def total(lines):
    """The sum of lines (what, pieces, price)."""
    return sum(pieces * price for what, pieces, price in lines)
