import type { Command } from 'commander';
import { cueSheetCommand } from './cue-sheet.ts';
import { group, type Shell } from './shell.ts';

/** `stave usage cue-sheet`. */
export function usageCommand(shell: Shell): Command {
  return group('usage', 'Read the reported use of tracks', [cueSheetCommand(shell)]);
}
