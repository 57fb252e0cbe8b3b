// Numbers that organizations buy and release, and the shared pool that calls borrow from.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { Idempotency } from '../../../platform/idempotency.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { JobHandler, Jobs } from '../../../platform/jobs.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import type { Outbox } from '../../../platform/outbox.ts';
import type { UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { AgentService } from '../../agents/agents/index.ts';
import type { GuardedCarriers, WithdrawApproval } from '../../rules/admission/index.ts';
import type { Funds } from '../../rules/funds/index.ts';
import { type RegisteredNumber, sync_sms_job, type VerificationService } from '../verifications/index.ts';
import { type MonthlyCharge, monthlyCharge } from './charges/monthly-charge.ts';
import { holderStore } from './holder-store.ts';
import { numberOffers } from './pool/offers.ts';
import { type PoolService, poolService } from './pool/pool.ts';
import { type QuoteStore, quoteStore } from './pool/quote-store.ts';
import { type NumberPurchase, numberPurchase } from './purchases/purchase.ts';
import type { PurchaseRuleDeps } from './purchases/purchase-rules.ts';
import { type SettlePayload, settle_job, settle_reviewed_job } from './purchases/settle.ts';
import { type SmsRegistrationDeps, syncDue, syncOrganization } from './registration/sms-registration.ts';
import { type SmsRegistrationStore, smsRegistrationStore } from './registration/sms-registration-store.ts';
import { numberRoutes, poolRoutes } from './routes.ts';
import { numberService } from './service.ts';
import { type NumberStore, numberStore } from './store.ts';
import { voiceNumberStore } from './voice-number-store.ts';

export { countryOf } from './phone-rules.ts';
export type { PoolService } from './pool/pool.ts';
export { oldestVoiceNumber } from './voice-number-store.ts';

type JobDeps = SmsRegistrationDeps & {
  purchase: NumberPurchase;
  charge: MonthlyCharge;
  pool: PoolService;
  quotes: QuoteStore;
  expiry_clock: Clock;
};

const numberJobs = (deps: JobDeps): JobHandler[] => [
  {
    kind: settle_job,
    // With a backoff of up to five minutes this is more than the day after which the carrier is asked every hour.
    max_attempts: 400,
    run: (job) => deps.purchase.settleLater(job.payload as SettlePayload),
  },
  {
    kind: settle_reviewed_job,
    run: ({ payload }) =>
      deps.purchase.settleReviewed(payload as { organization_id: string; number_id: string }),
  },
  { kind: 'register_inbound_numbers', every_seconds: 60, run: () => deps.purchase.registerMissing() },
  { kind: 'sync_sms_registration', every_seconds: 3600, lease_seconds: 900, run: () => syncDue(deps) },
  {
    kind: sync_sms_job,
    lease_seconds: 300,
    run: ({ payload }) => syncOrganization(deps, payload.organization_id as string),
  },
  { kind: 'charge_numbers', every_seconds: 3600, run: () => deps.charge.chargeDue() },
  { kind: 'free_pool_numbers', every_seconds: 30, run: async () => void (await deps.pool.sweep()) },
  {
    kind: 'forget_number_quotes',
    every_seconds: 3600,
    run: async () => void (await deps.quotes.deleteExpired(new Date(deps.expiry_clock.ms() - 86_400_000))),
  },
];

/** What verifications and texts ask about numbers. */
const registrationQueries = (store: NumberStore, registrations: SmsRegistrationStore) => ({
  /** A number as verifications need it. */
  async findRegistered(organization_id: string, id: string): Promise<RegisteredNumber | null> {
    const number = await store.findHeld(organization_id, id);
    if (!number) return null;
    const { provider, e164, country_code, number_type, provider_number_id } = number;
    const is_active = number.provisioning_state === 'active';
    return {
      provider,
      e164,
      country_code,
      number_type,
      is_active,
      provider_number_id: provider_number_id ?? '',
    };
  },
  /** The carrier said with a text that its sender is not registered. */
  senderRefused: (on: Queryable, organization_id: string, e164: string) =>
    registrations.refused(on, organization_id, e164, {
      state: 'missing',
      verification_id: null,
      reason: 'The carrier refused a text because the number is not registered.',
    }),
});

export function numbersFeature(deps: {
  db: Database;
  move: Mover;
  unitOfWork: UnitOfWork;
  carriers: GuardedCarriers;
  agents: AgentService;
  verifications: VerificationService;
  outbox: Outbox;
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
  const registrations = smsRegistrationStore(deps.db);
  const sms_deps = { ...deps, registrations };
  const service = numberService({ ...sms_deps, store, quotes, offers, purchase });
  const pool = poolService({ ...deps, grace_seconds: deps.pool_grace_seconds });

  return {
    routes: [numberRoutes(service), poolRoutes(pool)],
    jobs: numberJobs({ ...sms_deps, purchase, charge, pool, quotes }),
    async prepare(): Promise<void> {
      if (deps.seed) await pool.seed(deps.seed.provider, deps.seed.numbers);
    },
    pool,
    ...registrationQueries(store, registrations),
    waiting_records: { number: purchase.waiting_numbers },
    handleCarrierEvents: purchase.handleEvents,
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
