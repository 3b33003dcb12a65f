import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { FEATURES } from '../../common/caller.ts';
import { greeting, playLine, quoteLine } from './greeting.ts';
import type { Demo } from './import-demo.ts';

const fresh: Demo & { kind: 'new' } = {
  kind: 'new',
  clientId: 'c1',
  testSecret: 'stave_test_x',
  liveSecret: 'stave_live_y',
  contractClient: { clientId: 'c2', testSecret: 'stave_test_z' },
};
const address = 'https://music.example';

describe('greeting', () => {
  it('says which data folder the commands need, if it is not the default one', () => {
    const { text } = greeting({ address, demo: fresh, dataFolder: '/srv/stave' });
    expect(text).toContain(': STAVE_DATA=/srv/stave bin/stave …\n');
    expect(greeting({ address, demo: fresh }).text).not.toContain('STAVE_DATA');
  });

  it('shows the credentials and the line to paste', () => {
    const { text, demo } = greeting({ address, demo: fresh });
    expect(demo).toEqual({
      clientId: 'c1',
      testSecret: 'stave_test_x',
      liveSecret: 'stave_live_y',
      curl: playLine(address, fresh),
      contractClient: {
        ...fresh.contractClient,
        curl: quoteLine(address, fresh.contractClient),
      },
    });
    for (const part of [
      'https://music.example/docs',
      'stave_test_x',
      'stave_live_y',
      '\n  bin/stave clients update c1 --enable-features all\n',
      '\n  https://music.example/\n',
      '\n  test secret  stave_test_z\n',
      FEATURES.join(', '),
      'bin/stave import',
      'bin/stave demo remove',
    ]) {
      expect(text).toContain(part);
    }
    expect(text.split('\n').filter((line) => line.includes('curl'))).toEqual([
      `  ${playLine(address, fresh)}`,
      `  ${quoteLine(address, fresh.contractClient)}`,
    ]);
  });

  it('explains at later starts how to get new credentials or another client', () => {
    const loaded = { kind: 'loaded', features: [], contractClientId: null } as const;
    const { text: again, demo } = greeting({ address, demo: { ...loaded, clientId: 'c1' } });
    expect(demo).toBeUndefined();
    expect(again).toContain('bin/stave clients rotate-secret c1 --mode test');
    expect(again).toContain('bin/stave clients update c1 --enable-features all');
    const line = playLine(address, { clientId: 'c1', testSecret: 'stave_test_…' });
    expect(again).toContain(`  ${line}`);
    expect(again).toContain('\n  https://music.example/\n');
    expect(again).not.toContain('contract feature,');
    const { text: alone } = greeting({ address, demo: { ...loaded, clientId: null } });
    expect(alone).toContain('bin/stave clients create');
    expect(alone).not.toContain('curl');
    expect(alone).not.toContain('in a browser');
  });

  it('names the second client at later starts while it exists', () => {
    const clients = { clientId: 'c1', contractClientId: 'c2' };
    const loaded = { kind: 'loaded', features: ['usage', 'stems'], ...clients } as const;
    const { text } = greeting({ address, demo: loaded });
    expect(text).toContain('every contract feature, in test mode: c2.');
    expect(text).toContain('\nIts contract features: usage, stems\n');
    expect(text).not.toContain('are off');
    expect(text).toContain('bin/stave clients rotate-secret c2 --mode test');
    expect(text).toContain(
      `  ${quoteLine(address, { clientId: 'c2', testSecret: 'stave_test_…' })}`,
    );
  });

  it('does not mention a demo that does not exist', () => {
    for (const demo of [undefined, { kind: 'absent' } as const]) {
      const { text } = greeting({ address, demo });
      expect(text).toContain(address);
      expect(text).not.toContain('emo');
    }
  });
});

describe('playLine', () => {
  it('is one line of plain sh, whatever the address contains', () => {
    const line = playLine("http://host/it's $(touch /tmp/no) `x`", fresh);
    expect(line).not.toContain('\n');
    // A function replaces curl and prints its arguments.
    const words = execFileSync(
      'sh',
      ['-c', `curl() { printf '<%s>' "$@" >&2; }; { ${line}; } 2>&1`],
      {
        encoding: 'utf8',
      },
    );
    expect(words).toContain("<http://host/it's $(touch /tmp/no) `x`/v1/auth/token>");
    expect(words).toContain('search=Harbour+at+First+Light&pageSize=1>');
  });
});
