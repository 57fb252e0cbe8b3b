// A person whom tests erase, and rows about the person that only agents and the sandbox write.
import type { Database } from '../src/platform/db/database.ts';
import { sql } from '../src/platform/db/sql.ts';

/** The word is in everything that is said to and by the person. */
export type Someone = { name: string; phone: string; email: string; word: string };

/** What an agent looked up during the call and for the email of a person, and simulated mail to the person. */
export async function useTools(
  db: Database,
  organization_id: string,
  { name, email, word }: Someone,
): Promise<void> {
  const own = sql`organization_id = ${organization_id}`;
  for (const [column, records] of [
    ['call_id', sql`select id from calls where ${own}`],
    [
      'message_id',
      sql`select id from emails where ${own} and direction = 'inbound' and from_address = ${email}`,
    ],
  ] as const)
    await db.run(sql`
      insert into tool_calls (organization_id, id, conversation_id, ${sql.raw(column)}, name, kind, effect, arguments, outcome,
                              status, round, arguments_hash, requested_at, lost_at)
      select ${organization_id}, gen_random_uuid(), gen_random_uuid(), id, 'find_order', 'http', 'read',
             ${JSON.stringify({ about: word, name })}::json, ${JSON.stringify({ found: word })}::json, 'done', 1, 'x', now(), now()
        from (${records}) r`);
  await db.run(sql`
    insert into sandbox_outbox (id, organization_id, channel, resource_id, handed_at, sender, recipients, message)
    select gen_random_uuid(), ${organization_id}, 'email', id, now(), 'us@example.com', ${[email]}, ${JSON.stringify({ text: word })}::json
      from emails where ${own} and direction = 'outbound' and to_addresses = ${[email]}`);
  // A mail of the service itself belongs to no email.
  await db.run(sql`
    insert into sandbox_outbox (id, organization_id, channel, resource_id, handed_at, sender, recipients, message)
    values (gen_random_uuid(), ${organization_id}, 'email', gen_random_uuid(), now(), 'us@example.com', ${[email]},
            ${JSON.stringify({ text: `Welcome, ${name}` })}::json)`);
}
