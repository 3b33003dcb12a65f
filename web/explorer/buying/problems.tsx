import { StaveApiError } from '#client';
import { Failure } from '../shell/failure.tsx';
import { type Key, t } from '../texts/texts.ts';
import { territoryName } from './names.ts';

/** The labels of the form, by the members of requests. */
const LABELS: Readonly<Record<string, Key>> = {
  'project.name': 'project',
  media: 'media',
  territories: 'countries',
  term: 'term',
  audience: 'audience',
  exclusive: 'exclusive',
  purchaseOrder: 'purchaseOrder',
  termsVersion: 'terms',
  'licensee.name': 'licensee',
  'licensee.country': 'licenseeCountry',
  'licensee.email': 'email',
};

/** What the service says of a field, and what it means in the language of the page. */
const REASONS: readonly [pattern: RegExp, key: Key][] = [
  [/is missing/, 'problemMissing'],
  [/must hold at least 1 entry/, 'problemChooseOne'],
  [/not licensable in/, 'problemCountries'],
  [/has no price/, 'problemNoPrice'],
  [/licensed exclusively|cannot be exclusive|licensed to others/, 'problemTaken'],
  [/taken down/, 'problemTakenDown'],
  [/are not sold/, 'problemNotSold'],
];

/** Why a quote or a license was refused, in the words of the form; anything else as everywhere. */
export function Problems({ error, tracks }: { error: unknown; tracks: readonly string[] }) {
  const details = error instanceof StaveApiError ? error.details : [];
  if (details.length === 0) return <Failure error={error} />;
  return (
    <div class="failure" role="alert">
      <ul>
        {details.map(({ field, message }) => (
          <li key={field + message}>
            <strong>{labelOf(field, tracks)}</strong>: {reasonOf(message, field)}
          </li>
        ))}
      </ul>
    </div>
  );
}

function labelOf(field: string, tracks: readonly string[]): string {
  const [, list, place] = /^(tracks|items)\[(\d+)\]/.exec(field) ?? [];
  if (list !== undefined) return tracks[Number(place)] ?? t('track');
  const key = LABELS[field.replace(/\[.*/, '')];
  return key === undefined ? field : t(key);
}

function reasonOf(message: string, field: string): string {
  const countries = /not licensable in ([A-Z, ]+)/.exec(message)?.[1]?.split(', ') ?? [];
  const names = countries.filter(Boolean).map(territoryName).join(', ');
  const reason = REASONS.find(([pattern]) => pattern.test(message));
  if (reason !== undefined) return t(reason[1], { countries: names });
  return message.startsWith(field) ? message.slice(field.length).trim() : message;
}
