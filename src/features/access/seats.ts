import type { Actor } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { newSortableId } from '../../common/ids.ts';
import { endOfLink, type SeatChange, type SeatRecord, type SignInLink, seatName } from './seat.ts';
import { hashSecret, newLinkToken } from './secret.ts';
import type { SeatStore } from './store/seat-store.ts';

/** An `AppContext` has these members. */
export interface SeatDependencies {
  store: { seats: SeatStore };
  clock: Clock;
  by: Actor;
  /** Where the pages of the service are. */
  config: { publicUrl: string | null; tls: object | null; port: number };
}

/** A new link, which nothing stores in clear text. */
export interface NewLink {
  url: string;
  /** Whether it leads to the machine of the browser, because STAVE_PUBLIC_URL is not set. */
  isLocal: boolean;
  /** In milliseconds since the epoch. */
  expiresAt: number;
}

/** Creates a seat with its first link. Throws invalid_request, not_found, and conflict as `SeatStore.create`. */
export async function createSeat(
  deps: SeatDependencies,
  clientId: string,
  input: Required<Pick<SeatRecord, 'name' | 'role' | 'mode'>> & { validMs?: number | undefined },
): Promise<{ seat: SeatRecord; link: NewLink }> {
  const { store, clock, by } = deps;
  const now = clock.now();
  const { role, mode } = input;
  const id = newSortableId(now);
  const name = seatName(input.name);
  const seat = { id, name, role, mode, enabled: true, createdAt: now };
  const { stored, link } = makeLink(deps, input.validMs);
  await store.seats.create(clientId, seat, stored, by);
  return { seat: await store.seats.record(id), link };
}

/** Makes a new link, which ends the unused one. Throws invalid_request, not_found, and conflict for a disabled seat. */
export async function linkSeat(
  deps: SeatDependencies,
  id: string,
  validMs?: number,
): Promise<NewLink> {
  const { stored, link } = makeLink(deps, validMs);
  await deps.store.seats.addLink(id, stored, deps.by);
  return link;
}

/** Changes the given members. Throws invalid_request, not_found and conflict. */
export async function updateSeat(
  { store, by }: SeatDependencies,
  id: string,
  { name, ...others }: SeatChange,
): Promise<SeatRecord> {
  const change = { ...others, ...(name !== undefined && { name: seatName(name) }) };
  await store.seats.update(id, change, by);
  return store.seats.record(id);
}

function makeLink(
  { clock, config }: SeatDependencies,
  validMs?: number,
): { stored: SignInLink; link: NewLink } {
  const token = newLinkToken();
  const expiresAt = endOfLink(clock.now(), validMs);
  const { publicUrl, tls, port } = config;
  const base = publicUrl ?? `${tls === null ? 'http' : 'https'}://localhost:${port}`;
  // Browsers do not send a fragment, so no log contains it.
  return {
    stored: { hash: hashSecret(token), expiresAt },
    link: { url: `${base}/sign-in#${token}`, isLocal: publicUrl === null, expiresAt },
  };
}
