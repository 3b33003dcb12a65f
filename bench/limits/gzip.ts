/**
 * Measures the time that the compression of one response takes in the serving thread: with `gzipSync`, and with
 * `gzip`, which uses another thread. Prints a table after some seconds.
 *
 *     node bench/limits/gzip.ts
 */
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { newId } from '../../src/common/ids.ts';

const ROUNDS = 500;
/** The number of concurrent compressions in other threads, as with requests of several clients. */
const AT_A_TIME = 25;
const gzipBeside = promisify<Buffer, { level: number }, Buffer>(gzip);

const print = (line: string) => process.stdout.write(`${line}\n`);

/** A realistic page: ids and signatures do not compress well, and names of members do. */
function pageOf(tracks: number): Buffer {
  const items = Array.from({ length: tracks }, (_, i) => ({
    id: newId(),
    name: `Night Drive ${i}`,
    slug: `night-drive-${i}`,
    type: 'music',
    bpm: '120',
    songKey: ['A minor'],
    timeSignature: '4/4',
    durationSeconds: 200 + i,
    region: 'WORLD',
    releaseDate: '2024-01-01T00:00:00.000Z',
    hasVocals: false,
    isPRO: false,
    tags: ['calm', 'night'],
    artists: [{ id: newId(), name: 'Some Artist', role: 'MAIN_ARTIST', isPrimary: true }],
    filters: [{ id: newId(), name: 'Ambient', slug: 'ambient', type: 'genre' }],
    artworkUrl: `https://api.example.com/media/artwork/generated-1-${newId()}.png`,
    streamUrl: `https://api.example.com/media/stream/${newId()}?expires=1800&issued=1732250000&client=3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10&mode=live&signature=${newId()}${newId()}`,
  }));
  return Buffer.from(JSON.stringify({ data: { items }, error: { code: 0, message: 'OK' } }));
}

/** Returns the milliseconds of CPU time of this thread per operation. */
async function cpuOfThread(work: () => Promise<void> | void): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000 / ROUNDS;
}

print('| tracks | bytes | level | gzip | same thread | another thread |');
print('|---|---|---|---|---|---|');
for (const tracks of [1, 5, 20, 50, 100]) {
  const page = pageOf(tracks);
  for (const level of [1, 6]) {
    const same = await cpuOfThread(() => {
      for (let i = 0; i < ROUNDS; i++) gzipSync(page, { level });
    });
    const another = await cpuOfThread(async () => {
      for (let i = 0; i < ROUNDS; i += AT_A_TIME) {
        await Promise.all(Array.from({ length: AT_A_TIME }, () => gzipBeside(page, { level })));
      }
    });
    const { length } = gzipSync(page, { level });
    print(
      `| ${tracks} | ${page.length} | ${level} | ${length} | ${same.toFixed(3)} ms | ${another.toFixed(3)} ms |`,
    );
  }
}
