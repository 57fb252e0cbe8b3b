// Numbers that organizations buy and release, and the shared pool that calls borrow from.
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Idempotency } from '../../platform/idempotency.ts';
import type { Ids } from '../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../platform/jobs.ts';
import type { Mover } from '../../platform/lifecycle.ts';
import type { Log } from '../../platform/log.ts';
import type { UnitOfWork } from '../../platform/unit-of-work/unit-of-work.ts';
import type { GuardedCarriers, WithdrawApproval } from '../admission/index.ts';
import type { AgentService } from '../agents/index.ts';
import type { Funds } from '../funds/index.ts';
import type { VerificationService } from '../verifications/index.ts';
import { settle_job } from './held-purchase.ts';
import { holderStore } from './holder-store.ts';
import { monthlyCharge } from './monthly-charge.ts';
import { numberOffers } from './offers.ts';
import { type PoolService, poolService } from './pool.ts';
import { numberPurchase } from './purchase.ts';
import type { PurchaseRuleDeps } from './purchase-rules.ts';
import { quoteStore } from './quote-store.ts';
import { numberRoutes, poolRoutes } from './routes.ts';
import { numberService } from './service.ts';
import type { SettlePayload } from './settle.ts';
import { numberStore } from './store.ts';
import { voiceNumberStore } from './voice-number-store.ts';

export { countryOf } from './phone-rules.ts';
export type { PoolService } from './pool.ts';
export { oldestVoiceNumber } from './voice-number-store.ts';

export function numbersFeature(deps: {
  db: Database;
  move: Mover;
  unitOfWork: UnitOfWork;
  carriers: GuardedCarriers;
  agents: AgentService;
  verifications: VerificationService;
  funds: Pick<Funds, 'charging' | 'charge' | 'covers'>;
  budgets: PurchaseRuleDeps['budgets'];
  approvals: PurchaseRuleDeps['approvals'];
  withdrawApproval: WithdrawApproval;
  clock: Clock;
  /** Decides when old quotes are deleted. */
  expiry_clock: Clock;
  ids: Ids;
  log: Log;
  idempotency: Idempotency;
  enqueue: Jobs['enqueue'];
  pool_grace_seconds: number;
  /** Numbers for the shared pool that the sandbox offers; null outside of the sandbox. */
  seed: { provider: string; numbers: Parameters<PoolService['seed']>[1] } | null;
  /** Which of these calls have not ended. */
  openCalls(call_ids: string[]): Promise<Set<string>>;
}) {
  const store = numberStore(deps.db, deps.move, deps.unitOfWork);
  const quotes = quoteStore(deps.db);
  const holders = holderStore(deps.db);
  const offers = numberOffers({ ...deps, store, quotes });
  const charge = monthlyCharge(deps);
  const purchase = numberPurchase({ ...deps, store, charge });
  const service = numberService({ ...deps, store, quotes, offers, purchase });
  const pool = poolService({ ...deps, grace_seconds: deps.pool_grace_seconds });

  const jobs: JobHandler[] = [
    {
      kind: settle_job,
      // With a backoff of up to five minutes this is more than the day after which a purchase is given up.
      max_attempts: 400,
      run: (job) => purchase.settleLater(job.payload as SettlePayload),
    },
    { kind: 'register_inbound_numbers', every_seconds: 60, run: () => purchase.registerMissing() },
    { kind: 'charge_numbers', every_seconds: 3600, run: () => charge.chargeDue() },
    { kind: 'free_pool_numbers', every_seconds: 30, run: async () => void (await pool.sweep()) },
    {
      kind: 'forget_number_quotes',
      every_seconds: 3600,
      run: async () => void (await quotes.deleteExpired(new Date(deps.expiry_clock.ms() - 86_400_000))),
    },
  ];

  return {
    routes: [numberRoutes(service), poolRoutes(pool)],
    jobs,
    async prepare(): Promise<void> {
      if (deps.seed) await pool.seed(deps.seed.provider, deps.seed.numbers);
    },
    pool,
    held_numbers: purchase.held_numbers,
    ...voiceNumberStore(deps.db),
    holders: (on: Queryable, e164s: string[]) => holders.holders(on, e164s),
    /** Countries of all active numbers, of organizations and of the pool, at real carriers. */
    heldCountries: () =>
      holders.heldCountries(
        deps.carriers.all().flatMap(({ name, capabilities }) => (capabilities.simulated ? [] : [name])),
      ),
  };
}
export type NumbersFeature = ReturnType<typeof numbersFeature>;
