"""The rulebook as Markdown with SVG pictures, for those who read it where nothing runs."""

from damier.drawing import caption, description, svg
from damier.games import GAMES
from damier.lang import LANGUAGES, say, say_of, speaking
from damier.rulebook import Diagram, read


def rendered(name: str, language: str) -> dict[str, str]:
    """Return a page and its pictures: the text of each file by its path beside the page."""
    page = read(name, language)
    with speaking(language):
        files: dict[str, str] = {}
        lines = [f"# {page.title}", _links(name, language), page.opening]
        for section in page.sections:
            lines.append(f"## {section.title}")
            for part in section.parts:
                if isinstance(part, str):
                    lines.append(part)
                else:
                    number = sum(path.endswith(".svg") for path in files) + 1
                    lines += _shown(part, f"pictures/{name}-{number}.{language}", files)
        lines.append("<!-- " + say("rulebook.generated", game=name, language=language) + " -->")
        files[f"{name}.{language}.md"] = "\n\n".join(lines) + "\n"
    return files


def _links(name: str, language: str) -> str:
    """Return links to the other games and to the same page in other languages."""
    games = [
        say_of(other, "name")
        if other == name
        else f"[{say_of(other, 'name')}]({other}.{language}.md)"
        for other in GAMES
    ]
    languages = [
        f"[{say(f'rulebook.language.{other}')}]({name}.{other}.md)"
        for other in LANGUAGES
        if other != language
    ]
    return " · ".join([*games, *languages])


def _shown(diagram: Diagram, path: str, files: dict[str, str]) -> list[str]:
    """Return a diagram as a picture with its caption; the answer to a question is folded away."""
    position = diagram.position
    files[f"{path}.svg"] = svg(position, marked=diagram.marked, moves=diagram.arrows)
    words = " ".join(caption(position))
    seen = " ".join(description(position)[1:3])  # White's pawns and Black's
    shown = [f"![{seen}]({path}.svg)", f"*{diagram.caption}*", f"<sub>{words} `{position}`</sub>"]
    for turn in diagram.tries:
        answer = say("rulebook.answer")
        shown.append(f"<details><summary>{answer}</summary>\n\n`{turn}`\n\n</details>")
    return shown
