import { type LogPosition, readCursor, writeCursor } from '../../../engines/change-log/cursor.ts';
import { isLanguageTag } from '../../languages/languages.ts';

/** A row id, perhaps a language, and a cursor. */
const TOKEN = /^r1\.([1-9]\d{0,14})(?:\.([A-Za-z0-9-]+))?\.(c1\..*)$/;

/** Where an interrupted snapshot continues. */
export interface ResumePoint {
  /** The position of the first response. */
  position: LogPosition;
  /** The row id of the last track that was sent. It never changes. */
  after: number;
  /** The language tag that the first request asked for. */
  language?: string;
}

/** Writes the token of a mark. */
export function writeResume({ position, after, language }: ResumePoint): string {
  const chosen = language === undefined ? '' : `.${language}`;
  return `r1.${after}${chosen}.${writeCursor(position)}`;
}

/** Reads the token of a mark; undefined for any text that is none. */
export function readResume(resume: string): ResumePoint | undefined {
  const [, after, language, cursor] = TOKEN.exec(resume) ?? [];
  if (language !== undefined && !isLanguageTag(language)) return undefined;
  const position = cursor === undefined ? undefined : readCursor(cursor);
  return position && { position, after: Number(after), ...(language && { language }) };
}
