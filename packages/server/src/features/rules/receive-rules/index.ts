// Receive rules: who may write to an organization or call it, and which mail goes into quarantine.
import { addressKey } from '@parley/contract/schema/mailbox';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler } from '../../../platform/jobs.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { AuditLog } from '../../access/audit/index.ts';
import { receiveJudge } from './judge.ts';
import { receiveRuleRoutes } from './routes.ts';
import { receiveRuleService } from './service.ts';
import { type Hit, receiveRuleStore } from './store.ts';

export type { EmailDecision, IncomingEmail } from './judge.ts';
export type { DecidingRule } from './rule.ts';
export type { Hit } from './store.ts';

const announce_ms = 3_600_000;
const kept_ms = 48 * 3_600_000;

export type BlockedEmail = Hit & { from_address: string; to_addresses: string[] };

export function receiveRuleFeature(deps: {
  db: Database;
  clock: Clock;
  ids: Ids;
  audit: AuditLog;
  unitOfWork: UnitOfWork;
  countryOf(e164: string): string | null;
}) {
  const { clock, db } = deps;
  const store = receiveRuleStore(db);
  const judge = receiveJudge(store, deps.countryOf);
  const service = receiveRuleService({ ...deps, store, changed: judge.forget });
  const jobs: JobHandler[] = [
    {
      kind: 'forget_blocked_senders',
      every_seconds: 3600,
      run: async () => void (await store.forgetBlocks(new Date(clock.ms() - kept_ms))),
    },
  ];
  return {
    routes: [receiveRuleRoutes(service)],
    jobs,
    judgeEmail: judge.email,
    judgePhone: judge.phone,
    recordHits: (on: Queryable, hits: readonly Hit[]) => store.recordHits(on, hits, clock.now()),

    /** Counts an email that was refused, and announces it at most once an hour for each rule and sender. */
    async recordBlock({ organization_id, rule_id, from_address, to_addresses }: BlockedEmail): Promise<void> {
      const now = clock.now();
      await db.transaction(async (tx) => {
        const hit = { organization_id, rule_id };
        await store.recordHits(tx, [hit], now);
        const since = new Date(now.getTime() - announce_ms);
        const count = await store.countBlock(tx, hit, addressKey(from_address), { now, since });
        if (count === null) return;
        const data = { from_address, to_addresses, rule_id, count };
        const event = { organization_id, type: 'email.blocked' as const, resource_id: rule_id, data };
        await deps.unitOfWork.commitIn(tx, [{ events: [event] }]);
      });
    },
  };
}
export type ReceiveRules = ReturnType<typeof receiveRuleFeature>;
