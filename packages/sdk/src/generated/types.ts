// Generated from docs/reference/openapi.json by `npm run reference`; not to be edited.

export interface AccessToken {
  /** Send it as `Authorization: Bearer <token>`. */
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  /** What the token may do, separated by spaces. */
  scope: string;
  /** The mode of the secret, and thereby of the token. */
  mode: 'test' | 'live';
}

export interface AiFacet {
  ai: 'none' | 'assisted' | 'generated' | 'unknown';
  /** The number of these tracks in the whole result. */
  trackCount: number;
}

export interface AlternateVersion {
  /** Stays the same as long as the track has this part. */
  id: string;
  /** Known values, to which others may be added: `instrumental`, `vocal`, `acapella`, `clean`, `alternate`, `cutdown`, `loop`, `sting`. */
  kind:
    | 'instrumental'
    | 'vocal'
    | 'acapella'
    | 'clean'
    | 'alternate'
    | 'cutdown'
    | 'loop'
    | 'sting'
    | (string & {});
  /** Null if it was delivered without a name. */
  name: string | null;
  /** 0 if unknown. */
  durationSeconds: number;
  /** The usual extension of files of this format. */
  format: string;
  sizeBytes: number;
  /** The audio. Valid until `urlsExpireAt`, without a token. */
  url: string;
}

/** An artist’s part in a track. */
export interface Artist {
  /** The same wherever this artist is credited. */
  id: string;
  /** The credit as delivered. */
  name: string;
  /** One upper-case word. Known ones: `MAIN_ARTIST`, `FEATURED_ARTIST`, `COMPOSER`, `LYRICIST`, `PRODUCER`, `REMIXER`, `PERFORMER`, `PUBLISHER`; expect others. */
  role: string;
  /** True for one artist at most. */
  isPrimary: boolean;
}

export interface AuthorizationServer {
  /** The base address of this service. */
  issuer: string;
  /** A page that says that nobody can log in here; some libraries refuse metadata without this member. */
  authorization_endpoint: string;
  /** The address of `POST /oauth/token`. */
  token_endpoint: string;
  /** How a client may authenticate. */
  token_endpoint_auth_methods_supported: string[];
  /** The grants that the token endpoint knows. */
  grant_types_supported: string[];
  /** Empty: nobody can log in with a browser. */
  response_types_supported: string[];
  /** Every scope that a client can hold. */
  scopes_supported: string[];
  /** A page for people. */
  service_documentation: string;
}

export interface BatchRequest {
  /** Slugs or ids of tracks. */
  tracks: string[];
}

/** How a brief was understood; only where one was sent. */
export interface Brief {
  /** In the order of the brief. */
  understood: UnderstoodPart[];
  /** What was not understood, or left out. */
  ignored: string[];
  /** Where phrases that are in no vocabulary were compared by meaning. `unavailable`: not this time. Known values, to which others may be added: `local`, `remote`, `off`, `unavailable`. */
  embeddings: 'local' | 'remote' | 'off' | 'unavailable' | (string & {});
}

export interface BrowserToken {
  /** Send it as `Authorization: Bearer <token>`. */
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  /** What the token may do, separated by spaces. */
  scope: string;
}

export interface BrowserTokenRequest {
  /** The origins of the pages that will use the token, as browsers send them: `https`, or `http` on loopback. */
  origins: string[];
  /** Which of tracks, search, filters, playlists, similar, previews, localization the token gets; by default those that the token of the request has. */
  scopes?: string[];
  /** Seconds. Default: `3600`. */
  expiresIn?: number;
  /** Your name or id of the person who uses the page, who then has a rate limit of their own. Stave does not keep it. */
  user?: string;
}

/** Who made it. */
export interface By {
  /** Known values, to which others may be added: `seat`, `client`, `operator`. */
  type: 'seat' | 'client' | 'operator' | (string & {});
  /** The name at that time. */
  name: string;
}

/** A list of tracks that a client keeps. */
export interface Collection {
  id: string;
  name: string;
  description: string;
  /** The number of its live tracks. */
  trackCount: number;
  /** The number of its tracks that were taken down. */
  unavailableCount: number;
  /** The total duration of its live tracks. */
  durationSeconds: number;
  /** Whether it is yours. */
  owner: boolean;
  /** The number of clients that can read it; 0 unless it is yours. */
  sharedWith: number;
  by: By;
  /** The number of the edit, which `ETag` names. */
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface CollectionAddition {
  /** The tracks in order; none changes nothing. */
  items: CollectionItem[];
  /** The place among the tracks of the collection, from 1. */
  position?: number;
}

export interface CollectionAdditionResult {
  /** The tracks that were added. */
  added: string[];
  /** The tracks that were in the collection. */
  alreadyPresent: string[];
  /** The tracks that are unknown or were taken down, as sent. */
  notFound: string[];
  /** The version of the collection, which is raised if anything changed. */
  version: number;
}

export interface CollectionEdit {
  /** The name. Two collections may have the same. */
  name?: string;
  /** A description. */
  description?: string;
}

export interface CollectionItem {
  /** Slug or id of a track, in any case. */
  track: string;
  /** Your note. */
  note?: string;
}

export interface CollectionItemEdit {
  /** Your note. */
  note?: string;
  /** The place among the tracks of the collection, from 1. */
  position?: number;
}

/** A link that shows a collection to its guests. */
export interface CollectionLink {
  id: string;
  /** The number of the edit, which `ETag` names. */
  version: number;
  /** The address of the page. Everybody who has it can open the link. */
  url: string;
  /** Only you see it. */
  label: string;
  expiresAt: string;
  /** When it expired or was ended; null while it is live. */
  endedAt: string | null;
  /** Whether guests need a password. */
  hasPassword: boolean;
  /** What guests hear: whole tracks, or preview clips. Known values, to which others may be added: `full`, `preview`. */
  streams: 'full' | 'preview' | (string & {});
  /** Whether guests may write comments. */
  comments: boolean;
  createdAt: string;
  updatedAt: string;
  by: By;
  /** How often guests have opened it. */
  opens: number;
  /** How often guests have begun to play a track. */
  plays: number;
  lastOpenedAt: string | null;
}

export interface CollectionLinkEdit {
  /** What you call it. Guests do not see it. */
  label?: string;
  /** In the future, within a year. */
  expiresAt?: string;
  /** What guests hear: whole tracks, or preview clips. */
  streams?: 'full' | 'preview';
  /** Whether guests may write comments. */
  comments?: boolean;
  /** A new password, or null for none. */
  password?: string | null;
}

export interface CollectionLinkPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: CollectionLink[];
}

export interface CollectionLinkRequest {
  /** What you call it. Guests do not see it. */
  label?: string;
  /** In the future, within a year. */
  expiresAt?: string;
  /** What guests hear: whole tracks, or preview clips. */
  streams?: 'full' | 'preview';
  /** Whether guests may write comments. */
  comments?: boolean;
  /** What guests must enter first; none by default. */
  password?: string;
}

export interface CollectionList {
  /** The tracks in order, each once. */
  items: CollectionItem[];
}

export interface CollectionPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: Collection[];
}

export interface CollectionRemoval {
  /** The tracks to remove; none changes nothing. */
  tracks: string[];
}

export interface CollectionRemovalResult {
  /** The tracks that were removed. */
  removed: string[];
  /** The tracks that are not in the collection, as sent. */
  notPresent: string[];
  /** The version of the collection, which is raised if anything changed. */
  version: number;
}

export interface CollectionRequest {
  /** The name. Two collections may have the same. */
  name: string;
  /** A description. */
  description?: string;
  /** The tracks in order, each once. */
  tracks?: string[];
}

export interface CollectionShare {
  /** The id of another client of your account, in either case. */
  clientId: string;
  /** Null for a client that has left the account. */
  name: string | null;
  /** Whether the share counts. False for a client that has left the account. */
  canRead: boolean;
}

export interface CollectionShares {
  items: CollectionShare[];
}

export interface CollectionUpdatedMessage {
  type: 'collection.updated';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The first change, if there were too many to send each. */
    fromSeq?: number;
    /** The number of changes, if there were too many to send each. */
    count?: number;
    /** Only if there were too many changes to send each. Only the last one is shown. */
    truncated?: true;
    collectionId: string;
    /** Known values, to which others may be added: `created`, `updated`, `deleted`, `shared`, `unshared`, `taken_down`, `restored`. */
    change:
      | 'created'
      | 'updated'
      | 'deleted'
      | 'shared'
      | 'unshared'
      | 'taken_down'
      | 'restored'
      | (string & {});
    /** The version when the message is made; null if the collection is deleted by then. */
    version: number | null;
  };
}

export interface CommentRequest {
  /** What the page has drawn at random for this guest, 22 characters. */
  guest: string;
  /** The name that the guest gives. */
  name: string;
  /** The id of the track, in either case. */
  trackId: string;
  /** The comment. */
  text: string;
}

/** A filter with the number of tracks that carry it. */
export interface CountedFilter {
  id: string;
  name: string;
  slug: string;
  /** Known values, to which others may be added: `genre`, `mood`, `use-case`. */
  type: 'genre' | 'mood' | 'use-case' | (string & {});
  /** The number of live tracks that carry it. */
  trackCount: number;
}

export type CountryCode =
  | 'AD'
  | 'AE'
  | 'AF'
  | 'AG'
  | 'AI'
  | 'AL'
  | 'AM'
  | 'AO'
  | 'AQ'
  | 'AR'
  | 'AS'
  | 'AT'
  | 'AU'
  | 'AW'
  | 'AX'
  | 'AZ'
  | 'BA'
  | 'BB'
  | 'BD'
  | 'BE'
  | 'BF'
  | 'BG'
  | 'BH'
  | 'BI'
  | 'BJ'
  | 'BL'
  | 'BM'
  | 'BN'
  | 'BO'
  | 'BQ'
  | 'BR'
  | 'BS'
  | 'BT'
  | 'BV'
  | 'BW'
  | 'BY'
  | 'BZ'
  | 'CA'
  | 'CC'
  | 'CD'
  | 'CF'
  | 'CG'
  | 'CH'
  | 'CI'
  | 'CK'
  | 'CL'
  | 'CM'
  | 'CN'
  | 'CO'
  | 'CR'
  | 'CU'
  | 'CV'
  | 'CW'
  | 'CX'
  | 'CY'
  | 'CZ'
  | 'DE'
  | 'DJ'
  | 'DK'
  | 'DM'
  | 'DO'
  | 'DZ'
  | 'EC'
  | 'EE'
  | 'EG'
  | 'EH'
  | 'ER'
  | 'ES'
  | 'ET'
  | 'FI'
  | 'FJ'
  | 'FK'
  | 'FM'
  | 'FO'
  | 'FR'
  | 'GA'
  | 'GB'
  | 'GD'
  | 'GE'
  | 'GF'
  | 'GG'
  | 'GH'
  | 'GI'
  | 'GL'
  | 'GM'
  | 'GN'
  | 'GP'
  | 'GQ'
  | 'GR'
  | 'GS'
  | 'GT'
  | 'GU'
  | 'GW'
  | 'GY'
  | 'HK'
  | 'HM'
  | 'HN'
  | 'HR'
  | 'HT'
  | 'HU'
  | 'ID'
  | 'IE'
  | 'IL'
  | 'IM'
  | 'IN'
  | 'IO'
  | 'IQ'
  | 'IR'
  | 'IS'
  | 'IT'
  | 'JE'
  | 'JM'
  | 'JO'
  | 'JP'
  | 'KE'
  | 'KG'
  | 'KH'
  | 'KI'
  | 'KM'
  | 'KN'
  | 'KP'
  | 'KR'
  | 'KW'
  | 'KY'
  | 'KZ'
  | 'LA'
  | 'LB'
  | 'LC'
  | 'LI'
  | 'LK'
  | 'LR'
  | 'LS'
  | 'LT'
  | 'LU'
  | 'LV'
  | 'LY'
  | 'MA'
  | 'MC'
  | 'MD'
  | 'ME'
  | 'MF'
  | 'MG'
  | 'MH'
  | 'MK'
  | 'ML'
  | 'MM'
  | 'MN'
  | 'MO'
  | 'MP'
  | 'MQ'
  | 'MR'
  | 'MS'
  | 'MT'
  | 'MU'
  | 'MV'
  | 'MW'
  | 'MX'
  | 'MY'
  | 'MZ'
  | 'NA'
  | 'NC'
  | 'NE'
  | 'NF'
  | 'NG'
  | 'NI'
  | 'NL'
  | 'NO'
  | 'NP'
  | 'NR'
  | 'NU'
  | 'NZ'
  | 'OM'
  | 'PA'
  | 'PE'
  | 'PF'
  | 'PG'
  | 'PH'
  | 'PK'
  | 'PL'
  | 'PM'
  | 'PN'
  | 'PR'
  | 'PS'
  | 'PT'
  | 'PW'
  | 'PY'
  | 'QA'
  | 'RE'
  | 'RO'
  | 'RS'
  | 'RU'
  | 'RW'
  | 'SA'
  | 'SB'
  | 'SC'
  | 'SD'
  | 'SE'
  | 'SG'
  | 'SH'
  | 'SI'
  | 'SJ'
  | 'SK'
  | 'SL'
  | 'SM'
  | 'SN'
  | 'SO'
  | 'SR'
  | 'SS'
  | 'ST'
  | 'SV'
  | 'SX'
  | 'SY'
  | 'SZ'
  | 'TC'
  | 'TD'
  | 'TF'
  | 'TG'
  | 'TH'
  | 'TJ'
  | 'TK'
  | 'TL'
  | 'TM'
  | 'TN'
  | 'TO'
  | 'TR'
  | 'TT'
  | 'TV'
  | 'TW'
  | 'TZ'
  | 'UA'
  | 'UG'
  | 'UM'
  | 'US'
  | 'UY'
  | 'UZ'
  | 'VA'
  | 'VC'
  | 'VE'
  | 'VG'
  | 'VI'
  | 'VN'
  | 'VU'
  | 'WF'
  | 'WS'
  | 'YE'
  | 'YT'
  | 'ZA'
  | 'ZM'
  | 'ZW';

