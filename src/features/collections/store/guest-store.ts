import { sql } from 'kysely';
import type { ClientMode, WriteContext } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import type { Queries } from '../../../engines/sql/database.ts';
import { SqlStore } from '../../../engines/sql/sql-store.ts';
import {
  type GuestComment,
  hashOf,
  MAX_COMMENTS,
  MAX_GUESTS,
  noSuchLink,
  type SharedLink,
  type Vote,
  type Votes,
} from '../link.ts';
import { findLink } from './link-store.ts';

/** Who does something with a link, as the page of the guest says. */
export interface Guest {
  /** What the page has drawn. Only its hash is stored. */
  guest: string;
  name: string;
}

type LinkRow = Pick<SharedLink, 'rowId'>;

/** What guests of links say of tracks. The change log does not have it. */
export class GuestStore extends SqlStore {
  /**
   * Sets or removes (null) the vote of a guest, and returns the votes for the track. Throws `not_found` if the link has
   * ended, and `conflict` for a guest above MAX_GUESTS.
   */
  vote(
    { rowId }: LinkRow,
    { guest, name, trackRowId, vote }: Guest & { trackRowId: number; vote: Vote | null },
  ): Promise<Votes> {
    return this.database.apart(async (queries) => {
      await this.#lock(queries, rowId);
      if (vote === null) {
        await queries
          .deleteFrom('linkVotes')
          .where('trackRowId', '=', trackRowId)
          .where('guestRowId', '=', ({ selectFrom }) =>
            selectFrom('linkGuests')
              .select('linkGuests.rowId')
              .where('linkRowId', '=', rowId)
              .where('guestHash', '=', hashOf(guest)),
          )
          .execute();
      } else {
        const guestRowId = await this.#guest(queries, rowId, { guest, name });
        await queries
          .insertInto('linkVotes')
          .values({ guestRowId, trackRowId, vote })
          .onConflict((conflict) =>
            conflict.columns(['guestRowId', 'trackRowId']).doUpdateSet({ vote }),
          )
          .execute();
      }
      return (await this.#votes(queries, rowId, [trackRowId])).get(trackRowId) ?? NO_VOTES;
    });
  }

  /** Adds a comment. Throws as `vote`, and `conflict` above MAX_COMMENTS. */
  comment(
    { rowId }: LinkRow,
    { id, guest, name, trackRowId, text }: Guest & { id: string; trackRowId: number; text: string },
  ): Promise<Omit<GuestComment, 'trackId'>> {
    return this.database.apart(async (queries) => {
      await this.#lock(queries, rowId);
      await this.#guest(queries, rowId, { guest, name });
      const { count } = await queries
        .selectFrom('linkComments')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('linkRowId', '=', rowId)
        .executeTakeFirstOrThrow();
      if (count >= MAX_COMMENTS) {
        throw new StaveError(
          'conflict',
          `The link has ${MAX_COMMENTS} comments, the most allowed.`,
        );
      }
      const comment = { id, name, text, createdAt: this.clock.now() };
      await queries
        .insertInto('linkComments')
        .values({ ...comment, linkRowId: rowId, trackRowId })
        .execute();
      return comment;
    });
  }

  /** What guests of a link say of some tracks, by the row id of each; comments are the oldest first. */
  about({ rowId }: LinkRow, trackRowIds: readonly number[]) {
    return this.database.view(async (queries) => {
      const votes = await this.#votes(queries, rowId, trackRowIds);
      const comments = await queries
        .selectFrom('linkComments')
        .select(['id', 'trackRowId', 'name', 'text', 'createdAt'])
        .where('linkRowId', '=', rowId)
        .where(({ ref }) => this.database.dialect.isOneOf(ref('trackRowId'), trackRowIds))
        .orderBy('createdAt')
        .orderBy('id')
        .execute();
      const commentsOf = Map.groupBy(comments, ({ trackRowId }) => trackRowId);
      return (trackRowId: number) => ({
        votes: votes.get(trackRowId) ?? NO_VOTES,
        comments: commentsOf.get(trackRowId) ?? [],
      });
    });
  }

  /** A page of the comments of a link, newest first, for the owner. */
  comments(
    link: { collectionId: string; linkId: string },
    user: ClientMode,
    { offset, limit }: { offset: number; limit: number },
  ): Promise<{ comments: GuestComment[]; total: number }> {
    return this.database.view(async (queries) => {
      const rowId = await findLink(queries, link, user, this.clock.now());
      const all = queries.selectFrom('linkComments').where('linkRowId', '=', rowId);
      const { total } = await all
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const comments = await all
        .innerJoin('tracks', 'tracks.rowId', 'trackRowId')
        .select(['linkComments.id', 'tracks.id as trackId', 'linkComments.name', 'text'])
        .select('linkComments.createdAt')
        .orderBy('linkComments.createdAt', 'desc')
        .orderBy('linkComments.id', 'desc')
        .offset(offset)
        .limit(limit)
        .execute();
      return { comments, total };
    });
  }

  /** Deletes a comment, for the owner. Throws `not_found`. */
  deleteComment(
    { id, ...link }: { collectionId: string; linkId: string; id: string },
    context: WriteContext<void>,
  ): Promise<void> {
    return this.database.apart(async (queries) => {
      const rowId = await findLink(queries, link, context, this.clock.now());
      const { numDeletedRows } = await queries
        .deleteFrom('linkComments')
        .where('linkRowId', '=', rowId)
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) {
        throw new StaveError('not_found', 'The link has no comment with this id.');
      }
    }, context);
  }

