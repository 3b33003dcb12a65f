import { Readable, Writable } from 'node:stream';
import type { Command } from 'commander';
import { buildProgram } from '../../src/operator/cli/program.ts';
import { generatedFrom } from './generated-from.ts';

const WIDTH = 100;

/** Returns docs/reference/cli.md: the help of every command, as in the terminal. */
export async function commandLinePage(): Promise<string> {
  const sections = everyCommand(await buildProgram(shellForHelp())).map(
    ({ path, command }) =>
      `## ${path}\n\n\`\`\`text\n${helpOf(command)
        .replace(/[ \t]+$/gm, '')
        .trim()}\n\`\`\``,
  );
  return `${generatedFrom('src/operator/cli/')}

# The command line

Run the commands as \`bin/stave …\` in a clone, or as [operations.md](../operations.md#installation) says. A command
prints its result on stdout, and notes and errors on stderr. With \`--json\`, the result is one line of JSON. The exit
code is 0 on success, 1 on a failure or wrong usage, and 2 if an import rejected records, an undo skipped tracks, or
\`stave migrate-media\` skipped damaged files.

${sections.join('\n\n')}
`;
}

/** Returns a command and all commands below it, with the words that call them. */
export function everyCommand(
  command: Command,
  before: readonly string[] = [],
): { path: string; command: Command }[] {
  const words = [...before, command.name()];
  return [
    { path: words.join(' '), command },
    ...command.commands.flatMap((one) => everyCommand(one, words)),
  ];
}

/** Returns the help of one command, with its examples. */
export function helpOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
    getOutHelpWidth: () => WIDTH,
    getOutHasColors: () => false,
  });
  command.outputHelp();
  return help;
}

/** Returns a shell for building the commands only; it never runs one. */
export function shellForHelp(): Parameters<typeof buildProgram>[0] {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const never = () => {
    throw new Error('help runs no command');
  };
  return {
    stdin: Readable.from([]),
    stdout: nowhere,
    stderr: nowhere,
    clock: { now: never },
    nodeVersion: '',
    exitCode: 0,
    readConfig: never,
    reportSettings: never,
    wantsStacks: never,
    exit: never,
    kill: never,
    lowerPriority: never,
    onStop: never,
    onReload: never,
  };
}
