import { until } from './until.ts';

/** Reads the metrics of a process as they are after the call. One rendering serves all requests of a second. */
export async function freshMetrics(url: string): Promise<string> {
  const read = async () => (await fetch(url)).text();
  // Each rendering uses some processor time.
  const usedIn = (text: string) => /^process_cpu_seconds_total .+$/m.exec(text)![0];
  const before = usedIn(await read());
  let text = '';
  await until(async () => {
    text = await read();
    return usedIn(text) !== before;
  }, 'a new rendering of the metrics');
  return text;
}
