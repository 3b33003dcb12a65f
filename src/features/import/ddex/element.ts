/** An element of a message with all that it contains, of which each reader takes what it needs. */
export interface Element {
  name: string;
  line: number;
  attributes: ReadonlyMap<string, string>;
  /** The text directly in the element. */
  text: string;
  children: Element[];
}

/** Returns the elements that a path of names leads to, in order. */
export function elementsAt(element: Element, ...path: readonly string[]): Element[] {
  let found = [element];
  for (const name of path) {
    found = found.flatMap(({ children }) => children.filter((child) => child.name === name));
  }
  return found;
}

/** Returns the trimmed texts at a path, without empty ones. */
export function textsAt(element: Element, ...path: readonly string[]): string[] {
  return elementsAt(element, ...path)
    .map(({ text }) => text.trim())
    .filter((text) => text !== '');
}

/** Returns the first text at a path; undefined if there is none. */
export function textAt(element: Element, ...path: readonly string[]): string | undefined {
  return textsAt(element, ...path)[0];
}

/** Returns the first text that one of the paths finds. */
export function firstTextAt(
  elements: readonly Element[],
  ...paths: readonly (readonly string[])[]
): string | undefined {
  for (const path of paths) {
    for (const element of elements) {
      const text = textAt(element, ...path);
      if (text !== undefined) {
        return text;
      }
    }
  }
  return undefined;
}

/** Whether the element has a flag of this name that is set. XML Schema writes it as `true` or `1`. */
export function isFlagged(element: Element, flag: string): boolean {
  return /^(true|1)$/.test(textAt(element, flag) ?? '');
}
