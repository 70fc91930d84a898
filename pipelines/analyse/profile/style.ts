/** Style sheet of the profile report. */
export const STYLE = `
:root {
  color-scheme: light dark; --paper: #fff; --ink: #1c2230; --muted: #566073; --grid: #dfe3ea;
  --good: #12805c; --thin: #a86400; --bad: #c2333f; --one: #2b62c4; --two: #0b7d93; --three: #8a5bb5;
  --four: #b5466f; --card: #f6f7fa;
}
@media(prefers-color-scheme:dark) {
  :root {
    --paper: #12151c; --ink: #e8ebf2; --muted: #a3adbf; --grid: #343b49; --good: #4fc79b; --thin: #e0a450;
    --bad: #f2767f; --one: #7fa8f5; --two: #57c4d8; --three: #c3a0ea; --four: #ee93b4; --card: #1b202a;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui,sans-serif;
}
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.2rem; margin: 2.75rem 0 .25rem; }
p { max-width: 44rem; margin: .25rem 0 1rem; color: var(--muted); }
p.notice {
  color: var(--ink); background: var(--card); border-left: .25rem solid var(--thin); padding: .6rem .9rem;
}
dl {
  display: grid; grid-template-columns: repeat(auto-fit,minmax(9.5rem,1fr)); gap: .75rem; margin: 1.25rem 0;
}
dl div { background: var(--card); border-radius: .5rem; padding: .6rem .8rem; }
dt { color: var(--muted); font-size: .85rem; }
dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
dd small { display: block; font-size: .8rem; color: var(--muted); }
svg { display: block; width: 100%; height: auto; }
.plot { overflow-x: auto; }
.plot svg { min-width: 34rem; }
details { margin-top: .5rem; }
summary { cursor: pointer; color: var(--muted); }
summary:focus-visible { outline: 2px solid var(--one); outline-offset: 2px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .875rem; margin: .5rem 0; }
th,td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--grid); }
th { color: var(--muted); font-weight: 400; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
code { font-size: .875em; }
@media print {
  details { display: none; }
  section { break-inside: avoid; }
}
`;
