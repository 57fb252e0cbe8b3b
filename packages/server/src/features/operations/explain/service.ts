// Explains one object: reads its history from the features that store it, and puts it in one order with a verdict.

import { limits } from '@parley/contract/limits';
import {
  type ExplainedNoun,
  type Explanation,
  type ExplanationEntry,
  type ExplanationVerdict,
  explanationLayers,
} from '@parley/contract/operations/explain/explain';
import { ApiError } from '../../../platform/http/api-error.ts';
import type { ExplainSources } from './sources.ts';
import {
  approvalTimeline,
  callTimeline,
  chargeEntries,
  deliveryTimeline,
  emailTimeline,
  requestEntries,
  smsTimeline,
} from './timelines.ts';
import { approvalVerdict, callVerdict, deliveryVerdict, emailVerdict, smsVerdict } from './verdicts.ts';

const max_requests = 30;
const max_events = 50;
/** When there are too many entries, so many of the oldest stay; the others are the newest. */
const oldest_kept = 50;

type Subject = {
  noun: ExplainedNoun;
  id: string;
  status: string;
  verdict: ExplanationVerdict;
  entries: ExplanationEntry[];
};
type Finder = (organization_id: string, id: string) => Promise<Explanation | null>;

export function explainService(sources: ExplainSources) {
  const explainers = {
    call: async (organization_id, id) => {
      const call = await sources.findCall(organization_id, id);
      if (!call) return null;
      const subject = { noun: 'call', id, status: call.status, verdict: callVerdict(call) } as const;
      return assemble(sources, organization_id, { ...subject, entries: callTimeline(call) });
    },
    email: async (organization_id, id) => {
      const email = await sources.findEmail(organization_id, id);
      if (!email) return null;
      const subject = { noun: 'email', id, status: email.status, verdict: emailVerdict(email) } as const;
      return assemble(sources, organization_id, { ...subject, entries: emailTimeline(email) });
    },
    sms: async (organization_id, id) => {
      const sms = await sources.findSms(organization_id, id);
      if (!sms) return null;
      const subject = { noun: 'sms', id, status: sms.status, verdict: smsVerdict(sms) } as const;
      return assemble(sources, organization_id, { ...subject, entries: smsTimeline(sms) });
    },
    approval: async (organization_id, id) => {
      const approval = await sources.findApproval(organization_id, id);
      if (!approval) return null;
      const subject = { noun: 'approval', id, status: approval.status } as const;
      return assemble(sources, organization_id, {
        ...subject,
        verdict: approvalVerdict(approval),
        entries: approvalTimeline(approval),
      });
    },
  } satisfies Partial<Record<ExplainedNoun, Finder>>;

  const delivery = async (organization_id: string, id: string, subscription_id: string | null) => {
    const delivery = await sources.findDelivery(organization_id, id, subscription_id);
    return delivery && explainDelivery(sources, organization_id, delivery);
  };
  return {
    ...mapFinders(explainers),
    delivery: async (organization_id: string, id: string, subscription_id: string) =>
      orNotFound(await delivery(organization_id, id, subscription_id)),
    /** Ids are unique over all nouns, so the first one that has it is right. */
    async object(organization_id: string, id: string): Promise<Explanation> {
      for (const find of Object.values(explainers)) {
        const explanation = await find(organization_id, id);
        if (explanation) return explanation;
      }
      return orNotFound(await delivery(organization_id, id, null));
    },
  };
}
export type ExplainService = ReturnType<typeof explainService>;

const mapFinders = <K extends string>(finders: Record<K, Finder>) =>
  Object.fromEntries(
    Object.entries<Finder>(finders).map(([noun, find]) => [
      noun,
      async (organization_id: string, id: string) => orNotFound(await find(organization_id, id)),
    ]),
  ) as Record<K, (organization_id: string, id: string) => Promise<Explanation>>;

function orNotFound(found: Explanation | null): Explanation {
  if (!found) throw new ApiError('not_found');
  return found;
}

/** Adds what all records have: requests, approvals, charges, and the events with their webhook deliveries. */
async function assemble(
  sources: ExplainSources,
  organization_id: string,
  subject: Subject,
): Promise<Explanation> {
  const { id, noun } = subject;
  const [requests, approvals, charges, deliveries] = await Promise.all([
    sources.requestsOf(organization_id, id, max_requests),
    noun === 'approval' ? [] : sources.approvalsOf(organization_id, id),
    sources.chargesOf(organization_id, id),
    sources
      .eventsOf(organization_id, id, max_events)
      .then((events) => sources.deliveriesOf(organization_id, events)),
  ]);
  const spent = charges.filter(({ kind }) => kind === 'charge');
  return finish(subject, {
    entries: [
      ...requestEntries(requests),
      ...subject.entries,
      ...approvals.flatMap(approvalTimeline),
      ...chargeEntries(charges),
      ...deliveries.flatMap(deliveryTimeline),
    ],
    cost:
      spent.length === 0
        ? null
        : {
            micros: spent.reduce((sum, { amount_micros }) => sum - amount_micros, 0),
            ledger_entry_ids: spent.map((each) => each.id),
          },
  });
}

async function explainDelivery(
  sources: ExplainSources,
  organization_id: string,
  delivery: NonNullable<Awaited<ReturnType<ExplainSources['findDelivery']>>>,
): Promise<Explanation> {
  const requests = await sources.requestsOf(organization_id, delivery.id, max_requests);
  const { id, status, subscription_status, disabled_reason } = delivery;
  const queued: ExplanationEntry = {
    at: delivery.created_at,
    layer: 'record',
    what: 'created',
    detail: {
      event_id: delivery.event_id,
      event_type: delivery.event_type,
      subscription_status,
      ...(disabled_reason ? { disabled_reason } : {}),
    },
  };
  const subject: Subject = {
    noun: 'webhook_delivery',
    id,
    status,
    verdict: deliveryVerdict(delivery),
    entries: [],
  };
  const entries = [queued, ...requestEntries(requests), ...deliveryTimeline(delivery)];
  return finish(subject, { entries, cost: null });
}

const order = new Map(explanationLayers.map((layer, index) => [layer, index]));

function finish(
  { noun, id, status, verdict }: Subject,
  { entries, cost }: { entries: ExplanationEntry[]; cost: Explanation['cost'] },
): Explanation {
  const sorted = entries.toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at) || order.get(a.layer)! - order.get(b.layer)!,
  );
  const most = limits.explanation_entries;
  const is_complete = sorted.length <= most;
  const timeline = is_complete
    ? sorted
    : [...sorted.slice(0, oldest_kept), ...sorted.slice(sorted.length - (most - oldest_kept))];
  return { object: { noun, id, status }, verdict, timeline, cost, is_complete };
}
