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

/** An `AppContext` has these members. */
export interface ClientDependencies {
  store: { clients: ClientStore };
  clock: Clock;
  by: Actor;
}

/** A client for the operator, without the hashes of its secrets. */
export interface ClientRecord extends Omit<Client, 'secrets'> {
  /** Live and revoked secrets, oldest first. */
  secrets: Omit<ClientSecret, 'hash'>[];
}

/** Unchecked. */
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
 * Creates a client with one secret for each mode, which only this result shows. A contract feature adds its scope,
 * without which it has no effect. Throws invalid_request, and conflict if the name must be new and is not.
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
  { clock }: Pick<ClientDependencies, 'clock'>,
  input: NewClientInput,
): CreatedClient {
  const {
    name,
    scopes,
    features = [],
    rateLimit = null,
    account = null,
    rateCard = null,
    spendingLimit = null,
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
    spendingLimit,
    enabled: true,
    createdAt: clock.now(),
    secrets: [stored(clock, testSecret, 'test'), stored(clock, liveSecret, 'live')],
    playlistIds: [],
  };
  return { client, testSecret, liveSecret };
}

/**
 * The indexes of the names that a client has, or that are earlier in the list. Case and spaces at the ends make no
 * difference.
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
 * Changes the given members. Issued tokens lose the scopes and features that the client loses. A feature that is enabled
 * adds its scope, and one that is disabled removes it, unless the input has scopes. Throws not_found and
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
 * Enables or disables a client. Disabling ends its tokens and stream URLs within a second; tokens from before stay invalid
 * when it is enabled again. Returns false if that is no change.
 */
export async function setClientEnabled(
  deps: ClientDependencies,
  clientId: string,
  enabled: boolean,
): Promise<boolean> {
  const client = await get(deps, clientId);
  if (client.enabled === enabled) return false;
  await deps.store.clients.update(clientId, { enabled }, deps.by);
  return true;
}

/**
 * Adds a second secret, so that the client can replace the first one without a pause. Only this result shows it. Throws
 * not_found, and conflict if two secrets are live in the mode.
 */
export async function rotateSecret(
  deps: ClientDependencies,
  clientId: string,
  mode: Mode,
): Promise<{ secretId: string; secret: string }> {
  const secret = newSecret(mode);
  const kept = stored(deps.clock, secret, mode);
  await deps.store.clients.addSecret(clientId, kept, deps.by);
  return { secretId: kept.id, secret };
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

function changeOf(
  client: Client,
  { enableFeatures, disableFeatures, ...given }: ClientTerms,
): ClientChange {
  const rights = [given.scopes, given.features, enableFeatures, disableFeatures];
  if (rights.every((one) => one === undefined)) return given;
  const chosen = new Set([...(given.features ?? client.features), ...(enableFeatures ?? [])]);
  const features = FEATURES.filter(
    (feature) => chosen.has(feature) && !disableFeatures?.includes(feature),
  );
  const dropped = client.features.filter((feature) => !features.includes(feature));
  const kept = client.scopes.filter((scope) => !dropped.includes(scope as Feature));
  return { ...given, features, scopes: withScopesOf(features, given.scopes ?? kept) };
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

function stored(clock: Clock, secret: string, mode: Mode): ClientSecret {
  const hash = hashSecret(secret);
  return { id: newId(), mode, hash, createdAt: clock.now(), revokedAt: null };
}

function record({ secrets, ...client }: Client): ClientRecord {
  return { ...client, secrets: secrets.map(({ hash: _, ...secret }) => secret) };
}
