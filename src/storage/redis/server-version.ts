import { connectRedis } from './connection.ts';

/** The version of the Redis at the URL, such as `7.0.15`; rejects within twice `patienceMs`. */
export async function redisVersion(url: string, patienceMs: number): Promise<string> {
  const overdue = Promise.withResolvers<never>();
  const connection = await connectRedis({ url, patienceMs, onLost: overdue.reject });
  const timer = setTimeout(
    () => overdue.reject(new Error(`no answer within ${patienceMs} ms`)),
    patienceMs,
  );
  try {
    const info = await Promise.race([connection.send(['INFO', 'server']), overdue.promise]);
    return /^redis_version:(\S+)/m.exec(String(info))?.[1] ?? 'unknown';
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}
