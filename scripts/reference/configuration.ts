import { SETTINGS, TEST_PREFIX } from '../../src/app/config/settings.ts';
import { generatedFrom } from './generated-from.ts';

const settings = Object.values(SETTINGS);

/** Returns docs/reference/configuration.md. */
export function configurationPage(): string {
  const rows = settings.map(
    ({ name, meaning, otherwise, example }) =>
      `| \`${name}\` | ${meaning} | ${otherwise} | \`${example}\` |`,
  );
  return `${generatedFrom('src/app/config/settings.ts')}

# Configuration

Each command reads its settings from the environment when it starts. An empty value is equivalent to
absence. With an unknown name that begins with \`STAVE_\`, or an invalid value, the command fails with one
line that contains the name but not the value. Names that begin with \`${TEST_PREFIX}\` belong to the tests
and are ignored. A value that ends with a carriage return, a space or another invisible character is refused.

A setting that may contain a secret can be in a file: the same name with \`_FILE\` is the path of a file with the value
([Secrets](../operations.md#secrets)).

| Name | Meaning | Default | Example |
|---|---|---|---|
${rows.join('\n')}

\`.env.example\` contains all settings. Copy it to \`.env\`, and load it with \`set -a; . ./.env; npm start\`,
with systemd (\`EnvironmentFile=\`) or in a container (\`--env-file\`).
`;
}

/** Returns .env.example. */
export function environmentExample(): string {
  const blocks = settings.map(({ name, meaning, otherwise, example }) => {
    const comment = wrapped(`${meaning.replaceAll('`', '')} Default: ${otherwise}.`);
    return `${comment}\n#${name}=${example}`;
  });
  return `# Settings of Stave, with examples; generated from src/app/config/settings.ts by \`npm run reference\`.
# Copy this file to .env, remove the # of the settings that you need, and start with
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
