"""The page of results: written from tables and nothing else, in French and English."""

from __future__ import annotations

from pathlib import Path

from damier import lang
from damier.drawing import svg
from damier.game import Game
from damier.lang import say
from damier.record import Record, write
from damier.rules import Rules, game
from damier.solve import Value, probe, probe_turns
from damier.solve.build import SMALL, variants
from damier.solve.facts import Facts, facts_of
from damier.solve.plot import bars
from damier.solve.tables import file_name

# Rules that share a table but begin otherwise: they have a line in the table of options.
ALSO = {"fraha": [{"first": "black"}]}


def write_pages(directory: Path, workers: int | None = None) -> list[Path]:
    """Write the pages and their pictures; return the files written."""
    found = {name: [facts_of(rules, workers) for rules in variants(name)] for name in SMALL}
    pictures = directory / "results"
    pictures.mkdir(parents=True, exist_ok=True)
    written = []
    for language in lang.LANGUAGES:
        lang.use(language)
        suffix = "" if language == "en" else f".{language}"
        text = "\n\n".join((_head(), *(_game(name, found[name], pictures) for name in SMALL)))
        path = directory / f"results{suffix}.md"
        path.write_text(text + "\n", "utf-8")
        written.append(path)
    lang.use(None)
    return written


def _head() -> str:
    return "\n\n".join((f"# {say('results.title')}", say("results.intro"), say("results.history")))


def _game(name: str, found: list[Facts], pictures: Path) -> str:
    parts = [f"## {say(f'game.{name}')}"]
    first = found[0]
    parts.append(_meaning(first))
    parts.append(_options(name, found))
    for facts in found:
        parts.append(_variant(facts, pictures))
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
    if value.outcome == "draw":
        return say("results.value.draw")
    mover = rules.start().side
    winner = mover if value.outcome == "win" else {"w": "b", "b": "w"}[mover]
    return say(f"results.value.{winner}", distance=value.distance)


def _meaning(facts: Facts) -> str:
    """Three plain sentences: who wins, is it fair, how sharp is it."""
    sharp = facts.sharp
    fair = "draw" if facts.start.outcome == "draw" else "decided"
    return " ".join(
        (
            say("results.who", value=start_value(facts.start, facts.rules)),
            say(f"results.fair.{fair}", kept=facts.kept(), turns=len(facts.openings)),
            say(
                "results.sharp",
                losing=_percent(sharp["losing"], sharp["turns"]),
                single=_percent(sharp["single"], sharp["drawn"]),
            ),
        )
    )


def options_text(rules: Rules) -> str:
    """Return the options that differ from the default, or that none do."""
    return ", ".join(f"`{k}={v}`" for k, v in rules.changed.items()) or say("results.default")


def _options(name: str, found: list[Facts]) -> str:
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
            f"{facts.kept()} / {len(facts.openings)}",
            *(_number(facts.total(what)) for what in ("won", "drawn", "lost")),
            str(facts.longest_value.distance),
            f"{_percent(facts.sharp['losing'], facts.sharp['turns'])} %",
        )
        lines.append("| " + " | ".join(cells) + " |")
    for options in ALSO.get(name, []):
        rules = game(name, **options)
        value = probe(rules.start())
        if value is not None:
            same = [say("results.same")] * (len(columns) - 2)
            cells = (options_text(rules), start_value(value, rules), *same)
            lines.append("| " + " | ".join(cells) + " |")
    return f"### {say('results.what-if')}\n\n" + "\n".join(lines)


def _picture(pictures: Path, name: str, text: str, alt: str) -> str:
    (pictures / name).write_text(text, "utf-8")
    return f"![{alt}](results/{name})"


def _variant(facts: Facts, pictures: Path) -> str:
    rules, language = facts.rules, lang.language()
    stem = f"{file_name(rules).removesuffix('.table').replace('=', '-')}.{language}"
    parts = [f"### {say(f'game.{rules.name}')}, {options_text(rules)}"]
    heat = _heat(facts)
    alt = say("results.heat")
    picture = svg(rules.start(), heat=heat, title=alt)
    parts.append(alt + "\n\n" + _picture(pictures, f"{stem}.openings.svg", picture, alt))
    alt = say("results.distances")
    chart = bars(
        facts.distances("wins"), facts.distances("losses"), alt, say("results.turns"),
        say("results.positions"), (say("results.column.won"), say("results.column.lost")),
    )  # fmt: skip
    parts.append(_picture(pictures, f"{stem}.distances.svg", chart, alt))
    alt = say("results.longest", distance=facts.longest_value.distance)
    parts.append(alt + "\n\n" + _picture(pictures, f"{stem}.longest.svg", svg(facts.longest), alt))
    played = Game(facts.longest).play(*facts.line)
    parts.append("```\n" + write([Record(played)]).strip() + "\n```")
    if facts.only is not None:
        valued = probe_turns(Game(facts.only))
        saving = [turn.text for turn, value in valued if value.outcome == "draw"]
        alt = say("results.single", count=_number(facts.sharp["single"]), turn=f"`{saving[0]}`")
        parts.append(
            alt
            + "\n\n"
            + _picture(pictures, f"{stem}.single.svg", svg(facts.only), str(facts.only))
        )
    return "\n\n".join(parts)


def _heat(facts: Facts) -> dict[str, tuple[str, float]]:
    """Return a label and a colour for each cell on which an opening ends, the best one's."""
    names = facts.rules.board.indices
    heat: dict[str, tuple[str, float]] = {}
    for turn, value in facts.openings:
        cell = turn.text.split(",")[0].split("-")[-1]
        if cell in heat or cell not in names:
            continue  # the best comes first
        label = say(f"results.letter.{value.outcome}")
        if value.distance is not None:
            label += str(value.distance)
        heat[cell] = label, {"win": 1.0, "draw": 0.0, "loss": -1.0}[value.outcome]
    return heat
