import { DEFAULT_RATE_LIMIT, STANDARD_RATE_CARD } from '../../../features/access/client.ts';
import type { Requests } from '../../../features/access/client-requests.ts';
import type { Use, Uses } from '../../../features/access/client-use.ts';
import type { ClientRecord } from '../../../features/access/clients.ts';
import { isoTime, shownTime } from '../terminal/arguments.ts';
import { facts, table } from '../terminal/table.ts';

/** The columns of `useCells`. */
const USE_COLUMNS = ['HOUR', '429', 'DAY', '429', 'LAST USED'];

function rateLimitOf({ rateLimit: own }: ClientRecord): string {
  return own === null ? `${DEFAULT_RATE_LIMIT} a minute, the default` : `${own} a minute`;
}

function state({ enabled }: ClientRecord): string {
  return enabled ? 'enabled' : 'disabled';
}

/** A client for `--json`. */
export function forScripts({ id, createdAt, secrets, ...rest }: ClientRecord, uses: Uses): object {
  return {
    clientId: id,
    ...rest,
    createdAt: isoTime(createdAt),
    ...useForScripts(uses.ofClient(id)),
    secrets: secrets.map(({ id: secretId, mode, createdAt: at, revokedAt }) => ({
      secretId,
      mode,
      createdAt: isoTime(at),
      revokedAt: revokedAt === null ? null : isoTime(revokedAt),
      ...useForScripts(uses.ofSecret(secretId)),
    })),
  };
}

function useForScripts({ lastUsedAt, lastHour, lastDay }: Use): object {
  const shown = ({ requests, limited }: Requests) => ({ requests, rateLimited: limited });
  return {
    lastUsedAt: lastUsedAt === null ? null : isoTime(lastUsedAt),
    lastHour: shown(lastHour),
    lastDay: shown(lastDay),
  };
}

/** All clients as a table. */
export function listForPeople(clients: readonly ClientRecord[], uses: Uses): string {
  return table(
    ['ID', 'NAME', 'STATE', 'LIMIT', ...USE_COLUMNS, 'SCOPES', 'CREATED'],
    clients.map((client) => [
      client.id,
      client.name,
      state(client),
      String(client.rateLimit ?? 'default'),
      ...useCells(uses.ofClient(client.id)),
      client.scopes.join(','),
      shownTime(client.createdAt),
    ]),
  );
}

function useCells({ lastUsedAt, lastHour, lastDay }: Use): string[] {
  const counts = [lastHour, lastDay].flatMap(({ requests, limited }) => [requests, limited]);
  return [...counts.map(String), lastUsedAt === null ? 'never' : shownTime(lastUsedAt)];
}

/** A client with its secrets. */
export function forPeople(client: ClientRecord, uses: Uses): string {
  const secrets = table(
    ['SECRET', 'MODE', 'CREATED', 'STATE', ...USE_COLUMNS],
    client.secrets.map(({ id, mode, createdAt, revokedAt }) => [
      id,
      mode,
      shownTime(createdAt),
      revokedAt === null ? 'live' : `revoked ${shownTime(revokedAt)}`,
      ...useCells(uses.ofSecret(id)),
    ]),
  );
  const { lastHour, lastDay } = uses.ofClient(client.id);
  const requests = ({ requests: count, limited }: Requests) =>
    `${count}, of them ${limited} over the rate limit`;
  const about = facts([
    ['client id', client.id],
    ['name', client.name],
    ['state', state(client)],
    ['scopes', client.scopes.join(', ')],
    ['features', client.features.join(', ') || 'none'],
    ['rate limit', rateLimitOf(client)],
    ['account', client.account ?? 'its own'],
    ['rate card', client.rateCard ?? STANDARD_RATE_CARD],
    ['playlists', client.playlistIds.join(', ') || 'none'],
    ['created', shownTime(client.createdAt)],
    ['last hour', requests(lastHour)],
    ['last day', requests(lastDay)],
  ]);
  return `${about}\n\n${secrets}`;
}
