import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stave, temporaryFolder } from '../../../test/harness/cli.ts';
import { cleaner } from './bundle.ts';

it('removes secrets from texts, the longest first, and the user of each URL', () => {
  const clean = cleaner(['sesame', 'sesame street', 'a']);
  expect(clean('a sesame street, sesame')).toBe('a [removed], [removed]');
  expect(clean('at https://anna:p@ss/word@host/x and s3://bucket')).toBe(
    'at https://[removed]@host/x and s3://bucket',
  );
});

it('leaves a file that exists as it is, and no file after a failure', async () => {
  using folder = temporaryFolder();
  writeFileSync(folder.at('b.zip'), 'mine');
  const ran = await stave(folder.at('data'), ['doctor', '--bundle', folder.at('b.zip')]);
  expect(ran).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/b\.zip exists already: name another file$/m),
  });
  expect(readFileSync(folder.at('b.zip'), 'utf8')).toBe('mine');
  const nowhere = await stave(folder.at('data'), ['doctor', '--bundle', folder.at('no', 'b.zip')]);
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('no such file') });
  expect(existsSync(folder.at('data'))).toBe(false);
});
