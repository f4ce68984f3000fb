"""A certificate in, one HTML page to print out: no script, nothing loaded from elsewhere, every text escaped."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from janus_synth.fairness.certificate import WORLDS, Certificate, EffectRecord, Rate, Record, kinds_of

INK, MUTED, FAINT, BLUE, VERMILION = "#1f2933", "#5a6675", "#dde2e8", "#0072B2", "#D55E00"
BARS = {"learnt": ("#fff", MUTED), "fair": (BLUE, BLUE), "biased": (VERMILION, VERMILION)}
"""Fill and outline; each bar also has its world's name beside it."""
WIDTH, HEIGHT, PAD = 240, 18, 18
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)

BASELINES = {
    "fair": "outcomes, and mediators of biases, ignore the protected columns. Other columns may still depend on them, "
    "so that a gap can remain in the fair world.",
    "neutral": "nothing depends on the protected columns, so that any gap beyond chance was planted.",
    "learnt": "the world as it was learnt. The biases come on top, and “fair” below only means “without them”.",
}

STYLE = f"""
@page {{ size: A4; margin: 15mm; @bottom-right {{ content: counter(page) " / " counter(pages); font: 11px Arial; }} }}
* {{ box-sizing: border-box; }}
body {{ margin: 0; background: #f5f7f9; color: {INK}; font: 14px/1.5 Helvetica, Arial, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; -webkit-print-color-adjust: exact; print-color-adjust: exact; }}
main {{ max-width: 790px; margin: 2rem auto; padding: 2.6rem 54px; background: #fff; border: 1px solid {FAINT}; }}
header {{ padding-top: 20px; background: linear-gradient(90deg, {BLUE} 50%, {VERMILION} 50%) 0 0/100% 5px no-repeat; }}
h1 {{ font-size: 30px; line-height: 1.15; letter-spacing: -.02em; margin: 0 0 1rem; }}
h2 {{ font-size: 18px; letter-spacing: -.01em; margin: 1.9rem 0 .3rem; }} h2, h3 {{ break-after: avoid; }}
h3 {{ font-size: 14px; margin: 0 0 .2rem; }} p, ol {{ margin: .3rem 0 .6rem; }} ol {{ padding-left: 1.3rem; }}
dl {{ display: flex; flex-wrap: wrap; justify-content: space-between; gap: .4rem 1rem; margin: 0 0 .7rem; }}
dd {{ margin: 0; font-size: 19px; font-weight: 600; }} svg {{ display: block; }}
small, dt {{ color: {MUTED}; font-size: 12px; font-weight: 400; line-height: 1.4; }}
figure {{ margin: .9rem 0 1.2rem; overflow-x: auto; }} figure, table, tbody, tr, li {{ break-inside: avoid; }}
table {{ width: 100%; border-collapse: collapse; font-size: 13px; line-height: 1.35; }}
th, td {{ padding: .4rem .9rem .4rem 0; text-align: left; vertical-align: top; }}
th:last-child, td:last-child {{ padding-right: 0; }} th small, td small {{ display: block; }}
th, td, h3, dd, li {{ overflow-wrap: anywhere; }} tbody, tr {{ border-bottom: 1px solid {FAINT}; }}
thead th {{ color: {MUTED}; vertical-align: bottom; border-bottom: 1px solid {MUTED}; overflow-wrap: normal; }}
.number {{ text-align: right; }} td.number, .worlds td {{ white-space: nowrap; }} th {{ font-weight: 600; }}
.biases th:nth-child(-n+2) {{ width: 23%; }} .biases th:nth-child(3) {{ width: 17%; }}
.worlds tr {{ border: 0; }} .worlds th:last-child {{ width: 62px; }} .worlds td[rowspan] {{ vertical-align: middle; }}
.worlds tbody > tr > * {{ padding-top: 0; padding-bottom: 0; line-height: {HEIGHT}px; }}
.worlds tbody::before, .worlds tbody::after {{ content: ""; display: block; height: 4px; }}
.worlds .picture {{ width: {WIDTH}px; padding: 0; }}
code {{ font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }}
ul {{ columns: 3 12rem; column-gap: 1.6rem; list-style: none; padding: 0; margin: .3rem 0 .8rem; font-size: 13px; }}
ul li {{ padding-left: 1em; text-indent: -1em; line-height: 1.4; margin-bottom: .15rem; }}
@media print {{ body {{ background: #fff; }} main {{ max-width: none; margin: 0; padding: 0; border: 0; zoom: .9; }} }}
"""

