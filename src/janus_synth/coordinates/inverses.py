"""Links of hidden columns: a link in, links that compute its gap, or its date and time of day, from the column out.

Where an intervention sets an end, the gap is what lies between the start and that end, so that columns which depend on
the gap see the new one.
"""

from __future__ import annotations

from janus_synth.coordinates.formulas import CalendarPart, Sum
from janus_synth.coordinates.links import Link
from janus_synth.coordinates.local_time import LocalTime


def inverse_links(link: Link) -> tuple[Link, ...]:
    """Links of the hidden columns that are functions of the column and its visible inputs.

    Whether a value was copied, and which factor gave it, are not among them: a value that is set says neither.

    Examples
    --------
    >>> link = Link("end", Sum((("start", 1.0),)), gap="gap")
    >>> [str(inverse) for inverse in inverse_links(link)]
    ['gap = end - start']
    """
    if link.is_clock:
        date, time = link.parts
        if isinstance(link.formula, LocalTime):
            zone = link.formula.zone
            return tuple(Link(p, CalendarPart(link.column, of, zone)) for p, of in ((date, "date"), (time, "time")))
        of_day = Sum(((link.column, 1.0), (date, -1.0)), decimals=0)
        return Link(date, CalendarPart(link.column, "date")), Link(time, of_day)
    if link.gap is None or not isinstance(link.formula, Sum):
        return ()
    formula = link.formula
    terms = ((link.column, 1.0), *((name, -weight) for name, weight in formula.terms))
    return (Link(link.gap, Sum(terms, -formula.constant + 0.0, formula.decimals), precision=link.precision),)
