// The rules of webhook subscriptions: where they may point, what their secrets are worth, how they are switched.
import { events } from '@parley/contract/event-types';
import { limits, webhook_api_version } from '@parley/contract/limits';
import {
  type WebhookDelivery,
  type WebhookDeliveryWithAttempts,
  type WebhookSubscription,
  type WebhookSubscriptionCreate,
  type WebhookSubscriptionPatch,
  type WebhookSubscriptionWithSecret,
  webhookSubscriptionLifecycle,
} from '@parley/contract/webhooks';
import type { Clock } from '../../platform/clock.ts';
import type { Sealer } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { PageRequest } from '../../platform/db/page.ts';
import type { AddressPolicy } from '../../platform/egress/address-policy.ts';
import { checkUrl, type UrlRefusal } from '../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../platform/http/api-error.ts';
import type { Ids } from '../../platform/ids.ts';
import { mover } from '../../platform/lifecycle.ts';
import { sealContext } from './recipients.ts';
import type { DeliveryState } from './retry-ladder.ts';
import { newSecret } from './signature.ts';
import { subscriptionColumns, webhookStore } from './store.ts';

const overlap_ms = limits.webhook_secret_overlap_hours * 3_600_000;

export function webhookService(deps: {
  db: Database;
  clock: Clock;
  expiry_clock: Clock;
  ids: Ids;
  sealer: Sealer;
  policy: AddressPolicy;
  /** What a process is sending for the first time has no row yet: from now on it has, and can be read. */
  showHandedOff(organization_id: string, subscription_id: string, on?: Queryable): Promise<unknown>;
  hasEmailDomain(organization_id: string, email_domain_id: string): Promise<boolean>;
  /** Tells the sender that what it knows of a subscription is old, or that there is something to do. */
  changed(subscription_id: string): void;
  /** Clears away the deliveries of a removed subscription. */
  scheduleRemoval(on: Queryable, subscription_id: string): Promise<void>;
}) {
  const { db, clock, ids, sealer } = deps;
  const store = webhookStore(db);
  const move = mover({ outbox: null });

  const found = <T>(record: T | null): T => {
    if (record === null) throw new ApiError('not_found');
    return record;
  };
  const now = () => clock.now().toISOString();

  const seal = (organization_id: string, id: string, secret: string) =>
    sealer.seal(secret, sealContext(organization_id, id));

  const checkTarget = (target_url: string) => {
    const verdict = checkUrl(target_url, deps.policy);
    if (!verdict.ok) throw targetError(verdict.reason);
  };

  return {
    async create(
      organization_id: string,
      given: WebhookSubscriptionCreate,
    ): Promise<WebhookSubscriptionWithSecret> {
      checkTarget(given.target_url);
      if (given.email_domain_id && !(await deps.hasEmailDomain(organization_id, given.email_domain_id))) {
        throw validationError([
          { path: 'body.email_domain_id', message: 'There is no such email domain', code: 'invalid_value' },
        ]);
      }
      const created_at = now();
      const subscription: WebhookSubscription = {
        id: ids.next(),
        organization_id,
        target_url: given.target_url,
        event_types: given.event_types,
        email_domain_id: given.email_domain_id ?? null,
        status: webhookSubscriptionLifecycle.initial,
        disabled_reason: null,
        dead_streak: 0,
        previous_secret_expires_at: null,
        created_at,
        updated_at: created_at,
      };
      const secret = newSecret();
      const sealed = seal(organization_id, subscription.id, secret);
      if (!(await store.insert(organization_id, subscription, sealed))) {
        throw new ApiError('too_many_webhooks', {
          detail: `An organization may have ${limits.webhook_subscriptions} webhook subscriptions.`,
        });
      }
      return { ...subscription, secret };
    },

    list: (organization_id: string, page: PageRequest) => store.list(organization_id, page),

    get: async (organization_id: string, id: string): Promise<WebhookSubscription> =>
      found(await store.find(organization_id, id)),

    async update(
      organization_id: string,
      id: string,
      patch: WebhookSubscriptionPatch,
    ): Promise<WebhookSubscription> {
      if (patch.target_url !== undefined) checkTarget(patch.target_url);
      const after = await db.transaction(async (tx) => {
        const before = found(await store.lock(tx, organization_id, id));
        const changed = await store.change(tx, organization_id, id, {
          target_url: patch.target_url ?? before.target_url,
          event_types: patch.event_types ?? before.event_types,
          updated_at: now(),
        });
        if (patch.status === undefined) return changed!;
        const is_on = patch.status === 'active';
        const moved = await move<typeof webhookSubscriptionLifecycle, WebhookSubscription>(tx, {
          lifecycle: webhookSubscriptionLifecycle,
          table: 'webhook_subscriptions',
          organization_id,
          id,
          trigger: is_on ? 'switched_on' : 'switched_off',
          set: is_on ? { disabled_reason: null, dead_streak: 0 } : { disabled_reason: 'switched_off' },
          returning: subscriptionColumns,
        });
        return moved ?? changed!;
      });
      deps.changed(id);
      return after;
    },

    async delete(organization_id: string, id: string): Promise<undefined> {
      await db.transaction(async (tx) => {
        found((await store.remove(tx, organization_id, id)) || null);
        await deps.scheduleRemoval(tx, id);
      });
      deps.changed(id);
    },

    async rotateSecret(organization_id: string, id: string): Promise<WebhookSubscriptionWithSecret> {
      const secret = newSecret();
      const after = await db.transaction(async (tx) => {
        const before = found(await store.lock(tx, organization_id, id));
        return store.replaceSecret(tx, organization_id, id, {
          secret_sealed: seal(organization_id, id, secret),
          previous_secret_sealed: before.secret_sealed,
          previous_secret_expires_at: new Date(deps.expiry_clock.ms() + overlap_ms).toISOString(),
          updated_at: now(),
        });
      });
      deps.changed(id);
      return { ...after!, secret };
    },

    async test(organization_id: string, subscription_id: string): Promise<WebhookDelivery> {
      const { event_types } = found(await store.find(organization_id, subscription_id));
      const event_type = event_types[0]!;
      const event_id = ids.next();
      const payload = JSON.stringify({
        id: event_id,
        type: event_type,
        api_version: webhook_api_version,
        created_at: now(),
        organization_id,
        data: (events as Record<string, { example: unknown }>)[event_type]?.example ?? {},
      });
      const delivery = await store.insertTest(organization_id, {
        id: ids.next(),
        subscription_id,
        event_id,
        event_type,
        payload,
        now: clock.now(),
      });
      deps.changed(subscription_id);
      return delivery!;
    },

    async listDeliveries(
      organization_id: string,
      subscription_id: string,
      page: PageRequest & { status?: DeliveryState | undefined },
    ) {
      found(await store.find(organization_id, subscription_id));
      await deps.showHandedOff(organization_id, subscription_id);
      return store.listDeliveries(organization_id, subscription_id, page);
    },

    async getDelivery(
      organization_id: string,
      subscription_id: string,
      id: string,
    ): Promise<WebhookDeliveryWithAttempts> {
      found(await store.find(organization_id, subscription_id));
      await deps.showHandedOff(organization_id, subscription_id);
      return found(await store.findDelivery(organization_id, subscription_id, id));
    },

    async redeliver(organization_id: string, subscription_id: string, id: string): Promise<WebhookDelivery> {
      const delivery = await db.transaction(async (tx) => {
        found(await store.find(organization_id, subscription_id, tx));
        await deps.showHandedOff(organization_id, subscription_id, tx);
        return found(await store.redeliver(tx, organization_id, subscription_id, id, clock.now()));
      });
      deps.changed(subscription_id);
      return delivery;
    },
  };
}
export type WebhookService = ReturnType<typeof webhookService>;

const words: Record<UrlRefusal, string> = {
  url_invalid: 'Expected a whole URL such as https://example.com/hooks',
  url_too_long: `Expected a URL of at most ${limits.webhook_url_chars} characters`,
  scheme_not_allowed: 'Expected a URL that starts with https:// or http://',
  credentials_in_url: 'A URL with a user name or password in it is not accepted',
  https_required: 'This server sends webhooks over https only',
  target_not_allowed: 'This server may not send to that address',
};

function targetError(reason: UrlRefusal): ApiError {
  const problem = { path: 'body.target_url', message: words[reason], code: 'invalid' as const };
  if (reason === 'https_required' || reason === 'target_not_allowed') {
    return new ApiError('target_not_allowed', { detail: `${words[reason]}.`, errors: [problem] });
  }
  return validationError([{ ...problem, code: 'invalid_format' }]);
}
