import { type Clock, MINUTE_MS } from '../../common/clock.ts';
import { DEFAULT_RATE_LIMIT } from './client.ts';
import {
  type RequestStep,
  type Requests,
  type SecretUse,
  STEP_MS,
  since,
} from './client-requests.ts';
import type { ClientRequestStore } from './store/client-request-store.ts';

/** How a client, or one of its secrets, was used. */
export interface Use {
  /** In milliseconds since the epoch; null if no use is counted. */
  lastUsedAt: number | null;
  lastHour: Requests;
  lastDay: Requests;
}

export interface Uses {
  ofClient(clientId: string): Use;
  ofSecret(secretId: string): Use;
}

const NEVER: Use = {
  lastUsedAt: null,
  lastHour: { requests: 0, limited: 0 },
  lastDay: { requests: 0, limited: 0 },
};

/** Reads the use of all clients, or of one. */
export async function readUses(
  { store, clock }: { store: { clientRequests: ClientRequestStore }; clock: Clock },
  clientId?: string,
): Promise<Uses> {
  const secrets = await store.clientRequests.uses(since(clock.now()), clientId);
  const byClient = Map.groupBy(secrets, (secret) => secret.clientId);
  const bySecret = new Map(secrets.map((secret) => [secret.secretId, secret]));
  return {
    ofClient: (id) => (byClient.get(id) ?? []).reduce(sum, NEVER),
    ofSecret: (id) => bySecret.get(id) ?? NEVER,
  };
}

function sum(a: Use, b: SecretUse): Use {
  return {
    lastUsedAt: Math.max(a.lastUsedAt ?? 0, b.lastUsedAt),
    lastHour: add(a.lastHour, b.lastHour),
    lastDay: add(a.lastDay, b.lastDay),
  };
}

function add(a: Requests, b: Requests): Requests {
  return { requests: a.requests + b.requests, limited: a.limited + b.limited };
}

/** How a client used its limit of requests in the last day. */
export interface LimitUse {
  /** Requests a minute. */
  limit: number;
  /** The greatest number of requests that the limit allows in a step. */
  limitOfStep: number;
  /** Every step of the last day, the oldest first, also without requests. */
  steps: readonly RequestStep[];
  /** Sentences that say why requests were refused; empty if none was. */
  reasons: readonly string[];
}

export async function readLimitUse(
  { store, clock }: { store: { clientRequests: ClientRequestStore }; clock: Clock },
  { id, rateLimit }: { id: string; rateLimit: number | null },
): Promise<LimitUse> {
  const limit = rateLimit ?? DEFAULT_RATE_LIMIT;
  const now = clock.now();
  const { day } = since(now);
  const used = new Map((await store.clientRequests.steps(id, day)).map((step) => [step.at, step]));
  const count = Math.floor((now - day) / STEP_MS) + 1;
  const steps = Array.from({ length: count }, (_, i) => {
    const at = day + i * STEP_MS;
    return used.get(at) ?? { at, requests: 0, limited: 0 };
  });
  const limitOfStep = (limit * STEP_MS) / MINUTE_MS;
  return { limit, limitOfStep, steps, reasons: reasonsOf(steps, { limit, limitOfStep }) };
}

function reasonsOf(
  steps: readonly RequestStep[],
  { limit, limitOfStep }: { limit: number; limitOfStep: number },
): string[] {
  const hit = steps.filter(({ limited }) => limited > 0);
  if (hit.length === 0) return [];
  const sum = (of: (step: RequestStep) => number) => hit.reduce((all, step) => all + of(step), 0);
  const limited = sum((step) => step.limited);
  const worst = hit.reduce((a, b) => (b.limited > a.limited ? b : a));
  const steady = hit.filter(({ requests }) => requests > limitOfStep);
  const from = (at: number) => new Date(at).toISOString().slice(11, 16);
  const reasons = [
    `${limited} of ${sum((step) => step.requests)} requests were refused in ${hit.length} of ${steps.length} steps of five minutes.`,
    `The most were refused in the five minutes from ${from(worst.at)} UTC: ${worst.limited} of ${worst.requests}. The limit is ${limit} a minute.`,
  ];
  if (steady.length > 0) {
    const need = Math.ceil(Math.max(...steady.map(({ requests }) => requests)) / 5);
    reasons.push(
      `In ${steady.length} of these steps it sent more than the limit allows on average: up to ${need} a minute. A higher limit, or fewer requests (several tracks in one, pages of 100, the feed of changes), helps.`,
    );
  }
  if (steady.length < hit.length) {
    reasons.push(
      `In ${hit.length - steady.length} of these steps its average was below the limit, so it sent its requests in bursts. It should wait for Retry-After, or spread its requests over the minute.`,
    );
  }
  return reasons;
}
