import { shown } from '../figures.ts';
import { type Row, type Table, tableOf } from '../row.ts';
import {
  DEMO,
  type Judged,
  judge,
  type KnownMusic,
  neighborsOf,
  recordings,
  type Score,
  scoreOf,
  type Verdict,
} from './known.ts';

/** Measures how right the analysis of audio is, and how long it takes. */
export async function measureAnalysis({ dataFolder }: { dataFolder: string }): Promise<Table[]> {
  const demo: Judged[] = [];
  for (const music of DEMO) demo.push(await judge(music));
  const known = recordings(dataFolder);
  const recorded: Judged[] = [];
  for (const music of known) recorded.push(await judge(music));
  // After the first pass, so that the code is compiled.
  const cpu = await cpuOf(known);
  const all = [...demo, ...recorded];
  const { pieces, ofStyle } = neighborsOf(demo);
  const rows: Row[] = [
    row('tempos within 4 %, demo catalog', scoreOf(demo, 'tempo'), 90),
    row('tempos within 4 %, recordings', scoreOf(recorded, 'tempo'), 90),
    row('tempos within 4 %, all', scoreOf(all, 'tempo'), 90),
    row('keys that are right or relative, demo catalog', scoreOf(demo, 'key'), 80),
    row('keys that are right or relative, recordings', scoreOf(recorded, 'key'), 80),
    row('keys that are right or relative, all', scoreOf(all, 'key'), 80),
    {
      what: 'nearest neighbors of the same style, demo catalog',
      figure: `${ofStyle} of ${pieces}`,
      goal: '8 of 10',
    },
    {
      what: 'decoding and analysis of a minute of audio, recordings',
      figure: `${shown((60 * cpu.cpuSeconds) / cpu.seconds)} s of CPU`,
      goal: 'none',
    },
  ];
  return [
    tableOf('Analysis of audio', rows),
    {
      title: 'Each piece',
      note: 'The found values with their confidence. Those in brackets are not filled.',
      header: ['music', 'tempo', 'found', 'key', 'found'],
      rows: all.map(({ music, found, tempo, key }) => [
        music.name,
        String(music.bpm ?? ''),
        cell(tempo, found.tempo && [shown(found.tempo.bpm), found.tempo.confidence]),
        music.key ?? '',
        cell(key, found.key && [found.key.name, found.key.confidence]),
      ]),
    },
  ];
}

function row(what: string, { known, filled, right }: Score, goal: number): Row {
  const share = (part: number, of: number) => `${shown((100 * part) / of)} %`;
  return {
    what,
    figure: `${right} of ${filled} filled (${share(right, filled)}); ${filled} of ${known} known are filled (${share(filled, known)})`,
    goal: `${goal} % of the filled; 60 % filled`,
  };
}

function cell(
  verdict: Verdict | undefined,
  found: readonly [value: string, confidence: number] | undefined,
): string {
  if (verdict === undefined) return '';
  if (found === undefined) return 'none';
  const text = `${found[0]}, ${found[1]}${verdict.isRight ? '' : ', **wrong**'}`;
  return verdict.isFilled ? text : `(${text})`;
}

async function cpuOf(known: readonly KnownMusic[]) {
  let seconds = 0;
  const before = process.cpuUsage();
  for (const music of known) {
    async function* counted() {
      for await (const block of music.blocks()) {
        seconds += block.channels[0]!.length / block.sampleRate;
        yield block;
      }
    }
    await judge({ ...music, blocks: counted });
  }
  const { user, system } = process.cpuUsage(before);
  return { seconds, cpuSeconds: (user + system) / 1e6 };
}
