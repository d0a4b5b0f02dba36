"""Results page in Markdown, generated from the tables in French and English."""

from __future__ import annotations

from pathlib import Path

from damier import files, i18n
from damier.drawing import film, svg
from damier.drawing.heat import heat_of, opening_heat
from damier.drawing.plot import bar_chart
from damier.gameplay import Game
from damier.i18n import translate, translate_for_game
from damier.position import Move, Position, Rules
from damier.record import Record, write
from damier.report.facts import Facts, count_best_openings, facts_of
from damier.solve import Value, probe, probe_moves
from damier.solve.retrograde import bundled_games, rules_sharing_table, variants


def write_pages(directory: Path, workers: int | None = None) -> list[Path]:
    """Write the pages and their pictures; return the paths of the pages."""
    facts = {
        name: [facts_of(rules, workers) for rules in variants(name)] for name in bundled_games()
    }
    pictures = directory / "results"
    written = []
    for language in i18n.LANGUAGES:
        i18n.set_language(language)
        suffix = _language_suffix()
        text = "\n\n".join((_head(), *(_game(name, facts[name], pictures) for name in facts)))
        path = directory / f"results{suffix}.md"
        files.write_text(path, text + "\n")
        written.append(path)
    i18n.set_language(None)
    return written


def _language_suffix() -> str:
    """Return what a page's name has before `.md` in the language in use."""
    return "" if i18n.language() == "en" else f".{i18n.language()}"


def _head() -> str:
    """Return the title and the introduction."""
    return "\n\n".join(
        (
            f"# {translate('results.title')}",
            translate("results.intro"),
            translate("results.history"),
        )
    )


def _game(name: str, found: list[Facts], pictures: Path) -> str:
    """Return the chapter of a game; the first item of `found` is the default variant."""
    parts = [f"## {translate_for_game(name, 'name')}"]
    first = found[0]
    parts.append(_meaning(first))
    note = first.rules.folder.texts(i18n.language()).get("results.note")
    if note is not None:
        parts.append(note)
    parts.append(_options(found))
    for facts in found:
        parts.append(_variant(facts, pictures, facts is first))
    for rules in rules_sharing_table(first.rules):
        if str(rules.start()) != str(first.rules.start()):
            parts += [_heading(rules), *_openings(rules, probe_moves(Game(rules)), pictures)]
    return "\n\n".join(parts)


def _number(count: int) -> str:
    """Return a number with the thousands separator of the language in use."""
    text = f"{count:,}"
    return text.replace(",", "\u202f") if i18n.language() == "fr" else text


def _percent(part: int, whole: int) -> str:
    """Return a percentage with the decimal separator of the language in use."""
    text = f"{100 * part / max(whole, 1):.2f}"
    return text.replace(".", ",") if i18n.language() == "fr" else text


def start_value(value: Value, rules: Rules) -> str:
    """Return the text of the start's value: who wins, a draw, or no known win."""
    if value.bound:
        return translate("results.value.open")
    return translate(f"results.value.{_winner(value, rules) or 'draw'}", distance=value.distance)


def _winner(value: Value, rules: Rules) -> str | None:
    """Return the side that wins from the start, or None for a draw."""
    mover = rules.start().side
    return {"win": mover, "loss": {"w": "b", "b": "w"}[mover]}.get(value.outcome)


def _fairness(value: Value, rules: Rules) -> str:
    """Return the key of the text about fairness."""
    return _winner(value, rules) or ("open" if value.bound else "draw")


def _suffix(start: Value) -> str:
    """Return the ending of the keys of texts about rules by which no game is drawn."""
    return ".open" if start.bound else ""


def _meaning(facts: Facts) -> str:
    """Return three sentences: who wins, whether the game is fair, how sharp it is."""
    sharpness = facts.sharpness
    changed = bool(facts.rules.changed)
    return " ".join(
        (
            translate(
                f"results.who.{'options' if changed else 'default'}",
                rules=options_text(facts.rules),
                value=start_value(facts.start, facts.rules),
            ),
            translate(
                f"results.fair.{_fairness(facts.start, facts.rules)}",
                kept=count_best_openings(facts.start, facts.openings),
                turns=len(facts.openings),
            ),
            translate(
                f"results.sharp{_suffix(facts.start)}",
                one_in=round(sharpness["turns"] / max(sharpness["losing"], 1)),
                losing=_percent(sharpness["losing"], sharpness["turns"]),
                single=_percent(sharpness["single"], sharpness["drawn"]),
            ),
        )
    )


def options_text(rules: Rules) -> str:
    """Return the options that differ from the default, or a text for the default rules."""
    return ", ".join(f"`{k}={v}`" for k, v in rules.changed.items()) or translate("results.default")


