export interface Finding extends Found {
  check: string;
}

export interface Found {
  /** A failure prevents Stave from working; a warning does not. */
  status: 'ok' | 'warning' | 'failed';
  /** What the check found. */
  detail: string;
  /** What to do about it; null if nothing. */
  advice: string | null;
  /** The sizes that it adds up, by part. */
  bytes?: Readonly<Record<string, number>>;
}

export function ok(detail: string): Found {
  return { status: 'ok', detail, advice: null };
}

export function warning(detail: string, advice: string): Found {
  return { status: 'warning', detail, advice };
}

export function failed(detail: string, advice: string): Found {
  return { status: 'failed', detail, advice };
}
