"""Explanations of moves: every fact is true, and nothing unproved is claimed."""

from __future__ import annotations

import random
import re
from itertools import islice

import pytest
from fastapi.testclient import TestClient

import damier
from damier import GAMES, Game, i18n
from damier.i18n import LANGUAGES
from damier.learning.puzzles import puzzles
from damier.search import analyse, explain
from damier.search.explanations import Fact
from damier.search.threats import MAX_EXAMINED, may_win, winning_threats
from tests.support.explained_facts import FactChecker, false_facts
from tests.support.http_client import post

pytestmark = pytest.mark.slow

NODES = 4_000


def explained(name: str, position: str, move: str, language: str = "en") -> str:
    game = Game(damier.load_rules(name).position(position))
    with i18n.use_language(language):
        return " ".join(explain(game, move, nodes=NODES).sentences)


def test_a_reply_that_wins_is_named_with_the_rule() -> None:
    said = explained("fraha", "....w/.bb.w/w..b./..b../w.... w", "a3-a2")
    assert said.startswith("It does not stop d3-d4, which wins at once: the figure is complete.")
    said = explained("chefa", "..wb./w..b./w...b/...b./..w.. w -", "a3-a2", "fr")
    assert said.startswith("Ce coup n’empêche pas e3-d3, qui gagne aussitôt\u00a0: quatre pions")


def test_a_capture_is_described_in_the_words_of_the_game() -> None:
    said = explained("seega", "...w./w...b/.b.wb/...../...bw w 0 0 - 3", "d5-c5")
    assert "then catches the pawn on d3 between two." in said
    assert "The search prefers d3-c3" in said
    assert "That is an estimate, not a proof." in said


def test_a_missed_win_is_said_only_if_it_is_proved() -> None:
    said = explained("badia", ".b.bw/b###b/.#b#./w###w/.w.w. b e5 a4 -", "e4=e5")
    assert "c3-c5 would have won, in 5 moves." in said


@pytest.mark.parametrize("name", GAMES)
def test_every_fact_holds(name: str) -> None:
    """In puzzles and in a random game, every fact is found again by trying moves."""
    positions = [Game(puzzle.start) for puzzle in puzzles(name)[::80]]
    rng = random.Random(name)
    game = Game(damier.load_rules(name))
    while not game.over and game.ply < 60:
        game = game.play(rng.choice(game.legal_moves()))
    positions += [game.at(rng.randrange(game.ply)) for _ in range(2)]
    for position in [*positions, game.at(game.ply - 1)]:
        moves = analyse(position, nodes=NODES).moves
        for value in {moves[0], rng.choice(moves)}:
            found = explain(position, value.move.text, nodes=NODES)
            assert found.facts
            assert found.line[0] == found.move == value.move.text
            position.play(*found.line)  # the line is legal
            assert false_facts(position, found, moves) == [], (str(position.position), found.move)


@pytest.mark.parametrize("name", GAMES)
def test_every_motif_has_its_words_and_its_check(name: str) -> None:
    """A motif of the shared texts or of a game reads well with any details, in both languages."""
    details: dict[str, object] = dict.fromkeys(
        ("move", "reply", "threat", "other", "cell", "cells"), "a1"
    )
    details |= {"why": "it captures a pawn.", "reason": "blocked"}
    details |= {"count": 2, "number": 3, "percent": 4, "total": 5}
    for language in LANGUAGES:
        with i18n.use_language(language):
            known = {**i18n.texts(language), **GAMES[name].own_texts(language)}
            keys = [key for key in known if key.startswith("explain.") and "reason" not in key]
            assert len(keys) > 40
            for key in keys:
                motif = key.removeprefix("explain.")
                motif = motif.removesuffix(".one").removesuffix(".other")
                fact = Fact(motif, details)
                said = fact.sentence(name)
                assert said.endswith(".")
                assert not re.search(r"[⟨{}]|\b(your?|vo(s|tre))\b", said), said
                if not motif.startswith("because."):
                    method = "check_" + motif.removesuffix("-several").replace(".", "_").replace(
                        "-", "_"
                    )
                    assert hasattr(FactChecker, method), motif


def test_a_better_move_is_not_praised_for_what_the_played_one_does_too() -> None:
    game = Game(damier.load_rules("badia").position("w.b.b/w###b/.#w#./w###./wbb.. b a2 c5 -"))
    moves = analyse(game, nodes=1_500).moves
    assert false_facts(game, explain(game, "b1=a1", nodes=1_500), moves) == []


def test_a_threat_is_not_called_stopped_where_there_are_too_many_moves_to_examine() -> None:
    position = damier.load_rules("fraha").position(".b.../...b./.w.../w.bb./.w..w b")
    assert len(list(islice(position.ends(), MAX_EXAMINED + 1))) > MAX_EXAMINED
    assert may_win(Game(position))
    assert winning_threats(Game(position)) == []  # and none is claimed


def test_the_refuge_is_named_only_where_it_protects() -> None:
    """With the option `refuge=no` a pawn in the middle can be captured."""
    text = "...w./w...b/.b.wb/...../...bw w 0 0 - 3"
    for option, said in (("yes", True), ("no", False)):
        game = Game(damier.load_rules("seega", refuge=option).position(text))
        found = explain(game, "d3-c3", nodes=NODES)
        assert ("enters-refuge" in {fact.motif for fact in found.facts}) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_explanation_over_http(client: TestClient, language: str) -> None:
    found = post(
        client,
        "explanation",
        game="fraha",
        start="....w/.bb.w/w..b./..b../w.... w",
        turn="a3-a2",
        nodes=NODES,
    )
    assert (found["turn"], found["line"], found["proved"]) == ("a3-a2", ["a3-a2", "d3-d4"], True)
    assert found["sentences"]
    assert post(client, "explanation", 400, game="fraha", turn="a3-a2")["error"]["key"]
