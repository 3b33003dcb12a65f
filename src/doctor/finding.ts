/** What one check of `stave doctor` found. */
export interface Finding {
  check: string;
  /** A warning is worth knowing; a failure keeps Stave from working. */
  status: 'ok' | 'warning' | 'failed';
  /** What was seen. */
  detail: string;
  /** What to do about it; null where there is nothing to do. */
  advice: string | null;
}

/** A check that found nothing wrong. */
export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, advice: null };
}

/** A check that found something to look at. */
export function warning(check: string, detail: string, advice: string): Finding {
  return { check, status: 'warning', detail, advice };
}

/** A check that found what keeps Stave from working. */
export function failed(check: string, detail: string, advice: string): Finding {
  return { check, status: 'failed', detail, advice };
}
