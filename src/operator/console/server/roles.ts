import { type Role, reaches } from '../../../features/access/operator.ts';

/**
 * The least role of each route of the console. A viewer reads and changes nothing, an operator does the daily work, and only
 * an owner may use operators, keys, and backups. `startImport` refuses paths on the server.
 */
const ROUTES: Readonly<Record<Role, readonly string[]>> = {
  viewer: [
    'GET /',
    'GET /catalog',
    'GET /clients',
    'GET /clients/:id',
    'GET /clients/:id/statement',
    'GET /clients/:id/statement.csv',
    'GET /clients/:id/statement.pdf',
    'GET /doctor',
    'GET /imports',
    'GET /jobs/:id',
    'GET /jobs/:id/rejections.csv',
    'GET /licenses',
    'GET /licenses/:number',
    'GET /log',
    'GET /password',
    'GET /playlists',
    'GET /playlists/:id',
    'GET /quotes',
    'GET /rate-cards',
    'GET /rate-cards/:name/:version',
    'GET /search',
    'GET /statements',
    'GET /statements.csv',
    'GET /statements.pdf',
    'GET /tracks',
    'GET /tracks/:id',
    'GET /tracks/:id/artwork',
    'GET /tracks/:id/audio',
    'GET /usage',
    'GET /webhooks',
    'GET /webhooks/:id',
    'GET /webhooks/:id/deliveries/:delivery',
    'POST /logout',
    'POST /password',
  ],
  operator: [
    'GET /clients/new',
    'GET /imports/new',
    'POST /catalog',
    'POST /clients/:id',
    'POST /clients/:id/disable',
    'POST /clients/:id/enable',
    'POST /clients/:id/playlists',
    'POST /clients/:id/playlists/revoke',
    'POST /clients/:id/seats',
    'POST /clients/:id/seats/:seat',
    'POST /clients/:id/seats/:seat/disable',
    'POST /clients/:id/seats/:seat/enable',
    'POST /clients/:id/seats/:seat/end-sessions',
    'POST /clients/:id/seats/:seat/link',
    'POST /clients/:id/seats/:seat/remove',
    'POST /clients/:id/secrets',
    'POST /clients/:id/secrets/:secret/revoke',
    'POST /clients/new',
    'POST /doctor',
    'POST /imports/new',
    'POST /imports/undo',
    'POST /licenses/:number/revoke',
    'POST /playlists',
    'POST /playlists/:id/add',
    'POST /playlists/:id/delete',
    'POST /playlists/:id/grant',
    'POST /playlists/:id/move',
    'POST /playlists/:id/remove',
    'POST /playlists/:id/revoke',
    'POST /playlists/:id/update',
    'POST /rate-cards',
    'POST /rate-cards/:name/:version/withdraw',
    'POST /tracks/:id/edit',
    'POST /tracks/:id/restore',
    'POST /tracks/:id/revert',
    'POST /tracks/:id/takedown',
    'POST /webhooks/:id/deliveries/:delivery/replay',
    'POST /webhooks/:id/disable',
    'POST /webhooks/:id/enable',
    'POST /webhooks/:id/ping',
    'POST /webhooks/:id/replay',
  ],
  owner: [
    'GET /backups',
    'GET /keys',
    'GET /operators',
    'GET /operators/:name',
    'POST /backups',
    'POST /keys/rotate',
    'POST /keys/rotate-licenses',
    'POST /operators',
    'POST /operators/:name',
    'POST /operators/:name/disable',
    'POST /operators/:name/enable',
    'POST /operators/:name/remove',
    'POST /operators/:name/reset',
  ],
};

const LEAST = new Map<string, Role>(
  Object.entries(ROUTES).flatMap(([role, routes]) =>
    routes.map((route) => [route, role as Role] as const),
  ),
);

const PATTERNS = [...LEAST].map(([route, role]) => {
  const parts = route
    .split('/')
    .map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll('.', '\\.')));
  return { form: new RegExp(`^${parts.join('/')}$`), role, isExact: !route.includes(':') };
});

/**
 * Returns the least role of a route. Throws if the table lacks it.
 *
 * @param path may contain expressions of parameters, which the table leaves out
 */
export function leastRole(method: string, path: string): Role {
  const route = `${method} ${path.replaceAll(/\([^)]*\)/g, '')}`;
  const role = LEAST.get(route);
  if (role === undefined) throw new Error(`${route} has no role: add it to roles.ts`);
  return role;
}

/** Whether somebody with this role may send a request to a path of the console. */
export function mayUse(role: Role, method: 'GET' | 'POST', path: string): boolean {
  const fitting = PATTERNS.filter(({ form }) => form.test(`${method} ${path}`));
  const found = fitting.find(({ isExact }) => isExact) ?? fitting[0];
  return found !== undefined && reaches(role, found.role);
}
