// The sandbox's outbox: what the pretended transports and carriers were handed, of every channel in one list.
import { type SandboxMessage, sandboxOutbox } from '@parley/contract/sandbox-outbox';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { cursors } from '../../platform/db/page.ts';
import type { Sql } from '../../platform/db/sql.ts';
import { ApiError } from '../../platform/http/api-error.ts';
import { routesOf } from '../../platform/http/context.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler } from '../../platform/jobs.ts';
import { type OutboxRow, sandboxOutboxStore } from './store.ts';

/** A record of a channel knows itself what was handed over; keeping a second copy would double the work of a send. */
export type HandedOver = {
  channel: SandboxMessage['channel'];
  /** Newest first, older than the id where one is given. */
  page(organization_id: string, before: string | null, limit: number): Promise<SandboxMessage[]>;
};

const kept_days = 30;
const list = cursors('sandbox_outbox');

export function sandboxOutboxFeature(deps: {
  db: Database;
  clock: Clock;
  /** Old entries are deleted by it. */
  expiry_clock: Clock;
  ids: Ids;
  is_on: boolean;
  handed: readonly HandedOver[];
}) {
  const store = sandboxOutboxStore(deps.db);
  const sources: HandedOver[] = [...deps.handed, { channel: 'email', page: store.page }];
  const jobs: JobHandler[] = [
    {
      kind: 'forget_sandbox_outbox',
      every_seconds: 3600,
      run: async () =>
        void (await store.forgetBefore(new Date(deps.expiry_clock.ms() - kept_days * 86_400_000))),
    },
  ];
  return {
    jobs,
    /** The INSERT that keeps what no record tells, such as a forwarded message, for the commit that says it was sent. */
    keeping: (handed: Omit<OutboxRow, 'id' | 'handed_at'>[]): Sql => {
      const handed_at = deps.clock.now().toISOString();
      return store.insertionOf(handed.map((each) => ({ id: deps.ids.next(), handed_at, ...each })));
    },
    routes: routesOf(sandboxOutbox, {
      async list({ query: { channel, cursor, limit } }, { organization_id }) {
        if (!deps.is_on) throw new ApiError('not_found', { detail: 'The sandbox is off.' });
        const before = cursor === undefined ? null : list.read(cursor);
        const asked = sources.filter((source) => channel === undefined || source.channel === channel);
        const pages = await Promise.all(
          asked.map((source) => source.page(organization_id, before, limit + 1)),
        );
        const found = pages.flat().sort((a, b) => (a.id < b.id ? 1 : -1));
        const items = found.slice(0, limit);
        return { items, next_cursor: found.length > limit ? list.write(items.at(-1)!.id) : null };
      },
    }),
  };
}
