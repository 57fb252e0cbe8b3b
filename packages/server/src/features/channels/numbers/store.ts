// The SQL of numbers that organizations hold.

import { numberLifecycle, type PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Hold } from '@parley/contract/rules/approvals/hold';
import type { Database, Queryable, Row, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { sql } from '../../../platform/db/sql.ts';
import { table } from '../../../platform/db/table.ts';
import type { IdempotencyRow } from '../../../platform/idempotency.ts';
import type { Mover } from '../../../platform/lifecycle.ts';
import { check, insert, type UnitOfWork } from '../../../platform/unit-of-work/unit-of-work.ts';
import type { SendingTerms } from '../../rules/admission/index.ts';

export const columns = sql`id, organization_id, provider, e164, country_code, number_type, capabilities,
  provisioning_state, failure_reason, provisioning_detail, hold, true as is_dedicated, messaging_service_sid,
  coalesce(sms_registration, '{"state":"unknown","verification_id":null,"reason":null}'::json) as sms_registration,
  voice_agent_id, sms_agent_id,
  inbound_registered, monthly_cents, setup_cents, currency, iso(created_at) as created_at,
  iso(updated_at) as updated_at, iso(released_at) as released_at`;

/** A number with its internal columns. */
export type HeldNumber = PhoneNumber & {
  provider_number_id: string | null;
  verification_reference: string | null;
  address_reference: string | null;
  campaign_verification_id: string | null;
  /** Of a purchase that waited for a person, or that budgets counted. */
  terms: SendingTerms | null;
};
const held = sql`${columns}, provider_number_id, verification_reference, address_reference,
  campaign_verification_id, terms`;

const list = cursors('numbers');

const numbers = table<'numbers', HeldNumber, typeof numberLifecycle>(
  'numbers',
  {
    id: 'uuid',
    organization_id: 'uuid',
    provider: 'text',
    provider_number_id: 'text',
    e164: 'text',
    country_code: 'text',
    number_type: 'text',
    capabilities: 'text[]',
    provisioning_state: 'text',
    failure_reason: 'text',
    provisioning_detail: 'text',
    hold: 'json',
    terms: 'json',
    messaging_service_sid: 'text',
    sms_registration: 'json',
    voice_agent_id: 'uuid',
    sms_agent_id: 'uuid',
    inbound_registered: 'boolean',
    monthly_cents: 'int',
    setup_cents: 'int',
    currency: 'text',
    verification_reference: 'text',
    address_reference: 'text',
    campaign_verification_id: 'uuid',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    released_at: 'timestamptz',
  },
  { lifecycle: numberLifecycle },
);

const notInPool = check({
  refusal: 'in_pool',
  columns: { e164: 'text' },
  holds: sql`not exists (select from pool_numbers p where p.e164 = asked.e164)`,
});

const lock = (tx: Transaction, organization_id: string, id: string) =>
  tx.maybe<HeldNumber>(
    sql`select ${held} from numbers where organization_id = ${organization_id} and id = ${id} for update`,
  );

async function setHold(
  tx: Transaction,
  organization_id: string,
  id: string,
  { hold, terms, now }: { hold: Hold | null; terms: SendingTerms; now: Date },
): Promise<void> {
  await tx.run(sql`
    update numbers set hold = ${hold && JSON.stringify(hold)}::json, terms = ${JSON.stringify(terms)}::json,
           updated_at = ${now}
     where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'pending'`);
}

export function numberStore(db: Database, move: Mover, unitOfWork: UnitOfWork) {
  return {
    /** Which of these numbers are held by an organization or are in the pool. */
    async heldAmong(e164s: string[]): Promise<Set<string>> {
      const rows = await db.rows<{ e164: string }>(sql`
        select e164 from numbers where e164 = any(${e164s}) and provisioning_state in ('pending', 'active')
        union all select e164 from pool_numbers where e164 = any(${e164s})`);
      return new Set(rows.map((row) => row.e164));
    },

    /** False when the number is held already. `also` runs in the same transaction. */
    async insert(
      _organization_id: string,
      number: HeldNumber,
      answer: IdempotencyRow | null,
      also: (tx: Transaction) => Promise<void>,
    ): Promise<boolean> {
      const record = insert(numbers, number, [notInPool({ e164: number.e164 })]);
      return (await unitOfWork.commit({ record, answer, guard: also })).outcome === 'stored';
    },

    find: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<PhoneNumber>(
        sql`select ${columns} from numbers where organization_id = ${organization_id} and id = ${id}`,
      ),

    findHeld: (organization_id: string, id: string, on: Queryable = db) =>
      on.maybe<HeldNumber>(
        sql`select ${held} from numbers where organization_id = ${organization_id} and id = ${id}`,
      ),

    lock,
    setHold,

    move: (
      tx: Transaction,
      organization_id: string,
      id: string,
      trigger: keyof typeof numberLifecycle.moves,
      set: Row,
    ) =>
      move<typeof numberLifecycle, PhoneNumber>(tx, {
        lifecycle: numberLifecycle,
        table: 'numbers',
        organization_id,
        id,
        trigger,
        set,
        returning: columns,
      }),

    ...provisioning(db),

    setAgents: (organization_id: string, id: string, agents: AgentIds, now: Date) =>
      setAgents(db, organization_id, id, agents, now),

    list(organization_id: string, page: PageRequest & { provisioning_state?: string | undefined }) {
      const inState = page.provisioning_state
        ? sql`and provisioning_state = ${page.provisioning_state}`
        : sql.empty;
      return readPage<PhoneNumber>(db, list, page, {
        columns,
        from: sql`numbers`,
        where: sql`organization_id = ${organization_id} ${inState}`,
      });
    },

    /** Active numbers, of all organizations, that are not registered at their carrier. */
    unregistered: (limit: number) =>
      db.rows<{ organization_id: string; id: string }>(sql`
        select organization_id, id from numbers
         where provisioning_state = 'active' and not inbound_registered order by updated_at limit ${limit}`),
  };
}
export type NumberStore = ReturnType<typeof numberStore>;

type AgentIds = { voice_agent_id?: string | null | undefined; sms_agent_id?: string | null | undefined };

/** The agents that answer calls and texts: undefined keeps the agent, null removes it. */
const setAgents = (db: Database, organization_id: string, id: string, agents: AgentIds, now: Date) =>
  db.maybe<PhoneNumber>(sql`
    update numbers
       set voice_agent_id = case when ${agents.voice_agent_id !== undefined} then ${agents.voice_agent_id ?? null}::uuid else voice_agent_id end,
           sms_agent_id = case when ${agents.sms_agent_id !== undefined} then ${agents.sms_agent_id ?? null}::uuid else sms_agent_id end,
           updated_at = ${now}
     where organization_id = ${organization_id} and id = ${id} and provisioning_state in ('pending', 'active')
    returning ${columns}`);

const provisioning = (db: Database) => ({
  async registered(organization_id: string, id: string, now: Date): Promise<PhoneNumber | null> {
    return db.maybe<PhoneNumber>(sql`
      update numbers set inbound_registered = true, updated_at = ${now}
       where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'active'
      returning ${columns}`);
  },

  /** What a purchase waits for at the carrier. */
  setDetail: (organization_id: string, id: string, detail: string | null) =>
    db.run(sql`
      update numbers set provisioning_detail = ${detail}
       where organization_id = ${organization_id} and id = ${id} and provisioning_state = 'pending'`),

  /** The number of a purchase that the carrier reviews, of any organization; `reference` is what we gave to the carrier. */
  reviewed: (provider: string, reference: string) =>
    db.maybe<{ organization_id: string; id: string }>(sql`
      select organization_id, id from numbers
       where id::text = ${reference} and provider = ${provider} and provisioning_state = 'pending'
         and provisioning_detail is not null`),
});
