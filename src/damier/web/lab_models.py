"""Request and response models of the laboratory."""

from typing import Annotated

from pydantic import BaseModel, Field

from damier.web.models import RulesSelection

MAX_RESULTS = 5000


class LabRunRequest(RulesSelection):
    """A short run of the laboratory, and its results so far."""

    seed: int = Field(default=1, ge=0, lt=1 << 31, description="Equal seeds give equal reports.")
    results: dict[
        Annotated[str, Field(max_length=300)], Annotated[str, Field(max_length=20_000)]
    ] = Field(
        default={}, max_length=MAX_RESULTS, description="All results of earlier answers, unchanged."
    )


class LabTable(BaseModel):
    """A table of a report; the first cell of a row is its heading."""

    title: str
    head: list[str]
    rows: list[list[str]]


class LabPicture(BaseModel):
    """A picture of a report."""

    svg: str
    text: str = Field(description="What it shows, in words.")


class LabSection(BaseModel):
    """A section of a report."""

    title: str
    note: str
    tables: list[LabTable]
    pictures: list[LabPicture]


class LabReport(BaseModel):
    """A report of the laboratory, in the language of the request."""

    title: str
    summary: list[str] = Field(description="Three to six sentences.")
    about: list[str] = Field(description="The rules, and how the figures were obtained.")
    sections: list[LabSection]


class LabRunResponse(BaseModel):
    """New results of a short run, and the report once it is complete."""

    part: float = Field(description="The share of the work that is done.")
    results: dict[str, str]
    report: LabReport | None
