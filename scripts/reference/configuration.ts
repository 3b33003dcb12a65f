import { SETTINGS, TEST_PREFIX } from '../../src/settings.ts';
import { generatedFrom } from './generated-from.ts';

const settings = Object.values(SETTINGS);

/** docs/reference/configuration.md. */
export function configurationPage(): string {
  const rows = settings.map(
    ({ name, meaning, otherwise, example }) =>
      `| \`${name}\` | ${meaning} | ${otherwise} | \`${example}\` |`,
  );
  return `${generatedFrom('src/settings.ts')}

# Configuration

Stave reads its settings from the environment, once, at the start of each command. An empty value
counts as absent. An unknown name that begins with \`STAVE_\`, or a bad value, stops the start with
one line that names it and never shows the value. Names that begin with \`${TEST_PREFIX}\` belong to
the tests and are passed over.

| Name | Meaning | Default | Example |
|---|---|---|---|
${rows.join('\n')}

\`.env.example\` holds all of them. Copied to \`.env\`, it is read by \`set -a; . ./.env; npm start\`, by
systemd (\`EnvironmentFile=\`) and by containers (\`--env-file\`).
`;
}

/** .env.example. */
export function environmentExample(): string {
  const blocks = settings.map(({ name, meaning, otherwise, example }) => {
    const comment = wrapped(`${meaning.replaceAll('`', '')} Default: ${otherwise}.`);
    return `${comment}\n#${name}=${example}`;
  });
  return `# Settings of Stave, with examples; generated from src/settings.ts by \`npm run reference\`.
# Copy to .env, take the # from what you need, and start with
#   set -a; . ./.env; npm start

${blocks.join('\n\n')}
`;
}

function wrapped(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length > 96) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = line;
    }
  }
  return lines.map((line) => `# ${line}`).join('\n');
}
