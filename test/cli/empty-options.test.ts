import { expect, it } from 'vitest';
import { everyCommand, shellForHelp } from '../../scripts/reference/command-line.ts';
import { buildProgram } from '../../src/operator/cli/program.ts';

/** Those whose rules refuse an empty text, or for which it means something, as for a description. */
const WITH_RULES = ['--account', '--description', '--name'];
/** An empty value of a field means that it is unknown. */
const TAKES_EMPTY = 'stave tracks edit';

const options = everyCommand(await buildProgram(shellForHelp())).flatMap(({ path, command }) =>
  command.options
    .filter(({ required, long }) => required && !WITH_RULES.includes(long!))
    .filter(() => path !== TAKES_EMPTY)
    .map((option) => ({ line: `${path} ${option.flags}`, option })),
);

it.each(options)('an empty value is refused by $line', ({ option }) => {
  expect(option.parseArg, 'has a parser').toBeDefined();
  expect(() => option.parseArg!('', undefined)).toThrow();
});
