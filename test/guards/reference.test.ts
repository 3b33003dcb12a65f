import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referenceFiles } from '../../scripts/reference/files.ts';
import { SETTINGS } from '../../src/app/config/settings.ts';
import { ERROR_KINDS } from '../../src/common/errors.ts';
import { ROOT } from './source.ts';

const references = await referenceFiles();

describe('the generated references', () => {
  it.each([...references])('match the code (otherwise: npm run reference): %s', (path, text) => {
    expect(readFileSync(join(ROOT, path), 'utf8')).toBe(text);
  });

  it('are complete', () => {
    for (const kind of Object.keys(ERROR_KINDS)) {
      expect(references.get('docs/reference/errors.md')).toContain(`\`${kind}\``);
    }
    for (const { name } of Object.values(SETTINGS)) {
      expect(references.get('docs/reference/configuration.md')).toContain(`| \`${name}\` |`);
      expect(references.get('.env.example')).toContain(`#${name}=`);
    }
    const paths = Object.keys(JSON.parse(references.get('docs/reference/openapi.json')!).paths);
    expect(paths).toEqual(expect.arrayContaining(['/v1/tracks', '/v1/search', '/version']));
  });
});
