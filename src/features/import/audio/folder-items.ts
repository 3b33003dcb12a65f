import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { derivedId } from '../../../common/ids.ts';
import { AUDIO_EXTENSIONS } from '../../../engines/blobs/content-types.ts';
import { AI_SHARES } from '../../../engines/search/catalog-index.ts';
import { parseReleaseDate } from '../canonical/release-date.ts';
import { trackMaker } from '../canonical/track.ts';
import { canonicalIsrc } from '../canonical/values.ts';
import { type Item, inBatches } from '../item.ts';
import type { ReadContext } from '../options.ts';
import { describe } from '../record.ts';
import { effectOf } from './effects.ts';
import { FileProblem } from './file-problem.ts';
import { type AudioFile, audioFile, filesBelow, titleOf } from './folder.ts';
import type { AudioTags } from './read-tags.ts';

/** More genres or moods than this are probably not genres or moods. */
const MAX_WORDS = 30;

const MAX_TAGS = 100;

/** What ripping programs write for unknown values. */
const PLACEHOLDER = /^(unknown|unknown (artist|genre|album artist|composer)|<unknown>)$/i;

/**
 * Makes an import record of the tags of an audio file. A tag that is invalid in a record (such as a
 * meaningless date, tempo or ISRC) counts as absent, because the audio matters more than its tags.
 * A file without a title is named by its file name. A sound effect has the type `sfx`, any other file
 * `music`.
 */
export function taggedRecord(
  tags: AudioTags,
  { externalId, fileName }: { externalId: string; fileName: string },
): Record<string, unknown> {
  const effect = effectOf(tags.effect, { fileName, isMusic: isMusic(tags) });
  const credits = creditsOf(tags);
  const artist = clean(effect?.artist);
  return {
    externalId,
    type: effect === undefined ? 'music' : 'sfx',
    ai: AI_SHARES.find((share) => share === String(tags.ai).trim().toLowerCase()),
    name: clean(effect?.name) ?? clean(tags.title) ?? fileName,
    durationSeconds: tags.durationSeconds,
    bpm: tags.bpm !== undefined && tags.bpm > 0 && tags.bpm <= 1000 ? tags.bpm : undefined,
    songKey: songKeyOf(tags.key),
    releaseDate: dateOf(tags.date) ?? dateOf(effect?.date),
    isrc: tags.isrcs.map((isrc) => canonicalIsrc(isrc, () => {})).find((isrc) => isrc !== ''),
    artists:
      credits.length > 0 || artist === undefined
        ? credits
        : [{ name: artist, role: 'MAIN_ARTIST', isPrimary: true }],
    tags: effect === undefined ? undefined : names(effect.tags).slice(0, MAX_TAGS),
    filters: [
      ...names(effect?.categories ?? []).map((name) => ({ type: 'genre', name })),
      ...words(tags.genres).map((name) => ({ type: 'genre', name })),
      ...words(tags.moods).map((name) => ({ type: 'mood', name })),
    ],
  };
}

/** Whether tags speak of music. Those of sound effects, too, may have an artist. */
function isMusic({ composers, isrcs, bpm, key, genres }: AudioTags): boolean {
  return (
    composers.length + isrcs.length > 0 ||
    bpm !== undefined ||
    key !== undefined ||
    genres.some((genre) => !/effect|sfx|sound/i.test(genre))
  );
}

function creditsOf(tags: AudioTags): { name: string; role: string; isPrimary: boolean }[] {
  const albumArtist = clean(tags.albumArtist);
  const tagged = names(tags.artists);
  const artists = tagged.length > 0 || albumArtist === undefined ? tagged : [albumArtist];
  const primary = artists.includes(albumArtist ?? '') ? albumArtist : artists[0];
  const credits = artists.map((name) => ({
    name,
    role: 'MAIN_ARTIST',
    isPrimary: name === primary,
  }));
  const others = [
    ['COMPOSER', tags.composers],
    ['LYRICIST', tags.lyricists],
    ['PRODUCER', tags.producers],
    ['REMIXER', tags.remixers],
  ] as const;
  return [
    ...credits,
    ...others.flatMap(([role, people]) =>
      names(people).map((name) => ({ name, role, isPrimary: false })),
    ),
  ];
}

