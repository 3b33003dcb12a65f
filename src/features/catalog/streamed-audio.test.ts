import { describe, expect, it } from 'vitest';
import { mp3Bytes } from '../../engines/audio/mp3/mp3-layout.ts';
import { serializedAudio, UNKNOWN_AUDIO } from './audio-properties.ts';
import {
  type CoverColumns,
  coverBytes,
  type StreamedColumns,
  type StreamPolicy,
  streamedAudio,
  streamTag,
} from './streamed-audio.ts';

const POLICY: StreamPolicy = {
  mode: 'playable',
  kbps: 192,
  formats: ['aiff', 'wav', 'mp3', 'ogg'],
};
const TAGS = { name: 'Night Ferry', isrc: 'QZES72400137', performers: ['Mara Lindt', 'Änne'] };
const TAG_BYTES = streamTag(TAGS).length;
const PROPERTIES = { ...UNKNOWN_AUDIO, sampleRate: 44_100, bitrate: 320_000, bytes: 12 };
const PROBED = { audioProperties: serializedAudio(PROPERTIES), samples: 441_000 };
const UNPROBED = { audioProperties: null, samples: null, isPlayable: null };

const sent = (
  columns: StreamedColumns & Partial<CoverColumns>,
  policy: Partial<StreamPolicy> = {},
) => {
  const all = { artworkKey: null, coverBytes: null, ...columns };
  const { streamExtension, json } = streamedAudio(all, { ...POLICY, ...policy }, () => TAGS);
  return [streamExtension, JSON.parse(json)];
};

const original = (contentType: string, { bitrate = 320_000, bytes = 12 } = {}) => ({
  ...{ contentType, bitrate, bytes, isOriginal: true },
});
const MP3 = { contentType: 'audio/mpeg', bitrate: 192_000, isOriginal: false };

describe('what is streamed', () => {
  it('is nothing without audio', () => {
    expect(sent({ audioKey: null, ...UNPROBED })).toEqual(['', null]);
  });

  it('is the delivered file if it plays everywhere', () => {
    const wav = { audioKey: 'a.wav', ...PROBED, isPlayable: true };
    expect(sent(wav)).toEqual(['wav', original('audio/wav')]);
    expect(sent({ ...wav, isPlayable: 1 })).toEqual(['wav', original('audio/wav')]);
  });

  it('is an MP3 of it if it does not, whose length follows from its samples', () => {
    const adpcm = { audioKey: 'a.wav', ...PROBED, isPlayable: false };
    const bytes = TAG_BYTES + mp3Bytes(441_000, 44_100, 192);
    expect(sent(adpcm)).toEqual(['mp3', { ...MP3, bytes }]);
    expect(sent({ ...adpcm, isPlayable: 0 })).toEqual(['mp3', { ...MP3, bytes }]);
    expect(sent({ ...adpcm, samples: null })).toEqual(['mp3', { ...MP3, bytes: null }]);
    const fewer = TAG_BYTES + mp3Bytes(441_000, 44_100, 64);
    const phones = { ...MP3, bitrate: 64_000, bytes: fewer };
    expect(sent(adpcm, { kbps: 64 })).toEqual(['mp3', phones]);
  });

  it.each([
    ['a.jpg', 'image/jpeg'],
    ['a.png', 'image/png'],
  ] as const)('has the artwork %s of a known size in its tag', (artworkKey, contentType) => {
    const adpcm = { audioKey: 'a.wav', ...PROBED, isPlayable: false, artworkKey };
    const cover = { contentType, bytes: Buffer.alloc(1_234) };
    const bytes = streamTag(TAGS, cover).length + mp3Bytes(441_000, 44_100, 192);
    expect(sent({ ...adpcm, coverBytes: 1_234 })[1]).toEqual({ ...MP3, bytes });
    for (const none of [0, null]) {
      expect(sent({ ...adpcm, coverBytes: none })).toEqual(sent({ ...adpcm, artworkKey: null }));
    }
    expect([300_000, 300_001].map((size) => coverBytes(artworkKey, size))).toEqual([300_000, 0]);
    expect(coverBytes('a.webp', 9)).toBe(0);
  });

  it('is chosen by the extension until the file was probed', () => {
    const unknown = { bitrate: null, bytes: null, isOriginal: true };
    expect(sent({ audioKey: 'a.wav', ...UNPROBED })).toEqual([
      'wav',
      { contentType: 'audio/wav', ...unknown },
    ]);
    expect(sent({ audioKey: 'a.aiff', ...UNPROBED })).toEqual(['mp3', { ...MP3, bytes: null }]);
  });

  it('is the delivered file if nothing makes MP3s of its format', () => {
    const alac = { audioKey: 'a.m4a', ...PROBED, isPlayable: false };
    expect(sent(alac)).toEqual(['m4a', original('audio/mp4')]);
    const aiff = { audioKey: 'a.aiff', ...PROBED, isPlayable: false };
    expect(sent(aiff, { formats: [] })).toEqual(['aiff', original('audio/aiff')]);
  });

  it('is always the delivered file in the mode `original`', () => {
    const aiff = { audioKey: 'a.aiff', ...PROBED, isPlayable: false };
    expect(sent(aiff, { mode: 'original' })).toEqual(['aiff', original('audio/aiff')]);
  });

  it.each([
    ['a WAV file', { audioKey: 'a.wav', isPlayable: true }, 'mp3', false],
    ['an MP3 of more bits', { audioKey: 'a.mp3', isPlayable: true }, 'mp3', false],
    [
      'an MP3 of as many bits',
      { audioKey: 'a.mp3', isPlayable: true, bitrate: 192_000 },
      'mp3',
      true,
    ],
    ['MPEG layer II', { audioKey: 'a.mp3', isPlayable: false, bitrate: 1 }, 'mp3', false],
  ])(
    'in the mode `mp3`, %s',
    (_, {
      bitrate,
      ...columns
    }: {
      audioKey: string;
      isPlayable: boolean;
      bitrate?: number;
    }, extension, isOriginal) => {
      const audioProperties = serializedAudio({ ...PROPERTIES, ...(bitrate && { bitrate }) });
      const [sentExtension, stream] = sent(
        { ...PROBED, ...columns, audioProperties },
        { mode: 'mp3' },
      );
      expect([sentExtension, stream.isOriginal]).toEqual([extension, isOriginal]);
    },
  );
});