def _options(found: list[Facts]) -> str:
    """Return the Markdown table that compares the variants of a game."""
    columns = ["rules", "value", "kept", "won", "drawn", "lost", "longest", "losing"]
    for at in (columns.index("drawn"), columns.index("losing")):
        columns[at] += _suffix(found[0].start)
    lines = [
        "| " + " | ".join(translate(f"results.column.{column}") for column in columns) + " |",
        "|" + "---|" * len(columns),
    ]
    for facts in found:
        cells = (
            options_text(facts.rules),
            start_value(facts.start, facts.rules),
            f"{count_best_openings(facts.start, facts.openings)} / {len(facts.openings)}",
            *(_number(facts.total(what)) for what in ("won", "drawn", "lost")),
            str(facts.longest_value.distance),
            f"{_percent(facts.sharpness['losing'], facts.sharpness['turns'])} %",
        )
        lines.append("| " + " | ".join(cells) + " |")
    for rules in rules_sharing_table(found[0].rules):
        value = probe(rules.start())
        if value is not None:
            same = [translate("results.same")] * (len(columns) - 3)
            first = probe_moves(Game(rules))
            ratio = f"{count_best_openings(value, first)} / {len(first)}"
            cells = (options_text(rules), start_value(value, rules), ratio, *same)
            lines.append("| " + " | ".join(cells) + " |")
    return f"### {translate('results.what-if')}\n\n" + "\n".join(lines)


def _picture(pictures: Path, name: str, text: str, alt: str) -> str:
    """Write a picture and return the Markdown that shows it."""
    files.write_text(pictures / name, text)
    return f"![{alt}](results/{name})"


def _stem(rules: Rules) -> str:
    """Return the beginning of the file names of pictures: game, options and language."""
    options = [f"_{option}-{value}" for option, value in rules.changed.items()]
    return f"{rules.name}{''.join(options)}.{i18n.language()}"


def _heading(rules: Rules) -> str:
    return f"### {translate_for_game(rules.name, 'name')}, {options_text(rules)}"


def _openings(rules: Rules, valued: list[tuple[Move, Value]], pictures: Path) -> list[str]:
    """Return texts and pictures of the value of every first move, on the board."""
    alt = translate("results.heat")
    start, stem = rules.start(), _stem(rules)
    picture = svg(start, heat=opening_heat(start, valued), title=alt)
    parts = [alt, _picture(pictures, f"{stem}.openings.svg", picture, alt)]
    # If first moves have several steps, show the second steps after one first step too. The other
    # first steps are symmetric to it in such games.
    longer = [move for move, _ in valued if len(move.steps) > 1]
    if longer:
        step = min(longer, key=lambda move: move.text).steps[0]
        begun = start.step(step)
        lasts = [(_last_target(start, t), value) for t, value in valued if t.steps[0] == step]
        alt = translate("results.heat.on", step=f"`{begun.begun}`")
        picture = svg(begun, heat=heat_of(lasts), title=alt)
        parts += [alt, _picture(pictures, f"{stem}.openings-on.svg", picture, alt)]
    return parts


def _last_target(position: Position, move: Move) -> str | None:
    """Return the target of the last step of a move, or None if the move has one step."""
    for step in move.steps[:-1]:
        position = position.step(step)
    return position.describe(move.steps[-1]).target if len(move.steps) > 1 else None


def _variant(facts: Facts, pictures: Path, is_default: bool) -> str:
    """Return the part about one variant; the report of the lab has more on the default rules."""
    rules, stem = facts.rules, _stem(facts.rules)
    parts = [_heading(rules)]
    if is_default:
        parts.append(translate("results.lab", report=f"lab/{rules.name}{_language_suffix()}.md"))
    else:
        parts.append(_meaning(facts))
        parts += _openings(rules, facts.openings, pictures)
        alt = translate("results.distances")
        outcomes = translate("results.column.won"), translate("results.column.lost")
        axes = translate("results.turns"), translate("results.positions")
        chart = bar_chart(facts.distances("wins"), facts.distances("losses"), alt, *axes, outcomes)
        parts.append(_picture(pictures, f"{stem}.distances.svg", chart, alt))
    alt = translate("results.longest", distance=facts.longest_value.distance)
    picture = film(facts.longest, facts.line, alt)
    parts += [alt, _picture(pictures, f"{stem}.longest.svg", picture, alt)]
    played = Game(facts.longest).play(*facts.line)
    parts.append("```\n" + write([Record(played)]).strip() + "\n```")
    if facts.only_move_position is not None:
        valued = probe_moves(Game(facts.only_move_position))
        saving = next(move for move, value in valued if value.outcome == "draw")
        picture = svg(facts.only_move_position, moves=saving.ways)
        parts += [
            translate(
                f"results.single{_suffix(facts.start)}",
                count=_number(facts.sharpness["single"]),
                turn=f"`{saving}`",
            ),
            _picture(pictures, f"{stem}.single.svg", picture, str(facts.only_move_position)),
        ]
    return "\n\n".join(parts)
