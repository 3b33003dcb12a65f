import type { Mode } from '../../common/caller.ts';
import type { TrackState } from '../availability/availability.ts';
import type { TrackDocument } from './track.ts';
import { toDocument } from './track-document.ts';
import type { TrackFields } from './track-fields.ts';

/** A track for tests of partners' programs. It is not in the catalog. */
interface Fixture {
  state: TrackState;
  /** Null unless the state is live. */
  document: TrackDocument | null;
}

/** The id of the fixture that is found. */
export const FIXTURE_TRACK_ID = 'f1c70000-0000-4000-8000-000000000200';

/** The slug is reserved, so that no track of the catalog has it. */
const TRACK: TrackFields = {
  id: FIXTURE_TRACK_ID,
  name: 'Stave Fixture',
  slug: 'stave-fixture',
  type: 'music',
  bpm: '',
  songKey: [],
  timeSignature: '',
  durationSeconds: 200,
  region: 'WORLD',
  releaseDate: '2026-01-01T00:00:00.000Z',
  hasVocals: false,
  isPRO: false,
  tags: [],
  artists: [],
  filters: [],
  isrc: '',
  hasAudio: false,
};

const FIXTURES: ReadonlyMap<string, Fixture> = new Map([
  [TRACK.id, { state: 'live', document: toDocument(JSON.stringify(TRACK), null) }],
  ['f1c70000-0000-4000-8000-000000000410', { state: 'taken_down', document: null }],
]);

/**
 * Returns the fixture that a caller of this mode finds by an id in lower case
 * (docs/contract/http.md#fixture-tracks).
 */
export function fixtureOf(id: string, mode: Mode): Fixture | undefined {
  return mode === 'test' ? FIXTURES.get(id) : undefined;
}

/** Whether an id in lower case is that of a fixture, so that no track of the catalog may have it. */
export function isFixtureId(id: string): boolean {
  return FIXTURES.has(id);
}
