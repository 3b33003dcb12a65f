import { mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../../../../test/harness/until.ts';
import { DocumentFileWriter } from './document-writer.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stave-document-writer-'));
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true });
});

it('keeps the file of an import that has nothing to write for a long time', async () => {
  const path = join(folder, 'documents.copy');
  const more = Promise.withResolvers<void>();
  const writing = new DocumentFileWriter({ path, madeBy: 'stave 1', by: 'import' }).write(
    {
      documents: (async function* () {
        await more.promise;
        const media = { artworkKey: null, streamExtension: '' };
        yield [{ rowId: 1, ...media, before: '{"id":"', filters: [], after: '' }];
      })(),
      filters: async () => [],
      catalog: async () => 'this one',
      seq: async () => 1,
      expected: 1,
    },
    0,
  );
  const service = new DocumentFileWriter({ path, madeBy: 'stave 1', by: 'service' });
  await until(async () => (await readdir(folder)).length === 1);
  const unfinished = join(folder, (await readdir(folder))[0]!);
  const { mtimeMs: begunAt } = await stat(unfinished);
  // Its last write was long ago.
  await utimes(unfinished, 1, 1);
  await until(async () => {
    vi.advanceTimersByTime(15_000);
    return (await stat(unfinished)).mtimeMs >= begunAt;
  });
  expect(await service.clearUp(begunAt + 60_000)).toBe(true);
  more.resolve();
  await writing;
  expect(service.read()).toMatchObject({ columns: { size: 1 } });
});
