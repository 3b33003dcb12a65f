import { OperatorError } from '../../../common/operator-error.ts';
import { MIGRATIONS, versionAfter } from '../migrations.ts';
import { affectedTables, pendingSteps } from '../pending-steps.ts';
import type { AffectedTable, SchemaInspection } from '../schema-inspection.ts';
import type { Database, Transaction } from './database.ts';
import { sqlOf } from './migrations.ts';

/** Larger tables are not counted: their number of rows is what the server estimates. */
const COUNTED_ROWS = 100_000;

/** Examines a database in one transaction that only reads. Throws OperatorError for that of another program. */
export function inspectPostgres(database: Database): Promise<SchemaInspection> {
  return database.view(async (tx) => {
    const tables = await tx.rows<{ name: string }>(
      `SELECT relname AS name FROM pg_class c
       WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace
         AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = c.oid AND deptype = 'e')`,
    );
    const existing = new Set(tables.map(({ name }) => name));
    const isOurs = existing.has('stave_schema');
    if (!isOurs && existing.size > 0) {
      throw new OperatorError(`The database ${database.name} holds the tables of another program.`);
    }
    const [schema] = isOurs
      ? await tx.rows<{ version: number; compatibleFrom: number }>(
          'SELECT version, compatible_from AS "compatibleFrom" FROM stave_schema',
        )
      : [];
    const { version, compatibleFrom } = schema ?? { version: 0, compatibleFrom: 0 };
    const steps = pendingSteps(version, MIGRATIONS, { sqlOf, existing });
    const affected: AffectedTable[] = [];
    for (const name of affectedTables(steps)) affected.push(await tableOf(tx, name));
    const [size] = await tx.rows<{ bytes: number }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    );
    return {
      place: database.name,
      isServer: true,
      version,
      known: versionAfter(MIGRATIONS),
      compatibleFrom,
      steps,
      affected,
      databaseBytes: size!.bytes,
      freeBytes: null,
    };
  });
}

async function tableOf(tx: Transaction, name: string): Promise<AffectedTable> {
  const [estimated] = await tx.rows<{ rows: number; bytes: number }>(
    `SELECT greatest(c.reltuples, 0)::bigint AS rows,
            (pg_total_relation_size(c.oid) + coalesce(
              (SELECT sum(pg_total_relation_size(part.relid)) FROM pg_partition_tree(c.oid) AS part
               WHERE part.relid <> c.oid), 0))::bigint AS bytes
     FROM pg_class c WHERE c.oid = $1::regclass`,
    [name],
  );
  const { rows, bytes } = estimated ?? { rows: 0, bytes: 0 };
  if (rows > COUNTED_ROWS) return { name, rows, bytes };
  const [counted] = await tx.rows<{ rows: number }>(`SELECT count(*) AS rows FROM ${name}`);
  return { name, rows: counted!.rows, bytes };
}
