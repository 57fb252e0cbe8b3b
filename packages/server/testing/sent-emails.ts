// Sends emails over the API and reads their outcome, for tests of sending and of delivery reports.
import assert from 'node:assert/strict';
import type { Email } from '@parley/contract/channels/emails/email-records';
import { sql } from '../src/platform/db/sql.ts';
import type { Client, TestApp } from './app.ts';

export type Problem = {
  code: string;
  detail: string;
  fix: string;
  object_id?: string;
  errors?: { path: string; code: string }[];
};
export type Page<T> = { items: T[]; next_cursor: string | null };
export type TimelineEntry = {
  id: string;
  kind: string;
  occurred_at: string;
  detail: Record<string, unknown>;
};

/** The smallest request that sends an email. */
export const smallest = { recipient_consent: true, to: ['bob@example.org'], subject: 'Hello' };

export async function sendEmail(of: Client, body: object = {}): Promise<Email> {
  const response = await of.request<Email>('POST', '/v1/emails', { ...smallest, ...body });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** The error of a request that validation refuses. */
export async function refusedEmail(of: Client, body: object): Promise<Problem> {
  const response = await of.request<Problem>('POST', '/v1/emails', { ...smallest, ...body });
  assert.equal(response.status, 422, response.text);
  return response.body;
}

/** Newest first. */
export const emailTimeline = async (of: Client, id: string): Promise<TimelineEntry[]> =>
  (await of.request<Page<TimelineEntry>>('GET', `/v1/emails/${id}/events`)).body.items;

/** All events about an email, oldest first. */
export const emailEvents = async ({ db }: Pick<TestApp, 'db'>, id: string) =>
  (
    await db.rows<{ payload: string }>(sql`select payload from events where resource_id = ${id} order by id`)
  ).map(({ payload }) => JSON.parse(payload) as { type: string; data: Record<string, unknown> });

/** Sends an email in the sandbox and returns its return path, to which reports are mailed. */
export async function sendWithReturnPath(
  of: Client,
  to: string[],
): Promise<{ id: string; return_path: string }> {
  const { id } = await sendEmail(of, { to });
  const outbox = await of.request<{ items: { resource_id: string; from: string }[] }>(
    'GET',
    '/v1/sandbox/outbox',
  );
  return { id, return_path: outbox.body.items.find((item) => item.resource_id === id)!.from };
}
