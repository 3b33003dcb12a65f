import { connectRedis } from './connection.ts';

/** The version of the Redis at the URL, such as `7.0.15`; rejects after twice `timeoutMs` at the latest. */
export async function redisVersion(url: string, timeoutMs: number): Promise<string> {
  const timeout = Promise.withResolvers<never>();
  const connection = await connectRedis({ url, timeoutMs, onLost: timeout.reject });
  const timer = setTimeout(
    () => timeout.reject(new Error(`no answer within ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    const info = await Promise.race([connection.send(['INFO', 'server']), timeout.promise]);
    return /^redis_version:(\S+)/m.exec(String(info))?.[1] ?? 'unknown';
  } finally {
    clearTimeout(timer);
    connection.close();
  }
}