/** The place of the track in the production. */
export interface Cue {
  /** Where the track begins in the production. */
  startSeconds: number;
  /** As on cue sheets: background (B), visual (V) or featured (F), each instrumental (I) or vocal (V); source (VS), opening theme (OT), closing theme (CT), logo (EE). */
  usage: 'BI' | 'BV' | 'VI' | 'VV' | 'FI' | 'FV' | 'VS' | 'OT' | 'CT' | 'EE';
  /** The number on the cue sheet. */
  number?: number;
}

/** The music in one production. What is unknown is null. */
export interface CueSheet {
  production: Production;
  /** In the order of start, number and event id. */
  cues: SheetCue[];
  totals: {
    cues: number;
    /** The sum of the durations. */
    seconds: number;
  };
  /** What a collecting society would refuse, with the place of the cue. */
  problems: string[];
}

export interface DeletedCollection {
  id: string;
  deleted: true;
}

export interface DeletedCollectionLink {
  id: string;
  deleted: true;
}

export interface DeletedLinkComment {
  id: string;
  deleted: true;
}

export interface DeletedSavedSearch {
  id: string;
  deleted: true;
}

export interface DeletedShare {
  id: string;
  deleted: true;
}

export interface DeletedWebhook {
  id: string;
  deleted: true;
}

export type DeliveryReplay = Record<string, unknown>;

export interface DownloadRequest {
  /** By default, all tracks of the license. */
  tracks?: string[];
  /** `mp3` is an MP3 of 320 kbit/s, or the delivered one. `wav` and `flac` keep the sample rate and the size of samples, and are refused for audio that has lost something; `flac` also for samples of floating point. Default: `original`. */
  format?: 'original' | 'wav' | 'flac' | 'mp3';
  /** Whether stems and versions follow each track; only if `parts` of the license is true. Default: `false`. */
  parts?: boolean;
}

/** How the tracks of the whole result divide, whatever the page; only where it was asked for. What no track has is left out. */
export interface Facets {
  /** Most tracks first, then by name, then by id. */
  filters: FilterFacet[];
  /** Music and sound effects, most tracks first. */
  types: TypeFacet[];
  /** With and without vocals, most tracks first. */
  hasVocals: VocalsFacet[];
  /** What is known of the vocals, most tracks first. */
  vocals: KnownVocalsFacet[];
  /** How much of them a machine made, most tracks first. */
  ai: AiFacet[];
  /** Whether machines may learn from them, as the parameter names it, most tracks first. */
  trainingAllowed: TrainingFacet[];
}

export interface FieldProblem {
  /** Path of the parameter or member, such as `filterIds[2]`. */
  field: string;
  /** The rule that is violated. */
  message: string;
}

/** A genre, a mood or a use-case that tracks are tagged with. */
export interface Filter {
  id: string;
  name: string;
  slug: string;
  /** Known values, to which others may be added: `genre`, `mood`, `use-case`. */
  type: 'genre' | 'mood' | 'use-case' | (string & {});
}

/** A filter, and the number of tracks that carry it. */
export interface FilterFacet {
  id: string;
  name: string;
  slug: string;
  /** Known values, to which others may be added: `genre`, `mood`, `use-case`. */
  type: 'genre' | 'mood' | 'use-case' | (string & {});
  /** The number of these tracks in the whole result. */
  trackCount: number;
}

export interface FilterList {
  /** All filters. */
  items: CountedFilter[];
}

/** A filter. Search by its id or slug rather than by its name. */
export interface FilterSuggestion {
  kind: 'filter';
  /** The name of the filter, to show. */
  text: string;
  filter: Filter;
  /** The number of live tracks that carry it. */
  trackCount: number;
}

export interface FoundTracks {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: Track[];
  facets?: Facets;
  /** What the query names and the catalog does not have: filters, which therefore match nothing or are left out, the key of a query that matches nothing, and the language. Absent if there is nothing to say. */
  warnings?: Warning[];
}

export interface InterestedParty {
  /** The credit as delivered. */
  name: string;
  /** As in CISAC CWR: composer (C), author of the words (A), both (CA), arranger (AR), publisher (E). Known values, to which others may be added: `C`, `A`, `CA`, `AR`, `E`. */
  role: 'C' | 'A' | 'CA' | 'AR' | 'E' | (string & {});
  /** The IPI name number. */
  ipi: string | null;
  /** The collecting society. */
  society: string | null;
  /** The share of this side of the work, with two decimals. */
  sharePercent: string | null;
}

export interface KnownVocalsFacet {
  /** Whether it has vocals, is known to have none, or neither is known. */
  vocals: 'vocal' | 'instrumental' | 'unknown';
  /** The number of these tracks in the whole result. */
  trackCount: number;
}

export interface Language {
  /** A language tag (RFC 5646). */
  language: string;
  /** The number of tracks with a text in it. */
  tracks: number;
  /** The number of filters with a text in it. */
  filters: number;
  /** The number of playlists with a text in it. */
  playlists: number;
}

export interface Languages {
  /** The languages with translations, by their tags. */
  items: Language[];
  /** The language of texts that are not translated, unless their track names one. */
  original: string;
}

/** The right to use tracks, as a quote describes it. */
export interface License {
  number: string;
  /** Known values, to which others may be added: `scheduled`, `active`, `expired`, `revoked`. */
  status: 'scheduled' | 'active' | 'expired' | 'revoked' | (string & {});
  mode: 'test' | 'live';
  quoteId: string;
  licensee: {
    name: string;
    country: string;
    email?: string;
  };
  /** As requested. */
  project: {
    name: string;
    reference?: string;
    productionId?: string;
  };
  /** Your number of the order; null if you gave none. */
  purchaseOrder: string | null;
  media: string[];
  territories: string[];
  exclusive: boolean;
  /** Whether it includes the stems and versions of its tracks. */
  parts: boolean;
  by: By;
  startsAt: string;
  /** The first moment after the term. Null if it does not end. */
  endsAt: string | null;
  tracks: TrackOfLicense[];
  /** The price in minor units of the currency, net of tax. */
  amountMinor: number;
  /** ISO 4217. */
  currency: string;
  /** The version of the terms of the license. */
  termsVersion: string;
  termsUrl: string;
  issuedAt: string;
  /** A signed statement of the license: a compact JWS (RFC 7515). */
  certificate: string;
  pdfUrl: string;
  verifyUrl: string;
}

/** A file that was downloaded, once for each day in UTC. */
export interface LicenseDownload {
  trackId: string;
  /** The id of a stem or a version; null for the track itself. */
  partId: string | null;
  /** The format of the file; `original` is the delivered one. */
  format: 'original' | 'wav' | 'flac' | 'mp3';
  /** When the file was requested first on that day. */
  at: string;
  /** The length of the file. */
  bytes: number;
}

export interface LicenseDownloadPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: LicenseDownload[];
}

export interface LicenseIssuedMessage {
  type: 'license.issued';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    number: string;
    status: string;
    /** Up to 50 of the tracks. */
    trackIds: string[];
    /** The first change, if there were too many to send each. */
    fromSeq?: number;
    /** The number of tracks, or of changes if `truncated` is present. */
    count: number;
    /** Only if there were too many changes to send each. Only the last one is shown. */
    truncated?: true;
  };
}

/** A public key of certificates (RFC 7517, RFC 8037). */
export interface LicenseKey {
  kty: 'OKP';
  crv: 'Ed25519';
  /** The public key, 32 bytes in base64url. */
  x: string;
  /** The thumbprint of the key (RFC 7638), which the header of a certificate names. */
  kid: string;
  use: 'sig';
}

export interface LicenseKeySet {
  /** Every key that ever signed certificates, newest first. */
  keys: LicenseKey[];
}

export interface LicensePage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: License[];
}

export interface LicenseRequest {
  quoteId: string;
  /** The version of the terms that you accept: that of the quote. */
  termsVersion: string;
  licensee: Licensee;
}

export interface LicenseRevokedMessage {
  type: 'license.revoked';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    number: string;
    status: string;
    /** Up to 50 of the tracks. */
    trackIds: string[];
    /** The first change, if there were too many to send each. */
    fromSeq?: number;
    /** The number of tracks, or of changes if `truncated` is present. */
    count: number;
    /** Only if there were too many changes to send each. Only the last one is shown. */
    truncated?: true;
  };
}

/** What anyone may know about a license. */
export interface LicenseVerification {
  number: string;
  /** Whether the license is in force now: `active`, and of live mode. A test license never is. */
  valid: boolean;
  /** Known values, to which others may be added: `scheduled`, `active`, `expired`, `revoked`. */
  status: 'scheduled' | 'active' | 'expired' | 'revoked' | (string & {});
  mode: 'test' | 'live';
  issuedAt: string;
  startsAt: string;
  /** The first moment after the term. Null if it does not end. */
  endsAt: string | null;
  licensee: {
    name: string;
  };
  project: {
    name: string;
  };
  media: string[];
  territories: string[];
  exclusive: boolean;
  tracks: TrackOfLicense[];
  /** The SHA-256 of the text of the certificate, in lower-case hexadecimal digits. */
  certificateSha256: string;
}

export interface LicensedFile {
  trackId: string;
  slug: string;
  /** The id of a stem or a version; null for the track itself. */
  partId: string | null;
  /** The format of the file; `original` is the delivered one. */
  format: 'original' | 'wav' | 'flac' | 'mp3';
  /** The name under which the file is saved. */
  fileName: string;
  /** The length of the file; null while the clip of a test license or a FLAC is not made, and for another file of audio whose number of samples is not known. */
  bytes: number | null;
  /** Whether the file says the license. */
  tagged: boolean;
  /** The signed URL of the file. Valid until `expiresAt`, with ranges. */
  url: string;
}

/** Where the files of a license are. */
export interface LicensedFiles {
  /** The number of the license. */
  licenseNumber: string;
  /** Until then, the URLs are valid. */
  expiresAt: string;
  /** The files in the order of the tracks. */
  items: LicensedFile[];
}

export interface LicensedProject {
  /** The name of the film, the series or the spot. */
  name: string;
  /** Your reference. */
  reference?: string;
  /** Your id of the production, as in reported syncs. */
  productionId?: string;
}

export interface LicensedTrack {
  /** The rank in the whole list, over all pages. */
  rank: number;
  /** The number of licenses of the period, by all clients, in the mode of the token. */
  licenseCount: number;
  track: Track;
}

export interface LicensedTrackPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: LicensedTrack[];
  /** What the query names and the catalog does not have: filters, which therefore match nothing or are left out, the key of a query that matches nothing, and the language. Absent if there is nothing to say. */
  warnings?: Warning[];
}

export interface Licensee {
  /** The person or company that gets the license. */
  name: string;
  country: CountryCode;
  /** In no certificate. */
  email?: string;
}

/** What a guest of a link wrote about a track. */
export interface LinkComment {
  id: string;
  trackId: string;
  /** The name that the guest gave. */
  name: string;
  text: string;
  createdAt: string;
}

export interface LinkCommentPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: LinkComment[];
}

