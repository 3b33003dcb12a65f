import { type LogPosition, readCursor, writeCursor } from '../../changes/cursor.ts';

/** A row id, and a cursor. */
const TOKEN = /^r1\.([1-9]\d{0,14})\.(.*)$/;

/** Where an interrupted snapshot continues. */
export interface ResumePoint {
  /** The position of the first response. */
  position: LogPosition;
  /** The row id of the last track that was sent. It never changes. */
  after: number;
}

/** Writes the token of a mark. */
export function writeResume({ position, after }: ResumePoint): string {
  return `r1.${after}.${writeCursor(position)}`;
}

/** Reads the token of a mark; undefined for any text that is none. */
export function readResume(resume: string): ResumePoint | undefined {
  const [, after, cursor] = TOKEN.exec(resume) ?? [];
  const position = cursor === undefined ? undefined : readCursor(cursor);
  return position && { position, after: Number(after) };
}
