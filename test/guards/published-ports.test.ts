import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it('compose.yaml publishes only the proxy of the API, and neither metrics nor the console', () => {
  const compose = readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8');
  const published = compose.match(/\bports:.*$/gm);
  expect(published).toEqual([expect.stringMatching(/^ports: \["[^"]+:8080"\]$/)]);
  expect(compose).not.toContain('network_mode');
});