  /** Locks a live link until the commit, so that what is counted stays true. */
  async #lock(queries: Queries, rowId: number): Promise<void> {
    const locked = await queries
      .updateTable('collectionLinks')
      .set({ version: sql.ref('version') })
      .where('rowId', '=', rowId)
      .where('endsAt', '>', this.clock.now())
      .returning('rowId')
      .executeTakeFirst();
    if (locked === undefined) throw noSuchLink();
  }

  /** Returns the row id of a guest, whose name is the one that was given last. */
  async #guest(queries: Queries, linkRowId: number, { guest, name }: Guest): Promise<number> {
    const guestHash = hashOf(guest);
    const known = await queries
      .updateTable('linkGuests')
      .set({ name })
      .where('linkRowId', '=', linkRowId)
      .where('guestHash', '=', guestHash)
      .returning('rowId')
      .executeTakeFirst();
    if (known !== undefined) return known.rowId;
    const { count } = await queries
      .selectFrom('linkGuests')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('linkRowId', '=', linkRowId)
      .executeTakeFirstOrThrow();
    if (count >= MAX_GUESTS) {
      throw new StaveError('conflict', `The link has ${MAX_GUESTS} guests, the most allowed.`);
    }
    const { rowId } = await queries
      .insertInto('linkGuests')
      .values({ linkRowId, guestHash, name })
      .returning('rowId')
      .executeTakeFirstOrThrow();
    return rowId;
  }

  async #votes(
    queries: Queries,
    linkRowId: number,
    trackRowIds: readonly number[],
  ): Promise<Map<number, Votes>> {
    const rows = await queries
      .selectFrom('linkGuests')
      .innerJoin('linkVotes', 'linkVotes.guestRowId', 'linkGuests.rowId')
      .select(['trackRowId', 'vote'])
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('linkRowId', '=', linkRowId)
      .where(({ ref }) => this.database.dialect.isOneOf(ref('trackRowId'), trackRowIds))
      .groupBy(['trackRowId', 'vote'])
      .execute();
    const votes = new Map<number, Votes>();
    for (const { trackRowId, vote, count } of rows) {
      votes.set(trackRowId, { ...(votes.get(trackRowId) ?? NO_VOTES), [vote]: count });
    }
    return votes;
  }
}

const NO_VOTES: Votes = { approve: 0, pass: 0 };
