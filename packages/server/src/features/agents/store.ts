// The SQL of agents.
import type { Agent } from '@parley/contract/agents';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { cursors, type PageRequest, readPage } from '../../platform/db/page.ts';
import { sql } from '../../platform/db/sql.ts';

const columns = sql`id, organization_id, name, system_prompt, first_message, language, voice, llm_model, tools,
  max_duration_seconds, ai_disclosure, iso(created_at) as created_at, iso(updated_at) as updated_at`;

const list = cursors('agents');

export function agentStore(db: Database) {
  return {
    insert: (_organization_id: string, agent: Agent) =>
      db.run(
        sql`insert into agents select * from json_populate_record(null::agents, ${JSON.stringify(agent)})`,
      ),

    find: (organization_id: string, id: string) =>
      db.maybe<Agent>(
        sql`select ${columns} from agents where organization_id = ${organization_id} and id = ${id}`,
      ),

    lock: (tx: Transaction, organization_id: string, id: string) =>
      tx.maybe<Agent>(sql`
        select ${columns} from agents where organization_id = ${organization_id} and id = ${id} for update`),

    replace: (tx: Transaction, organization_id: string, agent: Agent) =>
      tx.run(sql`
        update agents set (name, system_prompt, first_message, language, voice, llm_model, tools,
                           max_duration_seconds, ai_disclosure, updated_at)
             = (select name, system_prompt, first_message, language, voice, llm_model, tools,
                       max_duration_seconds, ai_disclosure, updated_at
                  from json_populate_record(null::agents, ${JSON.stringify(agent)}))
         where organization_id = ${organization_id} and id = ${agent.id}`),

    /** Numbers that point to the agent are detached by the database. */
    delete: async (organization_id: string, id: string): Promise<boolean> =>
      (await db.run(sql`delete from agents where organization_id = ${organization_id} and id = ${id}`)) > 0,

    list: (organization_id: string, page: PageRequest) =>
      readPage(db, list, page, {
        columns,
        from: sql`agents`,
        where: sql`organization_id = ${organization_id}`,
      }),
  };
}
