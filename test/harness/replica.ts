import pg from 'pg';

/** The log line of a node that does not read its replica. */
export const UNUSED = 'error: the replica is not used: the primary is read instead';

/** Runs statements on a new connection. */
export async function sql<T = unknown>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Whether the replica has replayed the whole change log of the primary. */
export async function replayed(url: string, replicaUrl: string): Promise<boolean> {
  const head = 'SELECT seq FROM change_log_head';
  const [ours, theirs] = await Promise.all([
    sql<{ seq: string }>(url, head),
    sql<{ seq: string }>(replicaUrl, head).catch(() => []),
  ]);
  return ours[0]!.seq === theirs[0]?.seq;
}
