type Properties = Readonly<Record<string, unknown>>;

/**
 * Makes an element. Properties are set as such; names with a hyphen, `part`, `role` and `class` as attributes. Texts become
 * text nodes: nothing of a catalog is ever parsed as HTML.
 */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Properties = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (/-|^(?:part|role|class)$/.test(key)) made.setAttribute(key, String(value));
    else Object.assign(made, { [key]: value });
  }
  made.append(...children);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';
const SHAPES = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6 4.5h4v15H6zM14 4.5h4v15h-4z',
} as const;

export type Shape = keyof typeof SHAPES;

/** Makes an icon that readers of the screen pass over. */
export function icon(shape: Shape): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', SHAPES[shape]);
  svg.append(path);
  return svg;
}
