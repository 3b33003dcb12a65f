import { createBenchClients, tokensFor } from './client.ts';
import { serve } from './processes.ts';
import type { Row } from './row.ts';
import { importRealTracks } from './start.ts';
import { compareViews } from './two-views.ts';

const PORT = 18_093;

/**
 * Compares pages of clients that see previews with pages of clients that do not, on one service that is loaded in turn.
 */
export async function* measurePreviews(options: {
  folder: string;
  dataFolder: string;
  rounds: number;
}): AsyncIterable<Row> {
  const { settings, tracks } = await importRealTracks(options.folder, options.dataFolder);
  const plain = await createBenchClients(settings);
  const featured = await createBenchClients(settings, { features: 'previews' });
  // The tracks have no audio, so the service makes no previews meanwhile.
  const server = await serve(settings, PORT);
  yield* compareViews({
    what: 'page of 20 with previews',
    by: 'of one without',
    goal: 'at least 0.75',
    sides: {
      one: { server, authorizations: await tokensFor(PORT, featured) },
      other: { server, authorizations: await tokensFor(PORT, plain) },
    },
    tracks,
    rounds: options.rounds,
  });
  await server.stop();
}
