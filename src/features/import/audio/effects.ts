import { parseXml } from '../decode/xml.ts';

/** What the chunks `bext` and `iXML` tell about a sound effect, as written, not yet checked. */
export type EffectTags = NonNullable<Awaited<ReturnType<typeof effectTags>>>;

/**
 * Reads the tags of sound effects of the chunks of a file, by their names. Returns undefined if it has none of
 * these chunks. A chunk that is damaged counts as absent from there on.
 */
export async function effectTags(contents: ReadonlyMap<string, Buffer>) {
  const bext = contents.get('bext');
  const ixml = contents.get('iXML');
  if (bext === undefined && ixml === undefined) {
    return undefined;
  }
  const fields = ixml === undefined ? new Map<string, string>() : await fieldsOf(ixml);
  const first = (...names: string[]) =>
    names.map((name) => fields.get(name)).find((value) => value !== undefined);
  const [full, fullSub] = (first('user.categoryfull') ?? '').split('-', 2);
  return {
    name: first('user.fxname', 'aswg.fxname', 'user.tracktitle', 'user.title', 'aswg.songtitle'),
    /** The id of a category in the Universal Category System, such as `WATRSurf`. */
    catId: first('user.catid', 'aswg.catid'),
    category:
      first('user.category', 'aswg.category', 'steinberg.mediacategorypost') ?? (full || undefined),
    subCategory: first('user.subcategory', 'aswg.subcategory') ?? fullSub,
    userCategory: first('user.usercategory', 'aswg.usercategory'),
    keywords: ['user.keywords', 'aswg.keywords', 'steinberg.mediakeywords'].flatMap((name) =>
      (fields.get(name) ?? '').split(/[,;|\n]/),
    ),
    artist: first('user.designer', 'user.artist', 'user.creator', 'aswg.creator', 'aswg.creatorid'),
    /** `sfx`, `mx` for music, `dx` for dialog. */
    contentType: first('aswg.contenttype', 'user.contenttype'),
    originator: bext && latin(bext, 256, 32),
    /** The day of the recording, `YYYY-MM-DD`. */
    date: bext && dateOf(latin(bext, 320, 10)),
  };
}

function latin(bytes: Buffer, from: number, length: number): string | undefined {
  const text = bytes
    .toString('latin1', from, from + length)
    .split('\0', 1)[0]!
    .trim();
  return text === '' ? undefined : text;
}

/** Programs separate the parts of the date by any of several signs. */
function dateOf(text: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})[-:_./ ](\d\d)[-:_./ ](\d\d)$/.exec(text ?? '') ?? [];
  return year === undefined || year === '0000' ? undefined : `${year}-${month}-${day}`;
}

const MAX_FIELDS = 500;
const MAX_VALUE = 4000;

/** Sections of the document whose fields are read. Each has its own names. */
const SECTIONS = new Set(['user', 'aswg', 'steinberg']);

/** Reads the fields of the sections, by `section.field` in lower case. `STEINBERG` is a list of names and values. */
async function fieldsOf(ixml: Buffer): Promise<Map<string, string>> {
  const fields = new Map<string, string>();
  const open: string[] = [];
  let attribute = '';
  let text = '';
  const take = (field: string) => {
    const section = open[1]!;
    const value = text.trim();
    if (SECTIONS.has(section) && value !== '' && fields.size < MAX_FIELDS) {
      const name = `${section}.${field}`;
      fields.set(name, fields.get(name) ?? value);
    }
  };
  try {
    // Programs pad the chunk with NULs, and some begin it with a byte order mark.
    const end = ixml.indexOf(0);
    const document = end < 0 ? ixml : ixml.subarray(0, end);
    const handler = {
      open({ name }: { name: string }) {
        open.push(name.toLowerCase());
        text = '';
      },
      text(piece: string) {
        text += piece.slice(0, MAX_VALUE - Math.min(MAX_VALUE, text.length));
      },
      close(name: string) {
        const field = name.toLowerCase();
        if (open[1] === 'steinberg' && field === 'name') {
          attribute = text.trim().toLowerCase();
        } else if (open[1] === 'steinberg' && field === 'value') {
          take(attribute);
        } else if (open.length === 3) {
          take(field);
        }
        open.pop();
        text = '';
      },
    };
    for await (const _ of parseXml([document], handler));
  } catch {
    // What was read before the damage stays.
  }
  return fields;
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
) {
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
