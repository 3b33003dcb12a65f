import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { delivery, importAll } from '../../../../test/harness/deliveries.ts';
import { ADAPTERS } from '../../../../test/harness/store-adapters.ts';
import { harnessOf, trackId } from '../../../../test/harness/stores.ts';
import { until } from '../../../../test/harness/until.ts';
import { wav } from '../../../../test/harness/wav.ts';
import { silentLog } from '../../../common/log.ts';
import { openDiskMediaStore } from '../../../engines/blobs/disk/media-store.ts';
import { UNKNOWN_AUDIO } from '../../catalog/audio-properties.ts';
import { audioProbing } from './audio-probing.ts';

let folder: Awaited<ReturnType<typeof mkdtempDisposable>>;
beforeAll(async () => {
  folder = await mkdtempDisposable(join(tmpdir(), 'stave-probing-'));
});
afterAll(() => folder.remove());

const MISSING = `${'f'.repeat(64)}.wav`;

for (const adapter of ADAPTERS) {
  describe(`the probing of audio on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it.each(['a folder', 'a bucket'])(
      'reads the headers of what is not known yet, from %s',
      async (place) => {
        const { store } = await open();
        const stored = await openDiskMediaStore({ folder: folder.path });
        const media = {
          stat: stored.stat.bind(stored),
          read: stored.read.bind(stored),
          ...(place === 'a folder' && { localPath: stored.localPath!.bind(stored) }),
        };
        const long = wav(8_000 * 300);
        const { key } = await stored.putBytes(long, 'wav');
        const damaged = (await stored.putBytes(Buffer.from('no audio at all'), 'mp3')).key;
        await importAll(store, [
          delivery(1, { audioKey: key }),
          delivery(2, { audioKey: damaged }),
          delivery(3, { audioKey: MISSING }),
          delivery(4, { artworkKey: (await stored.putBytes(Buffer.alloc(9), 'png')).key }),
          delivery(5, { artworkKey: MISSING.replace('wav', 'png') }),
        ]);
        const probing = audioProbing({ store, media, log: silentLog });
        probing.start();
        await until(async () => {
          const { audioProperties } = store;
          const left = [audioProperties.unprobed('', 10), audioProperties.unmeasured('', 10)];
          return (await Promise.all(left)).every(({ length }) => length === 1);
        });
        await probing.stop();
        const audio = async (n: number) =>
          (await store.catalog.trackRecord(trackId(n)))!.track.audio;
        const encoding = async (n: number) => {
          const { samples, isPlayable } = (await store.catalog.trackAudio(trackId(n)))!;
          return [samples, Boolean(isPlayable)];
        };
        expect((await store.catalog.trackAudio(trackId(4)))!.coverBytes).toBe(9);
        expect(await encoding(1)).toEqual([8_000 * 300, true]);
        expect(await encoding(2)).toEqual([null, true]);
        const bytes = long.length;
        expect(await audio(1)).toEqual({ format: 'wav', contentType: 'audio/wav', ...WAV, bytes });
        const nothing = { ...UNKNOWN_AUDIO, bytes: 15 };
        expect(await audio(2)).toEqual({ format: 'mp3', contentType: 'audio/mpeg', ...nothing });
        expect(await audio(3)).toMatchObject(UNKNOWN_AUDIO);
        expect(await audio(4)).toBeNull();
        expect(await store.audioProperties.unprobed('', 10)).toEqual([MISSING]);
      },
    );
  });
}

/** What the harness writes. */
const WAV = { sampleRate: 8_000, channels: 1, bitDepth: 16, bitrate: 128_000 };
