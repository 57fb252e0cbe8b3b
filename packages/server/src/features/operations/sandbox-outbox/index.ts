// The sandbox outbox: one list of the messages that simulated transports and carriers were handed, on every channel.
import { type SandboxMessage, sandboxOutbox } from '@parley/contract/operations/sandbox/sandbox-outbox';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import { cursors } from '../../../platform/db/page.ts';
import { ApiError } from '../../../platform/http/api-error.ts';
import { type Caller, routesOf } from '../../../platform/http/context.ts';
import { isOperatorSession } from '../../../platform/http/superadmin.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { SimulatedMail } from '../../../providers/mail/transport.ts';
import { sandboxOutboxStore } from './store.ts';

/** One channel's messages, read from that channel's own records, so that a send does not store a second copy. */
export type OutboxSource = {
  channel: SandboxMessage['channel'];
  /** Newest first; with `before` only messages with a smaller id. */
  page(organization_id: string, before: string | null, limit: number): Promise<SandboxMessage[]>;
};

type SandboxOutboxDeps = {
  db: Database;
  clock: Clock;
  /** Decides when old entries are deleted. */
  expiry_clock: Clock;
  ids: Ids;
  is_on: boolean;
  sources: readonly OutboxSource[];
};

export { sandboxOutboxPersonalData } from './personal-data-store.ts';
export { handedTexts } from './store.ts';

const retention_days = 30;
const list = cursors('sandbox_outbox');

export function sandboxOutboxFeature(deps: SandboxOutboxDeps) {
  const store = sandboxOutboxStore(deps.db);
  // Mail without a record of its own (system mail, forwards) is in this feature's table.
  const sourcesFor = (caller: Caller): OutboxSource[] => {
    const with_service_mail = isOperatorSession(caller);
    return [
      ...deps.sources,
      { channel: 'email', page: (...page) => store.page(...page, { with_service_mail }) },
    ];
  };
  const jobs: JobHandler[] = [
    {
      kind: 'forget_sandbox_outbox',
      every_seconds: 3600,
      run: async () =>
        void (await store.deleteBefore(new Date(deps.expiry_clock.ms() - retention_days * 86_400_000))),
    },
  ];
  return {
    jobs,
    /** Stores mail that has no email record, such as a forward. Belongs in the transaction that records the outcome. */
    storeSimulatedMail: (tx: Transaction, mail: SimulatedMail): Promise<void> =>
      store.insert(tx, {
        id: deps.ids.next(),
        organization_id: mail.organization_id,
        channel: 'email',
        resource_id: mail.email_id,
        handed_at: deps.clock.now().toISOString(),
        sender: mail.from,
        recipients: mail.to,
        message: mail.message,
      }),
    routes: [
      routesOf(sandboxOutbox, {
        async list({ query: { channel, cursor, limit } }, { organization_id, caller }) {
          if (!deps.is_on) throw new ApiError('not_found', { detail: 'The sandbox is off.' });
          const before = cursor === undefined ? null : list.read(cursor);
          const selected = sourcesFor(caller).filter(
            (source) => channel === undefined || source.channel === channel,
          );
          const pages = await Promise.all(
            selected.map((source) => source.page(organization_id, before, limit + 1)),
          );
          const messages = pages.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
          const items = messages.slice(0, limit);
          return { items, next_cursor: messages.length > limit ? list.write(items.at(-1)!.id) : null };
        },
      }),
    ],
  };
}
