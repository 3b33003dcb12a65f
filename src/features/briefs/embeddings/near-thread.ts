/** The thread that compares phrases by meaning, which has the model and the vectors of the vocabulary. */
import { workerData } from 'node:worker_threads';
import { offerToStarter } from '../../../common/threads/calls.ts';
import type { EmbedderChoice } from './embedder.ts';
import { loadLocalEmbedder } from './local-embedder.ts';
import { NearTerms } from './near-terms.ts';
import { remoteEmbedder } from './remote-embedder.ts';

export interface NearThreadData {
  choice: NonNullable<EmbedderChoice>;
  /** Of the file with the vectors. */
  path: string;
}

const { choice, path }: NearThreadData = workerData;
const near = new NearTerms(
  async () => (choice.kind === 'local' ? loadLocalEmbedder() : remoteEmbedder(choice)),
  path,
);

offerToStarter({
  prepare: (key: string, terms: readonly string[]) => near.prepare(key, terms),
  nearest: (key: string, phrases: readonly string[]) => near.nearest(key, phrases),
});
