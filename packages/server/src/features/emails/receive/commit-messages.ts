// Writes received messages down: record, attachments, timeline, charge, events and forwarding jobs are one commit,
// shared by all messages that arrive together.
import type { inboundSuppressionReasons } from '@parley/contract/email-events';
import { batched } from '../../../platform/batch.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Jobs } from '../../../platform/jobs.ts';
import type { CountOutcome } from '../../../platform/metrics.ts';
import type { NewEvent, Outbox } from '../../../platform/outbox.ts';
import type { EmailAttachments, StoredAttachment } from '../../email-attachments/index.ts';
import type { Receiver } from '../../email-domains/index.ts';
import type { Funds } from '../../funds/index.ts';
import type { TimelineEntry } from '../timeline-store.ts';
import type { InboundRow, InboundStore } from './store.ts';

export const forward_job = 'forward_email';

export type Incoming = {
  row: InboundRow;
  /** Where it came in, of this organization; the first one counts as the source. */
  receivers: { receiver: Receiver; is_loop: boolean }[];
  attachments: StoredAttachment[];
  over_rate: boolean;
};

export type Committed = { email_id: string; is_new: boolean };

type Reason = (typeof inboundSuppressionReasons)[number];

export function committing(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  countOutcome: CountOutcome;
  outbox: Outbox;
  store: InboundStore;
  attachments: Pick<EmailAttachments, 'insertReceived'>;
  funds: Pick<Funds, 'charging' | 'charge'>;
  addToTimeline(tx: Transaction, entries: TimelineEntry[]): Promise<unknown>;
  jobs: Pick<Jobs, 'enqueue' | 'wake'>;
  notifyWaiting(organization_id: string): void;
  baseUrl(): string;
}) {
  const { clock, ids, store } = deps;

  /** Messages of one conversation that begin it together must find each other as well. */
  const joinConversations = async (tx: Transaction, rows: InboundRow[]) => {
    const found = await store.conversations(tx, rows, clock.ms());
    const begun = new Map<string, string>();
    for (const [index, row] of rows.entries()) {
      const keys = [row.in_reply_to, ...row.references_ids, row.thread_key].map(
        (key) => `${row.organization_id} ${key}`,
      );
      row.conversation_id =
        found[index] ??
        keys.map((key) => begun.get(key)).find((id) => id !== undefined) ??
        row.conversation_id;
      begun.set(`${row.organization_id} ${row.thread_key}`, row.conversation_id);
      if (row.message_id) begun.set(`${row.organization_id} ${row.message_id}`, row.conversation_id);
    }
  };

  const isUnpaid = async (tx: Transaction, { row }: Incoming): Promise<boolean> => {
    const charge = { item: 'inbound_email', quantity: 1, reference: row.id } as const;
    return (await deps.funds.charge(tx, row.organization_id, charge)) === 'insufficient_funds';
  };

  /** Reasons not to pass the message on, of all domains together; passes it on where there is none. */
  const forward = async (tx: Transaction, incoming: Incoming, email_id: string, held: boolean) => {
    const reasons = new Set<Reason>();
    const { organization_id } = incoming.row;
    const domains = new Map(incoming.receivers.map((each) => [each.receiver.email_domain_id, each]));
    for (const [email_domain_id, { receiver, is_loop }] of [...domains].sort(([a], [b]) =>
      a < b ? -1 : 1,
    )) {
      if (receiver.forward_to.length === 0) continue;
      if (is_loop) reasons.add('forward_loop');
      if (is_loop || held) continue;
      const admission = await store.admitForward(tx, {
        organization_id,
        email_id,
        email_domain_id,
        limit_per_hour: receiver.forward_rate_per_hour,
        now: clock.now(),
      });
      if (admission === 'over_limit') reasons.add('forward_rate_limit');
      if (admission !== 'admitted') continue;
      await deps.jobs.enqueue(tx, {
        kind: forward_job,
        payload: { organization_id, email_id, email_domain_id, forward_to: receiver.forward_to },
        unique_key: `${forward_job}:${email_id}:${email_domain_id}`,
      });
      tx.afterCommit(() => deps.jobs.wake());
    }
    return [...reasons];
  };

  const entry = (
    row: InboundRow,
    kind: TimelineEntry['kind'],
    key: string,
    detail: Record<string, unknown>,
  ) => ({
    id: ids.next(),
    organization_id: row.organization_id,
    email_id: row.id,
    kind,
    occurred_at: row.requested_at,
    detail,
    dedupe_key: key,
    counted: [],
  });

  const commitGroup = batched<Incoming, Committed>(
    (group) =>
      deps.db.transaction(async (tx) => {
        const rows = group.map(({ row }) => row);
        await joinConversations(tx, rows);
        const stored = await store.insert(tx, rows);
        const entries: TimelineEntry[] = [];
        const events: NewEvent[] = [];
        const results: Committed[] = [];
        await deps.attachments.insertReceived(
          tx,
          group.flatMap(({ row, attachments }) =>
            stored.has(row.id)
              ? attachments.map((attachment, place) => ({
                  ...attachment,
                  organization_id: row.organization_id,
                  email_id: row.id,
                  place,
                }))
              : [],
          ),
        );
        for (const incoming of group) {
          const { row } = incoming;
          if (!stored.has(row.id)) {
            const { id } = (await store.known(tx, row.organization_id, row.dedupe_key))!;
            // Delivered again, perhaps to another address that passes its mail on elsewhere.
            await forward(tx, incoming, id, false);
            results.push({ email_id: id, is_new: false });
            continue;
          }
          const reasons: Reason[] = [];
          if (incoming.over_rate) reasons.push('inbound_rate_limit');
          else if (deps.funds.charging && (await isUnpaid(tx, incoming))) reasons.push('insufficient_funds');
          const held = reasons.length > 0;
          reasons.push(...(await forward(tx, incoming, row.id, held)));
          entries.push(entry(row, 'received', 'received', { recipients: row.arrival.recipients }));
          if (!held) events.push(receivedEvent(incoming, deps.baseUrl()));
          for (const reason of reasons) {
            entries.push(entry(row, 'received_suppressed', `suppressed:${reason}`, { reason }));
            events.push(suppressedEvent(incoming, reason));
          }
          tx.afterCommit(() => {
            deps.countOutcome('email', 'inbound', 'received', held ? reasons[0]! : null);
            deps.notifyWaiting(row.organization_id);
          });
          results.push({ email_id: row.id, is_new: true });
        }
        await deps.addToTimeline(tx, entries);
        await deps.outbox.write(tx, events);
        return results;
      }),
    // Bodies are large: a group must fit into memory and into one statement.
    { max_flushes: 2, max_rows: 25 },
  );

  return { commit: (incoming: Incoming): Promise<Committed> => commitGroup(incoming) };
}
export type Committing = ReturnType<typeof committing>;