READING = """<h2>How to read this</h2>
<p>Three worlds are compared. <b>Learnt</b>: rows as the model draws them. <b>Fair</b>: rows of the baseline, before any
bias. <b>Biased</b>: the same rows with the biases planted. The size of a bias is a share: of those who are hit and have
the favourable outcome, so many lose it. A negative size gives it to so many of those who do not have it.</p>
<p>A positive effect is a disadvantage of the unprivileged. The <b>direct</b> effect is what the outcome itself makes of
the protected columns, the <b>indirect</b> one is what comes by way of other columns, and the <b>total</b> is their sum.
<b>Through</b> a mediator alone: only this mediator sees the columns as the unprivileged. Intervals tell how exact the
simulation is, not whether the graph is right.</p>"""

CHECKING = """<h2>How to check this</h2>
<ol><li>In the table, <code>turned</code> marks the {turned:,} rows with an outcome turned. For every column that has
changed, <code>fair_&lt;column&gt;</code> stands beside the biased one.</li>
<li>Count the favoured of a group by the outcome and by its fair column: these are its biased and its fair share.</li>
<li>With one bias, take those who are hit and eligible by the fair columns, and count the outcomes turned. With several,
each starts from what those before it left.</li>
<li>The same model, biases, seed and version give the same table.</li></ol>"""


def certificate_page(certificate: Certificate) -> str:
    """A page that stands alone."""
    parts = [part(certificate) for part in (_head, _biases, _rates, _effects, _rules, _graph)]
    body = "\n".join([*parts, READING, CHECKING.format(turned=certificate.n_turned)])
    return f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Certificate of planted bias</title><style>{STYLE}</style></head>
<body><main>
{body}
</main></body>
</html>
"""


def _head(its: Certificate) -> str:
    facts = {"Rows": f"{its.n_rows:,}", "With an outcome turned": f"{its.n_turned:,}", "Baseline": its.baseline}
    facts |= {"Seed": str(its.seed), "Version of janus-synth": its.version}
    shown = "".join(f"<div><dt>{name}</dt><dd>{escape(text)}</dd></div>" for name, text in facts.items())
    meaning = f"<p>Baseline <b>{escape(its.baseline)}</b>: {BASELINES.get(its.baseline, '')}</p>"
    return f"<header><h1>Certificate of planted bias</h1>\n<dl>{shown}</dl>\n{meaning}</header>"


def _biases(its: Certificate) -> str:
    heads = _heads("Who is hit", "Outcome", "Path", "Asked", "Realised", "Turned of eligible", "Rows moved", texts=3)
    return f"""<h2>Biases, in the order of planting</h2>
