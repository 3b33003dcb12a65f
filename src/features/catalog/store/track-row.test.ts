import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { delivery } from '../../../../test/harness/deliveries.ts';
import { AI_SHARES } from '../../../engines/search/catalog-index.ts';
import { UNKNOWN_AUDIO } from '../audio-properties.ts';
import { AI_PARTS } from '../provenance.ts';
import { ORIGINALS } from '../streamed-audio.ts';
import type { Track, TrackDelivery } from '../track.ts';
import { TRACK_FIELDS } from '../track-fields.ts';
import { vocalsOf } from '../vocals.ts';
import { References } from './references.ts';
import {
  CONTENT_COLUMNS,
  type ContentValue,
  contentValues,
  documentTexts,
  isSameContent,
  serializedTrack,
  type TrackRow,
} from './track-row.ts';

const NEW = { stored: undefined, now: 0 };
const FILTER = { id: 'f-1', name: 'Drum & "Bass"', slug: 'drum-bass', type: 'genre' as const };

type DocumentRow = TrackRow & { artworkKey: string | null };

/** Returns the row of a delivery, whose artists and filters have the row ids 1, 2 and so on. */
function rowOf(of: TrackDelivery): DocumentRow {
  const rowIds = (list: readonly unknown[]) => list.map((_, i) => i + 1);
  const values = contentValues(of, NEW, rowIds(of.artists), rowIds(of.filters));
  const column = (name: string) => values[(CONTENT_COLUMNS as readonly string[]).indexOf(name)];
  return {
    ...Object.fromEntries(CONTENT_COLUMNS.map((name) => [name, column(name)])),
    id: of.id,
    slug: 'a-slug',
    songKeys: column('song_keys'),
    timeSignature: column('time_signature'),
    durationSeconds: column('duration_seconds'),
    releasedAt: column('released_at'),
    hasVocals: column('has_vocals'),
    isPro: column('is_pro'),
    audioKey: column('audio_key'),
    isInstrumental: column('is_instrumental'),
    audioProperties: column('audio_properties'),
    aiParts: column('ai_parts'),
    trainingAllowed: column('training_allowed'),
    provenanceStatement: column('provenance_statement'),
    isPlayable: column('is_playable'),
    artworkKey: column('artwork_key'),
    coverBytes: column('cover_bytes'),
  } as unknown as DocumentRow;
}

/** Returns the values that a delivery may leave as they are. */
function keptIn(content: readonly ContentValue[]) {
  const columns = Object.fromEntries(CONTENT_COLUMNS.map((name, i) => [name, content[i]]));
  return {
    releasedAt: columns.released_at,
    audioKey: columns.audio_key,
    artworkKey: columns.artwork_key,
    iswc: columns.iswc,
    previewStart: columns.preview_start,
    previewKey: columns.preview_key,
    waveformKey: columns.waveform_key,
    language: columns.language,
    availability: columns.availability,
  };
}

function referencesOf({ artists }: TrackDelivery): References {
  const references = new References();
  references.add(
    artists.map(({ id, name }, i) => ({ rowId: i + 1, id, name })),
    [{ rowId: 1, ...FILTER }],
  );
  return references;
}

