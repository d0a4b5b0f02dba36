"""Summary: three to six plain sentences, each derived from figures of the report."""

from __future__ import annotations

from collections.abc import Mapping

from damier.lab.report import Figure, Report, Scalar, Sentence

CLEAR_SHARE = 0.5  # of unfinished games from which the other figures say little
DRAWISH = 0.5
WIDE = 0.3  # width of an interval that says little about who has the advantage
MAX_SENTENCES = 6


def sentences(report: Report, strongest: str) -> tuple[Sentence, ...]:
    """Return the sentences on fairness, endings, skill, rules, length and choice."""
    found = [
        _proved_value(report),
        _score(report, strongest),
        _endings(report, strongest),
        _skill(report),
        _rules(report),
        _length(report, strongest),
        _choice(report, strongest),
    ]
    return tuple(sentence for sentence in found if sentence is not None)[:MAX_SENTENCES]


def _details(figure: Figure) -> Mapping[str, Scalar]:
    """Return a figure's value and interval, which the texts format as shares."""
    low, high = figure.interval or (None, None)
    return {"value": figure.value, "low": low, "high": high, **figure.details}


def _proved_value(report: Report) -> Sentence | None:
    value = report.find("start-value")
    if value is None:
        return None
    outcome = str(value.value).rpartition(".")[2]
    distance, moves = report.find("start-distance"), report.find("first-moves")
    details: dict[str, Scalar] = {"whole": moves.value if moves else 0}
    kept = report.find(f"first-moves-{ {'first': 'win', 'second': 'loss'}.get(outcome, 'draw') }")
    details["kept"] = kept.value if kept else 0
    if distance is not None:
        details["distance"] = distance.value
        return Sentence(f"value.{outcome}.distance", details)
    return Sentence(f"value.{outcome}", details)


def _score(report: Report, strongest: str) -> Sentence | None:
    figure = report.find("first-score", strength=strongest)
    if figure is None or figure.value is None or figure.interval is None:
        return None
    low, high = figure.interval
    verdict = "open" if high - low > WIDE else "even"
    if not low <= 0.5 <= high:
        verdict = "ahead" if low > 0.5 else "behind"
    return Sentence(f"score.{verdict}", _details(figure))


def _endings(report: Report, strongest: str) -> Sentence | None:
    unfinished = report.find("unfinished", strength=strongest)
    drawn = report.find("drawn", strength=strongest)
    if unfinished is None:
        return None
    if isinstance(unfinished.value, float) and unfinished.value >= CLEAR_SHARE:
        return Sentence("endless" if unfinished.value == 1 else "unfinished", _details(unfinished))
    if drawn is None or not isinstance(drawn.value, float):
        return None
    return Sentence("drawish" if drawn.value >= DRAWISH else "decisive", _details(drawn))


def _length(report: Report, strongest: str) -> Sentence | None:
    figure = report.find("length", strength=strongest)
    if figure is None or figure.value is None:
        return None
    known = "length" if figure.interval is not None else "length.few"
    return Sentence(known, _details(figure), "number")


def _choice(report: Report, strongest: str) -> Sentence | None:
    moves = report.find("legal-moves", strength=strongest)
    losing = report.find("losing-moves", strength=strongest)
    if moves is None or losing is None or moves.value is None or losing.value is None:
        return None
    if losing.interval is None:
        return None
    return Sentence("choice", {**_details(losing), "moves": moves.value})


def _skill(report: Report) -> Sentence | None:
    plateau, doublings = report.find("plateau"), report.find("doublings")
    if doublings is None or not isinstance(doublings.value, int | float):
        return None
    count = int(doublings.value)
    if plateau is not None:
        if not count:
            return Sentence("skill.none", {"nodes": plateau.value})
        return Sentence("skill.plateau", {"nodes": plateau.value, "count": count})
    return Sentence("skill.open", {"count": count}) if count else None


def _rules(report: Report) -> Sentence | None:
    """Return the sentence on the rule with the greatest effect."""
    grids = [grid for section in report.sections for grid in section.grids if grid.name == "rules"]
    if not grids or not grids[0].rows:
        return None
    about, cells = grids[0].rows[0]
    effect = cells[0].value
    if not effect:
        return Sentence("rules.none", {"count": len(grids[0].rows)})
    return Sentence("rules.most", {"value": effect, **about})
