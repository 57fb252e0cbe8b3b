// The SQL of agents.
import {
  completeEngines,
  completeLimits,
  completeMessaging,
  completeVoicemail,
  default_tools,
} from '@parley/contract/agents/agent-defaults';
import type { AgentToolEntry } from '@parley/contract/agents/agent-fields';
import type { Agent } from '@parley/contract/agents/agents';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable, Transaction } from '../../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../../platform/db/page.ts';
import { type Sql, sql } from '../../../platform/db/sql.ts';
import type { AgentCreator } from './creator.ts';

const columns = sql`id, organization_id, name, system_prompt, first_message, language, voice, llm_model, tools,
  max_duration_seconds, ai_disclosure, version, timezone, tool_entries, variables, engines, destinations, limits,
  voicemail, result_schema, success_criteria, summarize, messaging,
  iso(paused_until) as paused_until, paused_reason, iso(created_at) as created_at, iso(updated_at) as updated_at`;

const list = cursors('agents');

type NewColumns =
  | 'version'
  | 'timezone'
  | 'variables'
  | 'engines'
  | 'destinations'
  | 'limits'
  | 'voicemail'
  | 'summarize'
  | 'messaging';
/** The new columns are null in rows that a process of the previous release inserted. */
type AgentRow = Omit<Agent, 'tools' | NewColumns> & {
  tools: string[];
  tool_entries: AgentToolEntry[] | null;
} & { [Name in NewColumns]: Agent[Name] | null };

/** The names that the previous release knows, for its processes during an upgrade. */
const earlier_tools = ['end_call', 'send_digits', 'send_sms', 'do_not_contact'];

const toRow = (agent: Agent): AgentRow => ({
  ...agent,
  tools: agent.tools.map(({ type }) => type).filter((type) => earlier_tools.includes(type)),
  tool_entries: agent.tools,
});

function fromRow({ tool_entries, tools, ...row }: AgentRow, now: Date): Agent {
  const is_paused = row.paused_until !== null && new Date(row.paused_until) > now;
  return {
    ...row,
    paused_until: is_paused ? row.paused_until : null,
    paused_reason: is_paused ? row.paused_reason : null,
    tools: tool_entries ?? entriesOf(tools),
    version: row.version ?? 1,
    timezone: row.timezone ?? 'UTC',
    variables: row.variables ?? {},
    engines: completeEngines(row.engines),
    destinations: row.destinations ?? [],
    limits: completeLimits(row.limits),
    voicemail: completeVoicemail(row.voicemail),
    summarize: row.summarize ?? true,
    messaging: completeMessaging(row.messaging),
  };
}

/** In the previous release every call could end itself and press keys, whatever the list said. */
const entriesOf = (names: string[]): AgentToolEntry[] => {
  const always = default_tools.map(({ type }) => type as string);
  return [...new Set([...always, ...names])].map((type) => ({ type }) as AgentToolEntry);
};

export function agentStore(db: Database, clock: Clock) {
  const maybe = async (on: Queryable, query: Sql): Promise<Agent | null> => {
    const row = await on.maybe<AgentRow>(query);
    return row && fromRow(row, clock.now());
  };
  return {
    insert(
      _organization_id: string,
      agent: Agent,
      relay_secret_sealed: string | null,
      created_by: AgentCreator,
    ) {
      const row = JSON.stringify({ ...toRow(agent), relay_secret_sealed, created_by });
      return db.run(sql`insert into agents select * from json_populate_record(null::agents, ${row})`);
    },

    async creatorOf(organization_id: string, id: string): Promise<AgentCreator> {
      const row = await db.maybe<{ created_by: AgentCreator }>(
        sql`select created_by from agents where organization_id = ${organization_id} and id = ${id}`,
      );
      return row?.created_by ?? null;
    },

    setRelaySecret: (tx: Transaction, organization_id: string, id: string, sealed: string) =>
      tx.run(sql`
        update agents set relay_secret_sealed = ${sealed}
         where organization_id = ${organization_id} and id = ${id}`),

    async relaySecret(organization_id: string, id: string): Promise<string | null> {
      const row = await db.maybe<{ relay_secret_sealed: string | null }>(sql`
        select relay_secret_sealed from agents where organization_id = ${organization_id} and id = ${id}`);
      return row?.relay_secret_sealed ?? null;
    },

    find: (organization_id: string, id: string) =>
      maybe(db, sql`select ${columns} from agents where organization_id = ${organization_id} and id = ${id}`),

    lock: (tx: Transaction, organization_id: string, id: string) =>
      maybe(
        tx,
        sql`select ${columns} from agents where organization_id = ${organization_id} and id = ${id} for update`,
      ),

    replace: (tx: Transaction, organization_id: string, agent: Agent) =>
      tx.run(sql`
        update agents set (name, system_prompt, first_message, language, voice, llm_model, tools,
                           max_duration_seconds, ai_disclosure, version, timezone, tool_entries, variables, engines,
                           destinations, limits, voicemail, result_schema, success_criteria, summarize, messaging,
                           updated_at)
             = (select name, system_prompt, first_message, language, voice, llm_model, tools,
                       max_duration_seconds, ai_disclosure, version, timezone, tool_entries, variables, engines,
                       destinations, limits, voicemail, result_schema, success_criteria, summarize, messaging,
                       updated_at
                  from json_populate_record(null::agents, ${JSON.stringify(toRow(agent))}))
         where organization_id = ${organization_id} and id = ${agent.id}`),

    /** Whether calls or texts to a number reach the agent. */
    async answersNumbers(tx: Transaction, organization_id: string, id: string): Promise<boolean> {
      const row = await tx.maybe(sql`
        select 1 from numbers
         where organization_id = ${organization_id} and (voice_agent_id = ${id} or sms_agent_id = ${id}) limit 1`);
      return row !== null;
    },

    /** Numbers that point to the agent are detached by the database. */
    delete: async (organization_id: string, id: string): Promise<boolean> =>
      (await db.run(sql`delete from agents where organization_id = ${organization_id} and id = ${id}`)) > 0,

    async list(organization_id: string, page: PageRequest) {
      const { items, next_cursor } = await readPage<AgentRow>(db, list, page, {
        columns,
        from: sql`agents`,
        where: sql`organization_id = ${organization_id}`,
      });
      return { items: items.map((row) => fromRow(row, clock.now())), next_cursor };
    },
  };
}

/** False when it is paused already. */
export const pauseAgent = async (
  tx: Transaction,
  organization_id: string,
  agent_id: string,
  { until, reason, now }: { until: Date; reason: string; now: Date },
): Promise<boolean> =>
  (await tx.run(sql`
    update agents set paused_until = ${until}, paused_reason = ${reason}
     where organization_id = ${organization_id} and id = ${agent_id} and (paused_until is null or paused_until <= ${now})`)) >
  0;
