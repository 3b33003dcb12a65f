import type { Migration } from '../schema-dialect.ts';

/** The waveforms and preview clips that are made of audio files, and what a track has instead of them. */
export const renditions: Migration = {
  summary: 'waveforms and preview clips',
  compatibleFrom: 10,
  common: (d) => `
-- The second at which the preview clip begins; null for the loudest passage.
ALTER TABLE tracks ADD COLUMN preview_start ${d.integer};
-- An imported preview clip and waveform.
ALTER TABLE tracks ADD COLUMN preview_key ${d.text};
ALTER TABLE tracks ADD COLUMN waveform_key ${d.text};
-- -1 if there was none. Null in rows of the version before, which knows none of the three.
ALTER TABLE former_tracks ADD COLUMN preview_start ${d.integer};
ALTER TABLE former_tracks ADD COLUMN preview_key ${d.text};
ALTER TABLE former_tracks ADD COLUMN waveform_key ${d.text};

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
  updated_at ${d.integer} NOT NULL,
  PRIMARY KEY (audio_key, kind, variant),
  CHECK ((state = 'done') = (media_key IS NOT NULL)),
  CHECK ((state = 'done') = (size IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_by IS NOT NULL)),
  CHECK ((state = 'running') = (claimed_until IS NOT NULL))
) ${d.keyedTable};
CREATE INDEX renditions_queued ON renditions (priority DESC, updated_at) WHERE state = 'queued';
CREATE INDEX renditions_running ON renditions (claimed_until) WHERE state = 'running';
CREATE INDEX renditions_failed ON renditions (updated_at) WHERE state = 'failed';

-- The nodes that make renditions.
CREATE TABLE rendition_nodes (
  node ${d.text} NOT NULL PRIMARY KEY,
  -- What it decodes.
  formats ${d.jsonArray('formats')} NOT NULL,
  seen_at ${d.integer} NOT NULL
) ${d.keyedTable};
`,
};
