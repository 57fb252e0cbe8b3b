// Scripted failures: each one happens over a real interface, explain names its culprit and a fix, the script does what the
// fix says, and then it works.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExplanationVerdict } from '@parley/contract/operations/explain/explain';
import type {
  ExplanationParty,
  ExplanationRetry,
} from '@parley/contract/operations/explain/explanation-definition';
import type { Client, TestApp } from './app.ts';

/** A new organization of one case. */
export type Own = {
  /** A program with an API key. */
  program: Client;
  /** An owner who is signed in, for what only people may do. */
  person: Client;
};

export type Failed = { id: string; verdict: ExplanationVerdict };

export type FollowedFix<World> = {
  name: string;
  expected: [code: string, who: ExplanationParty, retry: ExplanationRetry];
  /** The words of the fix that `follow` carries out. */
  fix: RegExp;
  /** What the detail must name, such as the response of the other side. */
  detail?: RegExp;
  /** Returns the id of the record that failed. */
  fail(world: World): Promise<string>;
  /** Does what the fix says. Returns the record that then works, or checks itself that what the fix says is true. */
  follow(world: World, failed: Failed): Promise<string | undefined>;
  /** The code of the record that works. */
  works?: string;
};

export async function verdictOf(of: Client, id: string): Promise<ExplanationVerdict> {
  const answer = await of.request<{ verdict: ExplanationVerdict }>('GET', `/v1/explain/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.verdict;
}

export function newOwn({ organization }: Pick<TestApp, 'organization'>): Own {
  const program = organization();
  const { organization_id } = program;
  return { program, person: organization({ organization_id, credential_kind: 'session' }) };
}

/** One test per case. `world` is called for each case; `reader` reads the explanations. */
export function followFixes<World>(
  cases: readonly FollowedFix<World>[],
  world: () => World | Promise<World>,
  reader: (world: World) => Client,
): void {
  for (const each of cases)
    test(`${each.name}: explain names who caused it, and its fix works`, async () => {
      const own = await world();
      await followFix(each, own, reader(own));
    });
}

async function followFix<World>(each: FollowedFix<World>, world: World, reader: Client): Promise<void> {
  const id = await each.fail(world);
  const verdict = await verdictOf(reader, id);
  assert.deepEqual([verdict.code, verdict.who, verdict.retry], each.expected, JSON.stringify(verdict));
  assert.match(verdict.fix, each.fix);
  if (each.detail) assert.match(verdict.detail ?? '', each.detail);
  const worked = await each.follow(world, { id, verdict });
  if (worked === undefined) {
    assert.equal(each.works, undefined, `${each.name}: follow must return the record that works`);
    return;
  }
  assert.notEqual(worked, id);
  const after = await verdictOf(reader, worked);
  assert.deepEqual([after.code, after.who], [each.works, 'none'], JSON.stringify(after));
}

/** The body of a response that must have this status. */
export async function expected<T>(
  status: number,
  of: Client,
  ...[method, path, body]: Parameters<Client['request']>
): Promise<T> {
  const answer = await of.request<T>(method, path, body);
  assert.equal(answer.status, status, answer.text);
  return answer.body;
}

/** What waits for an approval is approved by this person, or rejected with this note. */
export async function decide(person: Client, decision: 'approve' | { reject: string }): Promise<string> {
  type Waiting = { items: { id: string; payload_sha256: string }[] };
  const { items } = await expected<Waiting>(200, person, 'GET', '/v1/approvals?status=pending');
  const [{ id, payload_sha256 }] = items as [Waiting['items'][0]];
  const [path, body] =
    decision === 'approve' ? ['approve', { payload_sha256 }] : ['reject', { note: decision.reject }];
  await expected(200, person, 'POST', `/v1/approvals/${id}/${path}`, body);
  return id;
}
