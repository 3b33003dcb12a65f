import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { parseFile } from 'music-metadata';
import { describe, expect, it } from 'vitest';
import { FFMPEG, makeByFfmpeg } from '../../../../test/harness/ffmpeg.ts';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../../../test/harness/import-bench.ts';
import { audioFolder } from '../../../features/renditions/audio-files.test-support.ts';
import { planTags } from './plan-tags.ts';
import { inMemory, readTagged, TAGS, tagged } from './tagged-file.test-support.ts';

const folder = audioFolder();
const AUDIO = join(SHARED_DATA, 'audio');

const TAGGED = [
  'music/galway.mp3',
  'music/cat-caffe.mp3',
  'music/insert-coin.mp3',
  'music/galway.flac',
  'flac/subset-54-1000x-repeating-vorbiscomment.flac',
  'flac/subset-56-jpg-picture.flac',
  'flac/subset-45-no-total-number-of-samples-set.flac',
  'music/galway.wav',
  'music/arcade-music.wav',
  'esc50/dog-4-183992-A-0.wav',
  'music/galway.aiff',
  'music/galway.m4a',
  'music/galway.mp4',
  'music/galway.ogg',
  'music/sugar-plum-fairy.ogg',
  'sfx/coin.ogg',
  'music/galway.opus',
];

/** The MD5 of the samples. Throws if ffmpeg finds an error. */
function soundOf(path: string): string {
  const options = ['-nostdin', '-v', 'error', '-err_detect', 'crccheck', '-i', path];
  const { stdout, stderr } = spawnSync(FFMPEG!, [...options, '-map', '0:a:0', '-f', 'md5', '-']);
  if (stderr.length > 0) throw new Error(String(stderr));
  return String(stdout);
}

async function readBack(path: string) {
  const { common, native } = await parseFile(path);
  const others = Object.values(native).flat();
  const own = (name: string) =>
    others.find(({ id }) => id === name || id.endsWith(`:${name}`))?.value;
  return { common, own };
}

/** A picture of noise, so large that the headers of Ogg have more pages. */
function largePicture(): Buffer {
  const path = join(folder.path, 'noise.png');
  const noise = 'nullsrc=s=400x400,geq=random(1)*255:128:128';
  makeByFfmpeg('-f', 'lavfi', '-i', noise, '-frames:v', '1', path);
  return readFileSync(path);
}

