"""The page of results: written from tables and nothing else, in French and English."""

from __future__ import annotations

from pathlib import Path

from damier import files, lang
from damier.drawing import film, svg
from damier.history import Game
from damier.lang import say, say_of
from damier.position import Position, Rules, Turn
from damier.record import Record, write
from damier.report.facts import Facts, facts_of, kept
from damier.report.plot import bars
from damier.solve import Value, probe, probe_turns
from damier.solve.retrograde import alike, shipped, variants


def write_pages(directory: Path, workers: int | None = None) -> list[Path]:
    """Write the pages and their pictures; return the files written."""
    found = {name: [facts_of(rules, workers) for rules in variants(name)] for name in shipped()}
    pictures = directory / "results"
    written = []
    for language in lang.LANGUAGES:
        lang.use(language)
        suffix = "" if language == "en" else f".{language}"
        text = "\n\n".join((_head(), *(_game(name, found[name], pictures) for name in found)))
        path = directory / f"results{suffix}.md"
        files.write_text(path, text + "\n")
        written.append(path)
    lang.use(None)
    return written


def _head() -> str:
    return "\n\n".join((f"# {say('results.title')}", say("results.intro"), say("results.history")))


def _game(name: str, found: list[Facts], pictures: Path) -> str:
    parts = [f"## {say_of(name, 'name')}"]
    first = found[0]
    parts.append(_meaning(first))
    note = first.rules.folder.texts(lang.language()).get("results.note")
    if note is not None:
        parts.append(note)
    parts.append(_options(found))
    for facts in found:
        parts.append(_variant(facts, pictures, facts is not first))
    for rules in alike(first.rules):
        if str(rules.start()) != str(first.rules.start()):
            parts += [_heading(rules), *_openings(rules, probe_turns(Game(rules)), pictures)]
    return "\n\n".join(parts)


def _number(count: int) -> str:
    """Return a number with its thousands apart, as the language in use writes it."""
    text = f"{count:,}"
    return text.replace(",", "\u202f") if lang.language() == "fr" else text


def _percent(part: int, whole: int) -> str:
    text = f"{100 * part / max(whole, 1):.2f}"
    return text.replace(".", ",") if lang.language() == "fr" else text


def start_value(value: Value, rules: Rules) -> str:
    """Return who wins from the start."""
    return say(f"results.value.{_winner(value, rules) or 'draw'}", distance=value.distance)


def _winner(value: Value, rules: Rules) -> str | None:
    """Return the side that wins from the start, or None."""
    mover = rules.start().side
    return {"win": mover, "loss": {"w": "b", "b": "w"}[mover]}.get(value.outcome)


def _meaning(facts: Facts) -> str:
    """Three plain sentences: who wins, is it fair, how sharp is it."""
    sharp = facts.sharp
    changed = bool(facts.rules.changed)
    return " ".join(
        (
            say(
                f"results.who.{'options' if changed else 'default'}",
                rules=options_text(facts.rules),
                value=start_value(facts.start, facts.rules),
            ),
            say(
                f"results.fair.{_winner(facts.start, facts.rules) or 'draw'}",
                kept=kept(facts.start, facts.openings),
                turns=len(facts.openings),
            ),
            say(
                "results.sharp",
                one_in=round(sharp["turns"] / max(sharp["losing"], 1)),
                losing=_percent(sharp["losing"], sharp["turns"]),
                single=_percent(sharp["single"], sharp["drawn"]),
            ),
        )
    )


def options_text(rules: Rules) -> str:
    """Return the options that differ from the default, or that none do."""
    return ", ".join(f"`{k}={v}`" for k, v in rules.changed.items()) or say("results.default")


def _options(found: list[Facts]) -> str:
    """The table that answers "what if"."""
    columns = ("rules", "value", "kept", "won", "drawn", "lost", "longest", "losing")
    lines = [
        "| " + " | ".join(say(f"results.column.{column}") for column in columns) + " |",
        "|" + "---|" * len(columns),
    ]
    for facts in found:
        cells = (
            options_text(facts.rules),
            start_value(facts.start, facts.rules),
            f"{kept(facts.start, facts.openings)} / {len(facts.openings)}",
            *(_number(facts.total(what)) for what in ("won", "drawn", "lost")),
            str(facts.longest_value.distance),
            f"{_percent(facts.sharp['losing'], facts.sharp['turns'])} %",
        )
        lines.append("| " + " | ".join(cells) + " |")
    for rules in alike(found[0].rules):
        value = probe(rules.start())
        if value is not None:
            same = [say("results.same")] * (len(columns) - 3)
            first = probe_turns(Game(rules))
            ratio = f"{kept(value, first)} / {len(first)}"
            cells = (options_text(rules), start_value(value, rules), ratio, *same)
            lines.append("| " + " | ".join(cells) + " |")
    return f"### {say('results.what-if')}\n\n" + "\n".join(lines)


