import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/common/clock.ts';
import { openDiskMediaStore } from '../../src/engines/blobs/disk/media-store.ts';
import { tone, wavFile } from '../../src/features/renditions/audio-files.test-support.ts';
import { FFMPEG, makeByFfmpeg } from '../harness/ffmpeg.ts';
import type { RenditionNodeJob } from '../harness/programs/rendition-node.ts';
import { startRenditionNode } from '../harness/rendition-node.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { until } from '../harness/until.ts';
import { namesOf } from './renditions-support.ts';

const PROGRAM = join(import.meta.dirname, '../harness/programs/rendition-node.ts');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

describe.skipIf(FFMPEG === undefined)('renditions by ffmpeg (skipped without ffmpeg)', () => {
  /** A queued file that takes ffmpeg a while, and a program that stores the process ids of ffmpeg. */
  async function start() {
    const adapter = ADAPTERS[0]!;
    const place = await adapter.provide();
    ends.push(() => place.dispose());
    const store = await adapter.open(place.location, systemClock);
    ends.push(() => store.close());
    const folder = await mkdtemp(join(tmpdir(), 'stave-by-ffmpeg-'));
    ends.push(() => rm(folder, { recursive: true }));
    const wav = join(folder, 'long.wav');
    writeFileSync(wav, wavFile([tone(240, 44_100)], { bits: 8 }));
    makeByFfmpeg('-i', wav, '-c:a', 'alac', join(folder, 'long.m4a'));
    const media = await openDiskMediaStore({ folder: join(folder, 'media') });
    const { key } = await media.putFile(join(folder, 'long.m4a'), 'm4a');
    await store.renditions.add(namesOf(key));
    const pids = join(folder, 'pids');
    const ffmpeg = join(folder, 'ffmpeg');
    // It is also asked for its version.
    const script = `case "$1" in -version) ;; *) echo $$ >>${pids} ;; esac\nexec ${FFMPEG} "$@"\n`;
    writeFileSync(ffmpeg, `#!/bin/sh\n${script}`);
    chmodSync(ffmpeg, 0o755);
    const started = async () => {
      await until(() => existsSync(pids) && readFileSync(pids, 'utf8').endsWith('\n'));
      return Number(readFileSync(pids, 'utf8').trim().split('\n').at(-1));
    };
    const isDone = async () =>
      (await store.renditions.ofAudio(key)).every(({ state }) => state === 'done');
    const job: RenditionNodeJob = {
      adapter: adapter.name,
      location: place.location,
      media: media.place,
      ffmpeg,
    };
    return { store, media, key, ffmpeg, started, isDone, job };
  }

  it('are made although something else ended ffmpeg, without an attempt for it', async () => {
    const { store, media, key, ffmpeg, started, isDone } = await start();
    const { events, stop } = await startRenditionNode(store, media, { ffmpeg });
    ends.push(stop);
    process.kill(await started(), 'SIGTERM');
    await until(isDone);
    expect(events).toEqual(['retried 3', 'made 3']);
    expect((await store.renditions.ofAudio(key))[0]).toMatchObject({ attempts: 1, error: null });
  });

  it('leave no ffmpeg when the node is stopped', async () => {
    const { store, media, key, ffmpeg, started } = await start();
    const { stop } = await startRenditionNode(store, media, { ffmpeg });
    const pid = await started();
    await stop();
    await until(() => hasEnded(pid));
    expect((await store.renditions.ofAudio(key))[0]).toMatchObject({
      state: 'queued',
      attempts: 0,
    });
  });

  it('leave no ffmpeg when the node is killed', async () => {
    const { job, started } = await start();
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(job)], { stdio: 'inherit' });
    ends.push(() => child.kill('SIGKILL'));
    const pid = await started();
    expect(hasEnded(pid)).toBe(false);
    child.kill('SIGKILL');
    // It cannot write any more.
    await until(() => hasEnded(pid));
  });
});

/** Whether a process has ended. It may remain a zombie, if nothing waits for it. */
function hasEnded(pid: number): boolean {
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}
