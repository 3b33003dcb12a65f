import type { Config } from '../../app/config/config.ts';
import { explain } from '../../common/text/explain.ts';
import { embedderChoice } from '../../features/briefs/embeddings/choice.ts';
import { PHRASES_MS } from '../../features/briefs/embeddings/embedder.ts';
import { localEmbedder } from '../../features/briefs/embeddings/local-embedder.ts';
import { endpointOf, remoteEmbedder } from '../../features/briefs/embeddings/remote-embedder.ts';
import { type Found, ok, warning } from './finding.ts';

/** Compares a phrase by meaning, as the service does for briefs. */
export async function checkEmbeddings({ embeddings }: Config): Promise<Found> {
  const choice = embedderChoice(embeddings);
  if (choice === null) return ok('off: briefs are understood by rules alone');
  const isLocal = choice.kind === 'local';
  const place = isLocal ? 'the local model' : `${choice.model} at ${endpointOf(choice.url)}`;
  try {
    const embedder = isLocal ? localEmbedder() : remoteEmbedder(choice);
    const [vector] = await embedder.embed(['a detective in an empty house'], PHRASES_MS);
    return ok(`${place} makes vectors of ${vector!.length} numbers`);
  } catch (error) {
    return warning(
      `${place} cannot be used (${explain(error)}); briefs are understood by rules alone`,
      isLocal
        ? 'install its packages (docs/operations.md#briefs), or set STAVE_EMBEDDINGS=off'
        : 'start it, or look at STAVE_EMBEDDINGS, STAVE_EMBEDDINGS_MODEL and STAVE_EMBEDDINGS_KEY',
    );
  }
}