def _picture(pictures: Path, name: str, text: str, alt: str) -> str:
    files.write_text(pictures / name, text)
    return f"![{alt}](results/{name})"


def _stem(rules: Rules) -> str:
    """Return how the names of some rules' pictures begin."""
    options = [f"_{option}-{value}" for option, value in rules.changed.items()]
    return f"{rules.name}{''.join(options)}.{lang.language()}"


def _heading(rules: Rules) -> str:
    return f"### {say_of(rules.name, 'name')}, {options_text(rules)}"


def _openings(rules: Rules, valued: list[tuple[Turn, Value]], pictures: Path) -> list[str]:
    """What every first turn is worth, on the board."""
    alt = say("results.heat")
    start, stem = rules.start(), _stem(rules)
    firsts = [(start.describe(turn.steps[0]).target, value) for turn, value in valued]
    picture = svg(start, heat=_heat(firsts), title=alt)
    parts = [alt, _picture(pictures, f"{stem}.openings.svg", picture, alt)]
    # Where a first turn goes on after its first step, that step's way to go on too; the other
    # first steps of such a game are images of it.
    longer = [turn for turn, _ in valued if len(turn.steps) > 1]
    if longer:
        step = min(longer, key=lambda turn: turn.text).steps[0]
        begun = start.step(step)
        lasts = [(_last_target(start, t), value) for t, value in valued if t.steps[0] == step]
        alt = say("results.heat.on", step=f"`{begun.begun}`")
        picture = svg(begun, heat=_heat(lasts), title=alt)
        parts += [alt, _picture(pictures, f"{stem}.openings-on.svg", picture, alt)]
    return parts


def _last_target(position: Position, turn: Turn) -> str | None:
    """Return where the last step of a turn leads, if the turn has more than one."""
    for step in turn.steps[:-1]:
        position = position.step(step)
    return position.describe(turn.steps[-1]).target if len(turn.steps) > 1 else None


def _variant(facts: Facts, pictures: Path, explained: bool) -> str:
    rules, stem = facts.rules, _stem(facts.rules)
    parts = [_heading(rules)]
    if explained:
        parts.append(_meaning(facts))
    parts += _openings(rules, facts.openings, pictures)
    alt = say("results.distances")
    chart = bars(
        facts.distances("wins"), facts.distances("losses"), alt, say("results.turns"),
        say("results.positions"), (say("results.column.won"), say("results.column.lost")),
    )  # fmt: skip
    parts.append(_picture(pictures, f"{stem}.distances.svg", chart, alt))
    alt = say("results.longest", distance=facts.longest_value.distance)
    picture = film(facts.longest, facts.line, alt)
    parts += [alt, _picture(pictures, f"{stem}.longest.svg", picture, alt)]
    played = Game(facts.longest).play(*facts.line)
    parts.append("```\n" + write([Record(played)]).strip() + "\n```")
    if facts.only is not None:
        valued = probe_turns(Game(facts.only))
        saving = next(turn for turn, value in valued if value.outcome == "draw")
        picture = svg(facts.only, moves=saving.ways)
        parts += [
            say("results.single", count=_number(facts.sharp["single"]), turn=f"`{saving}`"),
            _picture(pictures, f"{stem}.single.svg", picture, str(facts.only)),
        ]
    return "\n\n".join(parts)


def _heat(valued: list[tuple[str | None, Value]]) -> dict[str, tuple[str, float]]:
    """Return a label and a colour for each cell, by the best value that leads there."""
    heat: dict[str, tuple[str, float]] = {}
    for cell, value in valued:
        if cell is None or cell in heat:
            continue  # the best comes first
        label = say(f"results.letter.{value.outcome}")
        if value.distance is not None:
            label += str(value.distance)
        heat[cell] = label, {"win": 1.0, "draw": 0.0, "loss": -1.0}[value.outcome]
    return heat
