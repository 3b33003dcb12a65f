import type { EmbedderChoice } from './embedder.ts';
import { isLocalInstalled } from './local-embedder.ts';

/** @param setting `local`, `off` or an address; null for `local` if it is installed */
export function embedderChoice({
  setting,
  model,
  key,
}: {
  setting: string | null;
  model: string;
  key: string | null;
}): EmbedderChoice {
  if (setting === null) return isLocalInstalled() ? { kind: 'local' } : null;
  if (setting === 'off') return null;
  return setting === 'local' ? { kind: 'local' } : { kind: 'remote', url: setting, model, key };
}