export interface Me {
  clientId: string;
  /** The name that the operator gave the client. */
  name: string;
  mode: 'test' | 'live';
  /** The scopes of the token that the client still holds. */
  scopes: (
    | 'tracks'
    | 'search'
    | 'filters'
    | 'playlists'
    | 'analytics'
    | 'changes'
    | 'usage'
    | 'similar'
    | 'webhooks'
    | 'previews'
    | 'saved-searches'
    | 'licensing'
    | 'stems'
    | 'localization'
    | (string & {})
  )[];
  /** The contract features that are on for the client. */
  features: (
    | 'changes'
    | 'usage'
    | 'similar'
    | 'webhooks'
    | 'previews'
    | 'saved-searches'
    | 'licensing'
    | 'stems'
    | 'localization'
    | (string & {})
  )[];
  rateLimit: {
    /** Requests in a window. */
    limit: number;
    windowSeconds: number;
  };
  /** The account of the client. Clients of one account can share collections. */
  account: string | null;
  tokenExpiresAt: string;
  /** The seat whose session gave the token; null for any other token. */
  seat: Seat | null;
}

/** A name that at least one track has. */
export interface NameSuggestion {
  kind: 'name';
  /** The name of a track, as a text to search for. */
  text: string;
}

export interface NamedTracks {
  /** The tracks, in the order of the request. */
  items: Track[];
  /** The slugs and ids without a track, as they were sent. */
  notFound: string[];
}

export interface NewWebhook {
  id: string;
  url: string;
  /** The types of events that it gets. */
  eventTypes: (
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
    | (string & {})
  )[];
  description: string;
  /** Whether it gets changes of existing tracks only if you refer to the track. */
  referencedOnly: boolean;
  /** Whether messages have the header `Authorization` that you gave. */
  hasAuthorization: boolean;
  enabled: boolean;
  /** `gone`: your server responded with 410. `failing`: it failed for 72 hours. `operator`: the licensor disabled it. Null if it is enabled, or you disabled it. Known values, to which others may be added: `gone`, `failing`, `operator`. */
  disabledReason: 'gone' | 'failing' | 'operator' | (string & {}) | null;
  /** The number of the edit, which `ETag` names. */
  version: number;
  createdAt: string;
  updatedAt: string;
  /** The secret that signs the messages. It is shown only once. */
  secret?: string;
}

export interface OAuthToken {
  /** Send it as `Authorization: Bearer <token>`. */
  access_token: string;
  token_type: 'Bearer';
  /** Seconds. */
  expires_in: number;
  /** What the token may do, separated by spaces. */
  scope: string;
}

export interface PlacedTrack {
  /** The place among the tracks of the collection, from 1. */
  position: number;
  /** The note of the owner. */
  note: string;
  /** Who wrote the note; null without a note. */
  by: By | null;
  addedAt: string;
  track: Track;
}

export interface PlacedTrackPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: PlacedTrack[];
}

/** A list of tracks that the licensor granted to the client. */
export interface Playlist {
  id: string;
  name: string;
  /** Unique among playlists. */
  slug: string;
  description: string;
  /** The number of its live tracks. */
  trackCount: number;
  /** The total duration of its live tracks. */
  durationSeconds: number;
  /** The URL has no signature and may be cached forever. */
  artworkUrl: string;
  createdAt: string;
  updatedAt: string;
}

export interface PlaylistGrantedMessage {
  type: 'playlist.granted';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The first change, if there were too many to send each. */
    fromSeq?: number;
    /** The number of changes, if there were too many to send each. */
    count?: number;
    /** Only if there were too many changes to send each. Only the last one is shown. */
    truncated?: true;
    playlistId: string;
  };
}

export interface PlaylistPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: Playlist[];
}

export interface PlaylistRevokedMessage {
  type: 'playlist.revoked';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The first change, if there were too many to send each. */
    fromSeq?: number;
    /** The number of changes, if there were too many to send each. */
    count?: number;
    /** Only if there were too many changes to send each. Only the last one is shown. */
    truncated?: true;
    playlistId: string;
  };
}

export interface PlaylistUpdatedMessage {
  type: 'playlist.updated';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The first change, if there were too many to send each. */
    fromSeq?: number;
    /** The number of changes, if there were too many to send each. */
    count?: number;
    /** Only if there were too many changes to send each. Only the last one is shown. */
    truncated?: true;
    playlistId: string;
  };
}

/** A step of a price. */
export interface PriceStep {
  /** Known values, to which others may be added: `base`, `media`, `territory`, `term`, `audience`, `exclusive`, `surcharge`, `volume`, `minimum`. */
  step:
    | 'base'
    | 'media'
    | 'territory'
    | 'term'
    | 'audience'
    | 'exclusive'
    | 'surcharge'
    | 'volume'
    | 'minimum'
    | (string & {});
  /** A decimal: a factor, or of `base` and `minimum` an amount in minor units of the currency. */
  value: string;
  /** Of `media`. */
  codes?: string[];
  /** Of `territory` and `term`. */
  code?: string;
  /** Of `audience`: the bound of the step; null for the last one. */
  upTo?: number | null;
  /** Of `surcharge`. */
  filterSlug?: string;
  /** Of `volume`: the number of tracks from which it applies. */
  from?: number;
}

/** The production that the track was synchronized with. */
export interface Production {
  /** Your id of the production. */
  id: string;
  /** The title of the film, the series or the spot. */
  title: string;
  /** The title of the episode. */
  episodeTitle?: string;
  /** The number of the episode. */
  episodeNumber?: string;
  /** Where it is produced. */
  country?: CountryCode;
  /** The date of the first broadcast. */
  airDate?: string;
  /** The length of the production. */
  durationSeconds?: number;
}

/** What its supplier says of its making, and of machines that learn from it. */
export interface Provenance {
  /** How much of it a machine made. Known values, to which others may be added: `none`, `assisted`, `generated`, `unknown`. */
  ai: 'none' | 'assisted' | 'generated' | 'unknown' | (string & {});
  /** What a machine made, as far as the supplier says it. */
  aiParts: (
    | 'vocals'
    | 'lyrics'
    | 'composition'
    | 'performance'
    | 'artwork'
    | 'mastering'
    | (string & {})
  )[];
  /** Whether machines may learn from it; null where unknown. */
  trainingAllowed: boolean | null;
  /** The supplier’s own words. */
  statement: string | null;
}

/** The price of a use of tracks. */
export interface Quote {
  id: string;
  /** Known values, to which others may be added: `open`, `licensed`, `expired`. */
  status: 'open' | 'licensed' | 'expired' | (string & {});
  /** The tracks in the order of the request. */
  items: QuoteItem[];
  /** The sum of the items. */
  amountMinor: number;
  /** ISO 4217. */
  currency: string;
  /** The number of decimals of the currency. */
  minorUnit: number;
  /** What has priced it. Version 0: the fixture track where there is no rate card. */
  rateCard: {
    name: string;
    version: number;
  };
  /** The version of the terms of the license. */
  termsVersion: string;
  termsUrl: string;
  media: string[];
  territories: string[];
  term: string;
  /** Null if the license starts when it is issued. */
  startsAt: string | null;
  /** Present if the rate card has steps. */
  audience?: number;
  exclusive: boolean;
  /** Whether the license will include stems and versions. */
  parts: boolean;
  /** As requested. */
  project: {
    name: string;
    reference?: string;
    productionId?: string;
  };
  /** Your number of the order; null if you gave none. */
  purchaseOrder: string | null;
  /** What you may still spend on licenses in this month (UTC) and mode, in minor units. Null if the licensor has set no limit, or the limit is in another currency. */
  remainingLimit: number | null;
  by: By;
  createdAt: string;
  /** Until then, the price stays as it is. */
  expiresAt: string;
  /** The number of the license that it has bought. */
  licenseNumber: string | null;
}

export interface QuoteItem {
  trackId: string;
  slug: string;
  name: string;
  /** The price in minor units of the currency, net of tax. */
  amountMinor: number;
  /** How the price is computed. The product of all steps but `minimum`, rounded half up, is the price before the minimum. */
  breakdown: PriceStep[];
}

export interface QuotePage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: Quote[];
}

export interface QuoteRequest {
  /** The tracks, each once. */
  tracks: string[];
  /** The media of the use, as `GET /v1/rate-card` lists them. */
  media: string[];
  /** Countries, or `WORLD` alone. Codes of groups are not accepted. */
  territories: TerritoryCode[];
  /** A term of the rate card, such as `P1Y` or `PERPETUAL`. */
  term: string;
  /** When the license starts: up to 365 days ahead. Without it, the license starts when it is issued. */
  startsAt?: string;
  /** How many people the use reaches. Required if the rate card has steps, and otherwise ignored. */
  audience?: number;
  /** Whether nobody else may get a license for the same use. Default: `false`. */
  exclusive?: boolean;
  project: LicensedProject;
  /** Your number of the order, as the license will show it. */
  purchaseOrder?: string;
}

/** A track, and what it has of a brief. */
export interface RankedTrack {
  id: string;
  name: string;
  /** Unique among tracks, and kept when the name changes. */
  slug: string;
  type: 'music' | 'sfx';
  /** Tempo in beats per minute; empty where unknown. */
  bpm: string;
  /** Musical keys; empty where unknown. */
  songKey: string[];
  /** Beats and note value; empty where unknown. */
  timeSignature: string;
  /** Rounded, at least 1; 0 where unknown. */
  durationSeconds: number;
  /** Region code; `WORLD` where none is known. */
  region: string;
  /** UTC with milliseconds. A bare year stands for its 1 January, an unknown date for the time of first import. */
  releaseDate: string;
  /** True with vocals, false for an instrumental or where unknown. */
  hasVocals: boolean;
  /** Whether it has vocals, is known to have none, or neither is known. */
  vocals: 'vocal' | 'instrumental' | 'unknown';
  /** Whether a performing rights organization administers it. */
  isPRO: boolean;
  /** Free tags. */
  tags: string[];
  artists: Artist[];
  /** The filters that the track is tagged with. */
  filters: Filter[];
  /** International Standard Recording Code without hyphens; empty where unknown. */
  isrc: string;
  /** The delivered audio file; null if there is none. */
  audio: TrackAudio | null;
  /** Whether `streamUrl` has audio to play; if not, it returns 404. */
  hasAudio: boolean;
  /** The members that were not delivered and come from the analysis of the audio; empty if there are none. */
  detected: ('bpm' | 'songKey' | (string & {}))[];
  provenance: Provenance;
  /** What `streamUrl` sends; null without audio. */
  stream: TrackStream | null;
  /** The URL has no signature and may be cached forever: new artwork has a new URL. */
  artworkUrl: string;
  /** A signed URL that plays in an `<audio>` element without further headers, with seeking. Valid for 30 minutes from this response. */
  streamUrl: string;
  /** When `streamUrl` expires. */
  streamUrlExpiresAt: string;
  /** A signed URL of the preview clip: 30 seconds as MP3. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  previewUrl?: string;
  /** A signed URL of the waveform as JSON of BBC audiowaveform data, which peaks.js and other players draw. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  waveformUrl?: string;
  /** A signed URL of the same waveform in the binary format of BBC audiowaveform data. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  waveformDataUrl?: string;
  /** The language of `name`. Only with the contract feature `localization`. */
  language?: string;
  /** The name as delivered. Only with the contract feature `localization`. */
  originalName?: string;
  /** The positions in `understood` of what the track has of the brief, what counts most first. What every track of the result has, because it is `hard`, is not among them. Only where a brief was sent. */
  matched?: number[];
}

/** What a quote may request. */
export interface RateCard {
  name: string;
  version: number;
  /** ISO 4217. */
  currency: string;
  /** The number of decimals of the currency. */
  minorUnit: number;
  media: string[];
  /** Groups of countries with one price. */
  territories: Territory[];
  terms: string[];
  /** The bounds of the steps of the audience; null for the last one. Empty if the audience does not count; otherwise a quote needs one. */
  audience: (number | null)[];
  /** Whether exclusive licenses are sold. */
  exclusive: boolean;
  /** The version of the terms of the license. */
  termsVersion: string;
  termsUrl: string;
}

export interface ReplayRequest {
  /** The beginning. */
  from: string;
  /** The end; by default now. */
  to?: string;
  /** Only messages that failed, or all. Default: `failed`. */
  status?: 'failed' | 'all';
}

export interface ReplayResult {
  /** The number of messages that are sent again. */
  count: number;
}

export interface RotatedSecret {
  /** The secret that signs the messages. It is shown only once. */
  secret?: string;
  /** Until when the former secret signs, too; null if it was revoked. */
  previousValidUntil: string | null;
}

