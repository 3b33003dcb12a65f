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
  ])('contain the type of %s', (name, type) => {
    expect(audioContentType(name)).toBe(type);
  });

  it('contain no type for similar names', () => {
    for (const name of ['song', 'mp3', '.mp3', 'song.constructor', 'song.exe', 'a.mp3/song']) {
      expect(audioContentType(name), name).toBeUndefined();
    }
  });

  it('distinguish pictures from audio, and exclude SVG', () => {
    expect(artworkContentType('cover.png')).toBe('image/png');
    expect(artworkContentType('song.wav')).toBeUndefined();
    expect(artworkContentType('cover.svg')).toBeUndefined();
    expect(audioContentType('cover.png')).toBeUndefined();
  });

  it('depend on the extension of the last part of a path', () => {
    expect(extensionOf('a.b/c.D')).toBe('d');
    expect(extensionOf('a.b/c')).toBe('');
  });
});
