import type { Command } from 'commander';
import { group, type Shell } from '../shell.ts';
import { cueSheetCommand } from './cue-sheet.ts';
import { exportUsageCommand } from './usage-export.ts';
import { purgeUsageCommand } from './usage-purge.ts';
import { summarizeUsageCommand } from './usage-summary.ts';

/** `stave usage cue-sheet`, `export`, `summary` and `purge`. */
export function usageCommand(shell: Shell): Command {
  return group('usage', 'Read and purge the reported use of tracks', [
    cueSheetCommand(shell),
    exportUsageCommand(shell),
    summarizeUsageCommand(shell),
    purgeUsageCommand(shell),
  ]);
}
