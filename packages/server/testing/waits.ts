// Requests that tests of waits make.
import assert from 'node:assert/strict';
import type { Sms } from '@parley/contract/channels/sms/sms';
import type { Wait, WaitCondition } from '@parley/contract/inbox/waits';
import type { Client, TestApp } from './app.ts';
import { ok } from './conversations.ts';

export type Problem = { code: string; errors?: { path: string }[] };

export const postWait = (
  of: Client,
  any_of: readonly WaitCondition[],
  more: object = {},
  headers?: Record<string, string>,
) => of.request<Wait & Problem>('POST', '/v1/waits', { any_of, ...more }, headers);

export async function createWait(
  of: Client,
  any_of: readonly WaitCondition[],
  more: object = {},
): Promise<Wait> {
  const answer = await postWait(of, any_of, more);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

export const getWait = (of: Client, { id }: { id: string }, wait_seconds = 0): Promise<Wait> =>
  ok<Wait>(of, 'GET', `/v1/waits/${id}?wait_seconds=${wait_seconds}`);

/** The wait after background work: no request waits for it. */
export const settledWait =
  ({ app }: Pick<TestApp, 'app'>) =>
  async (of: Client, wait: { id: string }): Promise<Wait> => {
    await app.jobs.drain();
    return getWait(of, wait);
  };

export const receiveTextAt = (of: Client, from: string, to: string, body: string) =>
  ok<Sms>(of, 'POST', '/v1/sandbox/inbound-sms', { from, to, body });

export const newNumber = async (of: Client): Promise<string> =>
  (await ok<{ e164: string }>(of, 'POST', '/v1/numbers', { country_code: 'US' })).e164;