const sourceOf = ({ row, receivers }: Incoming) => ({
  organization_id: row.organization_id,
  resource_id: row.id,
  source_id: row.email_domain_id,
  source_name: receivers[0]!.receiver.domain,
});

const commonData = ({ id, direction, from_address, to_addresses, subject, message_id }: InboundRow) => ({
  id,
  direction,
  from_address,
  to_addresses,
  subject,
  message_id,
});

function receivedEvent(incoming: Incoming, base_url: string): NewEvent {
  const { row } = incoming;
  const own = `${base_url}/v1/emails/${row.id}`;
  return {
    ...sourceOf(incoming),
    type: 'email.received',
    data: {
      ...commonData(row),
      in_reply_to: row.in_reply_to,
      spam_verdict: row.spam_verdict,
      virus_verdict: row.virus_verdict,
      spf_verdict: row.spf_verdict,
      dkim_verdict: row.dkim_verdict,
      dmarc_verdict: row.dmarc_verdict,
      raw_url: `${own}/raw`,
      attachments: incoming.attachments.map(({ id, filename, content_type, size_bytes }) => ({
        id,
        filename,
        content_type,
        size_bytes,
        url: `${own}/attachments/${id}`,
      })),
    },
  };
}

const suppressedEvent = (incoming: Incoming, reason: Reason): NewEvent => ({
  ...sourceOf(incoming),
  type: 'email.received.suppressed',
  data: { ...commonData(incoming.row), reason },
});