describe('the JSON of a row', () => {
  it('is the track of the delivery, with the members in the order of the contract', () => {
    const text = fc.string({ unit: 'grapheme' });
    const credit = fc.record({
      id: fc.uuid(),
      name: text,
      role: fc.constantFrom('MAIN_ARTIST', 'COMPOSER'),
      isPrimary: fc.boolean(),
      externalId: fc.constant(null),
    });
    const number = fc.option(fc.integer({ min: 1 }));
    const change = fc.record({
      name: text,
      tags: fc.array(text),
      songKey: fc.array(text),
      artists: fc.array(credit, { maxLength: 4 }),
      releasedAt: fc.integer({ min: -1e12, max: 3e12 }),
      ...{ hasVocals: fc.boolean(), isInstrumental: fc.boolean(), isPRO: fc.boolean() },
      audioKey: fc.option(fc.constant('a.mp3')),
      provenance: fc.record({
        ai: fc.constantFrom(...AI_SHARES),
        aiParts: fc.subarray([...AI_PARTS]),
        trainingAllowed: fc.option(fc.boolean()),
        statement: fc.option(text),
      }),
      audioProperties: fc.record({
        ...{ sampleRate: number, channels: number, bitDepth: number, bitrate: number },
        bytes: number,
      }),
    });
    fc.assert(
      fc.property(change, (values) => {
        const of = delivery(1, { ...values, filters: [{ type: 'genre', name: 'x' }] });
        const track = JSON.parse(serializedTrack(rowOf(of), referencesOf(of))) as Track;
        expect(Object.keys(track)).toEqual(Object.keys(TRACK_FIELDS));
        expect(track).toEqual({
          ...Object.fromEntries(
            Object.entries(of).filter(([member]) => Object.hasOwn(TRACK_FIELDS, member)),
          ),
          slug: 'a-slug',
          releaseDate: new Date(values.releasedAt).toISOString(),
          artists: values.artists.map(({ externalId: _, ...rest }) => rest),
          filters: [FILTER],
          vocals: vocalsOf(of),
          audio: values.audioKey && {
            format: 'mp3',
            contentType: 'audio/mpeg',
            ...(values.audioProperties ?? UNKNOWN_AUDIO),
          },
          hasAudio: values.audioKey !== null,
          detected: [],
        });
      }),
    );
  });

  it('surrounds the filters, and has no closing brace', () => {
    const of = delivery(1, { filters: [] });
    const { before, filters, after } = documentTexts(rowOf(of), referencesOf(of), ORIGINALS);
    expect(filters).toEqual([]);
    expect(JSON.parse(`${before}1,2${after},"more":3}`)).toMatchObject({
      id: of.id,
      filters: [1, 2],
      more: 3,
    });
  });

  it('ends with what is streamed', () => {
    const of = delivery(1, { audioKey: 'a.flac' });
    const { after, streamExtension } = documentTexts(rowOf(of), referencesOf(of), ORIGINALS);
    const stream = { contentType: 'audio/flac', bitrate: null, bytes: null, isOriginal: true };
    expect(after.endsWith(`,"stream":${JSON.stringify(stream)}`)).toBe(true);
    expect(streamExtension).toBe('flac');
  });
});

describe('the content of a row', () => {
  it('keeps what a delivery does not contain', () => {
    const previews = { previewStart: 7, previewKey: 'c', waveformKey: 'd' };
    const media = { audioKey: 'a', artworkKey: 'b', ...previews };
    const given = { ...media, releasedAt: 5, iswc: 'T-034.524.680-1', language: 'de' };
    const availability = [{ from: 7 }];
    const stored = contentValues(delivery(1, { ...given, availability }), NEW, [1], [1]);
    expect(keptIn(stored)).toEqual({ ...given, availability: '[{"from":7}]' });
    const next = delivery(1, { releasedAt: null });
    expect(contentValues(next, { stored, now: 0 }, [1], [1])).toEqual(stored);
    const none = { previewStart: null, previewKey: null, waveformKey: null };
    const removal = { ...next, ...none, iswc: '', language: '', availability: [] };
    const removed = contentValues(removal, { stored, now: 0 }, [1], [1]);
    const nothing = { iswc: null, language: null, availability: null };
    expect(keptIn(removed)).toEqual({ ...given, ...none, ...nothing });
  });

  it('is the same from every database', () => {
    const values = contentValues(delivery(1, { hasVocals: true, isPRO: false }), NEW, [1], [1]);
    const fromSqlite = values.map((value) => (typeof value === 'boolean' ? Number(value) : value));
    expect(isSameContent(values, fromSqlite)).toBe(true);
    expect(isSameContent(contentValues(delivery(1), NEW, [1], [2]), fromSqlite)).toBe(false);
  });
});
