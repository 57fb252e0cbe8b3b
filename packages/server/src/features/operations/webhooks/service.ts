// The rules of webhook subscriptions: which URLs are allowed, how secrets are rotated, how a subscription is disabled.
import { limits } from '@parley/contract/limits';
import {
  no_recent_deliveries,
  type WebhookSubscription,
  type WebhookSubscriptionCreate,
  type WebhookSubscriptionPatch,
  type WebhookSubscriptionWithSecret,
  webhookSubscriptionLifecycle,
} from '@parley/contract/operations/webhooks/webhooks';
import type { Clock } from '../../../platform/clock.ts';
import type { Sealer } from '../../../platform/crypto.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import type { PageRequest } from '../../../platform/db/page.ts';
import type { AddressPolicy } from '../../../platform/egress/address-policy.ts';
import { checkUrl, type UrlRefusal } from '../../../platform/egress/check-url.ts';
import { ApiError, validationError } from '../../../platform/http/api-error.ts';
import type { Ids } from '../../../platform/ids.ts';
import { mover } from '../../../platform/lifecycle.ts';
import { newSecret } from '../../../protocols/webhook-signature.ts';
import { sealContext } from './send/queue/recipients.ts';
import * as store from './store.ts';

export type WebhookServiceDeps = {
  db: Database;
  clock: Clock;
  expiry_clock: Clock;
  ids: Ids;
  sealer: Sealer;
  policy: AddressPolicy;
  hasEmailDomain(organization_id: string, email_domain_id: string): Promise<boolean>;
  /** Called after a change, so that the sender drops its cached subscription and looks for due deliveries. */
  onChange(subscription_id: string): void;
  /** Enqueues the job that deletes the deliveries of a deleted subscription. */
  scheduleRemoval(on: Queryable, subscription_id: string): Promise<void>;
  /** Enqueues the job that checks a receiver. */
  scheduleCertification(on: Queryable, certification_id: string): Promise<void>;
};

const secret_overlap_ms = limits.webhook_secret_overlap_hours * 3_600_000;

const move = mover({ outbox: null });

export async function create(
  deps: WebhookServiceDeps,
  organization_id: string,
  input: WebhookSubscriptionCreate,
): Promise<WebhookSubscriptionWithSecret> {
  checkTarget(deps, input.target_url);
  if (input.email_domain_id && !(await deps.hasEmailDomain(organization_id, input.email_domain_id))) {
    throw validationError([
      { path: 'body.email_domain_id', message: 'There is no such email domain', code: 'invalid_value' },
    ]);
  }
  const created_at = deps.clock.now().toISOString();
  const subscription: WebhookSubscription = {
    id: deps.ids.next(),
    organization_id,
    target_url: input.target_url,
    event_types: input.event_types,
    email_domain_id: input.email_domain_id ?? null,
    status: webhookSubscriptionLifecycle.initial,
    disabled_reason: null,
    dead_streak: 0,
    recent_deliveries: no_recent_deliveries,
    previous_secret_expires_at: null,
    created_at,
    updated_at: created_at,
  };
  const secret = newSecret();
  const sealed = seal(deps, organization_id, subscription.id, secret);
  if (!(await store.insertSubscription(deps.db, organization_id, subscription, sealed))) {
    throw new ApiError('too_many_webhooks', {
      detail: `An organization may have ${limits.webhook_subscriptions} webhook subscriptions.`,
    });
  }
  return { ...subscription, secret };
}

export const list = ({ db }: WebhookServiceDeps, organization_id: string, page: PageRequest) =>
  store.listSubscriptions(db, organization_id, page);

export const get = async (
  { db }: WebhookServiceDeps,
  organization_id: string,
  id: string,
): Promise<WebhookSubscription> => orNotFound(await store.findSubscription(db, organization_id, id));

export async function update(
  deps: WebhookServiceDeps,
  organization_id: string,
  id: string,
  patch: WebhookSubscriptionPatch,
): Promise<WebhookSubscription> {
  if (patch.target_url !== undefined) checkTarget(deps, patch.target_url);
  const after = await deps.db.transaction(async (tx) => {
    const before = orNotFound(await store.lockSubscription(tx, organization_id, id));
    const updated = await store.updateSubscription(tx, organization_id, id, {
      target_url: patch.target_url ?? before.target_url,
      event_types: patch.event_types ?? before.event_types,
      updated_at: deps.clock.now().toISOString(),
    });
    if (patch.status === undefined) return updated!;
    return (await setActive(tx, organization_id, id, patch.status === 'active')) ?? updated!;
  });
  deps.onChange(id);
  return after;
}

const setActive = (tx: Transaction, organization_id: string, id: string, is_active: boolean) =>
  move<typeof webhookSubscriptionLifecycle, WebhookSubscription>(tx, {
    lifecycle: webhookSubscriptionLifecycle,
    table: 'webhook_subscriptions',
    organization_id,
    id,
    trigger: is_active ? 'switched_on' : 'switched_off',
    set: is_active ? { disabled_reason: null, dead_streak: 0 } : { disabled_reason: 'switched_off' },
    returning: store.subscriptionColumns,
  });

export async function remove(
  deps: WebhookServiceDeps,
  organization_id: string,
  id: string,
): Promise<undefined> {
  await deps.db.transaction(async (tx) => {
    orNotFound((await store.deleteSubscription(tx, organization_id, id)) || null);
    await deps.scheduleRemoval(tx, id);
  });
  deps.onChange(id);
}

export async function rotateSecret(
  deps: WebhookServiceDeps,
  organization_id: string,
  id: string,
): Promise<WebhookSubscriptionWithSecret> {
  const secret = newSecret();
  const after = await deps.db.transaction(async (tx) => {
    const before = orNotFound(await store.lockSubscription(tx, organization_id, id));
    return store.replaceSecret(tx, organization_id, id, {
      secret_sealed: seal(deps, organization_id, id, secret),
      previous_secret_sealed: before.secret_sealed,
      previous_secret_expires_at: new Date(deps.expiry_clock.ms() + secret_overlap_ms).toISOString(),
      updated_at: deps.clock.now().toISOString(),
    });
  });
  deps.onChange(id);
  return { ...after!, secret };
}

const orNotFound = <T>(record: T | null): T => {
  if (record === null) throw new ApiError('not_found');
  return record;
};

const seal = ({ sealer }: WebhookServiceDeps, organization_id: string, id: string, secret: string) =>
  sealer.seal(secret, sealContext(organization_id, id));

const refusal_messages: Record<UrlRefusal, string> = {
  url_invalid: 'Expected an absolute URL such as https://example.com/hooks',
  url_too_long: `Expected a URL of at most ${limits.webhook_url_chars} characters`,
  scheme_not_allowed: 'Expected a URL that starts with https:// or http://',
  credentials_in_url: 'A URL with a user name or password in it is not accepted',
  https_required: 'This server sends webhooks over https only',
  target_not_allowed: 'This server may not send to that address',
};

function checkTarget({ policy }: WebhookServiceDeps, target_url: string): void {
  const verdict = checkUrl(target_url, policy);
  if (verdict.ok) return;
  const message = refusal_messages[verdict.reason];
  const problem = { path: 'body.target_url', message, code: 'invalid' as const };
  if (verdict.reason === 'https_required' || verdict.reason === 'target_not_allowed') {
    throw new ApiError('target_not_allowed', { detail: `${message}.`, errors: [problem] });
  }
  throw validationError([{ ...problem, code: 'invalid_format' }]);
}
