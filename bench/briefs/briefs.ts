import { setTimeout } from 'node:timers/promises';
import { type BenchPartner, newPartner } from '../partner.ts';
import { serve } from '../processes.ts';
import type { Row } from '../row.ts';
import { importRealTracks } from '../start.ts';
import {
  type ExpectedBrief,
  type FoundTrack,
  isAccepted,
  LISTS,
  readBriefs,
} from './parse-briefs.ts';

const PORT = 18_107;

/** The goals: how many of the briefs have an acceptable track among the first five. */
const GOALS = { words: 0.9, scenes: 0.65 };

const EMBEDDINGS = ['off', 'local'] as const;

/** Compares what briefs find on the real catalogs with what a music consultant would accept. */
export async function* measureBriefs(options: {
  folder: string;
  dataFolder: string;
}): AsyncIterable<Row> {
  const { settings } = await importRealTracks(options.folder, options.dataFolder);
  const briefs = LISTS.flatMap((list) => readBriefs(list));
  for (const embeddings of EMBEDDINGS) {
    const server = await serve({ ...settings, STAVE_EMBEDDINGS: embeddings }, PORT).catch(
      () => undefined,
    );
    if (server === undefined) {
      yield { what: `embeddings ${embeddings}`, figure: 'left out: not installed', goal: '' };
      continue;
    }
    try {
      const { call } = await newPartner(PORT, settings);
      const scored = [];
      for (const brief of briefs) {
        const items = await found(call, brief.text);
        scored.push({ brief, good: items.map((track) => isAccepted(brief, track)) });
      }
      yield* rowsOf(scored, embeddings);
    } finally {
      await server.stop();
    }
  }
}

/** The first ten tracks of a brief, when the vectors of the vocabulary have been made. */
async function found(call: BenchPartner['call'], text: string): Promise<FoundTrack[]> {
  const body = { brief: text, pageSize: 10 };
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const { items, brief } = await call<{ items: FoundTrack[]; brief: { embeddings: string } }>(
      'POST',
      '/v1/search',
      body,
    );
    if (brief.embeddings !== 'unavailable') return items;
    await setTimeout(1_000);
  }
  throw new Error(`${text}: embeddings are unavailable`);
}

/** A local model makes the vectors in about a minute. */
const MAX_TRIES = 600;

/** The first ten tracks of a brief, and whether each is acceptable. */
interface Scored {
  brief: ExpectedBrief;
  good: boolean[];
}

/** What the rows tell apart. */
const GROUPS = [
  { list: 'briefs', kind: 'words', what: 'briefs with words of the catalog' },
  { list: 'briefs', kind: 'scenes', what: 'scenes' },
  { list: 'independent', kind: 'scenes', what: 'independent scenes' },
  { list: 'held-out', kind: 'scenes', what: 'scenes of held-out.txt' },
] as const;

function* rowsOf(scored: readonly Scored[], embeddings: string): Iterable<Row> {
  for (const { list, kind, what } of GROUPS) {
    for (const isHeldOut of [false, true]) {
      const some = scored.filter(
        ({ brief }) => brief.list === list && brief.kind === kind && brief.isHeldOut === isHeldOut,
      );
      if (some.length === 0) continue;
      yield {
        what: `${some.length} ${what}, ${isHeldOut ? 'held out' : 'for tuning'}, embeddings ${embeddings}`,
        figure: `${hits(some)} with an acceptable track among the first five; precision at 5: ${precision(some, 5)}, at 10: ${precision(some, 10)}`,
        goal: `${100 * GOALS[kind]} %`,
      };
    }
  }
  const byLanguage = Map.groupBy(
    scored.filter(({ brief }) => brief.list === 'held-out'),
    ({ brief }) => brief.language,
  );
  yield {
    what: `scenes of held-out.txt by language, precision at 5, embeddings ${embeddings}`,
    figure: [...byLanguage]
      .map(([language, some]) => `${language} ${hits(some)}, ${precision(some, 5)}`)
      .join('; '),
    goal: '',
  };
  // The scenes of held-out.txt are not shown to those who change the synonyms.
  const without = scored.filter(
    ({ brief, good }) => brief.list !== 'held-out' && !good.slice(0, 5).includes(true),
  );
  yield {
    what: `briefs without one, embeddings ${embeddings}`,
    figure: without.map(({ brief }) => `“${brief.text}”`).join('; ') || 'none',
    goal: '',
  };
}

/** The part that has an acceptable track among the first five. */
function hits(some: readonly Scored[]): string {
  const count = some.filter(({ good }) => good.slice(0, 5).includes(true)).length;
  return `${Math.round((100 * count) / some.length)} %`;
}

function precision(some: readonly Scored[], count: number): string {
  const accepted = some.flatMap(({ good }) => good.slice(0, count)).filter((one) => one).length;
  return (accepted / (count * some.length)).toFixed(2);
}
