import type { Mode } from '../../../common/caller.ts';
import { keptIn } from '../../../common/memory/caches.ts';
import type { KeyPurpose } from '../../../features/access/client.ts';
import type { TrackState } from '../../../features/availability/availability.ts';
import type { FilterType, TrackType } from '../../../features/catalog/track.ts';
import type { PartWord } from '../../../features/catalog/track-parts.ts';
import type { ChangeEntity } from '../../change-log/change-log.ts';
import {
  ACTIVITY_TABLES,
  LICENSING_TABLES,
  RENDITION_TABLES,
  USAGE_TABLES,
  WEBHOOK_TABLES,
} from './service-tables.ts';
import {
  boolean,
  booleanByDefault,
  booleanOrNull,
  bytes,
  bytesOrNull,
  type Column,
  column,
  integer,
  integerByDefault,
  integerOrNull,
  table,
  text,
  textOf,
  textOrNull,
} from './table-declaration.ts';

/**
 * Every table that queries use, with its columns. The types of queries and the list of `stave migrate-store`
 * come from here, and a test compares it with the schema of the migrations. Names are in camel case here and
 * in queries, and in snake case in the databases. A table that refers to another one comes after it.
 */
export const TABLES = {
  artists: table(1, { rowId: integerByDefault, id: text, name: text, externalId: textOrNull }),
  filters: table(1, {
    rowId: integerByDefault,
    id: text,
    slug: text,
    type: textOf<FilterType>(),
    name: text,
  }),
  briefSynonyms: table(1, { term: text, names: text }),
  sourceProvenance: table(1, {
    source: text,
    ai: column<'none' | 'assisted' | 'generated' | null>('text', true),
    trainingAllowed: booleanOrNull,
    changing: textOrNull,
  }),
  tracks: table(1, {
    rowId: integerByDefault,
    id: text,
    slug: text,
    state: textOf<'live' | 'taken_down'>(),
    source: text,
    externalId: textOrNull,
    name: text,
    type: textOf<TrackType>(),
    bpm: text,
    songKeys: text,
    timeSignature: text,
    durationSeconds: integer,
    region: text,
    releasedAt: integer,
    hasVocals: boolean,
    isPro: boolean,
    tags: text,
    artists: text,
    filters: text,
    isrc: text,
    audioKey: textOrNull,
    artworkKey: textOrNull,
    fingerprint: bytes,
    createdAt: integer,
    updatedAt: integer,
    withdrawn: booleanByDefault,
    batchRowId: integerOrNull,
    iswc: textOrNull,
    previewStart: integerOrNull,
    previewKey: textOrNull,
    waveformKey: textOrNull,
    language: textOrNull,
    availability: textOrNull,
    availableIn: textOrNull,
    nextSwitchAt: integerOrNull,
    unavailable: booleanByDefault,
    detected: textOrNull,
    isInstrumental: booleanByDefault,
    audioProperties: textOrNull,
    ai: textOrNull,
    aiParts: textOrNull,
    trainingAllowed: booleanOrNull,
    provenanceStatement: textOrNull,
    samples: integerOrNull,
    isPlayable: booleanOrNull,
  }),
  trackTexts: table(2, { trackRowId: integer, language: text, name: text, tags: textOrNull }),
  filterTexts: table(2, { filterRowId: integer, language: text, name: text }),
  trackWriters: table(2, {
    trackRowId: integer,
    position: integer,
    name: text,
    role: text,
    ipi: textOrNull,
    society: textOrNull,
    share: integerOrNull,
  }),
  trackEdits: table(1, { trackRowId: integer, edits: text }, { hasLongRows: true }),
  trackParts: table(1, {
    rowId: integerByDefault,
    id: text,
    trackRowId: integer,
    part: textOf<PartWord>(),
    kind: text,
    name: textOrNull,
    durationSeconds: integer,
    audioKey: text,
    sizeBytes: integer,
    position: integer,
    ordinal: integerOrNull,
  }),
  withheldTracks: table(1, { trackRowId: integer }),
  trackMessages: table(2, { trackId: text, release: text, sentAt: integer }),
  importBatches: table(1, {
    rowId: integerByDefault,
    id: text,
    at: integer,
    by: text,
    label: text,
    firstSeq: integer,
    lastSeq: integer,
    created: integerByDefault,
    updated: integerByDefault,
    withdrawn: integerByDefault,
    restored: integerByDefault,
    undoes: integerOrNull,
    expired: booleanByDefault,
  }),
  formerTracks: table(
    2,
    {
      batchRowId: integer,
      trackRowId: integer,
      formerBatchRowId: integerOrNull,
      source: text,
      externalId: textOrNull,
      audioKey: textOrNull,
      artworkKey: textOrNull,
      fingerprint: bytes,
      document: textOrNull,
      iswc: textOrNull,
      writers: textOrNull,
      previewStart: integerOrNull,
      previewKey: textOrNull,
      waveformKey: textOrNull,
      stems: textOrNull,
      versions: textOrNull,
      language: textOrNull,
      translations: textOrNull,
      availability: textOrNull,
      state: column<TrackState | null>('text', true),
    },
    { hasLongRows: true },
  ),
  slugSeries: table(2, { kind: text, base: text, next: integer }),
  clients: table(1, {
    rowId: integerByDefault,
    id: text,
    name: text,
    scopes: text,
    features: text,
    rateLimit: integerOrNull,
    account: textOrNull,
    rateCard: textOrNull,
    spendingLimit: integerOrNull,
    enabled: boolean,
    createdAt: integer,
  }),
  clientSecrets: table(1, {
    rowId: integerByDefault,
    id: text,
    clientRowId: integer,
    mode: textOf<Mode>(),
    hash: text,
    createdAt: integer,
    revokedAt: integerOrNull,
  }),
  playlists: table(1, {
    rowId: integerByDefault,
    id: text,
    slug: text,
    name: text,
    description: text,
    createdAt: integer,
    updatedAt: integer,
  }),
  playlistTexts: table(2, {
    playlistRowId: integer,
    language: text,
    name: text,
    description: textOrNull,
  }),
  playlistTracks: table(2, { playlistRowId: integer, position: integer, trackRowId: integer }),
  playlistGrants: table(2, { playlistRowId: integer, clientRowId: integer }),
  collections: table(1, {
    rowId: integerByDefault,
    id: text,
    clientRowId: integer,
    mode: textOf<Mode>(),
    name: text,
    description: text,
    version: integer,
    createdAt: integer,
    updatedAt: integer,
  }),
  collectionTracks: table(2, {
    collectionRowId: integer,
    position: integer,
    trackRowId: integer,
    note: text,
    addedAt: integer,
  }),
  collectionShares: table(2, { collectionRowId: integer, clientRowId: integer }),
  savedSearches: table(1, {
    rowId: integerByDefault,
    id: text,
    clientRowId: integer,
    mode: textOf<Mode>(),
    name: text,
    foldedName: text,
    query: text,
    notify: boolean,
    seenRowId: integer,
    seenAt: integer,
    notifiedRowId: integer,
    version: integer,
    createdAt: integer,
    updatedAt: integer,
    createdSeq: integerOrNull,
    notifiedAt: integerOrNull,
  }),
  ...RENDITION_TABLES,
  signingKeys: table(1, {
    rowId: integerByDefault,
    id: text,
    purpose: textOf<KeyPurpose>(),
    secret: bytes,
    createdAt: integer,
    retiredAt: integerOrNull,
  }),
  licenseKeys: table(1, {
    rowId: integerByDefault,
    kid: text,
    mode: textOf<Mode>(),
    public: bytes,
    secret: bytes,
    createdAt: integer,
    retiredAt: integerOrNull,
  }),
  licenses: table(1, {
    rowId: integerByDefault,
    externalId: text,
    trackRowId: integer,
    mode: textOf<Mode>(),
    licensedAt: integer,
    clientId: textOrNull,
  }),
  ...LICENSING_TABLES,
  ...USAGE_TABLES,
  ...WEBHOOK_TABLES,
  changeLog: table(1, {
    seq: integer,
    at: integer,
    entity: textOf<ChangeEntity>(),
    kind: text,
    entityId: text,
    by: text,
    batchId: textOrNull,
    clientId: textOrNull,
    mode: column<Mode | null>('text', true),
    changed: textOrNull,
    reason: textOrNull,
    reference: textOrNull,
  }),
  changeLogFloor: table(0, { seq: integer, at: integer }, { isLocal: true }),
  idempotencyKeys: table(
    3,
    {
      clientId: text,
      mode: textOf<Mode>(),
      key: text,
      fingerprint: bytes,
      state: textOf<'pending' | 'done'>(),
      claimedUntil: integer,
      status: integerOrNull,
      headers: textOrNull,
      body: bytesOrNull,
      createdAt: integer,
      claimId: integerByDefault,
    },
    { hasLongRows: true },
  ),
  settings: table(1, { name: text, value: text }, { hasLongRows: true }),
  removedNumbers: table(0, { greatest: integer }, { isLocal: true }),
  ...ACTIVITY_TABLES,
  leases: table(1, { name: text, holder: text, expiresAt: integer }, { isLocal: true }),
} as const;

/** The types of the tables for kysely. */
export type Tables = {
  [Name in keyof typeof TABLES]: {
    [Column in keyof (typeof TABLES)[Name]['columns']]: TypeOf<
      (typeof TABLES)[Name]['columns'][Column]
    >;
  };
};

type TypeOf<Of> = Of extends Column<infer Type> ? Type : never;

/** Returns the name of a table or column in the databases: `createdAt` becomes `created_at`. */
export const databaseName = cached((name) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);

/** Returns the name in queries; the reverse of `databaseName`. */
export const queryName = cached((name) =>
  name.replace(/_[a-z]/g, (letter) => letter[1]!.toUpperCase()),
);

/** There are few names, and each query uses them. */
function cached(rename: (name: string) => string): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    return keptIn(known, name, () => rename(name));
  };
}
