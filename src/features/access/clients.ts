import {
  type Actor,
  ALL_SCOPES,
  FEATURES,
  type Feature,
  type Mode,
  type Scope,
} from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { newId } from '../../common/ids.ts';
import {
  type Client,
  type ClientChange,
  type ClientInput,
  type ClientSecret,
  type ClientTerms,
  checkTerms,
  type NameRule,
  nameKey,
  unknownClient,
} from './client.ts';
import { hashSecret, newSecret } from './secret.ts';
import type { ClientStore } from './store/client-store.ts';

/** The dependencies of the client functions; an `AppContext` has them. */
export interface ClientDependencies {
  store: { clients: ClientStore };
  clock: Clock;
  by: Actor;
}

/** A secret as it is shown to the operator, without its hash. */
type SecretRecord = Omit<ClientSecret, 'hash'>;

/** A client as it is shown to the operator. */
export interface ClientRecord extends Omit<Client, 'secrets'> {
  /** Live and revoked secrets, oldest first. */
  secrets: SecretRecord[];
}

/** The unchecked input for a new client. */
export type NewClientInput = Omit<ClientInput, 'enableFeatures' | 'disableFeatures'> & {
  name: string;
  scopes: readonly string[];
};

/** A client with its secrets in clear text, which nothing stores. */
export interface CreatedClient {
  client: Client;
  testSecret: string;
  liveSecret: string;
}

/**
 * Creates a client with one secret for each mode. The secrets are shown only here. A contract feature adds
 * its scope, without which it would have no effect. Throws invalid_request, and conflict if the name must be new and
 * is not.
 */
export async function createClient(
  deps: ClientDependencies,
  input: NewClientInput,
  rule?: NameRule,
): Promise<{ clientId: string; testSecret: string; liveSecret: string }> {
  const { client, testSecret, liveSecret } = makeClient(deps, input);
  await deps.store.clients.create(client, deps.by, rule);
  return { clientId: client.id, testSecret, liveSecret };
}

/** Makes a client that is not stored. Throws invalid_request. */
export function makeClient(
  deps: Pick<ClientDependencies, 'clock'>,
  input: NewClientInput,
): CreatedClient {
  const {
    name,
    scopes,
    features = [],
    rateLimit = null,
    account = null,
    rateCard = null,
  } = checkTerms(input);
  const testSecret = newSecret('test');
  const liveSecret = newSecret('live');
  const client: Client = {
    id: newId(),
    name: name!,
    scopes: withScopesOf(features, scopes!),
    features,
    rateLimit,
    account,
    rateCard,
    enabled: true,
    createdAt: deps.clock.now(),
    secrets: [stored(deps, testSecret, 'test'), stored(deps, liveSecret, 'live')],
    playlistIds: [],
  };
  return { client, testSecret, liveSecret };
}

/**
 * The places of the names that a client has already, or that stand earlier in the list. Upper and lower case and spaces at
 * the ends make no difference.
 */
export async function duplicateNames(
  { store }: Pick<ClientDependencies, 'store'>,
  names: readonly string[],
): Promise<number[]> {
  const known = new Set((await store.clients.all()).map(({ name }) => nameKey(name)));
  return names.flatMap((name, at) => {
    const isKnown = known.has(nameKey(name));
    known.add(nameKey(name));
    return isKnown ? [at] : [];
  });
}

/**
 * Changes the given members. Issued tokens keep only what is still granted. Enabling a feature adds its scope
 * and disabling it removes the scope, unless the scopes are given at the same time. Throws not_found and
 * invalid_request.
 */
export async function updateClient(
  deps: ClientDependencies,
  clientId: string,
  input: ClientInput,
): Promise<ClientRecord> {
  const terms = checkTerms(input);
  const change = (client: Client) => changeOf(client, terms);
  return record(await deps.store.clients.update(clientId, change, deps.by));
}

/**
 * Disables a client, which ends its tokens and stream URLs within a second. Returns false if it is disabled
 * already.
 */
export function disableClient(deps: ClientDependencies, clientId: string): Promise<boolean> {
  return setEnabled(deps, clientId, false);
}

/** Enables a client again. Tokens from before it was disabled stay invalid. */
export function enableClient(deps: ClientDependencies, clientId: string): Promise<boolean> {
  return setEnabled(deps, clientId, true);
}

/**
 * Adds a second secret, so that the client can replace the first one without a pause. The secret is shown
 * only here. Throws not_found, and conflict if two secrets are live in the mode.
 */
export async function rotateSecret(
  deps: ClientDependencies,
  clientId: string,
  mode: Mode,
): Promise<{ secretId: string; secret: string }> {
  const secret = newSecret(mode);
  const kept = stored(deps, secret, mode);
  await deps.store.clients.addSecret(clientId, kept, deps.by);
  return { secretId: kept.id, secret };
}

/**
 * Revokes a secret, which ends its tokens within a second. Returns false if it is revoked already. It may be
 * the last secret of a mode, because a leaked secret must be revoked at once.
 */
export function revokeSecret(
  deps: ClientDependencies,
  clientId: string,
  secretId: string,
): Promise<boolean> {
  return deps.store.clients.revokeSecret(clientId, secretId, deps.by);
}

/** All clients, oldest first. */
export async function listClients(
  deps: Pick<ClientDependencies, 'store'>,
): Promise<ClientRecord[]> {
  return (await deps.store.clients.all()).map(record);
}

/** One client. Throws not_found. */
export async function showClient(
  deps: Pick<ClientDependencies, 'store'>,
  clientId: string,
): Promise<ClientRecord> {
  return record(await get(deps, clientId));
}

/** Returns the new members of a client, from what it has and what the operator gave. */
function changeOf(client: Client, terms: ClientTerms): ClientChange {
  const { enableFeatures, disableFeatures, ...given } = terms;
  if (
    [given.scopes, given.features, enableFeatures, disableFeatures].every(
      (one) => one === undefined,
    )
  ) {
    return given;
  }
  const chosen = new Set([...(given.features ?? client.features), ...(enableFeatures ?? [])]);
  const features = FEATURES.filter(
    (feature) => chosen.has(feature) && !disableFeatures?.includes(feature),
  );
  const dropped = client.features.filter((feature) => !features.includes(feature));
  const kept = client.scopes.filter((scope) => !dropped.includes(scope as Feature));
  return { ...given, features, scopes: withScopesOf(features, given.scopes ?? kept) };
}

async function setEnabled(
  deps: ClientDependencies,
  clientId: string,
  enabled: boolean,
): Promise<boolean> {
  const client = await get(deps, clientId);
  if (client.enabled === enabled) {
    return false;
  }
  await deps.store.clients.update(clientId, { enabled }, deps.by);
  return true;
}

async function get(deps: Pick<ClientDependencies, 'store'>, clientId: string): Promise<Client> {
  const client = await deps.store.clients.get(clientId);
  if (client === undefined) throw unknownClient(clientId);
  return client;
}

function withScopesOf(features: readonly Feature[], scopes: readonly Scope[]): Scope[] {
  return ALL_SCOPES.filter(
    (scope) => scopes.includes(scope) || features.includes(scope as Feature),
  );
}

function stored(deps: Pick<ClientDependencies, 'clock'>, secret: string, mode: Mode): ClientSecret {
  return {
    id: newId(),
    mode,
    hash: hashSecret(secret),
    createdAt: deps.clock.now(),
    revokedAt: null,
  };
}

function record({ secrets, ...client }: Client): ClientRecord {
  return { ...client, secrets: secrets.map(({ hash: _, ...secret }) => secret) };
}
