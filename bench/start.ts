import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { spread } from './figures.ts';
import { memoryMegabytes, serve, stave } from './processes.ts';
import type { Row } from './row.ts';

/** Imports the 30,000 real tracks into a folder, unless an earlier part has done so. */
export async function importRealTracks(
  folder: string,
  dataFolder: string,
  settings: Record<string, string> = { STAVE_DATA: join(folder, 'real') },
): Promise<{ settings: Record<string, string>; tracks: number }> {
  const files = readdirSync(dataFolder).filter((name) => name.endsWith('.ndjson.gz'));
  const { result } = await stave(
    ['import', ...files.map((name) => join(dataFolder, name))],
    settings,
  );
  const counts = result as { created: number; unchanged: number };
  return { settings, tracks: counts.created + counts.unchanged };
}

/** Measures the time from the start of the process to the first healthy response, with the real catalogs. */
export async function measureStart(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): Promise<Row[]> {
  const { settings, tracks } = await importRealTracks(options.folder, options.dataFolder);
  const seconds: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const server = await serve(settings, 18_091);
    seconds.push(server.secondsToServe);
    memory.push(memoryMegabytes(server.pid, 'VmRSS'));
    await server.stop();
  }
  const time = spread(seconds);
  return [
    {
      what: `start with ${tracks.toLocaleString('en')} real tracks, to the first healthy response`,
      figure: `${time.median.toFixed(2)} s (${time.min.toFixed(2)} to ${time.max.toFixed(2)} s)`,
      goal: 'below 1 s',
    },
    {
      what: 'memory of the serving process after the start',
      figure: `${Math.round(spread(memory).median)} MB`,
      goal: '',
    },
  ];
}
