import { derivedId } from '../../src/common/ids.ts';
import type { Writer } from '../../src/features/catalog/writers.ts';
import { deliveries } from '../harness/catalog.ts';
import type { TestServer } from '../harness/test-server.ts';

const PRODUCTION = { id: 'ep-7', title: 'Harbour Lights', episodeNumber: 'S01E07' };

const ANN = { ipi: '00014107338', society: 'GEMA', share: 2_500 };
const WRITERS: Writer[] = [
  { name: 'Mara Lindt', role: 'COMPOSER', ...ANN },
  { name: 'Mara Lindt', role: 'LYRICIST', ...ANN },
  { name: 'North, "Inc"', role: 'PUBLISHER', ipi: null, society: null, share: 10_000 },
];

/** A track whose writers have half of the shares. */
export const WORK = {
  ...deliveries(1)[0]!,
  isrc: 'QZES72400137',
  iswc: 'T-034.524.680-1',
  provenance: {
    ai: 'assisted',
    aiParts: ['lyrics'],
    trainingAllowed: false,
    statement: 'The words are a machine’s.',
  } as const,
  artists: WRITERS.map(({ name, role }) => ({
    id: derivedId('artist', name),
    name,
    role,
    isPrimary: false,
    externalId: null,
  })),
  writers: WRITERS,
};

/** Reports a sync of the track with the production; fails unless it is accepted. */
export async function reportSync(
  server: TestServer,
  token: string,
  eventId: string,
  members: object = {},
): Promise<void> {
  const event = {
    eventId,
    type: 'sync',
    trackId: WORK.id,
    occurredAt: new Date(server.clock.now() - 60_000).toISOString(),
    seconds: 31,
    production: PRODUCTION,
    cue: { startSeconds: 62, usage: 'BI', number: 1 },
    ...members,
  };
  const { data } = await server.call('reportUsage', { token, body: { events: [event] } });
  if (data.accepted !== 1) throw new Error(`the sync was not accepted: ${JSON.stringify(data)}`);
}

/** What the cue sheet shows of the track. */
export const SHEET = {
  production: PRODUCTION,
  cues: [
    {
      sequence: 1,
      number: 1,
      trackId: WORK.id,
      title: WORK.name,
      isrc: WORK.isrc,
      iswc: WORK.iswc,
      usage: 'BI',
      startSeconds: 62,
      durationSeconds: 31,
      writers: [
        {
          name: 'Mara Lindt',
          role: 'CA',
          ipi: '00014107338',
          society: 'GEMA',
          sharePercent: '50.00',
        },
      ],
      publishers: [
        { name: 'North, "Inc"', role: 'E', ipi: null, society: null, sharePercent: '100.00' },
      ],
      licenseNumber: null,
      provenance: WORK.provenance,
    },
  ],
  totals: { cues: 1, seconds: 31 },
  problems: ['cues[0].writers: shares add up to 50 %'],
};