/** The body of `POST /v1/search` without `page`, `pageSize` and `facets`, as it was sent. */
export interface SavedQuery {
  /** Free text on the track’s name, or on what `in` says. Case, accents and punctuation do not matter, and a name with an apostrophe is found with it, without it, and by the words on either side; every word must match, in any order; the last one may be unfinished, and a word inside a longer one counts too. If nothing at all matches, one typo in a word of four letters or more is forgiven (two in eight or more). Best matches come first. */
  query?: string;
  /** Where the text is searched: in the `name`, the names of the `artists`, the `tags`, the names of the `filters` in the catalog’s language and in that of the response; in the name where it is not given. Every word must stand in one of them. A match in the name ranks above one that needs an artist, that above one that needs a tag, that above one that needs a filter. */
  in?: ('name' | 'artists' | 'tags' | 'filters')[];
  /** Only music, or only sound effects. */
  type?: 'music' | 'sfx';
  /** Only tracks with vocals (true) or without (false). */
  hasVocals?: boolean;
  /** Ids of filters; a track must carry all of them, and all of `filterSlugs`. An unknown filter matches nothing, and `warnings` names it. */
  filterIds?: string[];
  /** Slugs of filters, as `GET /v1/filters` lists them; a track must carry all of them, and all of `filterIds`. An unknown filter matches nothing, and `warnings` names it. */
  filterSlugs?: string[];
  /** Ids of filters, grouped with those of `anyFilterSlugs` by their type; a track must carry at least one of each group. At most 50 in both together. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches. */
  anyFilterIds?: string[];
  /** Slugs of filters, grouped with those of `anyFilterIds` by their type; a track must carry at least one of each group: `jazz,blues,dark,calm` asks for Jazz or Blues, and for Dark or Calm. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches. */
  anyFilterSlugs?: string[];
  /** Ids of filters; a track must carry none of them, and none of `notFilterSlugs`. At most 50 in both together. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error. */
  notFilterIds?: string[];
  /** Slugs of filters; a track must carry none of them, and none of `notFilterIds`. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error. */
  notFilterSlugs?: string[];
  /** Only tracks of which one of these is known: vocals, no vocals, or neither. With `facets`, `vocals` counts each as if it were the only choice. */
  vocals?: ('vocal' | 'instrumental' | 'unknown')[];
  /** Only tracks whose `streamUrl` has audio to play (true), or the others (false). */
  hasAudio?: boolean;
  /** Only tracks of which a machine made one of these: nothing, some of it, all of it, or nobody says what. With `facets`, `ai` counts each as if it were the only choice. */
  ai?: ('none' | 'assisted' | 'generated' | 'unknown')[];
  /** Only tracks from which machines may learn, or may not, or of which nobody says that. */
  trainingAllowed?: 'true' | 'false' | 'unknown' | boolean;
  /** Only tracks of an artist of this name. Case, accents and punctuation do not matter; the whole name counts. */
  artist?: string;
  /** Only tracks with one of these keys: in the spelling of a track, or a major or minor key in any usual one (`A minor`, `Am`, `a-moll`, `8A` of Camelot, `1m` of Open Key). Several are a list, or separated by commas. */
  songKey?: string | string[];
  /** Only tracks whose `region` and availability cover each of these countries, or `WORLD` alone for all countries. A region may be a group of your rate card. Exclusive licenses are not considered. Needs the feature and the scope `licensing`. */
  licensableIn?: TerritoryCode[];
  /** Only tracks of at least this tempo, in beats per minute; none whose tempo is unknown. */
  bpmMin?: number;
  /** Only tracks of at most this tempo; none whose tempo is unknown. */
  bpmMax?: number;
  /** Only tracks of at least this duration in seconds; none whose duration is unknown. */
  durationMin?: number;
  /** Only tracks of at most this duration in seconds; none whose duration is unknown. */
  durationMax?: number;
  /** Only tracks released on this day (UTC), at this moment or later. */
  releasedFrom?: string;
  /** Only tracks released by this moment, or by the end of this day (UTC). */
  releasedTo?: string;
  /** `relevance`: best match first, and without a text the newest. `newest` and `oldest` go by release; `name` goes from A to Z; `bpm` and `duration` rise, unknown ones last; `popular` has the most licensed first, by live licenses for a live token and test ones for a test token. Ties: newest, then by id. */
  sort?: 'relevance' | 'newest' | 'oldest' | 'name' | 'bpm' | 'duration' | 'popular';
}

/** A search that a client keeps. */
export interface SavedSearch {
  id: string;
  /** The name, which is unique in upper and lower case. */
  name: string;
  search: SavedQuery;
  /** Whether your webhooks with `saved_search.matched` are told of new tracks, once a minute at most. */
  notify: boolean;
  /** The number of tracks that match now. */
  totalRecords: number;
  /** The number of those that were created after you last marked them as seen. */
  newCount: number;
  seenAt: string;
  /** The number of the edit, which `ETag` names. */
  version: number;
  createdAt: string;
  updatedAt: string;
  /** What the query names and the catalog does not have: filters, which therefore match nothing or are left out, the key of a query that matches nothing, and the language. Absent if there is nothing to say. */
  warnings?: Warning[];
}

export interface SavedSearchEdit {
  /** The name, which is unique in upper and lower case. */
  name?: string;
  search?: SavedQuery;
  /** Whether your webhooks with `saved_search.matched` are told of new tracks, once a minute at most. */
  notify?: boolean;
}

export interface SavedSearchMatchedMessage {
  type: 'saved_search.matched';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    savedSearchId: string;
    name: string;
    /** The exact number of tracks that were created since the message before. */
    count: number;
    /** Up to 50 of them, the last created first. */
    trackIds: string[];
  };
}

export interface SavedSearchPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: SavedSearch[];
}

export interface SavedSearchRequest {
  /** The name, which is unique in upper and lower case. */
  name: string;
  search: SavedQuery;
  /** Whether your webhooks with `saved_search.matched` are told of new tracks, once a minute at most. */
  notify?: boolean;
}

export interface SearchRequest {
  /** Free text on the track’s name, or on what `in` says. Case, accents and punctuation do not matter, and a name with an apostrophe is found with it, without it, and by the words on either side; every word must match, in any order; the last one may be unfinished, and a word inside a longer one counts too. If nothing at all matches, one typo in a word of four letters or more is forgiven (two in eight or more). Best matches come first. */
  query?: string;
  /** What you would write to a music consultant, in English, German, French or Spanish. The tracks that have most of it come first, and `brief` of the response tells how it was understood. Excludes `query` and `sort`. */
  brief?: string;
  /** Texts of `understood` that are to be left out of the brief. */
  ignore?: string[];
  /** Where the text is searched: in the `name`, the names of the `artists`, the `tags`, the names of the `filters` in the catalog’s language and in that of the response; in the name where it is not given. Every word must stand in one of them. A match in the name ranks above one that needs an artist, that above one that needs a tag, that above one that needs a filter. */
  in?: ('name' | 'artists' | 'tags' | 'filters')[];
  /** Only music, or only sound effects. */
  type?: 'music' | 'sfx';
  /** Only tracks with vocals (true) or without (false). */
  hasVocals?: boolean;
  /** Ids of filters; a track must carry all of them, and all of `filterSlugs`. An unknown filter matches nothing, and `warnings` names it. */
  filterIds?: string[];
  /** Slugs of filters, as `GET /v1/filters` lists them; a track must carry all of them, and all of `filterIds`. An unknown filter matches nothing, and `warnings` names it. */
  filterSlugs?: string[];
  /** Ids of filters, grouped with those of `anyFilterSlugs` by their type; a track must carry at least one of each group. At most 50 in both together. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches. */
  anyFilterIds?: string[];
  /** Slugs of filters, grouped with those of `anyFilterIds` by their type; a track must carry at least one of each group: `jazz,blues,dark,calm` asks for Jazz or Blues, and for Dark or Calm. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches. */
  anyFilterSlugs?: string[];
  /** Ids of filters; a track must carry none of them, and none of `notFilterSlugs`. At most 50 in both together. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error. */
  notFilterIds?: string[];
  /** Slugs of filters; a track must carry none of them, and none of `notFilterIds`. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error. */
  notFilterSlugs?: string[];
  /** Only tracks of which one of these is known: vocals, no vocals, or neither. With `facets`, `vocals` counts each as if it were the only choice. */
  vocals?: ('vocal' | 'instrumental' | 'unknown')[];
  /** Only tracks whose `streamUrl` has audio to play (true), or the others (false). */
  hasAudio?: boolean;
  /** Only tracks of which a machine made one of these: nothing, some of it, all of it, or nobody says what. With `facets`, `ai` counts each as if it were the only choice. */
  ai?: ('none' | 'assisted' | 'generated' | 'unknown')[];
  /** Only tracks from which machines may learn, or may not, or of which nobody says that. */
  trainingAllowed?: 'true' | 'false' | 'unknown' | boolean;
  /** Only tracks of an artist of this name. Case, accents and punctuation do not matter; the whole name counts. */
  artist?: string;
  /** Only tracks with one of these keys: in the spelling of a track, or a major or minor key in any usual one (`A minor`, `Am`, `a-moll`, `8A` of Camelot, `1m` of Open Key). Several are a list, or separated by commas. */
  songKey?: string | string[];
  /** Only tracks whose `region` and availability cover each of these countries, or `WORLD` alone for all countries. A region may be a group of your rate card. Exclusive licenses are not considered. Needs the feature and the scope `licensing`. */
  licensableIn?: TerritoryCode[];
  /** Only tracks of at least this tempo, in beats per minute; none whose tempo is unknown. */
  bpmMin?: number;
  /** Only tracks of at most this tempo; none whose tempo is unknown. */
  bpmMax?: number;
  /** Only tracks of at least this duration in seconds; none whose duration is unknown. */
  durationMin?: number;
  /** Only tracks of at most this duration in seconds; none whose duration is unknown. */
  durationMax?: number;
  /** Only tracks released on this day (UTC), at this moment or later. */
  releasedFrom?: string;
  /** Only tracks released by this moment, or by the end of this day (UTC). */
  releasedTo?: string;
  /** `relevance`: best match first, and without a text the newest. `newest` and `oldest` go by release; `name` goes from A to Z; `bpm` and `duration` rise, unknown ones last; `popular` has the most licensed first, by live licenses for a live token and test ones for a test token. Ties: newest, then by id. */
  sort?: 'relevance' | 'newest' | 'oldest' | 'name' | 'bpm' | 'duration' | 'popular';
  /** Whether to add `facets`: how many tracks of the whole result carry each filter, are of each type, have vocals or none, and have each provenance. Default: `false`. */
  facets?: boolean;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
}

export interface SearchedTracks {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: RankedTrack[];
  facets?: Facets;
  /** What the query names and the catalog does not have: filters, which therefore match nothing or are left out, the key of a query that matches nothing, and the language. Absent if there is nothing to say. */
  warnings?: Warning[];
  brief?: Brief;
}

export interface Seat {
  id: string;
  /** The name that the operator gave the seat. */
  name: string;
  /** Known values, to which others may be added: `listener`, `buyer`. */
  role: 'listener' | 'buyer' | (string & {});
}

export interface SecretRotation {
  /** Whether all earlier secrets end at once, because one has leaked. Default: `false`. */
  revokePrevious?: boolean;
}

export interface SeenRequest {
  /** The number of a change, such as the `seq` of a webhook message. */
  seq?: number;
}

export interface Share {
  /** The id of the collection, in either case. */
  collectionId: string;
  /** The id of another client of your account, in either case. */
  clientId: string;
}

export type ShareRequest = Record<string, unknown>;

export interface SharedCollection {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: SharedItem[];
  name: string;
  description: string;
  by: {
    name: string;
  };
  expiresAt: string;
  /** Known values, to which others may be added: `full`, `preview`. */
  streams: 'full' | 'preview' | (string & {});
  /** Whether guests may write comments. */
  comments: boolean;
}

export interface SharedComment {
  id: string;
  /** The name that the guest gave. */
  name: string;
  text: string;
  createdAt: string;
}

export interface SharedItem {
  track: SharedTrack;
  /** The note of the owner. */
  note: string;
  votes: {
    /** How many guests approve of the track. */
    approve: number;
    /** How many guests pass on it. */
    pass: number;
  };
  /** The oldest first. */
  comments: SharedComment[];
}

