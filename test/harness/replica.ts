import pg from 'pg';

/** What the log says where a replica is not read. */
export const UNUSED = 'error: the replica is not used: the primary is read instead';

/** Runs statements on a connection of their own. */
export async function sql<T = unknown>(url: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Whether the replica has all that the primary's log has. */
export async function replayed(url: string, replicaUrl: string): Promise<boolean> {
  const head = 'SELECT seq FROM change_log_head';
  const [ours, theirs] = await Promise.all([
    sql<{ seq: string }>(url, head),
    sql<{ seq: string }>(replicaUrl, head).catch(() => []),
  ]);
  return ours[0]!.seq === theirs[0]?.seq;
}
