import { type Spread, shown, shownSpread, spread } from '../figures.ts';
import type { Row, Table } from '../row.ts';
import { HOSTILE_MIX } from './mixes.ts';
import { BARE_SERVER, SAME_SERVER, type ServerFigures, STAVE, TEXTBOOK } from './servers.ts';
import type { RoundFigures } from './throughput.ts';

type Rounds = Map<string, RoundFigures[]>;

/** The figures of the whole server that have a goal. */
export function serverRows({ mixes }: ServerFigures, size: number): Row[] {
  const at = size.toLocaleString('en');
  const throughput = (name: string, goal: string): Row[] => {
    const rounds = mixes.get(name);
    if (rounds === undefined) return [];
    const p99 = spread(rounds.get(STAVE)!.map((round) => round.p99));
    const figure = `${shownSpread(ratio(rounds, SAME_SERVER))} of the same server, ${shownSpread(ratio(rounds, BARE_SERVER))} of bare Fastify; p99 ${shownSpread(p99, ' ms')}`;
    return [{ what: `throughput, ${name} mix`, at, figure, goal }];
  };
  return [
    ...throughput('hot', 'at least 0.5 of bare Fastify'),
    ...throughput('cold', 'at least 0.25 of bare Fastify, p99 under 25 ms'),
    ...throughput('cold reads', ''),
    ...throughput(HOSTILE_MIX, ''),
    ...['cold', 'hot'].flatMap((name) => peerRow(name, mixes.get(name), at)),
  ];
}

function peerRow(name: string, rounds: Rounds | undefined, at: string): Row[] {
  const peer = rounds?.get(TEXTBOOK);
  if (rounds === undefined || peer === undefined) return [];
  const p99 = spread(rounds.get(STAVE)!.map((ours, round) => peer[round]!.p99 / ours.p99));
  return [
    {
      what: `against the textbook peer, ${name} mix`,
      at,
      figure: `${shownSpread(ratio(rounds, TEXTBOOK))} times the throughput, p99 ${shownSpread(p99)} times lower`,
      goal: 'at least 100 times the throughput, p99 at least 100 times lower',
    },
  ];
}

/** Every server under every mix. */
export function serverTables({ mixes, megabytes, peakMegabytes, peer }: ServerFigures): Table[] {
  const rows = [...mixes].flatMap(([mix, rounds]) =>
    [...rounds].map(([name, figures]) => {
      const of = (figure: Exclude<keyof RoundFigures, 'firstFailure'>) =>
        spread(figures.map((round) => round[figure]));
      return [
        mix,
        name,
        name === SAME_SERVER ? '' : shownSpread(ratio(rounds, SAME_SERVER, name)),
        name === BARE_SERVER ? '' : shownSpread(ratio(rounds, BARE_SERVER, name)),
        shownSpread(of('requestsPerSecond')),
        (['p50', 'p99', 'p999'] as const).map((figure) => shown(of(figure).median)).join(' / '),
        shown(of('cpuMicroseconds').median),
        shown(of('bodyBytes').median),
      ];
    }),
  );
  const loaded =
    peer === undefined
      ? 'PostgreSQL was not measured.'
      : `PostgreSQL ${peer.version}: loaded and indexed in ${shown(peer.secondsToLoad)} s, ${shown(peer.sizeMegabytes)} MB.`;
  return [
    {
      title: 'The servers under load',
      note: `32 connections. Latencies p50 / p99 / p99.9. Memory of Stave's process at the end: ${shown(megabytes)} MB, peak ${shown(peakMegabytes)} MB. ${loaded}`,
      header: [
        'mix',
        'server',
        'ratio to the same server',
        'ratio to bare Fastify',
        'requests/s',
        'ms',
        'µs of CPU per request',
        'bytes per body',
      ],
      rows,
    },
  ];
}

/** The ratio of the throughput of a server to that of `other`, over the rounds. */
function ratio(rounds: Rounds, other: string, name: string = STAVE): Spread {
  const others = rounds.get(other)!;
  return spread(
    rounds.get(name)!.map((ours, i) => ours.requestsPerSecond / others[i]!.requestsPerSecond),
  );
}