/** Returns the full name of a key in the form of the ID3 frame TKEY (`Bbm`; `o`: none), or another text. */
function songKeyOf(key: string | undefined): string[] {
  const text = clean(key);
  if (text === undefined || text === 'o') {
    return [];
  }
  const [, note, sign = '', mode = ''] =
    /^([A-G])([#b♯♭]?)\s*(m|min|minor|maj|major|)$/.exec(text) ?? [];
  if (note === undefined) {
    return text.length <= 30 ? [text] : [];
  }
  const accidental = sign.replace('♯', '#').replace('♭', 'b');
  return [`${note}${accidental} ${/^m(in|$)/.test(mode) ? 'minor' : 'major'}`];
}

function dateOf(date: string | undefined): string | undefined {
  const text = clean(date);
  if (text === undefined || (parseReleaseDate(text) ?? null) === null) {
    // The year of an otherwise invalid date may be valid.
    const year = text?.slice(0, 4) ?? '';
    return /^[12]\d{3}$/.test(year) ? year : undefined;
  }
  return text;
}

/** Trims the texts; omits placeholders and texts that would make the whole record invalid. */
function names(texts: readonly string[]): string[] {
  return texts.map(clean).filter((text) => text !== undefined);
}

/** Like `names`, but splits texts that contain several words. */
function words(texts: readonly string[]): string[] {
  return names(texts.flatMap((text) => text.split(/[;\0]/))).slice(0, MAX_WORDS);
}

function clean(text: string | undefined): string | undefined {
  const cleaned = text?.replaceAll('\0', ' ').toWellFormed().trim().slice(0, 300);
  return cleaned === undefined || cleaned === '' || PLACEHOLDER.test(cleaned)
    ? undefined
    : cleaned.toWellFormed();
}

/** How many files make a batch. It is small because each file may contain a picture. */
const BATCH_SIZE = 8;

/** Yields the tracks of a folder of tagged audio. A faulty file becomes an item with a problem. */
export async function* folderItems(
  { path: folder, only }: { path: string; only: string | null },
  { source, type, tagReader, notes }: Pick<ReadContext, 'source' | 'type' | 'tagReader' | 'notes'>,
): AsyncGenerator<Item[]> {
  const toTrack = trackMaker({ source });
  const itemOf = async ({ path, relative, problem }: AudioFile): Promise<Item> => {
    const item = { file: path, line: null, folder, picture: null, facts: null };
    try {
      if (problem !== null) throw new FileProblem(problem);
      const tags = await tagReader.read(path);
      const tagged = taggedRecord(tags, { externalId: relative, fileName: titleOf(path) });
      const record = { ...tagged, type: type ?? tagged.type, audio: relative };
      if (tags.tagEncoding !== undefined) {
        const read = `were read as ${tags.tagEncoding}: ${describe(tags.title)}`;
        notes.add('encoding', item, `its tags, which say Latin-1, ${read} (--tag-encoding)`);
      }
      const { facts, picture = null } = tags;
      return { ...item, prepared: toTrack(record), picture, facts };
    } catch (error) {
      if (!(error instanceof FileProblem)) throw error;
      const problems = [{ field: 'audio', message: error.message }];
      const id = derivedId('track', source, relative);
      return { ...item, prepared: { delivery: null, id, problems } };
    }
  };
  const skip = (extension: string) => notes.countSkipped(extension);
  const files = only === null ? filesBelow(folder, AUDIO_EXTENSIONS, skip) : onlyFile(folder, only);
  for await (const batch of inBatches(files, BATCH_SIZE)) {
    yield await Promise.all(batch.map(itemOf));
  }
}

async function* onlyFile(folder: string, name: string): AsyncGenerator<AudioFile> {
  yield await audioFile(join(folder, name), name, await realpath(folder));
}
