/** Returns a color of the style sheet, for what is drawn on a canvas. */
export function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name);
}
