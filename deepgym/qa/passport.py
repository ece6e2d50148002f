"""The QA passport: one page of HTML about one environment, complete in itself and readable without a mouse or eyes.

No script, no request to anywhere: a strict policy in the page forbids both. Whatever strangers wrote (answers, traces)
is escaped, and its control characters are shown as text.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import get_args

from deepgym.qa.finding import Finding
from deepgym.qa.report import QaReport
from deepgym.qa.rules import RULES
from deepgym.qa.strength import FateName

__all__ = ["render_passport"]

_STYLE = """\
:root { color-scheme: light dark; --ink: #1a1a1a; --paper: #ffffff; --rule: #8a8a8a; --good: #0b6b2e; --bad: #a3161a;
  --open: #7a4b00; --soft: #f2f2f2; --link: #0645ad; }
@media (prefers-color-scheme: dark) { :root { --ink: #eeeeee; --paper: #161616; --rule: #8a8a8a; --good: #6fd08c;
  --bad: #ff8f8f; --open: #ffc46b; --soft: #262626; --link: #8ab4f8; } }
body { font: 1rem/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 0 auto; padding: 1rem;
  max-width: 70rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, [tabindex]:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; } .skip:focus { position: static; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; list-style: none; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--rule); }
.scroll { overflow-x: auto; }
pre { background: var(--soft); padding: .75rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
.good { color: var(--good); font-weight: 600; } .bad { color: var(--bad); font-weight: 600; }
.open { color: var(--open); font-weight: 600; }
"""
_WORDS = {0: ("good", "Sound and strong"), 1: ("bad", "Gameable or unsound"), 2: ("open", "Could not tell")}
_SEVERITIES = {"error": "bad", "warning": "open", "unknown": "open"}
# Enough to see what happened; the JSON report holds the rest.
_MAX_TEXT_CHARS = 6_000


def render_passport(report: QaReport) -> str:
    """The page of one report."""
    tone, word = _WORDS[report.exit_code]
    sections = [
        ("summary", "Summary", _summary(report)),
        ("findings", "Findings", _findings(report.findings)),
        ("cheats", "Cheats", _cheats(report)),
        ("floor", "Floor", _floor(report)),
        ("mutants", "Mutants", _mutants(report)),
        ("forms", "Right answers in other forms", _forms(report)),
        ("steadiness", "Steadiness and time", _steadiness(report)),
    ]
    links = "".join(f'<li><a href="#{key}">{title}</a></li>' for key, title, _ in sections)
    body = "".join(
        f'<section id="{key}" aria-labelledby="{key}-title"><h2 id="{key}-title">{title}</h2>{content}</section>\n'
        for key, title, content in sections
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{_text(report.name)}: QA passport</title>\n<style>\n{_STYLE}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">Skip to the report</a>\n'
        f'<header><h1>QA passport of {_text(report.name)}</h1><p class="{tone}">{word}</p></header>\n'
        f'<nav aria-label="Sections"><ul>{links}</ul></nav>\n'
        f'<main id="main" tabindex="-1">\n{body}</main>\n'
        f"<footer><p>Made by <code>deepgym qa</code> in {report.elapsed_s:.1f} seconds.</p></footer>\n"
        "</body>\n</html>\n"
    )


def _summary(report: QaReport) -> str:
    kills = report.kills
    interval = f", 95% interval {kills.interval[0]:.3f} to {kills.interval[1]:.3f}" if kills.interval else ""
    rate = "none could be decided" if kills.rate is None else f"{kills.rate:.3f}{interval}"
    rows = [
        ("Answers are used as", report.style),
        (
            "Cases",
            "drawn anew for each run" if report.is_seeded else "the same in every run, as far as was seen",
        ),
        ("Cheats stopped", f"{report.stopped} of {len(report.attacks)}"),
        ("Floor", f"{report.measured_floor:.3f}, the most that an answer without thought earns"),
        ("Mutant kill rate", rate),
        ("Right forms accepted", f"{report.accepted} of {len(report.forms)}"),
    ]
    cells = "".join(
        f'<tr><th scope="row">{_text(name)}</th><td>{_text(value)}</td></tr>' for name, value in rows
    )
    return f"<table><caption>Figures</caption><tbody>{cells}</tbody></table>"


def _findings(findings: Sequence[Finding]) -> str:
    if not findings:
        return "<p>Nothing was found.</p>"
    parts = []
    for finding in findings:
        rule = RULES[finding.rule]
        place = f"<p>Place: <code>{_text(finding.place)}</code></p>" if finding.place else ""
        trace = (
            _details(f"Trace of {rule.id}: {finding.message[:80]}", finding.trace) if finding.trace else ""
        )
        parts.append(
            f'<article><h3><span class="{_SEVERITIES[rule.severity]}">{rule.id}, {rule.severity}:</span> '
            f"{_text(rule.title)}</h3><p>{_text(finding.message)}</p>{place}"
            f"<p>{_text(rule.why)}</p><p>Remedy: {_text(rule.fix)}.</p>{trace}</article>"
        )
    return "".join(parts)


def _cheats(report: QaReport) -> str:
    rows = [
        (row.name, row.title, str(row.row), f"{row.score:.2f}", _mark(row.stopped, "stopped", "not stopped"))
        for row in sorted(report.attacks, key=lambda row: row.stopped)
    ]
    note = "<p>A turned right answer may earn a part, where the turn changes nothing; it must not pass.</p>"
    heads = ("Cheat", "What it does", "Mechanism", "Score", "Outcome")
    return note + _table("Cheats that were tried", heads, rows)


def _floor(report: QaReport) -> str:
    rows = [(row.name, f"{row.score:.2f}" if row.has_verdict else "no verdict") for row in report.floor]
    return _table("Answers without thought", ("Answer", "Score"), rows)


def _mutants(report: QaReport) -> str:
    kills = report.kills
    rows = [(name, str(kills.count(name))) for name in get_args(FateName)]
    text = _table(
        f"Fates of {len(kills.fates)} mutants, compared on {kills.compared_on} inputs",
        ("Fate", "Mutants"),
        rows,
    )
    for fate in kills.fates:
        if fate.name in {"killed", "equivalent"}:
            continue
        told = ""
        if fate.shown_input:
            told = f"\n\ninput:     {fate.shown_input}\nreference: {fate.expected}\nmutant:    {fate.got}"
        note = f"\n{fate.note}" if fate.note else ""
        text += _details(
            f"{fate.name}: line {fate.line}, {fate.operator}", f"{fate.diff}{told}{note}", heading=True
        )
    return text


def _forms(report: QaReport) -> str:
    rows = [
        (row.name, f"{row.score:.2f}", _mark(row.accepted, "accepted", "failed"))
        for row in sorted(report.forms, key=lambda row: row.accepted)
    ]
    return _table("Forms that were tried", ("Form", "Score", "Outcome"), rows)


def _steadiness(report: QaReport) -> str:
    found = report.steadiness
    if found is None:
        return "<p>It was not measured.</p>"
    rows = [
        ("Runs of the reference, with other seeds and under load", str(found.runs)),
        ("Runs that it did not pass", str(len(found.failed))),
        ("Runs under one seed with another verdict", str(found.changed)),
        ("Time of a run", f"{found.usual_ms:.0f} ms of {found.limit_ms:.0f} ms"),
        ("Passes with a third of the time", "yes" if found.has_margin else "no"),
    ]
    return _table("The reference, again and again", ("What", "Value"), rows)


def _table(caption: str, heads: Iterable[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return "<p>Nothing was tried.</p>"
    head = "".join(f'<th scope="col">{_text(name)}</th>' for name in heads)
    body = "".join(
        f'<tr><th scope="row">{_cell(row[0])}</th>{"".join(f"<td>{_cell(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    )
    # A region that scrolls has to be reachable by keyboard, and to have a name.
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{_text(caption)}"><table><caption>{_text(caption)}'
        f"</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


class _Markup(str):
    """Text of this module that is HTML already."""

    __slots__ = ()


def _mark(good: bool, yes: str, no: str) -> str:
    return _Markup(f'<span class="{"good" if good else "bad"}">{yes if good else no}</span>')


def _cell(value: str) -> str:
    return value if isinstance(value, _Markup) else _text(value)


def _details(summary: str, text: str, *, heading: bool = False) -> str:
    cut = text if len(text) <= _MAX_TEXT_CHARS else text[:_MAX_TEXT_CHARS] + "\n..."
    is_open = " open" if heading and summary.startswith("survived") else ""
    return f"<details{is_open}><summary>{_text(summary)}</summary><pre>{_text(cut)}</pre></details>"


def _text(value: str) -> str:
    """Escaped text in which control characters and what cannot be encoded can be seen."""
    shown = "".join(char if char.isprintable() or char in "\n\t" else f"\\x{ord(char):02x}" for char in value)
    return html.escape(shown.encode("utf-8", "backslashreplace").decode("utf-8"), quote=True)