export interface SharedTrack {
  id: string;
  name: string;
  /** Unique among tracks, and kept when the name changes. */
  slug: string;
  artists: Artist[];
  /** Rounded, at least 1; 0 where unknown. */
  durationSeconds: number;
  /** Tempo in beats per minute; empty where unknown. */
  bpm: string;
  /** Musical keys; empty where unknown. */
  songKey: string[];
  /** Free tags. */
  tags: string[];
  /** The filters that the track is tagged with. */
  filters: Filter[];
  artworkUrl: string;
  /** Only if the owner has the feature `previews`. Signed, for 30 minutes. */
  waveformUrl?: string;
  /** If `streams` is `full`. Signed, for 30 minutes, and no longer than the link. */
  streamUrl?: string;
  /** If `streams` is `preview`. Likewise. */
  previewUrl?: string;
}

export interface SharedVotes {
  trackId: string;
  votes: {
    /** How many guests approve of the track. */
    approve: number;
    /** How many guests pass on it. */
    pass: number;
  };
}

export interface SheetCue {
  /** From 1. */
  sequence: number;
  /** As reported. */
  number: number | null;
  trackId: string;
  title: string;
  /** Without hyphens. */
  isrc: string | null;
  /** The number of the work. */
  iswc: string | null;
  /** As reported. Known values, to which others may be added: `BI`, `BV`, `VI`, `VV`, `FI`, `FV`, `VS`, `OT`, `CT`, `EE`. */
  usage: 'BI' | 'BV' | 'VI' | 'VV' | 'FI' | 'FV' | 'VS' | 'OT' | 'CT' | 'EE' | (string & {});
  /** Where the track begins in the production. */
  startSeconds: number;
  /** How long it was used. */
  durationSeconds: number;
  /** Composers, authors and arrangers. */
  writers: InterestedParty[];
  publishers: InterestedParty[];
  /** The license that was reported with the sync. */
  licenseNumber: string | null;
  /** That of the track now; null for a track that was removed. */
  provenance: Provenance | null;
}

/** A new stream URL of a track. */
export interface SignedStream {
  trackId: string;
  /** A signed URL that plays in an `<audio>` element without further headers, with seeking. Valid for 30 minutes from this response. */
  streamUrl: string;
  /** When `streamUrl` expires. */
  streamUrlExpiresAt: string;
  /** A signed URL of the preview clip: 30 seconds as MP3. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  previewUrl?: string;
  /** A signed URL of the waveform as JSON of BBC audiowaveform data, which peaks.js and other players draw. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  waveformUrl?: string;
  /** A signed URL of the same waveform in the binary format of BBC audiowaveform data. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  waveformDataUrl?: string;
}

export interface SignedStreams {
  /** In the order of the request. */
  items: SignedStream[];
  /** The ids without a track, as they were sent. */
  notFound: string[];
}

export interface SimilarTrack {
  /** How similar the track is, with four decimals. */
  score: number;
  reasons: SimilarityReasons;
  track: Track;
}

export interface SimilarTracks {
  /** The most similar track comes first. */
  items: SimilarTrack[];
  /** What the query names and the catalog does not have: filters, which therefore match nothing or are left out, the key of a query that matches nothing, and the language. Absent if there is nothing to say. */
  warnings?: Warning[];
}

/** What a track has in common with the given one. */
export interface SimilarityReasons {
  /** The share of the genres of both tracks that both have. Null if the given track has none. */
  genre: number | null;
  /** The share of the moods of both tracks that both have. Null if the given track has none. */
  mood: number | null;
  /** 1 for the same, half or double tempo, and less for tempos near them. Null if the given track has none. */
  bpm: number | null;
  /** How alike they sound. Null unless the tracks are compared by sound, or if the track has not been analyzed. */
  sound: number | null;
  /** Whether they have a key in common. */
  key: boolean;
  /** Whether both have vocals, or both have none. */
  hasVocals: boolean;
  /** The slugs of the genres and moods that both have, ascending. */
  sharedFilters: string[];
}

export interface SimulatedMessage {
  /** The type of the message. */
  type:
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked';
  /** The track that the message names, of any id. Default: `f1c70000-0000-4000-8000-000000000200`. */
  trackId?: string;
}

export interface Stem {
  /** Stays the same as long as the track has this part. */
  id: string;
  /** Known values, to which others may be added: `drums`, `percussion`, `bass`, `guitar`, `keys`, `synth`, `strings`, `brass`, `woodwind`, `vocals`, `backing_vocals`, `melody`, `harmony`, `fx`, `other`. */
  kind:
    | 'drums'
    | 'percussion'
    | 'bass'
    | 'guitar'
    | 'keys'
    | 'synth'
    | 'strings'
    | 'brass'
    | 'woodwind'
    | 'vocals'
    | 'backing_vocals'
    | 'melody'
    | 'harmony'
    | 'fx'
    | 'other'
    | (string & {});
  /** Null if it was delivered without a name. */
  name: string | null;
  /** 0 if unknown. */
  durationSeconds: number;
  /** The usual extension of files of this format. */
  format: string;
  sizeBytes: number;
  /** The audio. Valid until `urlsExpireAt`, without a token. */
  url: string;
}

export interface StreamUrlsRequest {
  /** Ids of tracks. */
  trackIds: string[];
}

export interface Suggestions {
  /** Filters first, then names, best first. Ignore unknown kinds, because others may be added. */
  items: (FilterSuggestion | NameSuggestion)[];
}

export interface Territory {
  code: string;
  /** Null: every country. */
  countries: string[] | null;
}

export type TerritoryCode =
  | 'WORLD'
  | 'AD'
  | 'AE'
  | 'AF'
  | 'AG'
  | 'AI'
  | 'AL'
  | 'AM'
  | 'AO'
  | 'AQ'
  | 'AR'
  | 'AS'
  | 'AT'
  | 'AU'
  | 'AW'
  | 'AX'
  | 'AZ'
  | 'BA'
  | 'BB'
  | 'BD'
  | 'BE'
  | 'BF'
  | 'BG'
  | 'BH'
  | 'BI'
  | 'BJ'
  | 'BL'
  | 'BM'
  | 'BN'
  | 'BO'
  | 'BQ'
  | 'BR'
  | 'BS'
  | 'BT'
  | 'BV'
  | 'BW'
  | 'BY'
  | 'BZ'
  | 'CA'
  | 'CC'
  | 'CD'
  | 'CF'
  | 'CG'
  | 'CH'
  | 'CI'
  | 'CK'
  | 'CL'
  | 'CM'
  | 'CN'
  | 'CO'
  | 'CR'
  | 'CU'
  | 'CV'
  | 'CW'
  | 'CX'
  | 'CY'
  | 'CZ'
  | 'DE'
  | 'DJ'
  | 'DK'
  | 'DM'
  | 'DO'
  | 'DZ'
  | 'EC'
  | 'EE'
  | 'EG'
  | 'EH'
  | 'ER'
  | 'ES'
  | 'ET'
  | 'FI'
  | 'FJ'
  | 'FK'
  | 'FM'
  | 'FO'
  | 'FR'
  | 'GA'
  | 'GB'
  | 'GD'
  | 'GE'
  | 'GF'
  | 'GG'
  | 'GH'
  | 'GI'
  | 'GL'
  | 'GM'
  | 'GN'
  | 'GP'
  | 'GQ'
  | 'GR'
  | 'GS'
  | 'GT'
  | 'GU'
  | 'GW'
  | 'GY'
  | 'HK'
  | 'HM'
  | 'HN'
  | 'HR'
  | 'HT'
  | 'HU'
  | 'ID'
  | 'IE'
  | 'IL'
  | 'IM'
  | 'IN'
  | 'IO'
  | 'IQ'
  | 'IR'
  | 'IS'
  | 'IT'
  | 'JE'
  | 'JM'
  | 'JO'
  | 'JP'
  | 'KE'
  | 'KG'
  | 'KH'
  | 'KI'
  | 'KM'
  | 'KN'
  | 'KP'
  | 'KR'
  | 'KW'
  | 'KY'
  | 'KZ'
  | 'LA'
  | 'LB'
  | 'LC'
  | 'LI'
  | 'LK'
  | 'LR'
  | 'LS'
  | 'LT'
  | 'LU'
  | 'LV'
  | 'LY'
  | 'MA'
  | 'MC'
  | 'MD'
  | 'ME'
  | 'MF'
  | 'MG'
  | 'MH'
  | 'MK'
  | 'ML'
  | 'MM'
  | 'MN'
  | 'MO'
  | 'MP'
  | 'MQ'
  | 'MR'
  | 'MS'
  | 'MT'
  | 'MU'
  | 'MV'
  | 'MW'
  | 'MX'
  | 'MY'
  | 'MZ'
  | 'NA'
  | 'NC'
  | 'NE'
  | 'NF'
  | 'NG'
  | 'NI'
  | 'NL'
  | 'NO'
  | 'NP'
  | 'NR'
  | 'NU'
  | 'NZ'
  | 'OM'
  | 'PA'
  | 'PE'
  | 'PF'
  | 'PG'
  | 'PH'
  | 'PK'
  | 'PL'
  | 'PM'
  | 'PN'
  | 'PR'
  | 'PS'
  | 'PT'
  | 'PW'
  | 'PY'
  | 'QA'
  | 'RE'
  | 'RO'
  | 'RS'
  | 'RU'
  | 'RW'
  | 'SA'
  | 'SB'
  | 'SC'
  | 'SD'
  | 'SE'
  | 'SG'
  | 'SH'
  | 'SI'
  | 'SJ'
  | 'SK'
  | 'SL'
  | 'SM'
  | 'SN'
  | 'SO'
  | 'SR'
  | 'SS'
  | 'ST'
  | 'SV'
  | 'SX'
  | 'SY'
  | 'SZ'
  | 'TC'
  | 'TD'
  | 'TF'
  | 'TG'
  | 'TH'
  | 'TJ'
  | 'TK'
  | 'TL'
  | 'TM'
  | 'TN'
  | 'TO'
  | 'TR'
  | 'TT'
  | 'TV'
  | 'TW'
  | 'TZ'
  | 'UA'
  | 'UG'
  | 'UM'
  | 'US'
  | 'UY'
  | 'UZ'
  | 'VA'
  | 'VC'
  | 'VE'
  | 'VG'
  | 'VI'
  | 'VN'
  | 'VU'
  | 'WF'
  | 'WS'
  | 'YE'
  | 'YT'
  | 'ZA'
  | 'ZM'
  | 'ZW';

export interface TokenRequest {
  grant_type: 'client_credentials';
  /** Required, unless HTTP Basic carries it. */
  client_id?: string;
  /** Required, unless HTTP Basic carries it. Decides between test and live mode. */
  client_secret?: string;
  /** Scopes separated by spaces, to narrow the token, such as `search tracks`; every scope of the client by default. */
  scope?: string;
}

/** A licensed track. */
export interface Track {
  id: string;
  name: string;
  /** Unique among tracks, and kept when the name changes. */
  slug: string;
  type: 'music' | 'sfx';
  /** Tempo in beats per minute; empty where unknown. */
  bpm: string;
  /** Musical keys; empty where unknown. */
  songKey: string[];
  /** Beats and note value; empty where unknown. */
  timeSignature: string;
  /** Rounded, at least 1; 0 where unknown. */
  durationSeconds: number;
  /** Region code; `WORLD` where none is known. */
  region: string;
  /** UTC with milliseconds. A bare year stands for its 1 January, an unknown date for the time of first import. */
  releaseDate: string;
  /** True with vocals, false for an instrumental or where unknown. */
  hasVocals: boolean;
  /** Whether it has vocals, is known to have none, or neither is known. */
  vocals: 'vocal' | 'instrumental' | 'unknown';
  /** Whether a performing rights organization administers it. */
  isPRO: boolean;
  /** Free tags. */
  tags: string[];
  artists: Artist[];
  /** The filters that the track is tagged with. */
  filters: Filter[];
  /** International Standard Recording Code without hyphens; empty where unknown. */
  isrc: string;
  /** The delivered audio file; null if there is none. */
  audio: TrackAudio | null;
  /** Whether `streamUrl` has audio to play; if not, it returns 404. */
  hasAudio: boolean;
  /** The members that were not delivered and come from the analysis of the audio; empty if there are none. */
  detected: ('bpm' | 'songKey' | (string & {}))[];
  provenance: Provenance;
  /** What `streamUrl` sends; null without audio. */
  stream: TrackStream | null;
  /** The URL has no signature and may be cached forever: new artwork has a new URL. */
  artworkUrl: string;
  /** A signed URL that plays in an `<audio>` element without further headers, with seeking. Valid for 30 minutes from this response. */
  streamUrl: string;
  /** When `streamUrl` expires. */
  streamUrlExpiresAt: string;
  /** A signed URL of the preview clip: 30 seconds as MP3. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  previewUrl?: string;
  /** A signed URL of the waveform as JSON of BBC audiowaveform data, which peaks.js and other players draw. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  waveformUrl?: string;
  /** A signed URL of the same waveform in the binary format of BBC audiowaveform data. Valid until `streamUrlExpiresAt`. Only with the feature `previews` and a token with its scope. */
  waveformDataUrl?: string;
  /** The language of `name`. Only with the contract feature `localization`. */
  language?: string;
  /** The name as delivered. Only with the contract feature `localization`. */
  originalName?: string;
}

