// A test app that sends its mail over a scripted relay, from the verified domain acme.example.
import type { EmailDomain } from '@parley/contract/channels/emails/email-domains';
import type { AppOptions } from '../src/app/app.ts';
import { sql } from '../src/platform/db/sql.ts';
import { startTestApp, type TestApp } from './app.ts';
import { relayOf } from './scripted-relay.ts';

export type RelayedApp = TestApp & { relay: Awaited<ReturnType<typeof relayOf>> };

/** Closed at the end of the test file. */
export async function startRelayedApp(
  script: Parameters<typeof relayOf>[0] = {},
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
): Promise<RelayedApp> {
  const relay = await relayOf(script);
  return { ...(await startAppBefore(relay, environment, options)), relay };
}

/** The same before a relay of the test. */
export async function startAppBefore(
  { port }: { port: number },
  environment: Record<string, string> = {},
  options: Partial<AppOptions> = {},
): Promise<TestApp> {
  const service = await startTestApp(
    { PARLEY_SMTP_URL: `smtp://127.0.0.1:${port}`, PARLEY_SMTP_TLS: 'off', ...environment },
    options,
  );
  await addVerifiedDomain({ client: service.client, db: options.db ?? service.db });
  return service;
}

/** acme.example, without its DNS records. */
export async function addVerifiedDomain({ client, db }: Pick<TestApp, 'client' | 'db'>): Promise<void> {
  const domain = await client.request<EmailDomain>('POST', '/v1/email-domains', {
    kind: 'custom',
    domain: 'acme.example',
  });
  await db.run(
    sql`update email_domains set verification_status = 'verified', is_verified_by_person = true where id = ${domain.body.id}`,
  );
}
