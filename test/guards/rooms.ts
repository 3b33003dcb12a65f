import { importsOf, type SourceFile } from './source.ts';

/** The rooms of `src/`. Each imports only from itself and from those before it. */
const ROOMS = ['common', 'engines', 'features', 'docs-site', 'mcp', 'app', 'operator', 'main.ts'];

/** What each engine may import of the others. Each names only engines before it. */
export const ENGINES: Dependencies = {
  'change-log': [],
  net: [],
  blobs: [],
  audio: ['blobs'],
  search: ['change-log'],
  sql: ['change-log'],
  tasks: ['sql'],
  idempotency: ['sql'],
  limits: [],
  http: ['blobs', 'idempotency', 'limits'],
};

/** What each feature may import of the others. Each names only features before it: this is their order. */
export const FEATURES: Dependencies = {
  access: [],
  languages: [],
  availability: [],
  catalog: ['languages', 'availability'],
  media: ['access', 'availability', 'catalog'],
  renditions: ['access', 'catalog', 'media'],
  sound: ['catalog', 'renditions'],
  licensing: ['access', 'availability', 'catalog', 'media', 'renditions'],
  briefs: ['catalog'],
  tracks: ['languages', 'catalog', 'media', 'sound', 'briefs'],
  stems: ['catalog', 'media', 'tracks'],
  playlists: ['access', 'languages', 'catalog', 'media', 'tracks'],
  collections: ['access', 'languages', 'catalog', 'media', 'tracks'],
  popularity: ['languages', 'catalog', 'licensing', 'tracks'],
  usage: ['availability', 'catalog', 'licensing'],
  webhooks: ['access', 'catalog'],
  'saved-searches': ['access', 'languages', 'catalog', 'tracks', 'webhooks'],
  takedown: ['availability', 'catalog', 'usage'],
  changes: ['languages', 'catalog', 'media', 'licensing', 'tracks', 'playlists', 'takedown'],
  service: [],
  // The ports of all stores.
  'store.ts': [
    ...[
      'access',
      'languages',
      'availability',
      'catalog',
      'briefs',
      'media',
      'renditions',
      'sound',
      'licensing',
    ],
    ...['playlists', 'collections', 'usage', 'webhooks', 'saved-searches', 'takedown'],
  ],
  import: ['access', 'languages', 'availability', 'catalog', 'renditions', 'licensing'],
  demo: ['access', 'languages', 'catalog', 'media', 'licensing', 'store.ts', 'import'],
};

/**
 * What the parts of a feature may import of features. What is in no other folder is rules. Rules may also name the
 * class of a store, by `import type`: a store has one implementation, whose class is its interface.
 */
const PARTS: Dependencies = {
  rules: ['rules'],
  store: ['rules', 'store'],
  routes: ['rules', 'store', 'routes'],
  work: ['rules', 'store', 'routes', 'work'],
};

/** The parts that the rooms after the features may import; `app` composes all of them. */
const PARTS_FOR: Dependencies = {
  'docs-site': ['rules'],
  mcp: ['rules'],
  operator: ['rules', 'work'],
};

/** The engines that only some parts may import: rules know neither SQL nor requests. */
const ENGINES_OF_PARTS: Dependencies = { sql: ['store'], http: ['routes', 'work'] };

/** The imports that break these rules, with the reason. */
export const EXCEPTIONS: readonly { from: RegExp; to: RegExp; reason: string }[] = [
  {
    from: /^src\/engines\/sql\/tables\//,
    to: /^src\/features\/[\w-]+\/[\w-]+\.ts$/,
    reason: 'the declaration of a column names the type of its values; types only',
  },
  {
    from: /^src\/engines\/sql\/database\.ts$/,
    to: /^src\/features\/catalog\/batches\.ts$/,
    reason: 'the writer of a batch gets former tracks; types only',
  },
  {
    from: /^src\/features\/(?:store|demo\/state)\.ts$/,
    to: /^src\/engines\/sql\/(?:setting-store|copied-tables)\.ts$/,
    reason: 'the ports of settings and of the copy of tables belong to no feature; types only',
  },
  {
    from: /^src\/features\/webhooks\/work\/leased-webhooks\.ts$/,
    to: /^src\/engines\/sql\/setting-store\.ts$/,
    reason: 'the thread opens the store itself; types only',
  },
];

/** The most files of a folder besides tests. */
export const MOST_FILES = 25;

/** By name, what each may import. */
type Dependencies = Readonly<Record<string, readonly string[]>>;

/** Every import between rooms, engines, features and their parts that breaks the rules, one line each. */
export function brokenRooms(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const values = new Set(importsOf(valuesOnly(file)));
    return importsOf(file)
      .filter((target) => target.startsWith('src/'))
      .flatMap((target) => faultOf(file.path, target, !values.has(target)) ?? []);
  });
}

/** The file without its `import type` statements. */
export function valuesOnly({ path, text }: SourceFile): SourceFile {
  return { path, text: text.replace(/^(?:import|export) type [^;]*;$/gms, '') };
}

function faultOf(from: string, to: string, isType: boolean): string | undefined {
  if (EXCEPTIONS.some((one) => one.from.test(from) && one.to.test(to))) return undefined;
  const [ofFile, ofTarget] = [placeOf(from), placeOf(to)];
  const fault = (what: string) => `${from} imports ${to}, but ${what}`;
  for (const { path, room } of [
    { path: from, ...ofFile },
    { path: to, ...ofTarget },
  ]) {
    if (!ROOMS.includes(room)) return `${path} is in no room`;
  }
  if (ROOMS.indexOf(ofTarget.room) > ROOMS.indexOf(ofFile.room)) {
    return fault(`${ofFile.room} knows nothing of ${ofTarget.room}`);
  }
  if (ofFile.room === 'engines' && ofTarget.room === 'engines') {
    return mayImport(ENGINES, ofFile.name, ofTarget.name)
      ? undefined
      : fault(`the engine ${ofFile.name} may not import ${ofTarget.name}`);
  }
  if (ofTarget.room === 'features' && ofFile.room in PARTS_FOR) {
    return PARTS_FOR[ofFile.room]!.includes(ofTarget.part) || (isType && ofTarget.part === 'store')
      ? undefined
      : fault(`${ofFile.room} may not import ${ofTarget.part}`);
  }
  if (ofFile.room !== 'features') return undefined;
  if (ofTarget.room === 'engines') {
    const parts = ENGINES_OF_PARTS[ofTarget.name];
    return parts === undefined || parts.includes(ofFile.part)
      ? undefined
      : fault(`${ofFile.part} may not import ${ofTarget.name}`);
  }
  if (ofTarget.room !== 'features') return undefined;
  if (!mayImport(FEATURES, ofFile.name, ofTarget.name)) {
    return fault(`the feature ${ofFile.name} may not import ${ofTarget.name}`);
  }
  return PARTS[ofFile.part]!.includes(ofTarget.part) || (isType && ofTarget.part === 'store')
    ? undefined
    : fault(`${ofFile.part} may not import ${ofTarget.part}`);
}

function mayImport(dependencies: Dependencies, from: string, to: string): boolean {
  return from === to || (dependencies[from]?.includes(to) ?? false);
}

/** The room of a file, the engine or feature in it, and the part of the feature. */
export function placeOf(path: string): { room: string; name: string; part: string } {
  const [, room = '', name = '', folder = ''] = path.split('/');
  return { room, name, part: folder in PARTS ? folder : 'rules' };
}
