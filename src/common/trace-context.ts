import type { IncomingHttpHeaders } from 'node:http';

/** The place of a request in a trace, as its caller states it (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 hexadecimal digits in lower case. */
  traceId: string;
  /** 16 hexadecimal digits in lower case. */
  spanId: string;
  /** The flags of the caller; bit 0: it records the trace. */
  flags: number;
  /** The value of `tracestate`, which is not checked; undefined if it is absent or too long to be passed on. */
  state: string | undefined;
}

/** Version, trace, span, flags, and what later versions may add. */
const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** The length up to which the recommendation asks for `tracestate` to be passed on. */
const MAX_STATE = 512;

/**
 * Returns the trace context of a request. Undefined without one, and for a malformed one, which the recommendation asks to
 * ignore: of the invalid version ff, with an id of zeros, with letters in upper case, sent twice, or with more than version
 * 00 has. A later version counts as far as version 00 is known.
 */
export function traceContextOf({
  traceparent,
  tracestate,
}: IncomingHttpHeaders): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (version === '00' && rest !== undefined) return undefined;
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return undefined;
  const state = String(tracestate ?? '');
  return {
    traceId: traceId!,
    spanId: spanId!,
    flags: Number.parseInt(flags!, 16),
    state: state === '' || state.length > MAX_STATE ? undefined : state,
  };
}
