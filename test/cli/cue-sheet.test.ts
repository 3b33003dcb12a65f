import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT, report, stream } from '../contract/usage-support.ts';
import {
  openStoreOf,
  stave,
  staveJson,
  type TemporaryFolder,
  temporaryFolder,
} from '../harness/cli.ts';
import { delivery, importAll } from '../harness/deliveries.ts';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = temporaryFolder();
  const store = await openStoreOf(folder.path);
  const [artist] = delivery(0).artists;
  const credit = { ...artist!, name: 'Ann\u001b[31m', role: 'COMPOSER' };
  const { name, role } = credit;
  const writers = [{ name, role, ipi: null, society: null, share: 10_000 }];
  await importAll(store, [delivery(0, { artists: [credit], writers })]);
  await store.usage.report(
    report([
      stream('a', 0, {
        type: 'sync',
        seconds: 31,
        production: { id: 'ep-7', title: 'Harbour Lights' },
        cue: { startSeconds: 62, usage: 'BI' },
      }),
    ]),
  );
  await store.close();
});
afterAll(() => folder[Symbol.dispose]());

const ofClient = (...more: string[]) => ['usage', 'cue-sheet', '--client', CLIENT, ...more];

describe('stave usage cue-sheet', () => {
  it('prints CSV, and the problems on stderr', async () => {
    const ran = await stave(folder.path, ofClient('--production', 'ep-7'));
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\r\n')).toEqual([
      '\uFEFFSequence,Number,Title,ISRC,ISWC,Usage,StartSeconds,DurationSeconds,PartyName,Role,IPI,Society,SharePercent,LicenseNumber,Ai,AiParts,TrainingAllowed',
      // A name must not control the terminal.
      '1,,Track 0,,,BI,62,31,Ann\uFFFD[31m,C,,,100.00,,,,',
      '',
    ]);
    expect(ran.stderr).toBe('cues[0].publishers: no shares are known\n');
  });

  it('prints what the API returns with --json', async () => {
    const sheet = await staveJson(folder.path, ofClient('--production', 'ep-7', '--mode', 'live'));
    expect(sheet).toMatchObject({
      production: { id: 'ep-7', title: 'Harbour Lights' },
      cues: [{ sequence: 1, number: null, writers: [{ role: 'C', sharePercent: '100.00' }] }],
      totals: { cues: 1, seconds: 31 },
      problems: ['cues[0].publishers: no shares are known'],
    });
  });

  it.each([
    [['--production', 'ep-8'], 'Nothing is reported of a production ep-8.'],
    [['--production', 'ep-7', '--mode', 'test'], 'Nothing is reported of a production ep-7.'],
    [['--production', 'ep-7', '--mode', 'both'], 'Allowed choices are test, live.'],
    [['--production', ''], 'It must not be empty.'],
    [[], "required option '--production <id>' not specified"],
  ])('refuses %j', async (args, message) => {
    const ran = await stave(folder.path, ofClient(...args));
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^stave: [^\n]+\n$/);
    expect(ran.stderr).toContain(message);
  });
});
