import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../harness/cli.ts';
import { makeHangingAudio } from '../harness/hanging-audio.ts';
import { ON_POSTGRES } from '../harness/services.ts';
import { until } from '../harness/until.ts';
import { type ConsoleClient, endOf, serveConsole } from './console-client.ts';

/** Starts a service whose media folder has audio that hangs. */
async function serveWithHangingAudio() {
  const folder = temporaryFolder();
  await makeHangingAudio(folder);
  const { service, client } = await serveConsole({ ...folder, path: folder.at('data') });
  await client.login();
  return {
    ...{ folder, service, client },
    async [Symbol.asyncDispose]() {
      await service.stop('SIGKILL');
      folder[Symbol.dispose]();
    },
  };
}

/** Starts a backup, and waits until it reads the audio. Returns the path of the job. */
async function startBackup(client: ConsoleClient, folder: string): Promise<string> {
  const sent = await client.post('/backups', { folder });
  // A backup makes this folder before it opens the audio.
  await until(() => existsSync(join(folder, 'media')), 'the copy of audio');
  return sent.headers.get('location')!;
}

/** The processes of jobs that a service has started, beside its readers of audio. */
function jobsOf(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  const children = readFileSync(path, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  return children.filter((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('job-process'),
  );
}

/** Whether a process runs. One that has ended may wait for its parent to read that. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

// Backups of the console are for SQLite only; its other jobs run in the same way.
const linux = it.skipIf(ON_POSTGRES || process.platform !== 'linux');

linux('jobs that hang do not keep the service from ending', async () => {
  await using running = await serveWithHangingAudio();
  const { client, service, folder } = running;
  const job = await startBackup(client, folder.at('backup-1'));
  await startBackup(client, folder.at('backup-2'));
  expect((await client.get(job)).text).toContain('data-refresh');
  const pids = jobsOf(service.child.pid!);
  expect(pids).toHaveLength(2);
  expect(await service.stop()).toBe(0);
  expect(service.output()).not.toContain('the stop took too long');
  await until(() => !pids.some(isRunning), 'the end of the jobs');
});

linux('jobs end with a service that is killed', async () => {
  await using running = await serveWithHangingAudio();
  const { client, service, folder } = running;
  await startBackup(client, folder.at('backup'));
  const [pid] = jobsOf(service.child.pid!);
  await service.stop('SIGKILL');
  await until(() => !isRunning(pid!), 'the end of the job');
});

linux('a job whose process is killed has failed, and makes room for others', async () => {
  await using running = await serveWithHangingAudio();
  const { client, service, folder } = running;
  const jobs = [];
  for (const name of ['a', 'b', 'c']) jobs.push(await startBackup(client, folder.at(name)));
  expect((await client.post('/backups', { folder: folder.at('d') })).status).toBe(409);
  for (const pid of jobsOf(service.child.pid!)) process.kill(pid, 'SIGKILL');
  for (const job of jobs) {
    expect(await endOf(client, job)).toContain('it failed unexpectedly; the log says why');
  }
  expect(service.output()).toContain('"signal":"SIGKILL"');
  expect((await client.post('/backups', { folder: folder.at('d') })).status).toBe(303);
});