/** The delivered audio file of a track. */
export interface TrackAudio {
  /** The extension of its format. */
  format: string;
  /** Its media type. */
  contentType: string;
  /** In hertz. Null until the file was probed, as the others. */
  sampleRate: number | null;
  /** 1 for mono, 2 for stereo. */
  channels: number | null;
  /** Bits of a sample; null for a lossy format. */
  bitDepth: number | null;
  /** Bits per second, on average; null where unknown. */
  bitrate: number | null;
  /** The size of the file. */
  bytes: number | null;
}

/** A change of a track. */
export interface TrackChange {
  /** The place in the order of changes. Numbers between belong to other objects. */
  seq: number;
  /** Known values, to which others may be added: `track.created`, `track.updated`, `track.taken_down`, `track.restored`. */
  type: 'track.created' | 'track.updated' | 'track.taken_down' | 'track.restored' | (string & {});
  trackId: string;
  /** Apply an event only if its version is greater than the one that you hold. */
  version: number;
  occurredAt: string;
  /** What an update changed: names of members of the track, and `audio`, `artwork`, `previewStart`, `stems`, `versions`, `translations`, `availability`. Empty for other types; null if it was not recorded. */
  changedFields: string[] | null;
  /** The same for all changes of one import; null outside of imports. */
  batchId: string | null;
  /** The track as it is now, never older than the event; null if it is not live. Absent with `tracks=false`. */
  track?: Track | null;
}

export interface TrackChanges {
  /** The events in their order. */
  items: TrackChange[];
  /** The position after this response, for `cursor` of the next request. */
  nextCursor: string;
  /** For readers that can store only a time: `since` of the next request, which repeats some events. Null while `hasMore`. */
  nextSince: string | null;
  /** Whether to continue at once. With `types`, there may be more and no items. */
  hasMore: boolean;
}

export interface TrackCreatedMessage {
  type: 'track.created';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The position of the first change that it reports. */
    fromSeq?: number;
    /** The number of changes that it reports. */
    count: number;
    /** Whether there were too many changes to name. `items` is empty then: read the feed from `cursor`. */
    truncated: boolean;
    /** A position before the changes, for `GET /v1/tracks/changes`. Present if the feature `changes` is on. */
    cursor?: string;
    /** The import that made all of these changes; null otherwise. */
    batchId: string | null;
    /** The changes in their order. */
    items: WebhookTrackItem[];
  };
}

export interface TrackOfLicense {
  trackId: string;
  name: string;
  /** The names, the primary artist first. */
  artists: string[];
  /** `""` if unknown. */
  isrc: string;
  provenance?: Provenance;
  /** Whether the track is taken down now. The license stays valid. */
  takenDown: boolean;
}

export interface TrackPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: Track[];
}

/** The stems and alternate versions of a track, 64 together at most. */
export interface TrackParts {
  trackId: string;
  /** The tracks of the mix, in the order of their delivery. */
  stems: Stem[];
  /** The alternate versions of the track, in the order of their delivery. */
  versions: AlternateVersion[];
  /** A ZIP file with all parts; null if there are none. Valid until `urlsExpireAt`, without a token. */
  archiveUrl: string | null;
  urlsExpireAt: string;
}

/** What of a client refers to a track, in one mode. */
export interface TrackReferences {
  trackId: string;
  /** Known values, to which others may be added: `live`, `taken_down`. */
  state: 'live' | 'taken_down' | (string & {});
  /** When the track was taken down; null if it is live. */
  since: string | null;
  /** Playlists that are granted to you, by name. */
  playlists: {
    id: string;
    name: string;
    slug: string;
  }[];
  /** Your own collections that contain the track, by name. */
  collections: {
    id: string;
    name: string;
  }[];
  /** Your licenses. Empty until this version issues licenses. */
  licenses: {
    number: string;
    status: string;
    endsAt: string | null;
  }[];
  /** What you reported of the track. It is no reference by itself. */
  usage: {
    events: number;
    lastOccurredAt: string | null;
  };
  /** Whether a list has more than the 1000 entries that it shows. */
  truncated: boolean;
}

export interface TrackRestoredMessage {
  type: 'track.restored';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The position of the first change that it reports. */
    fromSeq?: number;
    /** The number of changes that it reports. */
    count: number;
    /** Whether there were too many changes to name. `items` is empty then: read the feed from `cursor`. */
    truncated: boolean;
    /** A position before the changes, for `GET /v1/tracks/changes`. Present if the feature `changes` is on. */
    cursor?: string;
    /** The import that made all of these changes; null otherwise. */
    batchId: string | null;
    /** The changes in their order. */
    items: WebhookTrackItem[];
  };
}

/** What `streamUrl` sends. */
export interface TrackStream {
  /** The media type of what `streamUrl` sends. */
  contentType: string;
  /** Bits per second, on average; null where unknown. */
  bitrate: number | null;
  /** The length of the file; null where unknown. */
  bytes: number | null;
  /** Whether it is the delivered file. */
  isOriginal: boolean;
}

export interface TrackTakenDownMessage {
  type: 'track.taken_down';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The position of the first change that it reports. */
    fromSeq?: number;
    /** The number of changes that it reports. */
    count: number;
    /** Whether there were too many changes to name. `items` is empty then: read the feed from `cursor`. */
    truncated: boolean;
    /** A position before the changes, for `GET /v1/tracks/changes`. Present if the feature `changes` is on. */
    cursor?: string;
    /** The import that made all of these changes; null otherwise. */
    batchId: string | null;
    /** The changes in their order. */
    items: WebhookTrackItem[];
  };
}

export interface TrackUpdatedMessage {
  type: 'track.updated';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    /** Only in messages of `…/simulate`. */
    simulated?: true;
    /** The position in the change log. Absent from simulated messages. */
    seq?: number;
    /** The `seq` of the message before, of this webhook and type. If you have another one, a message was lost or is on its way. Absent from simulated messages. */
    previousSeq?: number;
    /** The position of the first change that it reports. */
    fromSeq?: number;
    /** The number of changes that it reports. */
    count: number;
    /** Whether there were too many changes to name. `items` is empty then: read the feed from `cursor`. */
    truncated: boolean;
    /** A position before the changes, for `GET /v1/tracks/changes`. Present if the feature `changes` is on. */
    cursor?: string;
    /** The import that made all of these changes; null otherwise. */
    batchId: string | null;
    /** The changes in their order. */
    items: WebhookTrackItem[];
  };
}

export interface TrainingFacet {
  trainingAllowed: 'true' | 'false' | 'unknown';
  /** The number of these tracks in the whole result. */
  trackCount: number;
}

export interface TypeFacet {
  type: 'music' | 'sfx';
  /** The number of these tracks in the whole result. */
  trackCount: number;
}

/** A part of a brief, and how it was understood. */
export interface UnderstoodPart {
  /** As the brief has it. */
  text: string;
  /** What it is; `not` is what tracks must not have. Known values, to which others may be added: `filter`, `tag`, `artist`, `tempo`, `length`, `key`, `vocals`, `type`, `release`, `word`, `not`. */
  kind:
    | 'filter'
    | 'tag'
    | 'artist'
    | 'tempo'
    | 'length'
    | 'key'
    | 'vocals'
    | 'type'
    | 'release'
    | 'word'
    | 'not'
    | (string & {});
  /** The slug of a filter. */
  filter?: string;
  /** A tag. */
  tag?: string;
  /** The name of an artist. */
  artist?: string;
  /** The least tempo in beats per minute, length in seconds, or day of release (UTC). */
  min?: number | string;
  /** The greatest one. */
  max?: number | string;
  /** The vocals, the type, the key, or a word that tracks may have in their name. */
  value?: string;
  /** How much it counts. Below 1 if its meaning is only similar, or if it may be meant otherwise. */
  weight: number;
  /** Whether tracks that do not meet it are excluded. */
  hard: boolean;
}

export interface UnlockRequest {
  password: string;
}

export interface UnlockedLink {
  unlockedUntil: string;
}

export interface UsageEvent {
  /** Your id of the event. Under one id, an event counts once. */
  eventId: string;
  /** What was done with the track. */
  type: 'stream' | 'download' | 'sync';
  trackId: string;
  /** When it began, with any offset from UTC. */
  occurredAt: string;
  /** How long the track was used. Required for streams and syncs. */
  seconds?: number;
  /** Your id of the user. Only a keyed hash of it is stored. */
  userId?: string;
  /** Where the user was. */
  country?: CountryCode;
  /** The playlist that it was part of. It is not looked up. */
  playlistId?: string;
  /** How a stream ended. */
  endReason?: 'naturalEnd' | 'userSkipped' | 'other';
  /** Whether the user was offline. Default: `false`. */
  offline?: boolean;
  /** The number of one of your licenses, in either case. */
  licenseNumber?: string;
  production?: Production;
  cue?: Cue;
}

export interface UsageGroup {
  /** The day, the month, the id of the track, the type, or the country. */
  key: string;
  /** The number of streams. */
  streams: number;
  /** The number of downloads. */
  downloads: number;
  /** The number of synchronizations. */
  syncs: number;
  /** The seconds of streams and syncs. */
  seconds: number;
}

export interface UsageReport {
  /** The events, in any order. */
  events: UsageEvent[];
}

export interface UsageReportResult {
  /** The id of this report, which is stored with its accepted events. */
  batchId: string;
  /** The events of the report. */
  received: number;
  /** Those that are stored now. */
  accepted: number;
  /** Those that were stored before. */
  duplicates: number;
  /** Those that are not stored. */
  rejected: number;
  /** One for each event, in the order sent. */
  results: UsageResult[];
}

export interface UsageResult {
  /** The place of the event in the report, from 0. */
  index: number;
  eventId: string;
  /** A duplicate was accepted before, with the same content. Known values, to which others may be added: `accepted`, `duplicate`, `rejected`. */
  status: 'accepted' | 'duplicate' | 'rejected' | (string & {});
  /** Whether the track of an accepted event was taken down. */
  takenDown?: boolean;
  /** Why the event was rejected. Known values, to which others may be added: `event_conflict`, `unknown_track`, `too_old`, `in_future`, `unknown_license`. */
  reason?:
    | 'event_conflict'
    | 'unknown_track'
    | 'too_old'
    | 'in_future'
    | 'unknown_license'
    | (string & {});
  /** The reason as a sentence. */
  message?: string;
}

export interface UsageSummary {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: UsageGroup[];
  /** The counts over all pages. */
  totals: {
    /** The number of streams. */
    streams: number;
    /** The number of downloads. */
    downloads: number;
    /** The number of synchronizations. */
    syncs: number;
    /** The seconds of streams and syncs. */
    seconds: number;
  };
}

export interface Version {
  /** Contract version of the URL paths. */
  apiVersion: string;
  /** Semantic version of the running build; for diagnostics only. */
  serviceVersion: string;
}

export interface VocalsFacet {
  /** With vocals, or without. */
  hasVocals: boolean;
  /** The number of these tracks in the whole result. */
  trackCount: number;
}

export interface VoteRequest {
  /** What the page has drawn at random for this guest, 22 characters. */
  guest: string;
  /** The name that the guest gives. */
  name: string;
  /** `approve`, `pass`, or null for none. */
  vote: string | null;
}

/** Says that the result may not be the intended one. */
export interface Warning {
  /** The parameter that the warning is about. */
  field: string;
  /** The warning, for people. */
  message: string;
}

/** A URL of yours to which messages about changes are sent. */
export interface Webhook {
  id: string;
  url: string;
  /** The types of events that it gets. */
  eventTypes: (
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
    | (string & {})
  )[];
  description: string;
  /** Whether it gets changes of existing tracks only if you refer to the track. */
  referencedOnly: boolean;
  /** Whether messages have the header `Authorization` that you gave. */
  hasAuthorization: boolean;
  enabled: boolean;
  /** `gone`: your server responded with 410. `failing`: it failed for 72 hours. `operator`: the licensor disabled it. Null if it is enabled, or you disabled it. Known values, to which others may be added: `gone`, `failing`, `operator`. */
  disabledReason: 'gone' | 'failing' | 'operator' | (string & {}) | null;
  /** The number of the edit, which `ETag` names. */
  version: number;
  createdAt: string;
  updatedAt: string;
}

