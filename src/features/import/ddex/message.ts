import { parseReleaseDate } from '../canonical/release-date.ts';
import { UnreadableError } from '../decode/decoded.ts';
import { parseXml } from '../decode/xml.ts';
import { aiShareOf } from './ai-contribution.ts';
import { dealsOf, ReleaseDeals } from './deals.ts';
import {
  type Element,
  ElementReader,
  elementsAt,
  type PartReaders,
  textAt,
  textsAt,
} from './element.ts';
import {
  filesOf,
  partyOf,
  type Recording,
  type Release,
  recordingOf,
  releaseIdsOf,
  releaseOf,
} from './recording.ts';

/** The most of each in one message. Real messages of box sets have some hundreds of recordings. */
const MAX_RECORDINGS = 5_000;
const MAX_IMAGES = 1_000;
const MAX_PARTIES = 20_000;
const MAX_RELEASES = 6_000;
/** A deal counts once for each of its periods and for each release that it applies to. */
const MAX_DEALS = 1_000_000;
const MAX_NOTED = 20;
const MAX_BYTES = 256 * 1024 * 1024;

export interface Header {
  sender: string | undefined;
  /** `MessageCreatedDateTime` in milliseconds since the epoch; null if it has none. */
  createdAt: number | null;
  isTest: boolean;
}

type Party = ReturnType<typeof partyOf>;

interface Cover {
  file: string;
  /** Whether a machine made it, or some of it. */
  isByMachine: boolean;
}

export interface Message {
  header: Header;
  /** By `PartyReference`. */
  parties: Map<string, Party>;
  recordings: Recording[];
  cover: Cover | undefined;
  releases: Release[];
  /** By the `ReleaseReference` of the release. */
  deals: Map<string, ReleaseDeals>;
  /** Territories of deals that are no countries, some of them if there are many. */
  unknownTerritories: Set<string>;
  purged: { line: number; ids: string[]; isrcs: string[] }[];
}

/** Reads the header only. Returns undefined if the message ends without one. Throws as `readMessage` does. */
export async function readHeader(chunks: AsyncIterable<Uint8Array>): Promise<Header | undefined> {
  let header: Header | undefined;
  const reader = new ElementReader({
    MessageHeader: (part) => {
      header = headerOf(part);
    },
  });
  for await (const _ of parseXml(chunks, reader)) {
    if (header !== undefined) {
      break;
    }
  }
  return header;
}

/**
 * Reads a message. Holds what Stave uses of it in memory, because the deals, which decide about each recording, come last.
 * Throws UnreadableError for what is not well-formed or exceeds the limits of this file.
 */
export async function readMessage(chunks: AsyncIterable<Uint8Array>): Promise<Message> {
  const builder = new MessageBuilder();
  const reader = new ElementReader(builder.readers, (name) => builder.enter(name));
  for await (const _ of parseXml(limited(chunks), reader));
  return builder.message;
}

async function* limited(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      const reason = `the message is larger than ${MAX_BYTES / 1024 / 1024} MiB`;
      throw new UnreadableError(0, `${reason}; it was not read`);
    }
    yield chunk;
  }
}

