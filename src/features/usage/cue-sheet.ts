import { csvTable } from '../../common/text/shown.ts';
import type { Provenance } from '../catalog/provenance.ts';
import { WHOLE_SHARE, type Writer } from '../catalog/writers.ts';
import type { Cue, Production } from './usage.ts';

/** A feature film has some hundred cues. */
export const MAX_CUES = 2_000;

/** A production as last reported, with the tracks that were synchronized with it. */
export interface ReportedProduction {
  production: Production;
  /** In any order; up to MAX_CUES + 1 of them. */
  syncs: readonly ReportedSync[];
}

/** A reported sync, with what the catalog knows of its track. */
export interface ReportedSync {
  eventId: string;
  trackId: string;
  seconds: number;
  cue: Cue;
  licenseNumber: string | null;
  title: string;
  /** `""` if unknown. */
  isrc: string;
  iswc: string | null;
  /** Null for a track that was removed. */
  provenance: Provenance | null;
  /** Empty for a track that was removed. */
  credits: readonly Pick<Writer, 'name' | 'role'>[];
  /** Also of credits that the track no longer has. */
  writers: readonly Writer[];
}

/** The roles of interested parties: composer, lyricist, both, arranger and publisher (CISAC CWR). */
export const PARTY_ROLES = ['C', 'A', 'CA', 'AR', 'E'] as const;
type PartyRole = (typeof PARTY_ROLES)[number];

/** An interested party of a work. Null is unknown. */
interface Party {
  name: string;
  role: PartyRole;
  ipi: string | null;
  society: string | null;
  /** With two decimals. */
  sharePercent: string | null;
}

/** Null is unknown. */
interface SheetCue {
  /** From 1. */
  sequence: number;
  number: number | null;
  trackId: string;
  title: string;
  isrc: string | null;
  iswc: string | null;
  usage: Cue['usage'];
  startSeconds: number;
  durationSeconds: number;
  writers: Party[];
  publishers: Party[];
  licenseNumber: string | null;
  provenance: Provenance | null;
}

/** The music in one production, in the form for collecting societies. */
export interface CueSheet {
  production: Production;
  cues: SheetCue[];
  totals: { cues: number; seconds: number };
  /** What collecting societies would refuse, with the place of the cue. */
  problems: string[];
}

/** Makes the cue sheet of a production. Its cues are in the order of their start, number and event id. */
export function cueSheetOf({ production, syncs }: ReportedProduction): CueSheet {
  const problems: string[] = [];
  if (syncs.length > MAX_CUES) {
    problems.push(`cues: the production has more than ${MAX_CUES}; the others are left out`);
  }
  const cues = syncs
    .slice(0, MAX_CUES)
    .sort(byPlace)
    .map((sync, i): SheetCue => {
      const parties = partiesOf(sync);
      const writers = parties.filter(({ role }) => role !== 'E');
      const publishers = parties.filter(({ role }) => role === 'E');
      problems.push(
        ...shareProblems(`cues[${i}].writers`, writers),
        ...shareProblems(`cues[${i}].publishers`, publishers),
      );
      return {
        sequence: i + 1,
        number: sync.cue.number ?? null,
        trackId: sync.trackId,
        title: sync.title,
        isrc: sync.isrc || null,
        iswc: sync.iswc,
        usage: sync.cue.usage,
        startSeconds: sync.cue.startSeconds,
        durationSeconds: sync.seconds,
        writers: writers.map(shown),
        publishers: publishers.map(shown),
        licenseNumber: sync.licenseNumber,
        provenance: sync.provenance,
      };
    });
  const seconds = cues.reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
  return { production, cues, totals: { cues: cues.length, seconds }, problems };
}

function byPlace(one: ReportedSync, other: ReportedSync): number {
  return (
    one.cue.startSeconds - other.cue.startSeconds ||
    (one.cue.number ?? Number.MAX_VALUE) - (other.cue.number ?? Number.MAX_VALUE) ||
    (one.eventId < other.eventId ? -1 : 1)
  );
}

/** A party whose share is in hundredths of a percent. */
interface SharingParty extends Omit<Party, 'sharePercent'> {
  share: number | null;
}

