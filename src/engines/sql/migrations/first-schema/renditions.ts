import type { SchemaPart } from '../../schema-dialect.ts';

/** The waveforms and preview clips that are made of audio files. */
export const renditions: SchemaPart = {
  common: (d) => `
CREATE TABLE renditions (
  audio_key ${d.text} NOT NULL,
  kind ${d.text} NOT NULL CHECK (kind IN ('preview', 'waveform', 'waveform-dat')),
  -- The second at which a clip begins, or ''.
  variant ${d.text} NOT NULL,
  -- What a node must decode to make it: the extension of the audio, or 'ffmpeg'.
  format ${d.text} NOT NULL,
  media_key ${d.text},
  size ${d.integer},
  state ${d.text} NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
  -- How often a node began to make it.
  attempts ${d.integer} NOT NULL,
  error ${d.text},
  priority ${d.integer} NOT NULL,
  claimed_by ${d.text},
  claimed_until ${d.integer},
  -- Of a job that was put off, the end of the pause.
  updated_at ${d.integer} NOT NULL,
  -- How often the job was put off because its audio could not be read. Each pause is longer than the one before.
  postponements ${d.integer} NOT NULL DEFAULT 0,
  PRIMARY KEY (audio_key, kind, variant),
  CHECK ((state = 'done') = (media_key IS NOT NULL)),
  CHECK ((state = 'done') = (size IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_by IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_until IS NOT NULL))
) ${d.keyedTable};
CREATE INDEX renditions_running ON renditions (claimed_until) WHERE state = 'running';
CREATE INDEX renditions_failed ON renditions (updated_at) WHERE state = 'failed';
-- Finds the first job of each format, so that those that no node decodes cost nothing.
CREATE INDEX renditions_queued_by_format ON renditions (format, priority DESC, updated_at) WHERE state = 'queued';

-- The nodes that make renditions.
CREATE TABLE rendition_nodes (
  node ${d.text} NOT NULL PRIMARY KEY,
  -- What it decodes.
  formats ${d.jsonArray('formats')} NOT NULL,
  seen_at ${d.integer} NOT NULL
) ${d.keyedTable};
`,
};
