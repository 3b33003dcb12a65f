import { describe, expect, it } from 'vitest';
import { artworkContentType, audioContentType, extensionOf } from './content-types.ts';

describe('content types', () => {
  it.each([
    ['song.mp3', 'audio/mpeg'],
    ['SONG.FLAC', 'audio/flac'],
    ['a/b.c/song.ogg', 'audio/ogg'],
    ['song.opus', 'audio/ogg; codecs=opus'],
    ['song.m4a', 'audio/mp4'],
    ['song.mp4', 'audio/mp4'],
    ['song.aac', 'audio/aac'],
    ['song.wav', 'audio/wav'],
    ['song.aiff', 'audio/aiff'],
    ['song.webm', 'audio/webm'],
  ])('says what %s is', (name, type) => {
    expect(audioContentType(name)).toBe(type);
  });

  it('knows no type for names that only look like one', () => {
    for (const name of ['song', 'mp3', '.mp3', 'song.constructor', 'song.exe', 'a.mp3/song']) {
      expect(audioContentType(name), name).toBeUndefined();
    }
  });

  it('keeps pictures and audio apart, and SVG out', () => {
    expect(artworkContentType('cover.png')).toBe('image/png');
    expect(artworkContentType('song.wav')).toBeUndefined();
    expect(artworkContentType('cover.svg')).toBeUndefined();
    expect(audioContentType('cover.png')).toBeUndefined();
  });

  it('reads the extension of the last part of a path', () => {
    expect(extensionOf('a.b/c.D')).toBe('d');
    expect(extensionOf('a.b/c')).toBe('');
  });
});
