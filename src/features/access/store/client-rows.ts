import type { Selectable } from 'kysely';
import type { Queries, SqlDialect } from '../../../engines/sql/database.ts';
import type { Tables } from '../../../engines/sql/tables/tables.ts';
import type { Client } from '../client.ts';

/** The types of new clients and secrets in a statement. */
const CLIENT = {
  id: 'text',
  createdAt: 'integer',
  name: 'text',
  scopes: 'text',
  features: 'text',
  rateLimit: 'integer',
  account: 'text',
  rateCard: 'text',
  enabled: 'boolean',
} as const;
const CLIENT_COLUMNS = Object.keys(CLIENT) as (keyof typeof CLIENT)[];
const SECRET = {
  clientId: 'text',
  id: 'text',
  mode: 'text',
  hash: 'text',
  createdAt: 'integer',
  revokedAt: 'integer',
} as const;
const SECRET_COLUMNS = ['id', 'mode', 'hash', 'createdAt', 'revokedAt'] as const;

/** The columns of a new client. */
type ClientRow = Omit<Selectable<Tables['clients']>, 'rowId'>;

/**
 * Inserts many new clients and their secrets by two statements.
 * @param rows the columns of the clients
 */
export async function insertClients(
  queries: Queries,
  dialect: SqlDialect,
  rows: readonly ClientRow[],
  clients: readonly Client[],
): Promise<void> {
  const given = dialect.rows('given', CLIENT, rows);
  const secrets = dialect.rows(
    'secret',
    SECRET,
    clients.flatMap(({ id: clientId, secrets: own }) =>
      own.map((secret) => ({ clientId, ...secret })),
    ),
  );
  await queries
    .insertInto('clients')
    .columns(CLIENT_COLUMNS)
    .expression(({ selectFrom }) => selectFrom(given).select(CLIENT_COLUMNS))
    .execute();
  await queries
    .insertInto('clientSecrets')
    .columns(['clientRowId', ...SECRET_COLUMNS])
    .expression(({ selectFrom }) =>
      selectFrom(secrets)
        .innerJoin('clients', 'clients.id', 'secret.clientId')
        .select('clients.rowId')
        .select(['secret.id', 'secret.mode', 'secret.hash', 'secret.createdAt'])
        .select('secret.revokedAt'),
    )
    .execute();
}
