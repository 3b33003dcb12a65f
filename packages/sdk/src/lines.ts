import { translated } from './attempt.ts';
import type { TimeLimit } from './time-limit.ts';

/** The lines of a response as they arrive, without their line feeds. A line that is not complete is omitted. */
export async function* linesOf(
  { body }: Response,
  limit: TimeLimit,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  if (body === null) return limit.clear();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      limit.restart();
      const { value, done } = await reader.read();
      // The time that the caller takes does not count.
      limit.clear();
      if (done) return;
      const lines = (rest + value).split('\n');
      rest = lines.pop()!;
      yield* lines;
    }
  } catch (error) {
    throw translated(error, limit, signal);
  } finally {
    limit.clear();
    await reader.cancel().catch(() => {});
  }
}
