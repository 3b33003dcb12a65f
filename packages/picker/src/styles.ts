/** Pages set the custom properties, and style the parts. */
export const STYLES = `
:host {
  --_page: var(--stave-background, light-dark(#ffffff, #18191c));
  --_text: var(--stave-text, light-dark(#1a1b1e, #ececea));
  --_muted: var(--stave-muted, light-dark(#5a5d65, #a3a6ae));
  --_line: var(--stave-line, light-dark(#e2e2dd, #2c2e34));
  --_border: var(--stave-border, light-dark(#85888f, #767a84));
  --_accent: var(--stave-accent, light-dark(#3346c8, #a9b6ff));
  --_on-accent: var(--stave-on-accent, light-dark(#ffffff, #14182c));
  --_radius: var(--stave-radius, 8px);
  color-scheme: light dark;
  display: flex;
  flex-direction: column;
  min-width: 0;
  background: var(--_page);
  color: var(--_text);
  font: var(--stave-font, 14px/1.4 system-ui, sans-serif);
  container-type: inline-size;
}
:host([theme="light"]) { color-scheme: light; }
:host([theme="dark"]) { color-scheme: dark; }
:host([hidden]) { display: none; }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
form { display: flex; flex-wrap: wrap; gap: 8px; padding: 12px; border-bottom: 1px solid var(--_line); }
button, input, select { font: inherit; color: inherit; min-height: 32px; border-radius: var(--_radius); }
input[type="search"], select {
  border: 1px solid var(--_border);
  background: var(--_page);
  padding: 4px 8px;
  min-width: 0;
}
input[type="search"] { flex: 1 1 100%; }
select { flex: 1 1 104px; text-overflow: ellipsis; }
.tick { display: flex; align-items: center; gap: 6px; flex: 1 1 auto; min-height: 24px; white-space: nowrap; }
.tick input { min-height: 0; width: 18px; height: 18px; accent-color: var(--_accent); margin: 0; }
input[type="search"]::placeholder { color: var(--_muted); opacity: 1; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.status { display: flex; gap: 8px; align-items: center; margin: 0; padding: 8px 12px; color: var(--_muted); min-height: 36px; }
ul { list-style: none; margin: 0; padding: 0; }
li {
  display: grid;
  grid-template: "artwork play title title title" auto "wave wave wave time select" auto / 44px 36px minmax(0, 1fr) auto auto;
  gap: 4px 10px;
  align-items: center;
  padding: 8px 12px;
  border-bottom: 1px solid var(--_line);
  cursor: grab;
}
li:hover, li[aria-current="true"] { background: color-mix(in srgb, var(--_accent) 8%, var(--_page)); }
img { display: block; border-radius: calc(var(--_radius) / 2); object-fit: cover; background: var(--_line); }
.title { grid-area: title; min-width: 0; }
.name, .meta { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.name { font-weight: 600; }
.meta, .time { color: var(--_muted); font-size: 12px; }
.time { grid-area: time; text-align: end; font-variant-numeric: tabular-nums; }
.select { grid-area: select; }
button { cursor: pointer; border: 1px solid var(--_border); background: transparent; padding: 4px 10px; }
button:disabled { opacity: 0.4; cursor: default; }
.play {
  width: 36px;
  height: 36px;
  padding: 0;
  display: grid;
  place-items: center;
  border-radius: 50%;
  border: 0;
  background: var(--_accent);
  color: var(--_on-accent);
}
.play svg { width: 18px; height: 18px; fill: currentColor; }
.wave { grid-area: wave; position: relative; height: 28px; }
canvas { width: 100%; height: 100%; display: block; color: var(--_accent); caret-color: var(--_border); }
.wave input {
  position: absolute;
  inset: 0;
  width: 100%;
  height: 100%;
  min-height: 0;
  margin: 0;
  opacity: 0;
  cursor: pointer;
}
.wave:has(input:focus-visible) { outline: 2px solid var(--_accent); outline-offset: 2px; }
.more { margin: 12px; align-self: center; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@container (min-width: 560px) {
  li { grid-template: "artwork play title wave time select" auto / 44px 36px minmax(0, 2fr) minmax(80px, 3fr) auto auto; }
  input[type="search"] { flex-basis: 220px; }
}
@media (forced-colors: active) {
  .play { border: 1px solid ButtonText; }
  canvas { color: Highlight; caret-color: CanvasText; }
}
`;
