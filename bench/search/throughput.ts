import type { LoadResult } from '../load.ts';
import { cpuSeconds, load } from '../processes.ts';

/** Keep-alive connections, each with one request in flight. */
const CONNECTIONS = 32;

/** A server under load. */
export interface Contender {
  name: string;
  port: number;
  authorization?: string;
  /** The processes that do its work, for their CPU. */
  pids(): Promise<readonly number[]>;
  /** How long it is loaded in each round. */
  seconds: number;
  /** Whether it sends the same to every question, so that asking one again changes nothing. */
  isConstant?: boolean;
  /** Loaded for so long, unmeasured, before each round. */
  warmUpSeconds?: number;
}

/** One server's round. */
export interface RoundFigures extends LoadResult {
  /** Microseconds of CPU a request, of the server's side alone. */
  cpuMicroseconds: number;
}

/** What is asked in each round. */
export interface Mix {
  name: string;
  /** For one more round, the same for every contender. */
  paths(): string[];
  /** Whether each is asked once: the round then ends with the last. */
  once: boolean;
}

/** Loads the contenders in turn, round after round; figures by contender, one a round. */
export async function measureMix(
  mix: Mix,
  contenders: readonly Contender[],
  rounds: number,
): Promise<Map<string, RoundFigures[]>> {
  const figures = new Map<string, RoundFigures[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    const paths = mix.paths();
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

/** A load on one of the contenders. */
export function jobOf(
  { port, authorization }: Pick<Contender, 'port' | 'authorization'>,
  paths: string[],
  seconds: number,
  once: boolean,
) {
  const headers: Record<string, string> = authorization ? { Authorization: authorization } : {};
  return { port, paths, headers, connections: CONNECTIONS, seconds, once };
}
