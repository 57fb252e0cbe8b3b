// What explain reads from other features: one small function per source.

import type { LoggedRequest } from '@parley/contract/operations/request-log';
import type { WebhookAttempt } from '@parley/contract/operations/webhooks/webhooks';
import type { Approval } from '@parley/contract/rules/approvals/approvals';
import type { LedgerEntry } from '@parley/contract/rules/spending/funds';
import type { CallHistory } from '../../channels/calls/index.ts';
import type { EmailHistory } from '../../channels/emails/index.ts';
import type { SmsHistory } from '../../channels/sms/index.ts';

export type DeliveryHistory = {
  id: string;
  subscription_id: string;
  event_id: string;
  event_type: string;
  status: string;
  created_at: string;
  delivered_at: string | null;
  attempts: WebhookAttempt[];
  subscription_status: string;
  disabled_reason: string | null;
};

type Find<T> = (organization_id: string, id: string) => Promise<T | null>;
type EventOfRecord = { id: string; type: string; created_at: string };

export type ExplainSources = {
  findCall: Find<CallHistory>;
  findEmail: Find<EmailHistory>;
  findSms: Find<SmsHistory>;
  findApproval: Find<Approval>;
  /** Null: any subscription of the organization. */
  findDelivery(
    organization_id: string,
    id: string,
    subscription_id: string | null,
  ): Promise<DeliveryHistory | null>;
  approvalsOf(organization_id: string, object_id: string): Promise<Approval[]>;
  eventsOf(organization_id: string, object_id: string, limit: number): Promise<EventOfRecord[]>;
  deliveriesOf(organization_id: string, events: readonly EventOfRecord[]): Promise<DeliveryHistory[]>;
  chargesOf(organization_id: string, object_id: string): Promise<LedgerEntry[]>;
  /** Requests that created or changed it. */
  requestsOf(organization_id: string, object_id: string, limit: number): Promise<LoggedRequest[]>;
};
