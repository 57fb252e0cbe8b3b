// Fetches the token that the console uses for a signed-in person.
import assert from 'node:assert/strict';
import type { Visitor } from './visitor.ts';

export async function consoleToken(browser: Visitor, organization_id?: string): Promise<string> {
  const response = await browser.send('/auth/console-token', organization_id ? { organization_id } : {});
  assert.equal(response.status, 200, response.text);
  return (JSON.parse(response.text) as { token: string }).token;
}
