/** The style of the guides. It is a separate file, so that their policy can forbid inline styles. */
export const GUIDE_STYLE = `
:root {
  color-scheme: light dark; --line: light-dark(#d5d5d0, #3a3c42); --link: light-dark(#1e40af, #93b4ff);
  --soft: light-dark(#f3f3f0, #1f2126); --quiet: light-dark(#55585f, #a9acb3); --mark: light-dark(#ffe58a, #473a00);
}
* { box-sizing: border-box; }
body {
  margin: 0; font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word;
  background: light-dark(#fdfdfc, #17181b); color: light-dark(#1c1d20, #e8e8e6);
}
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
header {
  display: flex; flex-wrap: wrap; gap: .5rem 1.25rem; align-items: center;
  padding: .75rem 1.25rem; border-bottom: 1px solid var(--line);
}
header .home { font-weight: 600; text-decoration: none; color: inherit; }
header form { display: flex; gap: .5rem; margin-left: auto; max-width: 100%; }
header label span, .skip:not(:focus) { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
input, button { font: inherit; padding: .3rem .6rem; border: 1px solid var(--quiet); border-radius: .4rem; background: var(--soft); color: inherit; }
input { min-width: 0; width: 12rem; }
.columns { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
main { min-width: 0; max-width: 46rem; padding: 1.5rem 0 2rem; }
main:focus { outline: none; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.25rem 0 .5rem; }
h3 { font-size: 1.1rem; margin: 1.75rem 0 .4rem; }
.here { margin-left: .4rem; text-decoration: none; opacity: 0; }
:is(h2, h3, h4):hover .here { opacity: 1; }
:target { scroll-margin-top: 1rem; }
code { font: .92em ui-monospace, monospace; overflow-wrap: anywhere; }
pre { overflow-x: auto; padding: .8rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--soft); line-height: 1.45; }
pre code { overflow-wrap: normal; }
.table { overflow-x: auto; margin: 1rem 0 1.5rem; }
table { border-collapse: collapse; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; min-width: 6rem; }
td code { overflow-wrap: normal; }
mark { background: var(--mark); color: inherit; border-radius: .2rem; }
.cards, .results { list-style: none; padding: 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.cards a, .results a { font-weight: 600; }
.cards span, .results span { display: block; }
.results .where { color: var(--quiet); }
#contents { padding: 1rem 0 2rem; border-top: 1px solid var(--line); }
#contents h2 { font-size: .95rem; margin: 1.25rem 0 .25rem; color: var(--quiet); }
#contents ul { list-style: none; margin: 0; padding: 0; }
#contents a { display: block; padding: .2rem .5rem; border-radius: .3rem; text-decoration: none; }
#contents a:hover { text-decoration: underline; }
#contents [aria-current] { background: var(--soft); font-weight: 600; color: inherit; }
.neighbors { display: flex; flex-wrap: wrap; gap: 1rem; justify-content: space-between; margin-top: 3rem; }
.neighbors span { display: block; color: var(--quiet); }
.neighbors [rel="next"] { text-align: right; margin-left: auto; }
footer { padding: 1rem 1.25rem 2rem; border-top: 1px solid var(--line); }
@media (min-width: 60rem) {
  .columns { display: grid; grid-template-columns: 15rem minmax(0, 1fr); gap: 3rem; }
  main { grid-column: 2; grid-row: 1; }
  #contents { grid-column: 1; grid-row: 1; border-top: 0; }
  header .contents { display: none; }
}
@media print { header, #contents, .neighbors, .here { display: none; } }
`;
