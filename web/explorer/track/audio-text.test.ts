import { expect, it } from 'vitest';
import { audioText } from './audio-text.ts';

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
