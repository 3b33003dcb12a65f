import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stave, temporaryFolder } from '../harness/cli.ts';
import { ON_POSTGRES } from '../harness/services.ts';

const folder = temporaryFolder();
const FILE = folder.at('a.ndjson');
const CLIENTS = folder.at('clients.ndjson');
beforeAll(() => {
  writeFileSync(CLIENTS, '{"name":"Acme","scopes":["tracks"]}\n');
  writeFileSync(FILE, '{"externalId":"1","name":"Rain","type":"music","durationSeconds":60}\n');
});
afterAll(() => folder[Symbol.dispose]());

const NUL = 'a\0b';

// The system passes no such argument, but a program that calls the commands may.
describe.skipIf(ON_POSTGRES)('a path with the character NUL', () => {
  it.each<string[]>([
    ['import', NUL],
    ['import', NUL, '--explain'],
    ['import', NUL, '--suggest-map'],
    ['import', FILE, '--map', NUL],
    ['import', FILE, '--rejects', NUL],
    ['licenses', 'import', NUL],
    ['licenses', 'import', FILE, '--rejects', NUL],
    ['rate-cards', 'publish', NUL],
    ['filters', 'translate', NUL],
    ['brief', 'synonyms', 'import', NUL],
    ['clients', 'import', NUL, '--secrets', folder.at('new.csv')],
    ['clients', 'import', CLIENTS, '--secrets', `${NUL}.csv`],
    ['tracks', 'takedown', '--file', NUL],
    ['usage', 'export', '--from', '2026-11-01', '--to', '2026-11-02', '--out', NUL],
    ['backup', NUL],
    ['restore', NUL],
    ['migrate-media', '--from', folder.path, '--to', NUL],
  ])('has one message: %j', async (...args) => {
    const ran = await stave(folder.at('data'), args);
    expect(ran.stderr).toMatch(/^stave: [^\n]*a path cannot contain the character NUL\n$/);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
  });
});
