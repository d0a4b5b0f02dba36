"""`damier lab`: measure a game, and write a report in JSON, Markdown and HTML."""

import argparse
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

from damier import __version__, files
from damier.cli.common import add_execution, add_rules, game_name, rules_of
from damier.cli.interrupt import INTERRUPTED
from damier.cli.progress import ProgressLine
from damier.errors import DamierError
from damier.execution import open_executor
from damier.i18n import translate
from damier.lab import Report, Settings, html, markdown, text
from damier.lab.budget import DEEP_SECONDS, read_budget
from damier.lab.exact import SolvingPlan, plan_for
from damier.lab.experiment import run as run_experiment
from damier.lab.journal import Journal
from damier.lab.variants import variants_of
from damier.position import Rules
from damier.search import warm


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_rules(parser)
    parser.add_argument(
        "--against", action="append", default=[], metavar="K=V", help=translate("lab.against")
    )
    parser.add_argument("--budget", metavar="2m,4GB", help=translate("lab.budget"))
    parser.add_argument("--deep", action="store_true", help=translate("lab.deep"))
    parser.add_argument(
        "--seed", type=int, default=1, metavar=translate("cli.number"), help=translate("lab.seed")
    )
    parser.add_argument(
        "--out", type=Path, metavar=translate("cli.directory"), help=translate("lab.out")
    )
    parser.add_argument(
        "--from", dest="report", type=Path, metavar="REPORT.json", help=translate("lab.from")
    )
    add_execution(parser)


def run(args: argparse.Namespace) -> int:
    """Run the experiment and write the report; continue an interrupted experiment."""
    if args.report is not None:
        return _write_again(args)
    rules = rules_of(args)
    settings = replace(Settings(seed=args.seed), against=tuple(args.against))
    variants = variants_of(rules, settings.against)
    if args.deep:
        settings = replace(settings, seconds=DEEP_SECONDS)
    if args.budget is not None:
        seconds, memory = read_budget(args.budget)
        settings = replace(settings, seconds=seconds, memory=memory)
    directory = args.out or Path(f"{rules.name}-lab")
    plan = plan_for(rules, settings)
    header = [rules.name, dict(rules.options), asdict(settings), __version__]
    with open_executor(args.workers, args.cluster) as executor:
        journal = Journal(directory / "journal.jsonl", json.loads(json.dumps(header)))
        _announce(rules, settings, plan, len(variants), len(journal))
        try:
            warm(rules)  # compile once, and not in each worker
            with ProgressLine() as line:
                report = run_experiment(rules, settings, executor, journal, line, plan)
        except KeyboardInterrupt:
            print(translate("lab.interrupted", path=directory), file=sys.stderr)
            return INTERRUPTED
    _write(report, directory)
    journal.delete()
    return 0


def _write_again(args: argparse.Namespace) -> int:
    """Write a report that exists already, for example in another language."""
    game_name(args.game)  # loads a game that is given by its path
    try:
        report = Report.from_json(json.loads(args.report.read_text("utf-8")))
    except ValueError as error:
        raise DamierError("lab-report") from error
    _write(report, args.out or args.report.parent)
    return 0


def _announce(
    rules: Rules, settings: Settings, plan: SolvingPlan, variants: int, kept: int
) -> None:
    """Print what will be solved and how long the measurements take."""
    numbers = {"positions": plan.positions, "most": plan.most}
    print(
        translate(
            f"lab.plan.{plan.kind}",
            game=rules.name,
            **{name: text.value(number, "count") for name, number in numbers.items()},
        )
    )
    print(translate("lab.plan", seconds=f"{settings.seconds:g}"))
    if variants:
        print(translate("lab.plan.variants", count=variants))
    if kept:
        print(translate("lab.continues", count=kept))
    sys.stdout.flush()


def _write(report: Report, directory: Path) -> None:
    """Write the report in all formats, and print its summary."""
    content = json.dumps(report.as_json(), indent=1, ensure_ascii=False)
    files.write_text(directory / "report.json", content + "\n")
    markdown.write(report, directory / "report.md")
    html.write(report, directory / "report.html")
    for said in report.summary:
        print(f"- {text.sentence(report, said)}")
    print(translate("lab.written", path=directory / "report.html"))
