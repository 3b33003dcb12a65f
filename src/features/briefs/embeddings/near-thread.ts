/** The thread that compares phrases by meaning, which has the model and the vectors of the vocabulary. */
import { workerData } from 'node:worker_threads';
import { offerToStarter } from '../../../common/threads/calls.ts';
import type { EmbedderChoice } from './embedder.ts';
import { localEmbedder } from './local-embedder.ts';
import { NearTerms } from './near-terms.ts';
import { remoteEmbedder } from './remote-embedder.ts';

export interface NearThreadData {
  choice: NonNullable<EmbedderChoice>;
  /** Of the file with the vectors. */
  path: string;
}

const { choice, path }: NearThreadData = workerData;
const embedder = choice.kind === 'local' ? localEmbedder() : remoteEmbedder(choice);
const near = new NearTerms(embedder, path);

offerToStarter({
  prepare: (key: string, terms: readonly string[]) => near.prepare(key, terms),
  nearest: (key: string, phrases: readonly string[]) => near.nearest(key, phrases),
});
