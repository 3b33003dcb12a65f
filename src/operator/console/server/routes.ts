import { clientListRoutes } from '../clients/client-list.ts';
import { clientPageRoutes } from '../clients/client-page.ts';
import { importRoutes } from '../imports/import-pages.ts';
import { jobRoutes } from '../imports/job-page.ts';
import { rateCardRoutes } from '../licensing/rate-card-pages.ts';
import { saleRoutes } from '../licensing/sale-pages.ts';
import { overviewRoutes } from '../pages/overview.ts';
import type { ConsoleRoute } from '../pages/page.ts';
import { usageRoutes } from '../partners/usage-page.ts';
import { webhookRoutes } from '../partners/webhook-pages.ts';
import { playlistRoutes } from '../playlists/playlist-pages.ts';
import { keyRoutes } from '../system/key-pages.ts';
import { logRoutes } from '../system/log-page.ts';
import { maintenanceRoutes } from '../system/maintenance-pages.ts';
import { trackListRoutes } from '../tracks/track-list.ts';
import { trackPageRoutes } from '../tracks/track-page.ts';
import type { ConsoleDependencies } from './dependencies.ts';

/** All pages of the console, and the targets of their forms. */
export function consoleRoutes(deps: ConsoleDependencies): ConsoleRoute[] {
  return [
    ...overviewRoutes(deps),
    ...logRoutes(deps),
    ...trackListRoutes(deps),
    ...trackPageRoutes(deps),
    ...playlistRoutes(deps),
    ...importRoutes(deps),
    ...jobRoutes(deps),
    ...clientListRoutes(deps),
    ...clientPageRoutes(deps),
    ...usageRoutes(deps),
    ...webhookRoutes(deps),
    ...rateCardRoutes(deps),
    ...saleRoutes(deps),
    ...keyRoutes(deps),
    ...maintenanceRoutes(deps),
  ];
}
