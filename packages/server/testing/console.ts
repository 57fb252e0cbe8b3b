// The token that the console of a signed-in person works with.
import assert from 'node:assert/strict';
import type { Visitor } from './visitor.ts';

export async function consoleToken(browser: Visitor, organization_id?: string): Promise<string> {
  const answer = await browser.send('/auth/console-token', organization_id ? { organization_id } : {});
  assert.equal(answer.status, 200, answer.text);
  return (JSON.parse(answer.text) as { token: string }).token;
}
