import type { Actor } from '../kernel/actor.ts';
import type { Clock } from '../kernel/clock.ts';
import { StaveError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import {
  ALL_SCOPES,
  type Client,
  type ClientSecret,
  type Feature,
  MAX_LIVE_SECRETS,
  type Mode,
  type Scope,
} from './client.ts';
import { type ClientWishes, checkTerms } from './client-rules.ts';
import { hashSecret, newSecret } from './secret.ts';
import type { ClientStore } from './store.ts';

/** What the client services work with; an open house is one. */
export interface ClientDesk {
  store: { clients: ClientStore };
  clock: Clock;
  by: Actor;
}

/** A secret as the operator sees it: everything but what it is checked by. */
export type SecretRecord = Omit<ClientSecret, 'hash'>;

/** A client as the operator sees it. */
export interface ClientRecord extends Omit<Client, 'secrets'> {
  /** Live and revoked ones, oldest first. */
  secrets: SecretRecord[];
}

/**
 * Creates a client with one secret for each mode; they are shown here and never again. A contract
 * feature brings its scope along, for it would be of no use without. Throws invalid_request.
 */
export async function createClient(
  desk: ClientDesk,
  wishes: ClientWishes & { name: string; scopes: readonly string[] },
): Promise<{ clientId: string; testSecret: string; liveSecret: string }> {
  const { name, scopes, features = [], rateLimit = null } = checkTerms(wishes);
  const testSecret = newSecret('test');
  const liveSecret = newSecret('live');
  const client: Client = {
    id: newId(),
    name: name!,
    scopes: withScopesOf(features, scopes!),
    features,
    rateLimit,
    enabled: true,
    createdAt: desk.clock.now(),
    secrets: [stored(desk, testSecret, 'test'), stored(desk, liveSecret, 'live')],
    playlistIds: [],
  };
  await desk.store.clients.create(client, desk.by);
  return { clientId: client.id, testSecret, liveSecret };
}

/**
 * Changes what is given and leaves the rest; tokens already issued keep only what is still granted.
 * A feature that is switched on brings its scope, one that is switched off takes it away, unless the
 * scopes are given at the same time. Throws not_found and invalid_request.
 */
export async function updateClient(
  desk: ClientDesk,
  clientId: string,
  wishes: ClientWishes,
): Promise<ClientRecord> {
  const terms = checkTerms(wishes);
  const client = await get(desk, clientId);
  if (terms.features !== undefined || terms.scopes !== undefined) {
    const features = terms.features ?? client.features;
    const dropped = client.features.filter((feature) => !features.includes(feature));
    const kept = client.scopes.filter((scope) => !dropped.includes(scope as Feature));
    terms.scopes = withScopesOf(features, terms.scopes ?? kept);
  }
  return record(await desk.store.clients.update(clientId, terms, desk.by));
}

/** Ends the client's tokens and stream URLs within a second; false when it was disabled already. */
export function disableClient(desk: ClientDesk, clientId: string): Promise<boolean> {
  return setEnabled(desk, clientId, false);
}

/** Lets the client in again by its secrets; tokens from before it was disabled stay over. */
export function enableClient(desk: ClientDesk, clientId: string): Promise<boolean> {
  return setEnabled(desk, clientId, true);
}

/**
 * Adds a second secret beside the one in use, so that the client can change over without a pause;
 * it is shown here and never again. Throws not_found, and conflict when two are live in that mode.
 */
export async function rotateSecret(
  desk: ClientDesk,
  clientId: string,
  mode: Mode,
): Promise<{ secretId: string; secret: string }> {
  const client = await get(desk, clientId);
  const live = client.secrets.filter((one) => one.mode === mode && one.revokedAt === null);
  if (live.length >= MAX_LIVE_SECRETS) {
    throw new StaveError(
      'conflict',
      `The client has ${live.length} live secrets for ${mode} mode, which is all it may have; ` +
        `revoke one first: ${live.map(describe).join(' or ')}.`,
    );
  }
  const secret = newSecret(mode);
  const kept = stored(desk, secret, mode);
  await desk.store.clients.addSecret(clientId, kept, desk.by);
  return { secretId: kept.id, secret };
}

/**
 * Ends a secret and its tokens within a second; false when it was revoked already. The last one of a
 * mode too: a leaked secret must end at once, whether or not another is at hand.
 */
export async function revokeSecret(
  desk: ClientDesk,
  clientId: string,
  secretId: string,
): Promise<boolean> {
  const client = await get(desk, clientId);
  if (!client.secrets.some((secret) => secret.id === secretId)) {
    throw new StaveError(
      'not_found',
      `The client has no secret with that id; it has ${client.secrets.map(describe).join(', ') || 'none'}.`,
    );
  }
  return desk.store.clients.revokeSecret(clientId, secretId, desk.by);
}

/** All clients, oldest first. */
export async function listClients(desk: Pick<ClientDesk, 'store'>): Promise<ClientRecord[]> {
  return (await desk.store.clients.all()).map(record);
}

/** One client; throws not_found. */
export async function showClient(
  desk: Pick<ClientDesk, 'store'>,
  clientId: string,
): Promise<ClientRecord> {
  return record(await get(desk, clientId));
}

async function setEnabled(desk: ClientDesk, clientId: string, enabled: boolean): Promise<boolean> {
  const client = await get(desk, clientId);
  if (client.enabled === enabled) {
    return false;
  }
  await desk.store.clients.update(clientId, { enabled }, desk.by);
  return true;
}

async function get(desk: Pick<ClientDesk, 'store'>, clientId: string): Promise<Client> {
  const client = await desk.store.clients.get(clientId);
  if (client === undefined) {
    throw new StaveError(
      'not_found',
      'There is no client with that id; `stave clients list` shows them all.',
    );
  }
  return client;
}

function withScopesOf(features: readonly Feature[], scopes: readonly Scope[]): Scope[] {
  return ALL_SCOPES.filter(
    (scope) => scopes.includes(scope) || features.includes(scope as Feature),
  );
}

function stored(desk: ClientDesk, secret: string, mode: Mode): ClientSecret {
  return {
    id: newId(),
    mode,
    hash: hashSecret(secret),
    createdAt: desk.clock.now(),
    revokedAt: null,
  };
}

function record({ secrets, ...client }: Client): ClientRecord {
  return { ...client, secrets: secrets.map(({ hash: _, ...secret }) => secret) };
}

function describe({ id, mode, createdAt }: ClientSecret): string {
  return `${id} (${mode}, of ${new Date(createdAt).toISOString()})`;
}
