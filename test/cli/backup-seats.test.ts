import { expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import { hashSecret } from '../../src/features/access/secret.ts';
import { tokenOf } from '../endpoints/sessions-support.ts';
import { openStoreOf, stave, staveJson, temporaryFolder } from '../harness/cli.ts';

const END = Date.now() + 3_600_000;

it('a restored backup, and a new epoch, have seats, but no sessions and no links', async () => {
  using folder = temporaryFolder();
  const data = folder.at('data');
  const client = await staveJson(data, ['clients', 'create', '-n', 'Acme', '-s', 'tracks']);
  const { clientId } = client;
  const seat = await staveJson(data, ['seats', 'create', clientId, 'Ana', '--role', 'buyer']);
  const store = await openStoreOf(data);
  const session = { id: newId(), hash: hashSecret('a'), expiresAt: END };
  await store.clientSessions.useLink(hashSecret(tokenOf(seat)), session);
  const { secrets } = (await store.clients.get(clientId))!;
  const ofSecret = { id: newId(), hash: hashSecret('b'), expiresAt: END };
  await store.clientSessions.startOfSecret({ clientId, secretId: secrets[0]!.id }, ofSecret);
  await store.close();
  await staveJson(data, ['seats', 'link', seat.id]);
  const stateOf = async (path: string) => {
    const open = await openStoreOf(path);
    const sessions = await open.clientSessions.all();
    await open.close();
    const [one] = await staveJson(path, ['seats', 'list']);
    return [sessions.length, one.sessions, one.linkExpiresAt === null];
  };
  expect(await stateOf(data)).toEqual([2, 1, false]);
  expect((await stave(data, ['backup', folder.at('backups')])).code).toBe(0);
  const restored = folder.at('restored');
  expect((await stave(restored, ['restore', folder.at('backups')])).code).toBe(0);
  expect(await stateOf(restored)).toEqual([0, 0, true]);
  await staveJson(data, ['operators', 'add', 'anna', '--role', 'owner']);
  await stave(data, ['changes', 'new-epoch']);
  const [anna] = await staveJson(data, ['operators', 'list']);
  expect(anna).toMatchObject({ name: 'anna', linkExpiresAt: null });
  expect(await stateOf(data)).toEqual([0, 0, true]);
  const kinds = (await staveJson(data, ['log', '--limit', '2'])).map(
    ({ entity, kind }: Record<string, string>) => `${entity} ${kind}`,
  );
  expect(kinds.sort()).toEqual(['client signed_out', 'seat sessions_ended']);
});
