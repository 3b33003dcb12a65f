import { Writable } from 'node:stream';
import type { Command } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { generatedFrom } from './generated-from.ts';

const WIDTH = 100;

/** docs/reference/cli.md: the help of every command, as the terminal shows it. */
export function commandLinePage(): string {
  const sections = everyCommand(buildProgram(shellForHelp())).map(
    ({ path, command }) =>
      `## ${path}\n\n\`\`\`text\n${helpOf(command)
        .replace(/[ \t]+$/gm, '')
        .trim()}\n\`\`\``,
  );
  return `${generatedFrom('src/cli/')}

# The command line

\`npx stave …\` from the checkout. A command prints its result on stdout, notes and errors on stderr.
With \`--json\` the result is one line of JSON. It ends with 0 when it is done, 1 when it failed or was
misused, and 2 when an import rejected something.

${sections.join('\n\n')}
`;
}

/** Every command beneath one, itself first, with the words that call it. */
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

/** The help of one command, examples included. */
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

/** A shell that no command is ever run in. */
export function shellForHelp(): Parameters<typeof buildProgram>[0] {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const never = () => {
    throw new Error('help runs no command');
  };
  return {
    stdout: nowhere,
    stderr: nowhere,
    clock: { now: never },
    nodeVersion: '',
    exitCode: 0,
    readConfig: never,
    wantsStacks: never,
    exit: never,
    onStop: never,
  };
}
