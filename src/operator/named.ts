import { OperatorError, StaveError } from '../common/errors.ts';
import { isUuid } from '../common/ids.ts';
import { didYouMean } from '../common/text/explain.ts';
import {
  type Client,
  nameKey,
  STANDARD_RATE_CARD,
  unknownClient,
} from '../features/access/client.ts';
import type { RateCard } from '../features/licensing/rate-card.ts';
import type { Store } from '../features/store.ts';

/**
 * Finds a client by its id, in either case, or by its name, if no other client has it. Throws not_found with the nearest
 * name, and conflict with the ids of the clients that have the name.
 */
export async function findClient(
  { clients }: Pick<Store, 'clients'>,
  idOrName: string,
): Promise<Client> {
  const found = await clients.get(idOrName.toLowerCase());
  if (found !== undefined) return found;
  const all = await clients.all();
  const named = all.filter(({ name }) => nameKey(name) === nameKey(idOrName));
  if (named.length === 1) return named[0]!;
  if (named.length === 0) {
    throw unknownClient(
      idOrName,
      all.map(({ name }) => name),
    );
  }
  const ids = named.map(({ id }) => id).join(' or ');
  throw new StaveError(
    'conflict',
    `${named.length} clients have the name ${idOrName}: give an id, ${ids}.`,
  );
}

/** Returns the id of a client, like `findClient`. */
export async function clientIdOf(store: Pick<Store, 'clients'>, idOrName: string): Promise<string> {
  return (await findClient(store, idOrName)).id;
}

/** Like `clientIdOf`, for records that outlive their client: any id may be that of a deleted client. */
export async function pastClientIdOf(
  store: Pick<Store, 'clients'>,
  idOrName: string | undefined,
): Promise<string | undefined> {
  if (idOrName === undefined) return undefined;
  return isUuid(idOrName) ? idOrName.toLowerCase() : clientIdOf(store, idOrName);
}

/** The names of clients, by id. */
export class ClientNames {
  readonly #names: ReadonlyMap<string, string>;
  readonly #counts = new Map<string, number>();

  constructor(clients: readonly Pick<Client, 'id' | 'name'>[]) {
    this.#names = new Map(clients.map(({ id, name }) => [id, name]));
    for (const { name } of clients) {
      this.#counts.set(nameKey(name), (this.#counts.get(nameKey(name)) ?? 0) + 1);
    }
  }

  /** Null if the client was deleted. */
  of(id: string): string | null {
    return this.#names.get(id) ?? null;
  }

  /** For people: the name, as commands take it. With the id if several clients have the name. */
  label(id: string): string {
    const name = this.of(id);
    if (name === null) return id;
    return this.#counts.get(nameKey(name)) === 1 ? name : `${name} (${id})`;
  }
}

export async function clientNames({ clients }: Pick<Store, 'clients'>): Promise<ClientNames> {
  return new ClientNames(await clients.all());
}

/** Whether a name may refer to nothing. */
export interface MissingRule {
  isAllowed: boolean;
  /** How the operator allows it: the end of the error message. */
  how: string;
}

/** The rule of a command with the option `--allow-missing`. */
export function missingRule({ allowMissing = false }: { allowMissing?: boolean }): MissingRule {
  return { isAllowed: allowMissing, how: 'give --allow-missing' };
}

/**
 * Throws OperatorError with the nearest name if a client gets a rate card of which no version is in force: the client
 * would get an error for each quote. STANDARD_RATE_CARD is the default, and need not exist.
 *
 * @param before the present card of the client; null for STANDARD_RATE_CARD
 * @param after undefined if it stays
 */
export async function requireRateCard(
  { rateCards }: Pick<Store, 'rateCards'>,
  { before, after }: { before: string | null; after: string | undefined },
  { isAllowed, how }: MissingRule,
): Promise<void> {
  if (isAllowed || after === undefined || after === (before ?? STANDARD_RATE_CARD)) return;
  if (after === STANDARD_RATE_CARD) return;
  const names = (await rateCards.list()).flatMap((card) => (card.isInForce ? card.name : []));
  if (names.includes(after)) return;
  const hint = didYouMean(after, names);
  throw new OperatorError(`There is no rate card ${after}${hint}: publish it first, or ${how}.`);
}

/** Throws OperatorError for a surcharge of a filter that the catalog does not have: no track would get it. */
export async function requireFilters(
  { catalog }: Pick<Store, 'catalog'>,
  { surcharges }: RateCard,
  { isAllowed, how }: MissingRule,
): Promise<void> {
  if (isAllowed || surcharges.length === 0) return;
  const slugs = new Set((await catalog.filters()).map(({ slug }) => slug));
  const missing = surcharges.filter(({ filterSlug }) => !slugs.has(filterSlug));
  if (missing.length === 0) return;
  const named = missing.map(({ filterSlug: slug }) => `${slug}${didYouMean(slug, slugs)}`);
  throw new OperatorError(
    `surcharges: there is no filter ${named.join(', ')}: import its tracks first, or ${how}.`,
  );
}
