import { expect, it } from 'vitest';
import { openStoreOf, serve, stave, staveJson, temporaryFolder } from '../harness/cli.ts';
import { publishedKeys } from '../harness/published-keys.ts';
import { until } from '../harness/until.ts';

it('stave keys rotate --licenses gives a running service new keys, and leaves the others', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  await using serving = await serve(data);
  const [first, ...none] = await publishedKeys(serving.url);
  expect(none).toEqual([]);
  const store = await openStoreOf(data);
  const before = await store.keys.all();
  const rotated = await staveJson(data, ['keys', 'rotate', '--licenses']);
  expect(rotated).toEqual({
    liveKeyId: expect.stringMatching(/^[\w-]{43}$/),
    testKeyId: expect.stringMatching(/^[\w-]{43}$/),
  });
  await until(async () => (await publishedKeys(serving.url)).length === 2);
  expect(await publishedKeys(serving.url)).toEqual([rotated.liveKeyId, first]);
  expect(await store.keys.all()).toEqual(before);
  const text = await stave(data, ['keys', 'rotate', '--licenses']);
  expect(text.stdout).toMatch(/^new keys: [\w-]{43} for certificates, [\w-]{43} for test/);
  for (const { secret } of await store.licenseKeys.all()) {
    expect(JSON.stringify([rotated, text.stdout, text.stderr])).not.toContain(
      secret.toString('base64url'),
    );
  }
  await store.close();
});
