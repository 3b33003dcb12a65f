import pg from 'pg';

/** More connections than any server of the tests allows. */
const MAX_CONNECTIONS = 1_000;
const TOO_MANY_CONNECTIONS = '53300';

/** Opens connections until PostgreSQL refuses one because it has too many. The caller ends them. */
export async function takeAllConnections(url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = [];
  while (taken.length < MAX_CONNECTIONS) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    try {
      await client.connect();
    } catch (error) {
      if ((error as { code?: string }).code !== TOO_MANY_CONNECTIONS) throw error;
      return taken;
    }
    taken.push(client);
  }
  throw new Error(`the server accepted ${taken.length} connections and refused none`);
}