export interface WebhookAttempt {
  /** The number, from 1. */
  attempt: number;
  at: string;
  durationMs: number;
  /** The status of the response; null without one. */
  httpStatus: number | null;
  /** Why there is no complete response, such as `timeout`, `connection_failed`, `tls_failed` or `address_not_public`; null if there is one. */
  error: string | null;
  /** The first 1 KiB of the body. */
  response: string;
}

export interface WebhookDelivery {
  id: string;
  /** Known values, to which others may be added: `track.created`, `track.updated`, `track.taken_down`, `track.restored`, `playlist.updated`, `playlist.granted`, `playlist.revoked`, `collection.updated`, `saved_search.matched`, `license.issued`, `license.revoked`, `webhook.ping`. */
  type:
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
    | 'webhook.ping'
    | (string & {});
  /** The `seq` of the message; null for pings and simulated messages. */
  seq: number | null;
  /** `discarded`: the webhook was disabled, or the feature switched off, before it was delivered. Known values, to which others may be added: `pending`, `delivered`, `failed`, `discarded`. */
  status: 'pending' | 'delivered' | 'failed' | 'discarded' | (string & {});
  /** The attempts so far, with those before a replay. */
  attemptCount: number;
  /** Null unless it is pending. */
  nextAttemptAt: string | null;
  createdAt: string;
  /** Null while it is pending. */
  finishedAt: string | null;
}

export interface WebhookDeliveryDetail {
  id: string;
  /** Known values, to which others may be added: `track.created`, `track.updated`, `track.taken_down`, `track.restored`, `playlist.updated`, `playlist.granted`, `playlist.revoked`, `collection.updated`, `saved_search.matched`, `license.issued`, `license.revoked`, `webhook.ping`. */
  type:
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
    | 'webhook.ping'
    | (string & {});
  /** The `seq` of the message; null for pings and simulated messages. */
  seq: number | null;
  /** `discarded`: the webhook was disabled, or the feature switched off, before it was delivered. Known values, to which others may be added: `pending`, `delivered`, `failed`, `discarded`. */
  status: 'pending' | 'delivered' | 'failed' | 'discarded' | (string & {});
  /** The attempts so far, with those before a replay. */
  attemptCount: number;
  /** Null unless it is pending. */
  nextAttemptAt: string | null;
  createdAt: string;
  /** Null while it is pending. */
  finishedAt: string | null;
  /** The object that is sent. */
  payload: Record<string, unknown>;
  /** The attempts in order. */
  attempts: WebhookAttempt[];
}

export interface WebhookDeliveryId {
  deliveryId: string;
}

export interface WebhookDeliveryPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: WebhookDelivery[];
}

export interface WebhookEdit {
  /** An https URL whose host has only public addresses, without user and fragment. */
  url?: string;
  /** The types of events that it gets, in any order. */
  eventTypes?: (
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
  )[];
  /** A text for you. */
  description?: string;
  /** Whether `track.updated`, `track.taken_down` and `track.restored` are sent only for tracks in a playlist, a collection or a license of yours. */
  referencedOnly?: boolean;
  /** The header `Authorization` of each message, for servers that require one. It is stored encrypted and never shown. An empty text removes it. */
  authorization?: string;
  /** Whether messages are sent. */
  enabled?: boolean;
}

export interface WebhookPage {
  /** The exact number of matching records. */
  totalRecords: number;
  /** The number of pages at this `pageSize`; 0 if nothing matches. */
  totalPages: number;
  currentPage: number;
  pageSize: number;
  /** The records of this page. */
  items: Webhook[];
}

export type WebhookPing = Record<string, unknown>;

export interface WebhookPingMessage {
  type: 'webhook.ping';
  /** The time of the last change that it reports. */
  timestamp: string;
  data: {
    /** The mode of the webhook. */
    mode: 'test' | 'live';
    webhookId: string;
  };
}

export interface WebhookRequest {
  /** An https URL whose host has only public addresses, without user and fragment. */
  url: string;
  /** The types of events that it gets, in any order. */
  eventTypes: (
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
  )[];
  /** A text for you. */
  description?: string;
  /** Whether `track.updated`, `track.taken_down` and `track.restored` are sent only for tracks in a playlist, a collection or a license of yours. */
  referencedOnly?: boolean;
  /** The header `Authorization` of each message, for servers that require one. It is stored encrypted and never shown. An empty text removes it. */
  authorization?: string;
}

export interface WebhookTrackItem {
  /** Its position in the change log. */
  seq?: number;
  trackId: string;
  /** The version of the track, which is the `seq` of its last change. */
  version?: number;
  occurredAt: string;
  /** The members that an update changed, as in the feed; null if not recorded. */
  changedFields: string[] | null;
  /** How many playlists, collections and licenses of yours refer to the track. */
  references: {
    /** Playlists. */
    playlists: number;
    /** Collections. */
    collections: number;
    /** Licenses. */
    licenses: number;
  };
}

/** The input of `createToken`. */
export type CreateTokenInput = TokenRequest;

/** The input of `createOAuthToken`. */
export type CreateOAuthTokenInput = TokenRequest;

/** The input of `createBrowserToken`. */
export type CreateBrowserTokenInput = BrowserTokenRequest;

/** The input of `listTracks`. */
export type ListTracksInput = {
  /** Free text on the track’s name, or on what `in` says. Case, accents and punctuation do not matter, and a name with an apostrophe is found with it, without it, and by the words on either side; every word must match, in any order; the last one may be unfinished, and a word inside a longer one counts too. If nothing at all matches, one typo in a word of four letters or more is forgiven (two in eight or more). Best matches come first. */
  search?: string;
  /** Where the text is searched: in the `name`, the names of the `artists`, the `tags`, the names of the `filters` in the catalog’s language and in that of the response; in the name where it is not given. Every word must stand in one of them. A match in the name ranks above one that needs an artist, that above one that needs a tag, that above one that needs a filter. */
  in?: ('name' | 'artists' | 'tags' | 'filters')[];
  /** Only music, or only sound effects. */
  type?: 'music' | 'sfx';
  /** Only tracks with vocals (true) or without (false). */
  hasVocals?: boolean;
  /** Ids of filters; a track must carry all of them, and all of `filterSlugs`. An unknown filter matches nothing, and `warnings` names it. */
  filterIds?: string[];
  /** Slugs of filters, as `GET /v1/filters` lists them; a track must carry all of them, and all of `filterIds`. An unknown filter matches nothing, and `warnings` names it. */
  filterSlugs?: string[];
  /** Ids of filters, grouped with those of `anyFilterSlugs` by their type; a track must carry at least one of each group. At most 50 in both together. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches. */
  anyFilterIds?: string[];
  /** Slugs of filters, grouped with those of `anyFilterIds` by their type; a track must carry at least one of each group: `jazz,blues,dark,calm` asks for Jazz or Blues, and for Dark or Calm. Unknown ones are left out, and `warnings` names them; if all are unknown, nothing matches. */
  anyFilterSlugs?: string[];
  /** Ids of filters; a track must carry none of them, and none of `notFilterSlugs`. At most 50 in both together. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error. */
  notFilterIds?: string[];
  /** Slugs of filters; a track must carry none of them, and none of `notFilterIds`. Unknown ones are left out, and `warnings` names them. A filter that another member requires is an error. */
  notFilterSlugs?: string[];
  /** Only tracks of which one of these is known: vocals, no vocals, or neither. With `facets`, `vocals` counts each as if it were the only choice. */
  vocals?: ('vocal' | 'instrumental' | 'unknown')[];
  /** Only tracks whose `streamUrl` has audio to play (true), or the others (false). */
  hasAudio?: boolean;
  /** Only tracks of which a machine made one of these: nothing, some of it, all of it, or nobody says what. With `facets`, `ai` counts each as if it were the only choice. */
  ai?: ('none' | 'assisted' | 'generated' | 'unknown')[];
  /** Only tracks from which machines may learn, or may not, or of which nobody says that. */
  trainingAllowed?: 'true' | 'false' | 'unknown' | boolean;
  /** Only tracks of an artist of this name. Case, accents and punctuation do not matter; the whole name counts. */
  artist?: string;
  /** Only tracks with one of these keys: in the spelling of a track, or a major or minor key in any usual one (`A minor`, `Am`, `a-moll`, `8A` of Camelot, `1m` of Open Key). Several are a list, or separated by commas. */
  songKey?: string | string[];
  /** Only tracks whose `region` and availability cover each of these countries, or `WORLD` alone for all countries. A region may be a group of your rate card. Exclusive licenses are not considered. Needs the feature and the scope `licensing`. */
  licensableIn?: TerritoryCode[];
  /** Only tracks of at least this tempo, in beats per minute; none whose tempo is unknown. */
  bpmMin?: number;
  /** Only tracks of at most this tempo; none whose tempo is unknown. */
  bpmMax?: number;
  /** Only tracks of at least this duration in seconds; none whose duration is unknown. */
  durationMin?: number;
  /** Only tracks of at most this duration in seconds; none whose duration is unknown. */
  durationMax?: number;
  /** Only tracks released on this day (UTC), at this moment or later. */
  releasedFrom?: string;
  /** Only tracks released by this moment, or by the end of this day (UTC). */
  releasedTo?: string;
  /** `relevance`: best match first, and without a text the newest. `newest` and `oldest` go by release; `name` goes from A to Z; `bpm` and `duration` rise, unknown ones last; `popular` has the most licensed first, by live licenses for a live token and test ones for a test token. Ties: newest, then by id. Default: `relevance`. */
  sort?: 'relevance' | 'newest' | 'oldest' | 'name' | 'bpm' | 'duration' | 'popular';
  /** Whether to add `facets`: how many tracks of the whole result carry each filter, are of each type, have vocals or none, and have each provenance. Default: `false`. */
  facets?: boolean;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
  /** Only the tracks of this recording, with or without hyphens, in either case. */
  isrc?: string;
};

