import { describe, expect, it } from 'vitest';
import type { TrackDelivery } from './track.ts';
import { parseDelivery, sealOf, TextDocument } from './track-document.ts';

const delivery: TrackDelivery = {
  id: '3f0e1a52-6f4e-5d53-9c84-3f6a1b7b0c11',
  source: 'label',
  externalId: 'x-1',
  name: 'Nächte "am" Fluß',
  slug: null,
  type: 'music',
  bpm: '120',
  songKey: ['A minor'],
  timeSignature: '4/4',
  durationSeconds: 181,
  region: 'WORLD',
  releasedAt: Date.UTC(2011, 7, 2),
  hasVocals: true,
  isPRO: false,
  tags: ['slow'],
  isrc: '',
  artists: [{ id: 'a-1', name: 'Anna', role: 'MAIN_ARTIST', isPrimary: true, externalId: 'e' }],
  filters: [{ type: 'genre', name: 'Ambient' }],
  audioKey: null,
  artworkKey: null,
};

describe('the document of a track', () => {
  it('has no closing brace, so that more members can follow', () => {
    const track = { id: delivery.id, name: delivery.name };
    const media = { artworkKey: 'key', streamExtension: 'mp3' };
    const { id, json, bytes, ...kept } = new TextDocument(JSON.stringify(track), media);
    expect(JSON.parse(`${json},"artworkUrl":"u"}`)).toEqual({ ...track, artworkUrl: 'u' });
    expect([id, bytes, kept]).toEqual([track.id, Buffer.byteLength(json), media]);
  });
});

const deliveryFingerprint = (of: TrackDelivery) => sealOf(of).fingerprint;

describe('the fingerprint of a delivery', () => {
  it('is that of earlier versions for a delivery without members that they do not know', () => {
    const fingerprint = deliveryFingerprint(delivery).toString('hex');
    expect(fingerprint).toBe('8628b286ff11ec5815634dae414dbe0c');
    const writer = { name: 'Anna', role: 'COMPOSER', ipi: null, society: null, share: 5_000 };
    const part = { kind: 'loop', name: null, durationSeconds: 1, audioKey: 'a', sizeBytes: 1 };
    const others = [
      { ...delivery, iswc: 'T-034.524.680-1' },
      { ...delivery, iswc: '' },
      { ...delivery, writers: [] },
      { ...delivery, writers: [writer] },
      { ...delivery, writers: [{ ...writer, share: 5_001 }] },
      { ...delivery, previewStart: 0 },
      { ...delivery, previewStart: null },
      { ...delivery, previewKey: 'a' },
      { ...delivery, previewKey: null },
      { ...delivery, waveformKey: 'a' },
      { ...delivery, waveformKey: null },
      { ...delivery, stems: [] },
      { ...delivery, versions: [] },
      { ...delivery, stems: [part] },
      { ...delivery, stems: [{ ...part, name: 'a' }] },
      { ...delivery, versions: [part] },
    ].map((other) => deliveryFingerprint(other).toString('hex'));
    expect(new Set([fingerprint, ...others]).size).toBe(17);
    // What versions before did not keep is a change; what nobody says is none.
    const silent = { ...delivery, hasVocals: false };
    const isInstrumental = deliveryFingerprint({ ...silent, isInstrumental: true });
    expect(isInstrumental).not.toEqual(deliveryFingerprint(silent));
    expect(deliveryFingerprint({ ...silent, isInstrumental: false })).toEqual(
      deliveryFingerprint(silent),
    );
    // The version before knows only these two.
    const known = deliveryFingerprint({ ...delivery, iswc: 'T-034.524.680-1', writers: [writer] });
    expect(known.toString('hex')).toBe('190690b0be3daa65582038f88a67cf37');
  });

  it('is equal for equal deliveries, regardless of the order of their members', () => {
    const reordered = Object.fromEntries(Object.entries(delivery).reverse());
    expect(deliveryFingerprint(reordered as unknown as TrackDelivery)).toEqual(
      deliveryFingerprint(structuredClone(delivery)),
    );
  });

  it.each([
    {},
    { artists: [], filters: [], releasedAt: null, audioKey: 'a', name: '\ud800' },
    { iswc: '', writers: [], previewStart: null, stems: [], language: 'de', availability: [] },
    { hasVocals: false, isInstrumental: true },
    { filters: [], translations: [{ language: 'de', name: 'Fähre', tags: null }] },
  ] satisfies Partial<TrackDelivery>[])('has the text of the whole delivery (%j)', (members) => {
    const { audioKey, artworkKey, ...other } = delivery;
    const artists = [...delivery.artists, { ...delivery.artists[0]!, id: 'a-2', externalId: null }];
    const filters = [...delivery.filters, { type: 'mood' as const, name: 'Calm' }];
    const given: TrackDelivery = { ...other, audioKey, artworkKey, artists, filters, ...members };
    expect(parseDelivery(sealOf(given).text)).toEqual({ isInstrumental: false, ...given });
  });

  it.each(Object.keys(delivery) as (keyof TrackDelivery)[])(
    'differs after a change of %s',
    (member) => {
      const changed = { ...delivery, [member]: 'something else' } as TrackDelivery;
      if (member === 'hasVocals') changed.hasVocals = !delivery.hasVocals;
      if (member === 'artists') changed.artists = [];
      if (member === 'filters') changed.filters = [];
      expect(deliveryFingerprint(changed)).not.toEqual(deliveryFingerprint(delivery));
    },
  );
});
