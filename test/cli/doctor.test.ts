import { copyFileSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { lockDataFolder } from '../../src/app/open/data-folder-lock.ts';
import { systemClock } from '../../src/common/clock.ts';
import { type Ran, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { wav } from '../harness/wav.ts';

const finding = (ran: Ran, check: string) =>
  ran.json.findings.find((one: { check: string }) => one.check === check);

describe('stave doctor', () => {
  it('accepts an empty folder and creates nothing', async () => {
    using folder = temporaryFolder();
    const ran = await stave(folder.at('data'), ['doctor', '--json']);
    expect(ran.json).toMatchObject({ healthy: true });
    expect(ran.code).toBe(0);
    expect(existsSync(folder.at('data'))).toBe(false);
  });

  it('accepts a catalog in use, as text', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.path, ['keys', 'rotate']);
    const ran = await stave(folder.path, ['doctor']);
    expect(ran.code).toBe(0);
    for (const check of ['node', 'settings', 'data folder', 'database', 'keys', 'media', 'clock']) {
      expect(ran.stdout).toMatch(new RegExp(`^✓ ${check}: `, 'm'));
    }
    expect(ran.stdout).not.toContain('✗');
  });

  it('names an invalid setting and stops', async () => {
    using folder = temporaryFolder();
    const ran = await stave(folder.path, ['doctor', '--json'], { env: { STAVE_DMO: 'sesame' } });
    expect(ran.code).toBe(1);
    expect(finding(ran, 'settings')).toMatchObject({
      status: 'failed',
      detail: 'STAVE_DMO is not a setting: did you mean STAVE_DEMO?',
    });
    expect(ran.stdout).not.toContain('sesame');
  });

  it('reports a file that is not a database', async () => {
    using folder = temporaryFolder();
    writeFileSync(
      folder.at('stave.db'),
      'this is not a database, whatever its name says'.repeat(99),
    );
    const ran = await stave(folder.path, ['doctor']);
    expect(ran.code).toBe(1);
    expect(ran.stdout).toMatch(/^✗ database: .+\n {2}→ .+$/m);
    expect(ran.stderr).toBe('');
  });

  it('lists missing media, and media that no track names', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.at('tone.wav'), wav(800));
    writeFileSync(
      folder.at('tracks.ndjson'),
      `${JSON.stringify({ externalId: '1', name: 'Tone', type: 'sfx', audio: 'tone.wav' })}\n`,
    );
    const data = folder.at('data');
    await staveJson(data, ['import', folder.at('tracks.ndjson')]);
    const { audioKey } = await staveJson(data, ['tracks', 'show', 'tone']);
    expect(finding(await stave(data, ['doctor', '--json']), 'media').status).toBe('ok');

    const stored = mediaFiles(data).find((path) => path.endsWith(audioKey))!;
    rmSync(stored);
    const missing = await stave(data, ['doctor', '--json']);
    expect(missing.code).toBe(1);
    expect(finding(missing, 'media')).toMatchObject({ status: 'failed' });
    expect(finding(missing, 'media').detail).toContain(audioKey);

    await staveJson(data, ['import', folder.at('tracks.ndjson')]);
    expect(finding(await stave(data, ['doctor', '--json']), 'media').status).toBe('ok');

    writeFileSync(folder.at('tone.wav'), wav(900));
    await staveJson(data, ['import', folder.at('tracks.ndjson')]);
    // An undo needs the former media of the track.
    expect(finding(await stave(data, ['doctor', '--json']), 'media').status).toBe('ok');

    copyFileSync(
      stored,
      stored.replace(/.\.wav$/, (end) => (end[0] === '0' ? '1.wav' : '0.wav')),
    );
    const spare = await stave(data, ['doctor', '--json']);
    expect(spare.code).toBe(0);
    expect(finding(spare, 'media')).toMatchObject({ status: 'warning' });
  });

  it('checks the certificate', async () => {
    using folder = temporaryFolder();
    writeFileSync(folder.at('cert.pem'), 'no');
    const ran = await stave(folder.path, ['doctor', '--json'], {
      env: { STAVE_TLS_CERT: folder.at('cert.pem'), STAVE_TLS_KEY: folder.at('key.pem') },
    });
    expect(ran.code).toBe(1);
    expect(finding(ran, 'tls')).toMatchObject({ status: 'failed' });
  });

  it('names the command for a database that does not give space back', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.path, ['keys', 'rotate']);
    const database = new DatabaseSync(folder.at('stave.db'));
    database.exec(`
      PRAGMA auto_vacuum = NONE; VACUUM;
      CREATE TABLE filler (value BLOB);
      INSERT INTO filler VALUES (zeroblob(110000000)); DROP TABLE filler`);
    database.close();
    expect(finding(await stave(folder.path, ['doctor', '--json']), 'disk use')).toMatchObject({
      status: 'warning',
      detail: expect.stringMatching(
        /; 110 MB of the database are free, which it does not give back/,
      ),
      advice: 'stop the service and run `stave compact` once',
    });
    const ran = await stave(folder.path, ['compact']);
    expect(ran.stdout).toMatch(/^the database has \d+ KB; before, it had 11\d MB\n$/);
    expect(statSync(folder.at('stave.db')).size).toBeLessThan(2_000_000);
    const after = await stave(folder.path, ['doctor', '--json']);
    expect(finding(after, 'disk use')).toMatchObject({ status: 'ok' });
    expect(finding(after, 'keys')).toMatchObject({ status: 'ok' });
    using _service = await lockDataFolder(folder.path, systemClock, { command: 'stave serve' });
    const refused = await stave(folder.path, ['compact']);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('stave serve');
  });

  it('warns of a clock that is before the last change', async () => {
    using folder = temporaryFolder();
    await staveJson(folder.path, ['keys', 'rotate']);
    const database = new DatabaseSync(folder.at('stave.db'));
    const ahead = (ms: number) => database.exec(`UPDATE change_log SET at = ${Date.now() + ms}`);
    ahead(30_000);
    expect(finding(await stave(folder.path, ['doctor', '--json']), 'clock').status).toBe('ok');
    ahead(3_600_000);
    database.close();
    const ran = await stave(folder.path, ['doctor', '--json']);
    expect(ran.code).toBe(0);
    expect(finding(ran, 'clock')).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('is before the last change in the log'),
      advice: expect.stringMatching(/^set the clock \(NTP\)/),
    });
  });
});

function mediaFiles(data: string): string[] {
  return readdirSync(join(data, 'media'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
