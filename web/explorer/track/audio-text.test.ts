import { expect, it } from 'vitest';
import { aiText, audioText, streamText } from './audio-text.ts';

const wav = {
  ...{ format: 'wav', contentType: 'audio/wav', sampleRate: 44_100, channels: 2 },
  ...{ bitDepth: 16, bitrate: 1_411_200, bytes: 32_457_644 },
};

it('describes a file in a line', () => {
  expect(audioText(wav)).toMatch(/^WAV, 44\.1 kHz, 16 bit, stereo, 1.411 kbit\/s, 32.5 MB$/);
});

it('leaves out what is unknown', () => {
  const unknown = { sampleRate: null, bitDepth: null, bitrate: null, channels: 6, bytes: null };
  expect(audioText({ ...wav, ...unknown })).toBe('WAV, 6 channels');
});

it('describes a stream in a line', () => {
  const stream = { contentType: 'audio/mpeg', bitrate: 192_000, bytes: 4_416_000 };
  expect(streamText({ ...stream, isOriginal: false })).toBe('MP3, 192 kbit/s, 4.4 MB');
  const unknown = { contentType: 'audio/x-new', bitrate: null, bytes: null };
  expect(streamText({ ...unknown, isOriginal: true })).toBe('audio/x-new, the delivered file');
});

it('says what machines made', () => {
  const unknown = { aiParts: [], trainingAllowed: null, statement: null };
  expect(aiText({ ...unknown, ai: 'unknown' })).toBe('');
  expect(aiText({ ...unknown, ai: 'assisted', aiParts: ['vocals', 'lyrics'] })).toBe(
    'Assisted: vocals, lyrics',
  );
});
