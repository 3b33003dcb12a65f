import type { Migration } from '../schema.ts';

export const sounds: Migration = {
  summary: 'what the analysis of audio found',
  compatibleFrom: 47,
  common: (d) => `
-- What the analysis of audio files found: by file, so that tracks with equal audio share it.
CREATE TABLE sounds (
  audio_key ${d.text} NOT NULL PRIMARY KEY,
  -- Of the analysis that found it.
  version ${d.integer} NOT NULL,
  -- SoundValues as JSON.
  found ${d.text} NOT NULL,
  -- 64 numbers of a byte.
  vector ${d.bytes} NOT NULL,
  -- Whether the tracks with the audio have got what was found, and the change log says so.
  is_published ${d.boolean('is_published')} NOT NULL
) ${d.table};
CREATE INDEX sounds_unpublished ON sounds (audio_key) WHERE NOT is_published;
CREATE INDEX sounds_by_version ON sounds (version);

-- The analyses to be made, and those that failed. The columns are those of renditions.
CREATE TABLE sound_jobs (
  audio_key ${d.text} NOT NULL,
  kind ${d.text} NOT NULL CHECK (kind = 'analysis'),
  -- The version of the analysis.
  variant ${d.text} NOT NULL,
  format ${d.text} NOT NULL,
  state ${d.text} NOT NULL CHECK (state IN ('queued', 'running', 'failed')),
  attempts ${d.integer} NOT NULL,
  error ${d.text},
  priority ${d.integer} NOT NULL,
  claimed_by ${d.text},
  claimed_until ${d.integer},
  updated_at ${d.integer} NOT NULL,
  postponements ${d.integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (audio_key, kind, variant),
  CHECK ((state = 'running') = (claimed_by IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_until IS NOT NULL))
) ${d.keyedTable};
CREATE INDEX sound_jobs_running ON sound_jobs (claimed_until) WHERE state = 'running';
CREATE INDEX sound_jobs_failed ON sound_jobs (updated_at) WHERE state = 'failed';
CREATE INDEX sound_jobs_queued_by_format ON sound_jobs (format, priority DESC, updated_at) WHERE state = 'queued';

-- The values of the track that come from the analysis, as JSON by member. One that the column of the member does not
-- contain any more was replaced by a delivered value.
ALTER TABLE tracks ADD COLUMN detected ${d.text};
`,
};
