import { FIRST_VERSION, type Migration } from '../schema.ts';

export const partOrdinals: Migration = {
  summary: 'the places of parts after one whose file is missing',
  compatibleFrom: FIRST_VERSION,
  common: ({ integer }) => `ALTER TABLE track_parts ADD COLUMN ordinal ${integer};`,
};
