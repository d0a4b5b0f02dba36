"""Rulebook as Markdown files with SVG pictures, readable without running damier."""

from damier.drawing import caption, description, svg
from damier.games import GAMES
from damier.i18n import LANGUAGES, translate, translate_for_game, use_language
from damier.rulebook import Diagram, read


def render_page(name: str, language: str) -> dict[str, str]:
    """Return the texts of a page and its pictures, by path relative to the rulebook's folder."""
    page = read(name, language)
    with use_language(language):
        files: dict[str, str] = {}
        lines = [f"# {page.title}", _links(name, language), page.opening]
        for section in page.sections:
            lines.append(f"## {section.title}")
            for part in section.parts:
                if isinstance(part, str):
                    lines.append(part)
                else:
                    number = sum(path.endswith(".svg") for path in files) + 1
                    lines += _render_diagram(part, f"pictures/{name}-{number}.{language}", files)
        lines.append(
            "<!-- " + translate("rulebook.generated", game=name, language=language) + " -->"
        )
        files[f"{name}.{language}.md"] = "\n\n".join(lines) + "\n"
    return files


def _links(name: str, language: str) -> str:
    """Return links to the other games and to the same page in other languages."""
    games = [
        translate_for_game(other, "name")
        if other == name
        else f"[{translate_for_game(other, 'name')}]({other}.{language}.md)"
        for other in GAMES
    ]
    languages = [
        f"[{translate(f'rulebook.language.{other}')}]({name}.{other}.md)"
        for other in LANGUAGES
        if other != language
    ]
    return " · ".join([*games, *languages])


def _render_diagram(diagram: Diagram, path: str, files: dict[str, str]) -> list[str]:
    """Add a diagram's picture to `files`; return its Markdown, with the answers collapsed."""
    position = diagram.position
    files[f"{path}.svg"] = svg(position, marked=diagram.marked, moves=diagram.arrows)
    state = " ".join(caption(position))
    alt = " ".join(description(position)[1:3])  # White's pawns and Black's
    lines = [f"![{alt}]({path}.svg)", f"*{diagram.caption}*", f"<sub>{state} `{position}`</sub>"]
    for move in diagram.tries:
        answer = translate("rulebook.answer")
        lines.append(f"<details><summary>{answer}</summary>\n\n`{move}`\n\n</details>")
    return lines
