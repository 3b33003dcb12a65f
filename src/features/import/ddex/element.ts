import { UnreadableError } from '../decode/decoded.ts';
import type { XmlElement, XmlHandler } from '../decode/xml.ts';

export interface Element {
  name: string;
  line: number;
  attributes: ReadonlyMap<string, string>;
  /** The text directly in the element. */
  text: string;
  children: Element[];
}

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

export function textAt(element: Element, ...path: readonly string[]): string | undefined {
  return textsAt(element, ...path)[0];
}

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

const MAX_ELEMENTS = 100_000;
/** The characters of one text that are kept. The check of a value rejects a text that was cut. */
const MAX_TEXT = 10_000;
const MAX_TEXTS = 4 * 1024 * 1024;

/** The lists of a message, whose entries are read one by one. */
const LISTS: ReadonlySet<string> = new Set([
  'NewReleaseMessage',
  'PurgeReleaseMessage',
  'PartyList',
  'ResourceList',
  'ReleaseList',
  'DealList',
  'ReleaseDeal',
]);

/** What reads the parts of a message, by their names. */
export type PartReaders = Readonly<Record<string, (part: Element) => void>>;

const ATTRIBUTES: readonly string[] = [
  'IsDefault',
  'SequenceNumber',
  'TitleType',
  'UserDefinedValue',
];

/**
 * Builds each part of a message for whose name there is a reader, calls that with it, and forgets it. Throws
 * UnreadableError for a part that is too large to be meant.
 */
export class ElementReader implements XmlHandler {
  readonly #readers: PartReaders;
  readonly #onList: (name: string) => void;
  /** The open elements of the current part; empty outside of one. */
  #open: Element[] = [];
  #skipped = 0;
  #elements = 0;
  #characters = 0;

  constructor(readers: PartReaders, onList: (name: string) => void = () => {}) {
    this.#readers = readers;
    this.#onList = onList;
  }

  open({ name, attributes, line }: XmlElement): void {
    if (this.#skipped > 0) {
      this.#skipped++;
      return;
    }
    const parent = this.#open.at(-1);
    if (parent === undefined) {
      if (Object.hasOwn(this.#readers, name)) {
        this.#elements = 0;
        this.#characters = 0;
        this.#open.push(elementOf(name, attributes, line));
      } else if (LISTS.has(name)) {
        this.#onList(name);
      } else {
        this.#skipped = 1;
      }
      return;
    }
    if (++this.#elements > MAX_ELEMENTS) {
      throw this.#tooLarge(line, `${MAX_ELEMENTS} elements`);
    }
    const element = elementOf(name, attributes, line);
    parent.children.push(element);
    this.#open.push(element);
  }

  text(text: string): void {
    const element = this.#open.at(-1);
    if (this.#skipped > 0 || element === undefined || element.text.length >= MAX_TEXT) {
      return;
    }
    const kept = text.slice(0, MAX_TEXT);
    this.#characters += kept.length;
    if (this.#characters > MAX_TEXTS) {
      throw this.#tooLarge(element.line, `${MAX_TEXTS / 1024 / 1024} Mi characters`);
    }
    element.text += kept;
  }

  close(): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    const element = this.#open.pop();
    if (element !== undefined && this.#open.length === 0) {
      this.#readers[element.name]!(element);
    }
  }

  #tooLarge(line: number, limit: string): UnreadableError {
    const part = this.#open[0]!.name;
    return new UnreadableError(line, `a ${part} has more than ${limit}; the message was not read`);
  }
}

function elementOf(name: string, attributes: XmlElement['attributes'], line: number): Element {
  const kept = new Map<string, string>();
  for (const attribute of ATTRIBUTES) {
    const value = attributes[attribute];
    if (value !== undefined) {
      kept.set(attribute, value.slice(0, MAX_TEXT));
    }
  }
  return { name, line, attributes: kept.size === 0 ? NONE : kept, text: '', children: [] };
}

const NONE: ReadonlyMap<string, string> = new Map();
