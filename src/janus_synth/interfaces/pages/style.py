"""How all pages look: one style sheet, wide screens, narrow ones and paper."""

from __future__ import annotations

from janus_synth.interfaces.pictures import REAL, SYNTHETIC

STYLE = f"""
:root {{ --ink: #1f2933; --muted: #5a6675; --line: #dde2e8; --soft: #f5f7f9; --real: {REAL}; --syn: {SYNTHETIC}; }}
* {{ box-sizing: border-box; }}
html {{ -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }}
body {{ margin: 0; background: #fff; color: var(--ink); font: 17px/1.6 system-ui, -apple-system, "Segoe UI", Roboto,
  "Helvetica Neue", "Liberation Sans", Arial, sans-serif; }}
main, header, footer {{ max-width: 1120px; margin: 0 auto; padding: 0 1.25rem; }}
header {{ padding-top: 3rem; }}
h1 {{ font-size: clamp(1.8rem, 4.5vw, 2.6rem); line-height: 1.15; margin: 0 0 .6rem; letter-spacing: -.02em; }}
h2 {{ font-size: 1.45rem; line-height: 1.25; margin: 0 0 .5rem; letter-spacing: -.01em; }}
p, ul, ol {{ max-width: 44rem; margin: .5rem 0 1rem; }}
li {{ margin: .35rem 0; }}
section {{ padding: 2.2rem 0 .6rem; border-top: 1px solid var(--line); margin-top: 2rem; }}
section:first-child {{ border-top: 0; margin-top: 0; padding-top: .8rem; }}
.lead {{ font-size: 1.15rem; color: var(--muted); }}
nav {{ margin: 1.2rem 0 0; font-size: .92rem; line-height: 2; }}
nav a {{ margin-right: 1rem; white-space: nowrap; }}
a {{ color: #00598c; text-underline-offset: 2px; }}
.cards {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr));
  gap: .9rem; margin: 1rem 0; }}
.card {{ background: var(--soft); border-radius: 10px; padding: 1rem 1.1rem; }}
.card b {{ display: block; font-size: 1.75rem; line-height: 1.2; letter-spacing: -.02em;
  font-variant-numeric: tabular-nums; }}
.card span {{ display: block; color: var(--muted); font-size: .92rem; line-height: 1.45; margin-top: .25rem; }}
figure {{ margin: 1.2rem 0; }}
figcaption {{ max-width: 44rem; color: var(--muted); font-size: .95rem; margin-top: .6rem; }}
.wide {{ overflow-x: auto; -webkit-overflow-scrolling: touch; }}
.wide svg {{ display: block; max-width: none; height: auto; }}
.flow {{ display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)); gap: 1.1rem .8rem; }}
.pair {{ display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)); gap: 1.4rem 1rem; }}
.flow svg, .pair svg {{ display: block; max-width: 100%; height: auto; }}
.key i {{ display: inline-block; width: .85em; height: .85em; border-radius: 2px; margin: 0 .35em 0 0; }}
.key span {{ margin-right: 1.1em; white-space: nowrap; }}
table {{ border-collapse: collapse; font-size: .9rem; line-height: 1.4; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .42rem .8rem; text-align: left; border-bottom: 1px solid var(--line); vertical-align: top; }}
th {{ color: var(--muted); font-weight: 600; white-space: nowrap; }}
td.number, th.number {{ text-align: right; white-space: nowrap; }}
.rows td {{ white-space: nowrap; }}
.rows td:first-child {{ color: var(--muted); font-weight: 600; }}
td.null {{ color: #8a94a0; font-style: italic; }}
code, pre {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace;
  font-size: .88rem; }}
pre {{ background: var(--soft); border-radius: 10px; padding: 1rem 1.1rem; overflow-x: auto; line-height: 1.6; }}
.decision {{ border-left: 3px solid var(--real); padding: .1rem 0 .1rem 1rem; margin: 1rem 0; max-width: 50rem; }}
.decision p {{ margin: .15rem 0; max-width: none; }}
.note {{ background: #fff8e6; border-radius: 10px; padding: .8rem 1.1rem; }}
footer {{ color: var(--muted); font-size: .9rem; padding-top: 2rem; padding-bottom: 3rem; }}
@media print {{ nav {{ display: none; }} section {{ break-inside: avoid; }} }}
"""
