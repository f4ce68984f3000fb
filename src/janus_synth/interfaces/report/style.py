"""What a report adds to the style of all pages."""

from janus_synth.interfaces.report.gauge import ZONES

STYLE = f"""
.verdict {{ font-size: clamp(1.2rem, 2.6vw, 1.5rem); line-height: 1.4; max-width: 52rem; margin: .2rem 0 1.4rem; }}
p, .card h3 {{ overflow-wrap: anywhere; }}
.card {{ break-inside: avoid; }}
.card h3 {{ font-size: .95rem; font-weight: 600; margin: 0 0 .5rem; display: flex; justify-content: space-between;
  align-items: baseline; gap: .6rem; }}
.card b {{ font-size: 2.1rem; }}
.card p {{ color: var(--muted); font-size: .92rem; line-height: 1.45; margin: .3rem 0 0; }}
h3 {{ font-size: 1.08rem; margin: 1.6rem 0 .3rem; }}
p .grade {{ vertical-align: .08em; margin-right: .3em; }}
div.wide {{ margin: .6rem 0 1.4rem; }} figure div.wide {{ margin: 0; }}
.grade {{ font-style: normal; font-size: .8rem; font-weight: 600; letter-spacing: 0; border-radius: 1em;
  padding: .1em .7em .15em; white-space: nowrap; color: var(--ink); background: #e6eaee; }}
.grade.good {{ background: {ZONES["good"]}; }} .grade.fair {{ background: {ZONES["fair"]}; }}
.grade.poor {{ background: {ZONES["poor"]}; }}
.gauge {{ padding: .4rem 7px 0; }}
.gauge svg {{ display: block; }}
.small {{ font-size: .9rem; color: var(--muted); max-width: none; }}
.key .round {{ border-radius: 50%; }}
.key .ring {{ border: 2.5px solid; background: #fff; }}
.key .line {{ width: 2px; height: 1em; border-radius: 0; background: var(--ink); vertical-align: -.1em; }}
.note p {{ margin: .3rem 0; max-width: none; }}
.note {{ max-width: 52rem; margin: 1rem 0; }}
.wide td svg {{ height: 12px; margin-top: .25em; }}
@media (min-width: 1000px) {{
  .cards.five {{ grid-template-columns: repeat(6, 1fr); }}
  .cards.five .card {{ grid-column: span 2; }}
  .cards.five .card:nth-child(-n+2) {{ grid-column: span 3; }}
}}
@media print {{
  body {{ font-size: 11pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }}
  section {{ break-inside: auto; }}
  h2, h3 {{ break-after: avoid; }}
  .flow > div, .pair > div, tr, .note {{ break-inside: avoid; }}
  .wide {{ overflow: visible; }}
  .wide svg {{ max-width: 100%; }}
  table {{ font-size: 8.5pt; }}
  th, td {{ padding: .3rem .45rem; }}
  th {{ white-space: normal; }}
  .wide td svg {{ width: 80px; height: 9px; }}
  .flow {{ grid-template-columns: repeat(2, 1fr); }}
  pre {{ white-space: pre-wrap; overflow-wrap: anywhere; }}
}}
"""
