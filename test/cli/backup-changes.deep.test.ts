import { expect, it } from 'vitest';
import { serve, staveJson, temporaryFolder } from '../harness/cli.ts';
import { ALL, catalogWithReader } from './changes-support.ts';

it('refuses a position in the changes from before a restore, also when the log has grown past it', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const restored = folder.at('restored');
  const client = await catalogWithReader(data, folder.at('tracks.ndjson'));
  await staveJson(data, ['backup', folder.at('backup')]);
  await staveJson(data, ['tracks', 'takedown', 'track-1']);
  await using original = await serve(data);
  const token = await original.token(client.clientId, client.testSecret);
  const { body } = await original.get(ALL, token);
  expect(body.data.items).toHaveLength(4);

  await staveJson(restored, ['restore', folder.at('backup')]);
  for (const track of ['track-2', 'track-3', 'track-1']) {
    await staveJson(restored, ['tracks', 'takedown', track]);
  }
  await using copy = await serve(restored);
  const again = await copy.token(client.clientId, client.testSecret);
  expect((await copy.get(ALL, again)).body.data.items).toHaveLength(6);
  const path = `/v1/tracks/changes?cursor=${body.data.nextCursor}`;
  const { status, body: refused } = await copy.get(path, again);
  expect({ status, type: refused.error.type }).toEqual({ status: 410, type: 'gone' });
  expect((await original.get(path, token)).status).toBe(200);
});
