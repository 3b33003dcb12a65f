import type { Clock } from '../../../common/clock.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import type { DeliveryStore } from '../store/delivery-store.ts';
import type { WebhookStore } from '../store/webhook-store.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import type { EndpointUrls } from './endpoint-urls.ts';
import { listWebhooks } from './list-webhooks.ts';
import { listWebhookDeliveries, showWebhookDelivery } from './read-deliveries.ts';
import { replayWebhook, replayWebhookDelivery } from './replay-deliveries.ts';
import { rotateWebhookSecret } from './rotate-webhook-secret.ts';
import { pingWebhook, simulateWebhook } from './send-test-message.ts';
import { showWebhook } from './show-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

/** What the operations on webhooks need. */
interface WebhookDependencies {
  store: { webhooks: WebhookStore; webhookDeliveries: DeliveryStore };
  endpointUrls: EndpointUrls;
  clock: Clock;
}

/** Returns the operations on webhooks (docs/contract/webhooks.md). */
export function webhookRoutes({ store, endpointUrls, clock }: WebhookDependencies): Route[] {
  return [
    createWebhook({ ...store, urls: endpointUrls, clock }),
    listWebhooks(store),
    showWebhook(store),
    updateWebhook({ ...store, urls: endpointUrls }),
    deleteWebhook(store),
    rotateWebhookSecret(store),
    pingWebhook(store),
    simulateWebhook(store),
    listWebhookDeliveries(store),
    showWebhookDelivery(store),
    replayWebhookDelivery(store),
    replayWebhook(store),
  ];
}
