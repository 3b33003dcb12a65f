import type { Migration } from '../schema.ts';

export const streams: Migration = {
  summary: 'MP3 files that are made of audio for streaming',
  compatibleFrom: 47,
  common: (d) => `
-- The columns are those of renditions.
CREATE TABLE streams (
  audio_key ${d.text} NOT NULL,
  kind ${d.text} NOT NULL CHECK (kind = 'stream'),
  -- The recipe: its version, kbit/s, and the sample rate and the number of samples of the audio, if they are known.
  variant ${d.text} NOT NULL,
  format ${d.text} NOT NULL,
  -- The name of a derived file.
  media_key ${d.text},
  size ${d.integer},
  state ${d.text} NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
  attempts ${d.integer} NOT NULL,
  error ${d.text},
  priority ${d.integer} NOT NULL,
  claimed_by ${d.text},
  claimed_until ${d.integer},
  -- Of one that is made, the time of its last use.
  updated_at ${d.integer} NOT NULL,
  postponements ${d.integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (audio_key, kind, variant),
  CHECK ((state = 'done') = (media_key IS NOT NULL)),
  CHECK ((state = 'done') = (size IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_by IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_until IS NOT NULL))
) ${d.keyedTable};
CREATE INDEX streams_running ON streams (claimed_until) WHERE state = 'running';
CREATE INDEX streams_failed ON streams (updated_at) WHERE state = 'failed';
CREATE INDEX streams_queued_by_format ON streams (format, priority DESC, updated_at) WHERE state = 'queued';
CREATE INDEX streams_made ON streams (updated_at) WHERE state = 'done';
`,
};
