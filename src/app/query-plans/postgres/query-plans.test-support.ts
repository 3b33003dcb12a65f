import pg from 'pg';
import { vi } from 'vitest';

/** A node of the plan of a statement. */
export interface Plan {
  'Node Type': string;
  'Index Name'?: string;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** A statement that was sent, with its parameters. */
export interface Statement {
  text: string;
  values: readonly unknown[];
}

/** Returns every statement with values, or with a name, that the calls send. */
export async function statementsOf(calls: () => Promise<unknown>): Promise<Statement[]> {
  const statements = new Map<string, Statement>();
  const original = pg.Client.prototype.query as (...given: unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...given: unknown[]
  ) {
    const { text, values = [] } = given[0] as Partial<Statement>;
    if (text !== undefined && !text.startsWith('COPY')) statements.set(text, { text, values });
    return original.apply(this, given);
  } as never);
  await calls();
  vi.restoreAllMocks();
  return [...statements.values()];
}

/**
 * Returns the nodes of the plans of a statement: the plan for its values, and the generic plan that the
 * server may use.
 */
export async function plansOf(client: pg.Client, { text, values }: Statement): Promise<Plan[]> {
  const nodes: Plan[] = [];
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await client.query(`SET plan_cache_mode = ${mode}; PREPARE asked AS ${text}`);
    const given = values.length === 0 ? '' : `(${values.map(literal).join(', ')})`;
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE asked${given}`);
    await client.query('DEALLOCATE asked');
    const visit = (plan: Plan): void => {
      nodes.push(plan);
      plan.Plans?.forEach(visit);
    };
    visit(rows[0]['QUERY PLAN'][0].Plan);
  }
  return nodes;
}

/** Returns the scans of whole tables that are among the large ones, each with its statement. */
export async function scansOf(
  client: pg.Client,
  statements: readonly Statement[],
  isLarge: (table: string) => boolean,
): Promise<string[]> {
  const scans: string[] = [];
  for (const statement of statements) {
    for (const node of await plansOf(client, statement)) {
      const table = node['Relation Name'] ?? '';
      if (node['Node Type'] === 'Seq Scan' && isLarge(table)) {
        scans.push(`${table}: ${statement.text}`);
      }
    }
  }
  return scans;
}

/** Returns a value as an SQL literal without a type, so that the statement determines the type. */
function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'`;
  if (Array.isArray(value)) {
    const items = value.map((one) => {
      if (one === null) return 'NULL';
      if (Buffer.isBuffer(one)) return `"\\\\x${one.toString('hex')}"`;
      return `"${String(one).replace(/["\\]/g, '\\$&')}"`;
    });
    return `'{${items.join(',').replaceAll("'", "''")}}'`;
  }
  return `'${String(value).replaceAll("'", "''")}'`;
}
