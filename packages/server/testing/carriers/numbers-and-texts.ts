// Buys numbers and sends texts over the API, for tests of carriers.
import assert from 'node:assert/strict';
import type { PhoneNumber } from '@parley/contract/channels/numbers/numbers';
import type { Sms } from '@parley/contract/channels/sms/sms';
import { sql } from '../../src/platform/db/sql.ts';
import type { Client, TestApp } from '../app.ts';

/** The recipient of texts that name no other. */
export const person = '+14155552671';

type Problem = { code: string };

export async function buyNumber(of: Client, body = {}): Promise<PhoneNumber & Problem> {
  const response = await of.request<PhoneNumber & Problem>('POST', '/v1/numbers', {
    country_code: 'US',
    ...body,
  });
  assert.equal(response.status, 201, response.text);
  return response.body;
}

/** The text, or the error that refused it. */
export async function sendText(of: Client, body: Record<string, unknown> = {}): Promise<Sms & Problem> {
  const response = await of.request<Sms & Problem>('POST', '/v1/sms', {
    to: person,
    body: 'Hello',
    recipient_consent: true,
    ...body,
  });
  return response.body;
}

export const readText = async (of: Client, id: string): Promise<Sms> =>
  (await of.request<Sms>('GET', `/v1/sms/${id}`)).body;

/** The types of all events about a record, oldest first. */
export const eventTypes = ({ db }: Pick<TestApp, 'db'>, id: string) =>
  db.rows<{ type: string }>(sql`select type from events where resource_id = ${id} order by id`);
