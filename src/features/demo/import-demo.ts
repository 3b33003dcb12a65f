import type { Feature } from '../../common/caller.ts';
import type { DemoClients, DemoDependencies } from './make.ts';
import { DemoState } from './state.ts';

export type Demo =
  /** This start loaded the demo. Only now are the secrets known. */
  | ({ kind: 'new' } & DemoClients)
  /** An earlier start loaded the demo. Its clients may have been deleted since. */
  | {
      kind: 'loaded';
      clientId: string | null;
      /** Of the first client. */
      features: readonly Feature[];
      contractClientId: string | null;
    }
  /** The demo was removed, or never loaded because there was a catalog already. */
  | { kind: 'absent' };

/**
 * Loads the demo into a catalog that was never changed, or finishes a load that was killed;
 * otherwise does nothing. Each step can be repeated. The clients are made
 * last, so that whoever gets their credentials has the whole demo. Takes about five seconds.
 */
export async function importDemo(dependencies: DemoDependencies): Promise<Demo> {
  const { store, log } = dependencies;
  const state = new DemoState(store.settings);
  const progress = await state.progress();
  if (progress === 'loaded') {
    const existing = async (name: 'clientId' | 'contractClientId') =>
      store.clients.get((await state.get(name)) ?? '');
    const client = await existing('clientId');
    const contractClientId = (await existing('contractClientId'))?.id ?? null;
    const { id: clientId = null, features = [] } = client ?? {};
    return { kind: 'loaded', clientId, features, contractClientId };
  }
  const mayLoad = progress === 'untouched' && (await store.catalog.isUntouched());
  if (!mayLoad && progress !== 'loading') {
    return { kind: 'absent' };
  }

  log.info({}, 'Making the demo catalog; this takes a few seconds, once.');
  await state.reached('loading');
  // Later starts need neither the composer nor the import.
  const { makeDemo } = await import('./make.ts');
  const credentials = await makeDemo(dependencies, state);
  await state.reached('loaded');
  return { kind: 'new', ...credentials };
}