<table class="biases"><thead><tr>{heads}</tr></thead><tbody>{"".join(map(_bias_row, its.records))}</tbody></table>
<p><small>Eligible: those who are hit and have an outcome to turn, after the biases above. Turned: net of outcomes that
turned the other way.</small></p>"""


def _bias_row(record: Record) -> str:
    who = _noted(record.hit, f"{record.n_hit:,} rows", f"privileged: {record.privileged}")
    what = _noted(record.bias.outcome, f"favourable: {record.favourable}")
    path = "direct" if record.bias.is_direct else f"through {record.bias.path}"
    path = _noted(path, f"better half: {record.better}" if record.better else "")
    done = "favourable" if record.asked < 0 else "unfavourable"
    turned = _noted(f"{record.n_turned:,} of {record.n_eligible:,}", f"made {done}")
    sizes = (_number(100 * record.asked, "g", " %"), _number(100 * record.realised, ".2f", " %"))
    return f"<tr><td>{who}</td><td>{what}</td><td>{path}</td>{_cells(*sizes, turned, f'{record.n_moved:,}')}</tr>"


def _rates(its: Certificate) -> str:
    heads = _heads("Group", "World", "Favoured", _axis(SHARES, " %"), "Change", texts=2)
    parts = ["<h2>Share favoured, by group</h2>\n<p>Change: biased less fair, in percentage points.</p>"]
    for outcome, favourable in dict.fromkeys((rate.outcome, rate.favourable) for rate in its.rates):
        blocks = [_rate_block(rate) for rate in its.rates if (rate.outcome, rate.favourable) == (outcome, favourable)]
        parts.append(_figure(outcome, favourable, heads, blocks))
    return "\n".join(parts)


def _rate_block(rate: Rate) -> str:
    shares = {world: float(getattr(rate, world)) for world in WORLDS}
    numbers = [_cells(_number(100 * share, ".1f", " %")) for share in shares.values()]
    pictures = [_bar(SHARES, world, share) for world, share in shares.items()]
    return _block(_noted(rate.group, f"{rate.n:,} rows"), numbers, pictures, _points(rate.biased - rate.fair))


def _effects(its: Certificate) -> str:
    title = "<h2>Effects of protected columns</h2>"
    if not its.effects:
        return f"{title}\n<p>Effects were not simulated for this certificate.</p>"
    ticks = _ticks_for(end for e in its.effects for kind in kinds_of(e) for one in _estimates(e, kind) for end in one)
    heads = _heads("Effect", "World", "Value", "95 % interval", _axis(ticks), "Planted", texts=2)
    meaning = "How much larger the share favoured is for the privileged, by intervention on the graph"
    parts = [f"{title}\n<p>{meaning}, in percentage points. Planted: biased less fair.</p>"]
    for effect in its.effects:
        blocks = [_effect_block(effect, kind, ticks) for kind in kinds_of(effect)]
        parts.append(_figure(f"{' and '.join(effect.protected)} on {effect.outcome}", effect.favourable, heads, blocks))
    return "\n".join(parts)


def _estimates(effect: EffectRecord, kind: str) -> list[tuple[float, float, float]]:
    """Value, low and high in each world."""
    found = [effect.estimate(world, kind) for world in WORLDS]
    return [(one["value"], one["low"], one["high"]) for one in found]


def _effect_block(effect: EffectRecord, kind: str, ticks: Sequence[float]) -> str:
    estimates = _estimates(effect, kind)
    numbers = [_cells(_points(value), f"{_points(low)} to {_points(high)}") for value, low, high in estimates]
    pictures = [_bar(ticks, world, *estimate) for world, estimate in zip(WORLDS, estimates, strict=True)]
    return _block(escape(kind), numbers, pictures, _points(effect.planted(kind)))


def _rules(its: Certificate) -> str:
    parts = ["<h2>What holds in every row, fair and biased</h2>"]
    for name, texts in (("Rules of the model", its.rules), ("Conditions of this table", its.where)):
        items = "".join(f"<li><code>{escape(text)}</code></li>" for text in texts)
        parts.append(f"<h3>{name}</h3>" + (f"<ul>{items}</ul>" if items else "<p>None were given.</p>"))
    return "\n".join(parts)


def _graph(its: Certificate) -> str:
    given = "It was given, or vouched for, by whoever planted the biases. Effects are as right as it is."
    learnt = "It was <b>learnt</b> from data: it says how rows are drawn and is no causal claim, nor are the effects."
    parents: dict[str, list[str]] = {}
    for parent, child in its.graph:
        parents.setdefault(child, []).append(escape(parent))
    items = "".join(f"<li><b>{escape(child)}</b> ← {', '.join(several)}</li>" for child, several in parents.items())
    origin = f"<p>Number of arrows: {len(its.graph):,}. {given if its.graph_given else learnt}</p>"
    return f"<h2>The graph</h2>\n{origin}\n" + (f"<ul>{items}</ul>" if items else "")


def _ticks_for(values: Iterable[float]) -> list[float]:
    """Ticks of an axis that holds all values, and zero."""
    known = [0.0, 0.005, *(value for value in values if not math.isnan(value))]
    low, high = min(known), max(known)
    step = next((s for s in (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if high - low <= 5 * s), high - low)
    return [i * step for i in range(math.floor(low / step), math.ceil(high / step) + 1)]


def _x(ticks: Sequence[float], value: float) -> float:
    """Where a value stands on an axis."""
    return round(PAD + (WIDTH - 2 * PAD) * (value - ticks[0]) / (ticks[-1] - ticks[0]), 1)


def _axis(ticks: Sequence[float], unit: str = "") -> str:
    style = f'y="14" text-anchor="middle" font-size="11" font-weight="400" fill="{MUTED}"'
    return _svg(f'<text x="{_x(ticks, t)}" {style}>{_number(100 * t, ".3g", unit)}</text>' for t in ticks)


def _bar(ticks: Sequence[float], world: str, value: float, low: float = math.nan, high: float = math.nan) -> str:
    """A bar from zero, with its interval where there is one."""
    zero, grid = _x(ticks, 0.0), "".join(f"M{_x(ticks, tick)} 0V{HEIGHT}" for tick in ticks)
    marks = [f'<path d="{grid}" stroke="{FAINT}"/><path d="M{zero} 0V{HEIGHT}" stroke="{MUTED}"/>']
    if not math.isnan(value):
        left, right = sorted((zero, _x(ticks, value)))
        size, (fill, edge) = f'x="{left}" y="4" width="{right - left:.1f}" height="10"', BARS[world]
        marks.append(f'<rect {size} fill="{fill}" stroke="{edge}"/>')
    if not math.isnan(low + high):
        a, b = _x(ticks, low), _x(ticks, high)
        marks.append(f'<path d="M{a} 6V12M{a} 9H{b}M{b} 6V12" stroke="{INK}"/>')
    return _svg(marks)


def _svg(marks: Iterable[str]) -> str:
    return f'<svg width="{WIDTH}" height="{HEIGHT}" aria-hidden="true">{"".join(marks)}</svg>'


def _heads(*names: str, texts: int) -> str:
    """Headings: a few of texts, then of numbers and pictures."""
    kinds = ("text" if i < texts else "picture" if "<svg" in name else "number" for i, name in enumerate(names))
    return "".join(f'<th class="{kind}">{name}</th>' for kind, name in zip(kinds, names, strict=True))


def _figure(title: str, favourable: str, heads: str, blocks: Iterable[str]) -> str:
    return f"""<figure><h3>{escape(title)} <small>favourable: {escape(favourable)}</small></h3>
<table class="worlds"><thead><tr>{heads}</tr></thead>{"".join(blocks)}</table></figure>"""


def _block(label: str, numbers: Sequence[str], pictures: Sequence[str], gap: str) -> str:
    """A line for each world."""
    cells = zip(WORLDS, numbers, pictures, strict=True)
    lines = [f'<td>{world}</td>{number}<td class="picture">{picture}</td>' for world, number, picture in cells]
    lines[0] = f'<th rowspan="3">{label}</th>{lines[0]}<td rowspan="3" class="number"><b>{gap}</b></td>'
    return f"\n<tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody>"


def _cells(*numbers: str) -> str:
    return "".join(f'<td class="number">{number}</td>' for number in numbers)


def _noted(text: str, *notes: str) -> str:
    return escape(text) + "".join(f"<small>{escape(note)}</small>" for note in notes if note)


def _number(value: float, form: str, unit: str = "") -> str:
    """A number as it is printed: a dash if there is none, no sign before zero."""
    text = format(value, form)
    return "–" if math.isnan(value) else (text if float(text) else text.lstrip("+-")).replace("-", "−") + unit


def _points(difference: float) -> str:
    return _number(100 * difference, "+.1f")
