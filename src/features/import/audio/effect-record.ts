import type { EffectTags } from './effect-tags.ts';

/** What makes a record of a sound effect of the tags of a file. */
export interface Effect {
  name: string | undefined;
  artist: string | undefined;
  categories: string[];
  tags: string[];
  date: string | undefined;
}

/** A CatID in a chunk, which says that it is one. */
const CAT_ID = /^[A-Za-z]{4,10}$/;
/** A CatID in a file name: the category in upper case, then the subcategory. */
const NAMED_CAT_ID = /^(?=.{4,9}$)[A-Z]{3,6}[a-z]+$/;
/** Programs and devices write their own name as the originator. */
const PROGRAM =
  /pro ?tools|reaper|nuendo|cubase|wavelab|logic|soundminer|basehead|audition|adobe|audacity|ableton|izotope|ffmpeg|lavf|sound ?devices|tascam|zoom|sony|nagra|aaton|recorder|sadie|pyramix|twisted ?wave|sound ?forge/i;

/** Words of the Universal Category System that say nothing. */
const NO_CATEGORY = new Set(['MISC', 'MISCELLANEOUS', 'GENERAL', 'OTHER']);

/**
 * Decides whether a file is a sound effect, and returns what makes its record; undefined for other
 * audio. It is one if its tags say so (a CatID, or the content type `sfx`), or if it has no tags of
 * music and its name is in the form of the Universal Category System:
 * `CATID_FXName_Creator_Source`.
 */
export function effectOf(
  tags: EffectTags | undefined,
  { fileName, isMusic }: { fileName: string; isMusic: boolean },
): Effect | undefined {
  const contentType = tags?.contentType?.trim().toLowerCase();
  const named = contentType === undefined ? namedEffect(fileName) : undefined;
  const tagged = tags?.catId !== undefined && CAT_ID.test(tags.catId) ? tags.catId : undefined;
  const isEffect =
    contentType === undefined
      ? tagged !== undefined || (named !== undefined && !isMusic)
      : contentType === 'sfx';
  if (!isEffect) {
    return undefined;
  }
  const catId = tagged ?? named?.catId;
  const { category, subCategory, userCategory, keywords = [], originator } = tags ?? {};
  const words = [...keywords, userCategory ?? named?.userCategory, catId];
  return {
    name: tags?.name ?? named?.name,
    artist: tags?.artist ?? (PROGRAM.test(originator ?? '') ? undefined : originator),
    categories: [category, subCategory].flatMap((word) => categoryName(word) ?? []),
    tags: words.filter((word) => word !== undefined && word.trim() !== '') as string[],
    date: tags?.date,
  };
}

/** `WATER` becomes `Water`, as catalogs write their genres. */
function categoryName(word: string | undefined): string | undefined {
  const text = word?.trim() ?? '';
  if (text === '' || NO_CATEGORY.has(text.toUpperCase())) {
    return undefined;
  }
  return text === text.toUpperCase()
    ? text.toLowerCase().replace(/(^|[\s&/-])(\p{L})/gu, (whole) => whole.toUpperCase())
    : text;
}

/** Reads a file name such as `WATRSurf-Night_Calm Waves_ABC_Lib1`. */
function namedEffect(fileName: string) {
  const [first = '', name = '', ...rest] = fileName.split('_');
  const [catId = '', userCategory] = first.split('-', 2);
  return NAMED_CAT_ID.test(catId) && name.trim() !== '' && rest.length >= 2
    ? { catId, userCategory, name: name.trim() }
    : undefined;
}