class MessageBuilder {
  readonly #message: Message = {
    header: { sender: undefined, createdAt: null, isTest: false },
    parties: new Map(),
    recordings: [],
    cover: undefined,
    releases: [],
    deals: new Map(),
    unknownTerritories: new Set(),
    purged: [],
  };
  readonly #images: (Cover & { isFront: boolean })[] = [];
  /** The releases to which the next deals apply. */
  #dealReleases: ReleaseDeals[] = [];
  readonly #counts = new Map<string, number>();

  readonly readers: PartReaders = {
    MessageHeader: (part) => {
      this.#message.header = headerOf(part);
    },
    Party: (part) => {
      this.#count(part, 'parties', MAX_PARTIES);
      this.#message.parties.set(textAt(part, 'PartyReference') ?? '', partyOf(part));
    },
    SoundRecording: (part) => {
      this.#count(part, 'sound recordings', MAX_RECORDINGS);
      this.#message.recordings.push(recordingOf(part));
    },
    Image: (part) => {
      this.#count(part, 'images', MAX_IMAGES);
      this.#images.push(...imageOf(part));
    },
    Release: (part) => this.#release(part),
    TrackRelease: (part) => this.#release(part),
    DealReleaseReference: (part) => this.#dealsOf(part),
    Deal: (part) => {
      const deals = dealsOf(part, (territory) => this.#note(territory));
      const periods = deals.map((deal) => (deal.kind === 'grant' ? deal.periods.length : 1));
      const times = periods.reduce((sum, count) => sum + count, 1) * this.#dealReleases.length;
      this.#count(part, 'deals', MAX_DEALS, times);
      for (const release of this.#dealReleases) {
        for (const deal of deals) release.add(deal);
      }
    },
    PurgedRelease: (part) => {
      this.#count(part, 'purged releases', MAX_RELEASES);
      const isrcs = textsAt(part, 'ReleaseId', 'ISRC');
      this.#message.purged.push({ line: part.line, ids: releaseIdsOf(part), isrcs });
    },
  };

  enter(list: string): void {
    if (list === 'ReleaseDeal') {
      this.#dealReleases = [];
    }
  }

  get message(): Message {
    const cover = this.#images.find(({ isFront }) => isFront) ?? this.#images[0];
    return { ...this.#message, cover };
  }

  #release(part: Element): void {
    this.#count(part, 'releases', MAX_RELEASES);
    this.#message.releases.push(releaseOf(part));
  }

  #dealsOf(part: Element): void {
    this.#count(part, 'references from deals to releases', MAX_DEALS);
    const reference = part.text.trim();
    const deals = this.#message.deals.get(reference) ?? new ReleaseDeals();
    this.#message.deals.set(reference, deals);
    this.#dealReleases.push(deals);
  }

  #note(territory: string): void {
    if (this.#message.unknownTerritories.size < MAX_NOTED) {
      this.#message.unknownTerritories.add(territory);
    }
  }

  #count({ line }: Element, what: string, limit: number, times = 1): void {
    const count = (this.#counts.get(what) ?? 0) + times;
    if (count > limit) {
      const reason = `the message has more than ${limit} ${what}`;
      throw new UnreadableError(line, `${reason}; it was not read`);
    }
    this.#counts.set(what, count);
  }
}

function headerOf(header: Element): Header {
  const createdAt = parseReleaseDate(textAt(header, 'MessageCreatedDateTime') ?? '');
  return {
    sender: senderOf(header),
    createdAt: createdAt ?? null,
    isTest: textAt(header, 'MessageControlType') === 'TestMessage',
  };
}

/** An id that DDEX assigns, which is written with and without hyphens. */
const DPID = /^PA-?DPIDA-?[A-Z0-9]{10}-?[A-Z0-9]$/i;

/** Returns the id that DDEX assigned to the sender, or else the first other one. */
function senderOf(header: Element): string | undefined {
  // Some senders write the id in an element of its kind.
  const ids = [
    ...textsAt(header, 'MessageSender', 'PartyId'),
    ...textsAt(header, 'MessageSender', 'PartyId', 'DPID'),
  ];
  const dpid = ids.find((id) => DPID.test(id));
  return dpid?.replaceAll('-', '').toUpperCase() ?? ids[0];
}

/** Returns an image with a file in a list. */
function imageOf(image: Element): (Cover & { isFront: boolean })[] {
  const type = textAt(image, 'Type') ?? textAt(image, 'ImageType');
  const files = [...elementsAt(image, 'ImageDetailsByTerritory'), image].flatMap(filesOf);
  const isByMachine = (aiShareOf(image) ?? 'none') !== 'none';
  return files
    .slice(0, 1)
    .map((file) => ({ file, isByMachine, isFront: type === 'FrontCoverImage' }));
}
