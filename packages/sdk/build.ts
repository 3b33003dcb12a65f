/** Makes the files of the package: of each module of src, what runs and its types. `npm pack` runs this. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from 'rolldown/utils';

const source = join(import.meta.dirname, 'src');
const dist = join(import.meta.dirname, 'dist');

rmSync(dist, { recursive: true, force: true });
for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.ts') || path.includes('.test')) continue;
  const { code, declaration, errors } = transformSync(
    path,
    readFileSync(join(source, path), 'utf8'),
    {
      target: 'es2022',
      // The types of what a module exports must be written, so that no other module is needed to find them.
      typescript: { declaration: {}, rewriteImportExtensions: true, onlyRemoveTypeImports: true },
    },
  );
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  const made = join(dist, path.replace(/\.ts$/, ''));
  mkdirSync(dirname(made), { recursive: true });
  writeFileSync(`${made}.js`, code);
  writeFileSync(`${made}.d.ts`, declaration ?? '');
}
