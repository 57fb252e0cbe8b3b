// The SQL of pauses: of an agent that wrote too much, and of agents in conversations in which a person writes.
import type { Clock } from '../../../../platform/clock.ts';
import type { Transaction } from '../../../../platform/db/database.ts';
import { sql } from '../../../../platform/db/sql.ts';
import { firstIdAt } from '../../../../platform/ids.ts';
import { pauseAgent } from '../../../agents/agents/index.ts';

export const pauseStore = (clock: Clock) => ({
  /** How long to wait after a message, in seconds; null for the default of the channel. */
  async delaySeconds(tx: Transaction, organization_id: string, agent_id: string): Promise<number | null> {
    const row = await tx.maybe<{ seconds: number | null }>(sql`
      select (messaging ->> 'reply_delay_seconds')::int as seconds from agents
       where organization_id = ${organization_id} and id = ${agent_id}`);
    return row?.seconds ?? null;
  },

  /** False when another process paused it. */
  pauseAgent: (
    tx: Transaction,
    organization_id: string,
    agent_id: string,
    pause: { until: Date; reason: string },
  ): Promise<boolean> => pauseAgent(tx, organization_id, agent_id, { ...pause, now: clock.now() }),

  /** False when it was noted since the conversation was given to a person. */
  noteNotified: async (
    tx: Transaction,
    organization_id: string,
    conversation_id: string,
    handed_over_at: Date,
  ): Promise<boolean> =>
    (await tx.run(sql`
      update conversations set hand_over_notified_at = ${clock.now()}
       where organization_id = ${organization_id} and id = ${conversation_id}
         and (hand_over_notified_at is null or hand_over_notified_at < ${handed_over_at})`)) > 0,

  /** Pauses the agents of conversations in which a member or program answered; see `human-pauses.ts`. */
  pauseAfterTexts: (tx: Transaction, ids: readonly string[], since: Date) => pauseAfterTexts(tx, ids, since),
  pauseAfterEmails: (tx: Transaction, ids: readonly string[], since: Date) =>
    pauseAfterEmails(tx, ids, since),
});

const pausing = (written: ReturnType<typeof sql>) => sql`
  update conversations c
     set agent_paused_until = greatest(c.agent_paused_until, w.until)
    from (select r.organization_id, coalesce(x.conversation_id, t.conversation_id) as id,
                 max(r.requested_at + make_interval(mins => (a.messaging ->> 'human_pause_minutes')::int)) as until
            ${written}
            join agents a on a.organization_id = r.organization_id and a.id = agent.id
            join conversation_threads t on t.organization_id = r.organization_id and t.thread_id = r.conversation_id
            left join conversation_aliases x on x.organization_id = t.organization_id and x.alias_id = t.conversation_id
           where (a.messaging ->> 'human_pause_minutes')::int > 0
           group by 1, 2) w
   where c.organization_id = w.organization_id and c.id = w.id`;

/** Only answers: the person wrote within the day before. A message that begins a conversation does not pause its agent. */
const pauseAfterTexts = (tx: Transaction, ids: readonly string[], since: Date) =>
  tx.run(
    pausing(sql`
      from sms_messages r
      join lateral (select n.sms_agent_id as id from numbers n
                     where n.organization_id = r.organization_id and n.e164 = r."from" and n.sms_agent_id is not null
                     limit 1) agent on true
      join lateral (select i.id from sms_messages i
                     where i.organization_id = r.organization_id and i.conversation_id = r.conversation_id
                       and i.direction = 'inbound' and i.id >= ${firstIdAt(since)} and i.id < r.id limit 1) before on
                   r.id = any(${ids}::uuid[])`),
  );

const pauseAfterEmails = (tx: Transaction, ids: readonly string[], since: Date) =>
  tx.run(
    pausing(sql`
      from emails r
      join email_domains d on d.organization_id = r.organization_id and d.id = r.email_domain_id
      join lateral (select coalesce((select (e ->> 'agent_id')::uuid from json_array_elements(d.agent_addresses) e
                                      where e ->> 'local_part' = split_part(split_part(lower(r.from_address), '@', 1), '+', 1) limit 1),
                                    d.email_agent_id) as id) agent on agent.id is not null
      join lateral (select i.id from emails i
                     where i.organization_id = r.organization_id and i.conversation_id = r.conversation_id
                       and i.direction = 'inbound' and i.id >= ${firstIdAt(since)} and i.id < r.id limit 1) before on
                   r.id = any(${ids}::uuid[])`),
  );
