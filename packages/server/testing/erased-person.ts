// A person whom tests erase, and rows about the person that only agents and the sandbox write.
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../src/platform/clock.ts';
import type { Database } from '../src/platform/db/database.ts';
import { sql } from '../src/platform/db/sql.ts';
import { uuidv7Ids } from '../src/platform/ids.ts';

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

/** What agents stored about the person's conversation, also before another one was merged into it, and an answer that waits. */
export async function finishConversations(
  db: Database,
  organization_id: string,
  { email, word }: Someone,
): Promise<void> {
  const own = sql`organization_id = ${organization_id}`;
  const received = sql`(select id from emails where ${own} and direction = 'inbound' and from_address = ${email})`;
  const row = await db.maybe<{ conversation_id: string }>(
    sql`select conversation_id from conversation_items where ${own} and id in ${received} limit 1`,
  );
  const merged_id = randomUUID();
  await db.run(sql`
    insert into conversation_aliases (organization_id, alias_id, conversation_id, was_conversation)
    values (${organization_id}, ${merged_id}, ${row!.conversation_id}, true)`);
  const ids = uuidv7Ids(systemClock());
  for (const conversation_id of [row!.conversation_id, merged_id]) {
    const summary = `The person likes ${word}.`;
    await db.run(sql`
      insert into conversation_results (organization_id, id, conversation_id, agent_id, channel, message_id, own, status, summary,
                                        requested_at, settled_at)
      values (${organization_id}, ${randomUUID()}, ${conversation_id}, ${randomUUID()}, 'email', ${randomUUID()}, '', 'ready',
              ${summary}, now(), now())`);
    await db.run(sql`
      insert into events (id, organization_id, type, resource_id, created_at, payload)
      values (${ids.next()}, ${organization_id}, 'conversation.result_ready', ${conversation_id}, now(),
              ${JSON.stringify({ data: { id: conversation_id, result: { summary } } })})`);
  }
  await db.run(sql`
    insert into suspended_replies (organization_id, message_id, round, request, state_sealed, suspended_at)
    select ${organization_id}, id, 1, '{}', 'sealed', now() from emails where id in ${received}`);
}

/** The files below a folder that contain one of the words, also as base64 at the beginning of a text. */
export async function filesWith(folder: string, words: string[]): Promise<string[]> {
  const base64Of = (word: string) => Buffer.from(`${word} of`).toString('base64').slice(0, 8);
  const wanted = words.flatMap((word) => [word, base64Of(word)]).map((word) => word.toLowerCase());
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const content = (await readFile(file)).toString('latin1').toLowerCase();
    if (wanted.some((word) => content.includes(word))) found.push(file);
  }
  return found;
}