/** The input of `showTrack`. */
export type ShowTrackInput = {
  /** Slug or id of a track. */
  slug: string;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `batchTracks`. */
export type BatchTracksInput = {
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
} & BatchRequest;

/** The input of `signStreams`. */
export type SignStreamsInput = StreamUrlsRequest;

/** The input of `searchTracks`. */
export type SearchTracksInput = SearchRequest;

/** The input of `suggest`. */
export type SuggestInput = {
  /** The text typed so far. An empty text has no completions. */
  q: string;
  /** The maximum number of completions. Default: `10`. */
  limit?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `listFilters`. */
export type ListFiltersInput = {
  /** Only filters of this type. */
  type?: 'genre' | 'mood' | 'use-case';
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `listPlaylists`. */
export type ListPlaylistsInput = {
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `showPlaylist`. */
export type ShowPlaylistInput = {
  /** Id or slug of a playlist, in any case. */
  idOrSlug: string;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `listPlaylistTracks`. */
export type ListPlaylistTracksInput = {
  /** Id or slug of a playlist, in any case. */
  idOrSlug: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `listMostLicensed`. */
export type ListMostLicensedInput = {
  /** The period of the licenses: the last days, or all time. Default: `all`. */
  period?: '7d' | '30d' | '90d' | '365d' | 'all';
  /** Only music, or only sound effects. */
  type?: 'music' | 'sfx';
  /** Slugs of filters; a track must carry all of them. An unknown filter matches nothing, and `warnings` names it. */
  filterSlugs?: string[];
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `listTrackChanges`. */
export type ListTrackChangesInput = {
  /** Changes at or after this time (RFC 3339; write a `+` as `%2B`). Begins 10 s earlier, because clocks differ. Use `cursor` if you can store it. */
  since?: string;
  /** Changes after this position: `nextCursor` of a response, or `cursor` of a snapshot. */
  cursor?: string;
  /** The most changes of a response. Default: `100`. */
  limit?: number;
  /** Only events of these types. */
  types?: ('track.created' | 'track.updated' | 'track.taken_down' | 'track.restored')[];
  /** Whether each event contains the track. Default: `true`. */
  tracks?: boolean;
  /** Seconds to wait for an event if there is none; needs `cursor`. Default: `0`. */
  wait?: number;
  /** The language of names and tags: a language tag (RFC 5646). `Accept-Language` is ignored. Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `readTrackSnapshot`. */
export type ReadTrackSnapshotInput = {
  /** `resume` of a mark: only the tracks after it, with the `cursor` and the `seq` of the first response. */
  resume?: string;
  /** The language of names and tags: a language tag (RFC 5646). `Accept-Language` is ignored. Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `readTrackReferences`. */
export type ReadTrackReferencesInput = {
  /** Slug or id of a track. */
  slug: string;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `downloadLicensedFile`. */
export type DownloadLicensedFileInput = {
  /** The id of the track or of the part. */
  id: string;
};

/** The input of `streamPart`. */
export type StreamPartInput = {
  /** The part’s id, and the extension of the file. */
  partId: string;
};

/** The input of `streamArchive`. */
export type StreamArchiveInput = {
  /** The track’s id. */
  trackId: string;
};

/** The input of `listSimilarTracks`. */
export type ListSimilarTracksInput = {
  /** Slug or id of a track. */
  slug: string;
  /** What is compared: filters and tempo, the sound of the audio, or both, by the mean of the two ranks. Default: `metadata`. */
  by?: 'metadata' | 'sound' | 'both';
  /** The distance in beats per minute from which two tempos have nothing in common. Half and double tempo count as equal. Default: `20`. */
  bpmRange?: number;
  /** The greatest number of tracks. Default: `20`. */
  limit?: number;
  /** Only music, or only sound effects; by default the type of the given track. */
  type?: 'music' | 'sfx';
  /** Only tracks with vocals (true) or without (false). */
  hasVocals?: boolean;
  /** Slugs of filters; a track must carry all of them. An unknown filter matches nothing, and `warnings` names it. */
  filterSlugs?: string[];
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `searchByAudio`. */
export type SearchByAudioInput = {
  /** The greatest number of tracks. Default: `20`. */
  limit?: number;
  /** Only music, or only sound effects. */
  type?: 'music' | 'sfx';
  /** Only tracks with vocals (true) or without (false). */
  hasVocals?: boolean;
  /** Slugs of filters; a track must carry all of them. An unknown filter matches nothing, and `warnings` names it. */
  filterSlugs?: string[];
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
} & { file: Blob | Uint8Array };

/** The input of `listStems`. */
export type ListStemsInput = {
  /** Slug or id of a track. */
  slug: string;
};

/** The input of `readUsageSummary`. */
export type ReadUsageSummaryInput = {
  /** The first day; by default 29 days before `to`. */
  from?: string;
  /** The last day, which is included; by default today. */
  to?: string;
  /** What an item stands for. Default: `day`. */
  groupBy?: 'day' | 'month' | 'track' | 'type' | 'country';
  /** Only events of this type. */
  type?: 'stream' | 'download' | 'sync';
  /** Only events of this track. */
  trackId?: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `reportUsage`. */
export type ReportUsageInput = UsageReport;

/** The input of `readCueSheet`. */
export type ReadCueSheetInput = {
  /** Your id of the production, as in the reported syncs. */
  productionId: string;
};

/** The input of `readCueSheetCsv`. */
export type ReadCueSheetCsvInput = {
  /** Your id of the production, as in the reported syncs. */
  productionId: string;
};

/** The input of `createSavedSearch`. */
export type CreateSavedSearchInput = SavedSearchRequest;

/** The input of `listSavedSearches`. */
export type ListSavedSearchesInput = {
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `showSavedSearch`. */
export type ShowSavedSearchInput = {
  /** The id of the saved search, in either case. */
  id: string;
};

/** The input of `updateSavedSearch`. */
export type UpdateSavedSearchInput = {
  /** The id of the saved search, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
} & SavedSearchEdit;

/** The input of `deleteSavedSearch`. */
export type DeleteSavedSearchInput = {
  /** The id of the saved search, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
};

/** The input of `listSavedSearchTracks`. */
export type ListSavedSearchTracksInput = {
  /** The id of the saved search, in either case. */
  id: string;
  /** Whether to list only the tracks that are new since you marked them as seen. Default: `false`. */
  new?: boolean;
  /** Whether to add `facets`: how many tracks of the whole result carry each filter, are of each type, have vocals or none, and have each provenance. Default: `false`. */
  facets?: boolean;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `markSavedSearchSeen`. */
export type MarkSavedSearchSeenInput = {
  /** The id of the saved search, in either case. */
  id: string;
} & SeenRequest;

/** The input of `createCollection`. */
export type CreateCollectionInput = CollectionRequest;

/** The input of `listCollections`. */
export type ListCollectionsInput = {
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** Only collections of other clients (`true`), or only yours (`false`). By default, both. */
  shared?: boolean;
};

/** The input of `showCollection`. */
export type ShowCollectionInput = {
  /** The id of the collection, in either case. */
  id: string;
};

/** The input of `updateCollection`. */
export type UpdateCollectionInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
} & CollectionEdit;

/** The input of `deleteCollection`. */
export type DeleteCollectionInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
};

/** The input of `listCollectionTracks`. */
export type ListCollectionTracksInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** The language of names, tags and descriptions, instead of `Accept-Language`: a language tag (RFC 5646). Needs the contract feature `localization`. A text without a translation is shown in the original. */
  language?: string;
};

/** The input of `addCollectionItems`. */
export type AddCollectionItemsInput = {
  /** The id of the collection, in either case. */
  id: string;
} & CollectionAddition;

/** The input of `replaceCollectionItems`. */
export type ReplaceCollectionItemsInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
} & CollectionList;

/** The input of `removeCollectionItems`. */
export type RemoveCollectionItemsInput = {
  /** The id of the collection, in either case. */
  id: string;
} & CollectionRemoval;

/** The input of `updateCollectionItem`. */
export type UpdateCollectionItemInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of the track, in either case. */
  trackId: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
} & CollectionItemEdit;

/** The input of `shareCollection`. */
export type ShareCollectionInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of another client of your account, in either case. */
  clientId: string;
} & ShareRequest;

/** The input of `unshareCollection`. */
export type UnshareCollectionInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of another client of your account, in either case. */
  clientId: string;
};

/** The input of `listCollectionShares`. */
export type ListCollectionSharesInput = {
  /** The id of the collection, in either case. */
  id: string;
};

/** The input of `createCollectionLink`. */
export type CreateCollectionLinkInput = {
  /** The id of the collection, in either case. */
  id: string;
} & CollectionLinkRequest;

/** The input of `listCollectionLinks`. */
export type ListCollectionLinksInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `showCollectionLink`. */
export type ShowCollectionLinkInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of the link, in either case. */
  linkId: string;
};

/** The input of `updateCollectionLink`. */
export type UpdateCollectionLinkInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of the link, in either case. */
  linkId: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
} & CollectionLinkEdit;

/** The input of `deleteCollectionLink`. */
export type DeleteCollectionLinkInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of the link, in either case. */
  linkId: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
};

/** The input of `listLinkComments`. */
export type ListLinkCommentsInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of the link, in either case. */
  linkId: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `deleteLinkComment`. */
export type DeleteLinkCommentInput = {
  /** The id of the collection, in either case. */
  id: string;
  /** The id of the link, in either case. */
  linkId: string;
  /** The id of the comment, in either case. */
  commentId: string;
};

/** The input of `readShared`. */
export type ReadSharedInput = {
  /** The token of the link: what follows `/s/` in its `url`. */
  token: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `unlockShared`. */
export type UnlockSharedInput = {
  /** The token of the link: what follows `/s/` in its `url`. */
  token: string;
} & UnlockRequest;

/** The input of `voteShared`. */
export type VoteSharedInput = {
  /** The token of the link: what follows `/s/` in its `url`. */
  token: string;
  /** The id of the track, in either case. */
  trackId: string;
} & VoteRequest;

/** The input of `commentShared`. */
export type CommentSharedInput = {
  /** The token of the link: what follows `/s/` in its `url`. */
  token: string;
} & CommentRequest;

/** The input of `createQuote`. */
export type CreateQuoteInput = QuoteRequest;

/** The input of `listQuotes`. */
export type ListQuotesInput = {
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `showQuote`. */
export type ShowQuoteInput = {
  /** The id of the quote, in either case. */
  id: string;
};

/** The input of `createLicense`. */
export type CreateLicenseInput = LicenseRequest;

/** The input of `listLicenses`. */
export type ListLicensesInput = {
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
  /** Only these. */
  status?: 'scheduled' | 'active' | 'expired' | 'revoked';
  /** Only licenses of this track. */
  trackId?: string;
};

/** The input of `showLicense`. */
export type ShowLicenseInput = {
  /** The number of the license, in either case. */
  number: string;
};

/** The input of `createDownloads`. */
export type CreateDownloadsInput = {
  /** The number of the license, in either case. */
  number: string;
} & DownloadRequest;

/** The input of `listDownloads`. */
export type ListDownloadsInput = {
  /** The number of the license, in either case. */
  number: string;
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `readCertificate`. */
export type ReadCertificateInput = {
  /** The number of the license, in either case. */
  number: string;
};

/** The input of `readCertificatePdf`. */
export type ReadCertificatePdfInput = {
  /** The number of the license, in either case. */
  number: string;
};

/** The input of `verifyLicense`. */
export type VerifyLicenseInput = {
  /** The number of the license, in either case. */
  number: string;
};

/** The input of `createWebhook`. */
export type CreateWebhookInput = WebhookRequest;

/** The input of `listWebhooks`. */
export type ListWebhooksInput = {
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `showWebhook`. */
export type ShowWebhookInput = {
  /** The id of the webhook, in either case. */
  id: string;
};

/** The input of `updateWebhook`. */
export type UpdateWebhookInput = {
  /** The id of the webhook, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
} & WebhookEdit;

/** The input of `deleteWebhook`. */
export type DeleteWebhookInput = {
  /** The id of the webhook, in either case. */
  id: string;
  /** The `ETag` of the version that the request changes, or `*` for any version. */
  ifMatch: string;
};

/** The input of `rotateSecret`. */
export type RotateSecretInput = {
  /** The id of the webhook, in either case. */
  id: string;
} & SecretRotation;

/** The input of `pingWebhook`. */
export type PingWebhookInput = {
  /** The id of the webhook, in either case. */
  id: string;
} & WebhookPing;

/** The input of `simulateWebhook`. */
export type SimulateWebhookInput = {
  /** The id of the webhook, in either case. */
  id: string;
} & SimulatedMessage;

/** The input of `listWebhookDeliveries`. */
export type ListWebhookDeliveriesInput = {
  /** The id of the webhook, in either case. */
  id: string;
  /** `discarded`: the webhook was disabled, or the feature switched off, before it was delivered. */
  status?: 'pending' | 'delivered' | 'failed' | 'discarded';
  /** Only messages of this type. */
  type?:
    | 'track.created'
    | 'track.updated'
    | 'track.taken_down'
    | 'track.restored'
    | 'playlist.updated'
    | 'playlist.granted'
    | 'playlist.revoked'
    | 'collection.updated'
    | 'saved_search.matched'
    | 'license.issued'
    | 'license.revoked'
    | 'webhook.ping';
  /** The number of the page. A page after the last one is empty, not an error. Default: `1`. */
  page?: number;
  /** Records a page. Default: `20`. */
  pageSize?: number;
};

/** The input of `showWebhookDelivery`. */
export type ShowWebhookDeliveryInput = {
  /** The id of the webhook, in either case. */
  id: string;
  /** The id of the delivery, in either case. */
  deliveryId: string;
};

/** The input of `replayWebhookDelivery`. */
export type ReplayWebhookDeliveryInput = {
  /** The id of the webhook, in either case. */
  id: string;
  /** The id of the delivery, in either case. */
  deliveryId: string;
} & DeliveryReplay;

/** The input of `replayWebhook`. */
export type ReplayWebhookInput = {
  /** The id of the webhook, in either case. */
  id: string;
} & ReplayRequest;

/** The body of a message to a webhook. */
export type WebhookMessage =
  | TrackCreatedMessage
  | TrackUpdatedMessage
  | TrackTakenDownMessage
  | TrackRestoredMessage
  | PlaylistUpdatedMessage
  | PlaylistGrantedMessage
  | PlaylistRevokedMessage
  | CollectionUpdatedMessage
  | SavedSearchMatchedMessage
  | LicenseIssuedMessage
  | LicenseRevokedMessage
  | WebhookPingMessage;

/** The kinds of errors. New ones may be added. */
export type ErrorType =
  | 'conflict'
  | 'expectation_failed'
  | 'feature_not_enabled'
  | 'forbidden'
  | 'gone'
  | 'headers_too_large'
  | 'idempotency_mismatch'
  | 'insufficient_scope'
  | 'internal_error'
  | 'invalid_client'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_signature'
  | 'invalid_token'
  | 'method_not_allowed'
  | 'not_acceptable'
  | 'not_found'
  | 'not_implemented'
  | 'payload_too_large'
  | 'precondition_failed'
  | 'precondition_required'
  | 'range_not_satisfiable'
  | 'rate_limited'
  | 'request_timeout'
  | 'unavailable'
  | 'unsupported_grant_type'
  | 'unsupported_media_type'
  | 'uri_too_long'
  | 'url_expired';
