import type { Segment } from '../segments/segment.ts';
import type { FoundTracks } from '../sets/label-unions.ts';
import { formsOf, readText } from '../text/text-query.ts';

/**
 * Returns the tracks, live or not, one of whose artists has a name; undefined if there are none. Names are compared by both
 * of their forms, and names without letter or digit character by character.
 */
export function tracksOfArtist({ fields }: Segment, name: string): FoundTracks | undefined {
  const { artists } = fields;
  const lists: Uint32Array[] = [];
  const text = readText(name);
  if (text?.kind === 'literal') {
    const match = artists.literalMatch(text.text);
    const found = artists.containingLiterally(text.text);
    const isEqual = (ordinal: number) => match(ordinal) === 'equal';
    if (found.kind === 'lists') found.each((list) => lists.push(list.filter(isEqual)));
  } else {
    for (const form of formsOf(name)) artists.startingWith(form).equal((list) => lists.push(list));
  }
  const [only, another] = lists.filter((list) => list.length > 0);
  if (only === undefined) return undefined;
  if (another === undefined) return { ordinals: only };
  const all = new Set(lists.flatMap((list) => [...list]));
  return { ordinals: Uint32Array.from(all).sort() };
}
