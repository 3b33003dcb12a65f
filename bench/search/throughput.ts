import type { LoadResult } from '../load.ts';
import { cpuSeconds, load } from '../processes.ts';

/** Keep-alive connections, each with one request in flight. */
const CONNECTIONS = 32;

/** A server under load. */
export interface Contender {
  name: string;
  port: number;
  /** The tokens of the clients that send requests in turn; none if the server does not require one. */
  authorizations?: readonly string[];
  /** The processes whose CPU time is measured. */
  pids(): Promise<readonly number[]>;
  /** The duration of the load in each round. */
  seconds: number;
  /** Whether it sends the same response to every request, so that repeated requests do not matter. */
  isConstant?: boolean;
  /** The duration of the load before each round that is not measured. */
  warmUpSeconds?: number;
}

/** The figures of one server in one round. */
export interface RoundFigures extends LoadResult {
  /** Microseconds of CPU per request in the processes of the server. */
  cpuMicroseconds: number;
}

/** The requests of each round. */
export interface Mix {
  name: string;
  /** Returns the paths of the next round, which every contender receives. */
  paths(): string[];
  /** Called before each round. */
  prepare?(): void;
  /** Whether each path is requested once. The round then ends with the last path. */
  once: boolean;
}

/** Sends load to the contenders in turn, in each round. Returns the figures of the rounds by contender. */
export async function measureMix(
  mix: Mix,
  contenders: readonly Contender[],
  rounds: number,
): Promise<Map<string, RoundFigures[]>> {
  const figures = new Map<string, RoundFigures[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const paths = mix.paths();
    mix.prepare?.();
    for (const contender of contenders) {
      figures.get(contender.name)!.push(await measureRound(contender, paths, mix.once));
    }
  }
  return figures;
}

async function measureRound(
  contender: Contender,
  paths: string[],
  once: boolean,
): Promise<RoundFigures> {
  if (contender.warmUpSeconds) {
    await load(jobOf(contender, paths, contender.warmUpSeconds, false));
  }
  const pids = await contender.pids();
  const cpu = () => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = cpu();
  const result = await load(
    jobOf(contender, paths, contender.seconds, once && !contender.isConstant),
  );
  return { ...result, cpuMicroseconds: ((cpu() - before) * 1e6) / result.requests };
}

/** The load of one contender. */
export function jobOf(
  { port, authorizations = [] }: Pick<Contender, 'port' | 'authorizations'>,
  paths: string[],
  seconds: number,
  once: boolean,
) {
  return { port, paths, authorizations, connections: CONNECTIONS, seconds, once };
}
