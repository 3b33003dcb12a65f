/** The result of one check of `stave doctor`. */
export interface Finding {
  check: string;
  /** A failure prevents Stave from working; a warning does not. */
  status: 'ok' | 'warning' | 'failed';
  /** What the check found. */
  detail: string;
  /** What to do about it; null if nothing. */
  advice: string | null;
  /** The sizes that it adds up, by part. */
  bytes?: Readonly<Record<string, number>>;
}

/** A check that found no problem. */
export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, advice: null };
}

/** A check that found a problem that does not prevent Stave from working. */
export function warning(check: string, detail: string, advice: string): Finding {
  return { check, status: 'warning', detail, advice };
}

/** A check that found a problem that prevents Stave from working. */
export function failed(check: string, detail: string, advice: string): Finding {
  return { check, status: 'failed', detail, advice };
}
