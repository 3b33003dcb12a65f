/**
 * The textbook peer: a simple server with Fastify and PostgreSQL. It responds to `GET /v1/tracks` with the
 * same envelope and the same documents. Job: `{"url"}` as the argument. Prints `{"port"}`, and stops on SIGTERM.
 *
 * It omits what Stave does in addition: it has no token, no rate limiter, no check of parameters, no signed URLs
 * (a constant of the same length replaces them), no ranking (the order is always newest first) and no folding of
 * accents. It finds a word anywhere in a name, by trigrams.
 */
import fastify from 'fastify';
import pg from 'pg';
import { type Conditions, conditionsOf, FACETS, TYPO_ORDER } from './conditions.ts';

const { url } = JSON.parse(process.argv[2]!) as { url: string };
const pool = new pg.Pool({ connectionString: url, max: 8, idleTimeoutMillis: 0 });
const { rows: filters } = await pool.query<{ no: number; id: string }>(
  'SELECT no, id FROM filters',
);
const filterNos = new Map(filters.map(({ no, id }) => [id, no]));

const app = fastify();
app.get<{ Querystring: Record<string, string> }>('/v1/tracks', async (request, reply) => {
  const page = Number(request.query.page ?? 1);
  const pageSize = Number(request.query.pageSize ?? 20);
  let { where, values } = conditionsOf(request.query, filterNos);
  let order = 'released_at DESC, id';
  let total = await count(where, values);
  const { search } = request.query;
  if (total === 0 && search !== undefined && !(await exists(conditionsOf({ search }, filterNos)))) {
    ({ where, values } = conditionsOf(request.query, filterNos, { typos: true }));
    order = TYPO_ORDER;
    total = await count(where, values);
  }
  const [documents, facets] = await Promise.all([
    pool.query<{ document: string }>(
      `SELECT document FROM tracks WHERE ${where} ORDER BY ${order}
       LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
      values,
    ),
    request.query.facets === 'true' ? facetsOf(where, values) : undefined,
  ]);
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(envelope(total, page, pageSize, documents.rows, facets));
});

async function exists({ where, values }: Conditions): Promise<boolean> {
  const { rows } = await pool.query(
    `SELECT EXISTS (SELECT FROM tracks WHERE ${where}) AS found`,
    values,
  );
  return rows[0].found;
}

async function count(where: string, values: unknown[]): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::integer AS total FROM tracks WHERE ${where}`,
    values,
  );
  return rows[0].total;
}

async function facetsOf(where: string, values: unknown[]): Promise<object> {
  const counts = await Promise.all(FACETS.map((facet) => pool.query(facet(where), values)));
  const [filterCounts, types, hasVocals] = counts.map(({ rows }) => rows);
  return { filters: filterCounts, types, hasVocals };
}

/** A constant about as long as the URLs that Stave adds to a document. */
const URLS = `,"urls":"${'x'.repeat(380)}"}`;

function envelope(
  total: number,
  page: number,
  pageSize: number,
  rows: readonly { document: string }[],
  facets: object | undefined,
): Buffer {
  const items = rows.map(({ document }) => document.slice(0, -1) + URLS).join(',');
  const counts = facets === undefined ? '' : `,"facets":${JSON.stringify(facets)}`;
  return Buffer.from(
    `{"data":{"totalRecords":${total},"totalPages":${Math.ceil(total / pageSize)},` +
      `"currentPage":${page},"pageSize":${pageSize},"items":[${items}]${counts}},` +
      '"error":{"code":0,"message":"OK"}}',
  );
}

const address = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ port: Number(new URL(address).port) })}\n`);
process.on('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