describe.runIf(HAS_SHARED_DATA && FFMPEG !== undefined)('the tags of real files', () => {
  it.each(TAGGED)('are written into %s, and change no sample', async (name) => {
    const path = join(AUDIO, name);
    const extension = extname(name);
    const delivered = readFileSync(path);
    const cover = { contentType: 'image/png', bytes: largePicture() } as const;
    expect(cover.bytes.length).toBeGreaterThan(100_000);
    const plan = await planTags(inMemory(delivered), extension.slice(1), { ...TAGS, cover });
    const file = await readTagged(plan!, delivered);
    expect(file).toHaveLength(plan!.sizeBytes);
    const written = folder.write(`tagged${extension}`, file);
    expect(soundOf(written)).toBe(soundOf(path));

    const { common, own } = await readBack(written);
    expect(common.title).toBe(TAGS.title);
    expect(common.isrc).toEqual([TAGS.isrc]);
    expect(own('LICENSE')).toBe('2026-000123-7K2QX9MD');
    expect(own('LICENSEE')).toBe('Lighthouse Film GmbH');
    expect(own('TERRITORIES')).toBe('DE, AT');
    expect(own('LICENSE_URL')).toBe(TAGS.licenseUrl);
    expect((common.artists ?? [common.artist]).join()).toContain('Mara Lindt');
    expect(common.picture?.length ?? 0).toBeGreaterThan(0);

    for (const range of [
      { start: 0, end: 0 },
      { start: 5, end: 4_000 },
      { start: 299_000, end: Math.min(450_000, file.length - 1) },
      { start: file.length - 7, end: file.length - 1 },
    ].filter(({ end }) => end < file.length)) {
      const part = await readTagged(plan!, delivered, range);
      expect(part.equals(file.subarray(range.start, range.end + 1))).toBe(true);
    }
  });

  it('replace those of an earlier license', async () => {
    for (const extension of ['mp3', 'flac', 'wav', 'aiff', 'm4a', 'ogg', 'opus']) {
      const delivered = readFileSync(join(AUDIO, `music/galway.${extension}`));
      const once = await tagged(delivered, extension);
      const twice = await tagged(once, extension, {
        ...TAGS,
        title: 'Another',
        texts: [['LICENSE', '2026-000124-7K2QX9MD']],
      });
      const { common, own } = await readBack(folder.write(`twice.${extension}`, twice));
      expect(common.title).toBe('Another');
      expect(own('LICENSE')).toBe('2026-000124-7K2QX9MD');
      expect(common.picture).toHaveLength(1);
      const again = await tagged(once, extension);
      expect(again.length).toBe(once.length);
    }
  });

  it('leave a file as it is that is not as its format says', async () => {
    for (const name of [
      'flac/faulty-07-other-metadata-blocks-preceding-streaminfo-metadata-block.flac',
      'flac/faulty-11-incorrect-metadata-block-length.flac',
      'flac/faulty-10-invalid-vorbis-comment-metadata-block.flac',
      'music/galway.aac',
    ]) {
      const delivered = readFileSync(join(AUDIO, name));
      expect(await planTags(inMemory(delivered), extname(name).slice(1), TAGS)).toBeUndefined();
    }
  });

  it('shift the offsets of an MP4 file whose audio follows its tables', async () => {
    const path = join(folder.path, 'fast.m4a');
    makeByFfmpeg(
      '-i',
      join(AUDIO, 'music/galway.mp4'),
      '-c',
      'copy',
      '-movflags',
      '+faststart',
      path,
    );
    const delivered = readFileSync(path);
    expect(delivered.indexOf('moov')).toBeLessThan(delivered.indexOf('mdat'));
    const written = folder.write('fast-tagged.m4a', await tagged(delivered, 'm4a'));
    expect(soundOf(written)).toBe(soundOf(path));
    expect((await readBack(written)).common.title).toBe(TAGS.title);
  });

  it.each([2, 3, 4])('keep the other frames of ID3v2.%i', async (version) => {
    const path = join(folder.path, `v${version}.mp3`);
    const source = join(AUDIO, 'music/galway.mp3');
    if (version === 2) {
      const body = (text: string) => Buffer.from(`\0${text}`, 'latin1');
      const frame = (id: string, text: string) => {
        const head = Buffer.from(`${id}\0\0\0`, 'latin1');
        head[5] = body(text).length;
        return Buffer.concat([head, body(text)]);
      };
      const frames = Buffer.concat([
        frame('TT2', 'Old'),
        frame('TYE', '1999'),
        frame('TCO', 'Folk'),
      ]);
      const head = Buffer.from('ID3\x02\0\0\0\0\0\0', 'latin1');
      head[9] = frames.length;
      folder.write(`v${version}.mp3`, Buffer.concat([head, frames, readFileSync(source)]));
    } else {
      const kept = ['-metadata', 'title=Old', '-metadata', 'genre=Folk', '-metadata', 'date=1999'];
      const options = ['-c', 'copy', '-id3v2_version', String(version), '-write_id3v1', '1'];
      makeByFfmpeg('-i', source, ...kept, ...options, path);
    }
    const delivered = readFileSync(path);
    const file = await tagged(delivered, 'mp3');
    const { common } = await readBack(folder.write('kept.mp3', file));
    expect(common).toMatchObject({ title: TAGS.title, genre: ['Folk'], year: 1999 });
    if (version !== 2) expect(file.subarray(-128)).toEqual(delivered.subarray(-128));
  });
});
