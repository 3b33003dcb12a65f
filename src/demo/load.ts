import { SAMPLE } from './identity.ts';
import type { DemoDependencies } from './make.ts';
import { DemoState } from './state.ts';

/** What a person can be told of the demo after a start. */
export type Demo =
  /** Loaded by this start: the only time that the secrets are known. */
  | {
      kind: 'new';
      clientId: string;
      testSecret: string;
      liveSecret: string;
      sampleTrackId: string;
      sampleName: string;
    }
  /** Loaded by an earlier one; the client may have been deleted since. */
  | { kind: 'loaded'; clientId: string | null; sampleTrackId: string; sampleName: string }
  /** Never loaded, for there was a catalog already, or removed. */
  | { kind: 'absent' };

/**
 * Loads the demo where the catalog has never been touched, or finishes a load that was killed; does
 * nothing otherwise. Everything in it is repeatable, and the client comes last, so whoever is given
 * credentials has the whole demo. Five seconds or so.
 */
export async function loadDemo(dependencies: DemoDependencies): Promise<Demo> {
  const { store, log } = dependencies;
  const state = new DemoState(store.settings);
  const progress = await state.progress();
  const sample = { sampleTrackId: SAMPLE.id, sampleName: SAMPLE.name };
  if (progress === 'loaded') {
    const clientId = await state.clientId();
    const client = clientId === undefined ? undefined : await store.clients.get(clientId);
    return { kind: 'loaded', clientId: client?.id ?? null, ...sample };
  }
  const mayLoad = progress === 'untouched' && (await store.catalog.isUntouched());
  if (!mayLoad && progress !== 'loading') {
    return { kind: 'absent' };
  }

  log.info({}, 'Making the demo catalog; this takes a few seconds, once.');
  await state.reached('loading');
  // The composer and the importer: of no use to any later start.
  const { makeDemo } = await import('./make.ts');
  const credentials = await makeDemo(dependencies, state);
  await state.reached('loaded');
  return { kind: 'new', ...credentials, ...sample };
}
