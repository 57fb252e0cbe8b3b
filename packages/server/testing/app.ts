// Starts the whole service on a free port with its own database, and creates clients for several organizations.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Role } from '@parley/contract/access/roles';
import { nil_uuid } from '@parley/contract/limits';
import { type App, type AppOptions, buildApp } from '../src/app/app.ts';
import { readConfig } from '../src/config/config.ts';
import type { Database } from '../src/platform/db/database.ts';
import type { Caller, CredentialKind } from '../src/platform/http/context.ts';
import { makeLog } from '../src/platform/log.ts';
import { codedSpeech } from './calls.ts';
import { cheapPasswords } from './cheap-passwords.ts';
import type { Client } from './client.ts';
import { openTestDatabase } from './database.ts';
import { sendHttp } from './http-client.ts';

export type { Answer, Client } from './client.ts';

export type TestApp = {
  app: App;
  db: Database;
  url: string;
  database_url: string;
  /** Objects and keys of this service. */
  data_dir: string;
  /** Uses the shared key: the nil organization. */
  client: Client;
  /** Uses the operator key: a person with the role owner in the nil organization. */
  operator: Client;
  /** A client of another organization, or one with fewer scopes. */
  organization(options?: {
    scopes?: string[];
    organization_id?: string;
    superadmin?: boolean;
    key?: string;
    /** Default: an API key of an owner. */
    credential_kind?: CredentialKind;
    role?: Role;
    user_id?: string;
  }): Client;
  /** A client with any credential. */
  holder(key: string): Client;
  anonymous: Client;
  /** Moves the service's clock forward; settles when the work that became due has run. */
  later(seconds: number): Promise<void>;
};

/** Closed at the end of the test file or suite that called this. */
export async function startTestApp(
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
): Promise<TestApp> {
  const { db, url: database_url, close } = await openTestDatabase();
  const data_dir = await mkdtemp(join(tmpdir(), 'parley-app-'));
  const callers = new Map<string, Caller>();
  const shared_key = `test_${randomUUID()}`;
  const operator_key = `test_${randomUUID()}`;
  const app = buildApp({
    config: testConfig(data_dir, environment),
    db,
    log: makeLog({ level: process.env.TEST_LOG ?? 'silent', show_personal_data: true }),
    shared_key,
    operator_key,
    authenticators: [(bearer) => callers.get(bearer) ?? null],
    master_keys: [{ id: 'test', key: randomBytes(32) }],
    auth_secret: 'a-secret-that-only-tests-know-0123456789',
    check_answers: true,
    passwords: cheapPasswords,
    // The real engines load at the first call, which takes five seconds of processor time. Tests of them ask for them.
    speech: () => codedSpeech(),
    // Thirty jobs at the start would take more processor time than the start itself.
    delay_recurring_jobs: true,
    // Polls find the deliveries of other processes, which most tests do not have.
    webhook_limits: { poll_ms: 1000 },
    ...options,
  });
  const url = await listen(app);
  after(() =>
    endAll([
      () => app.http.close(),
      () => app.workers.stop(),
      () => app.close(),
      async () => options.db?.close(),
      close,
      () => rm(data_dir, { recursive: true, force: true }),
    ]),
  );

  const client = clientWith(url, shared_key, nil_uuid);
  return {
    app,
    db: options.db ?? db,
    url,
    database_url,
    data_dir,
    client,
    operator: clientWith(url, operator_key, nil_uuid),
    async later(seconds) {
      const moved = await client.request('POST', '/v1/sandbox/clock', { advance_seconds: seconds });
      if (moved.status !== 200) throw new Error(`the clock does not move: ${moved.text}`);
    },
    anonymous: clientWith(url, '', nil_uuid),
    holder: (key) => clientWith(url, key, nil_uuid),
    organization({ organization_id = randomUUID(), key = `test_${randomUUID()}`, ...credential } = {}) {
      callers.set(key, testCaller(organization_id, key, credential));
      return clientWith(url, key, organization_id);
    },
  };
}

const testConfig = (data_dir: string, environment: Record<string, string>) =>
  readConfig(
    {
      PORT: '0',
      PARLEY_REQUESTS_PER_MINUTE: '1000000',
      PARLEY_FAILED_CREDENTIALS_PER_MINUTE: '1000000',
      PARLEY_KEYS_PER_ORGANIZATION: '100000',
      PARLEY_DATA_DIR: data_dir,
      // Also with real carriers and in managed mode, because tests move the clock.
      PARLEY_SANDBOX: 'on',
      ...environment,
    },
    process.cwd(),
  );

/** Returns the address. */
async function listen(app: App): Promise<string> {
  await app.prepare();
  await app.workers.start();
  await app.http.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.http.server.address() as AddressInfo;
  app.listening(port);
  return `http://127.0.0.1:${port}`;
}

/** Also after a failure: what a file leaves open would keep the process of all later files alive. */
async function endAll(steps: (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error) => errors.push(error));
  if (errors.length > 0) throw new AggregateError(errors, 'The app of a test did not end well.');
}

export const clientWith = (url: string, key: string, organization_id: string): Client => ({
  key,
  organization_id,
  async request<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await sendHttp(url + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    });
    const is_json = answer.content_type.includes('json');
    return Object.assign(answer, { body: (is_json ? JSON.parse(answer.text) : {}) as T });
  },
});

const testCaller = (
  organization_id: string,
  credential_id: string,
  {
    scopes = ['*'],
    superadmin = false,
    credential_kind = 'api_key',
    role = 'owner',
    user_id = randomUUID(),
  }: NonNullable<Parameters<TestApp['organization']>[0]>,
): Caller => ({
  identity: { auth_kind: 'apikey', organization_id, user_id, email: null, name: 'Test', superadmin },
  credential_kind,
  credential_id,
  scopes,
  expires_ms: null,
  superadmin_withheld: false,
  role,
});
