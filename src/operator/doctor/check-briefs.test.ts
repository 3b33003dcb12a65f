import { expect, it } from 'vitest';
import type { Config } from '../../app/config/config.ts';
import { startEmbeddingsService } from '../../features/briefs/embeddings/embeddings-service.test-support.ts';
import { checkEmbeddings } from './check-briefs.ts';

const check = (setting: string | null) =>
  checkEmbeddings({ embeddings: { setting, model: 'topics', key: 'sk-secret' } } as Config);

it('off needs nothing', async () => {
  expect(await check('off')).toMatchObject({ status: 'ok' });
});

it('a local model that is installed makes vectors', async () => {
  const found = await check('local');
  expect(found).toMatchObject({
    status: 'ok',
    detail: 'the local model makes vectors of 512 numbers',
  });
});

it('a service is asked for a vector', async () => {
  const { url } = await startEmbeddingsService();
  expect(await check(url)).toMatchObject({
    status: 'ok',
    detail: `topics at ${url}/embeddings makes vectors of 4 numbers`,
  });
});

it('a service that fails is named with the reason, and without the key', async () => {
  const { url } = await startEmbeddingsService((response) => response.writeHead(401).end());
  const found = await check(url);
  expect(found.status).toBe('warning');
  expect(found.detail).toContain('responded with 401');
  expect(JSON.stringify(found)).not.toContain('sk-secret');
});