const ROLES: Readonly<Record<string, PartyRole>> = {
  COMPOSER: 'C',
  LYRICIST: 'A',
  ARRANGER: 'AR',
  PUBLISHER: 'E',
};

/**
 * Returns the interested parties of a track in the order of its credits. Credits with the same name and IPI number are
 * one party, such as a composer who is also the lyricist. Their shares are added.
 */
function partiesOf({
  credits,
  writers,
}: Pick<ReportedSync, 'credits' | 'writers'>): SharingParty[] {
  const parties: SharingParty[] = [];
  for (const { name, role: creditRole } of distinct(credits)) {
    if (!Object.hasOwn(ROLES, creditRole)) continue;
    const role = ROLES[creditRole]!;
    const known = writers.filter((one) => one.name === name && one.role === creditRole);
    for (const { ipi, society, share } of known.length > 0 ? known : [UNKNOWN]) {
      const same = parties.find(
        (party) => party.name === name && party.ipi === ipi && isMerged(party.role, role),
      );
      if (same === undefined) {
        parties.push({ name, role, ipi, society, share });
      } else {
        if (same.role !== role) same.role = 'CA';
        same.society ??= society;
        same.share = same.share === null ? share : same.share + (share ?? 0);
      }
    }
  }
  return parties;
}

const UNKNOWN = { ipi: null, society: null, share: null };

function distinct<Credit extends Pick<Writer, 'name' | 'role'>>(
  credits: readonly Credit[],
): Credit[] {
  return [...new Map(credits.map((one) => [JSON.stringify([one.name, one.role]), one])).values()];
}

/** Whether two credits of one name and number are one party. */
function isMerged(one: PartyRole, other: PartyRole): boolean {
  const isAuthor = (role: PartyRole) => role === 'C' || role === 'A' || role === 'CA';
  return one === other || (isAuthor(one) && isAuthor(other));
}

function shareProblems(where: string, side: readonly SharingParty[]): string[] {
  if (side.every(({ share }) => share === null)) return [`${where}: no shares are known`];
  const sum = side.reduce((total, { share }) => total + (share ?? 0), 0);
  return sum === WHOLE_SHARE ? [] : [`${where}: shares add up to ${sum / 100} %`];
}

function shown({ share, ...party }: SharingParty): Party {
  return { ...party, sharePercent: share === null ? null : (share / 100).toFixed(2) };
}

const CSV = csvTable<{ cue: SheetCue; party: Party | null }>({
  Sequence: ({ cue }) => cue.sequence,
  Number: ({ cue }) => cue.number,
  Title: ({ cue }) => cue.title,
  ISRC: ({ cue }) => cue.isrc,
  ISWC: ({ cue }) => cue.iswc,
  Usage: ({ cue }) => cue.usage,
  StartSeconds: ({ cue }) => cue.startSeconds,
  DurationSeconds: ({ cue }) => cue.durationSeconds,
  PartyName: ({ party }) => party?.name,
  Role: ({ party }) => party?.role,
  IPI: ({ party }) => party?.ipi,
  Society: ({ party }) => party?.society,
  SharePercent: ({ party }) => party?.sharePercent,
  LicenseNumber: ({ cue }) => cue.licenseNumber,
  Ai: ({ cue: { provenance } }) => (provenance?.ai === 'unknown' ? '' : provenance?.ai),
  AiParts: ({ cue }) => cue.provenance?.aiParts.join(' '),
  TrainingAllowed: ({ cue }) => wordOf(cue.provenance?.trainingAllowed),
});

function wordOf(answer: boolean | null | undefined): string {
  return typeof answer === 'boolean' ? (answer ? 'yes' : 'no') : '';
}

/**
 * Returns a cue sheet as CSV (RFC 4180) with a heading: one row for each cue and interested party, and one for a cue
 * without parties.
 */
export function cueSheetCsv({ cues }: CueSheet): string {
  const rows = cues.flatMap((cue) => {
    const parties: (Party | null)[] = [...cue.writers, ...cue.publishers];
    return (parties.length > 0 ? parties : [null]).map((party) => CSV.row({ cue, party }));
  });
  return CSV.heading + rows.join('');
}
