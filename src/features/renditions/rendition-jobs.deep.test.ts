import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** A process with nothing else to do, as `stave previews build`, whose store works in a thread that keeps no process alive. */
const PROGRAM = `
import { setTimeout as sleep } from 'node:timers/promises';
import { RenditionJobs } from '${new URL('./rendition-jobs.ts', import.meta.url)}';
const store = {
  async soundsAfter(rowId) {
    await sleep(100);
    return rowId < 2 ? { sounds: [], silent: [], lastRowId: rowId + 1 } : undefined;
  },
};
const jobs = new RenditionJobs({ store, onError() {} });
await jobs.addMissing(new AbortController().signal);
console.log('done');
`;

it('walks all tracks in a process that has nothing else to do', () => {
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM]);
  expect(printed.toString()).toBe('done\n');
});
