// The cost to authenticate an issued key or a JWT, compared with the shared key, which needs no lookup.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { costing, type Row, type Run } from '../harness.ts';
import type { Service, Stage } from '../stage.ts';

const connections = 32;
const path = '/v1/whoami';
const audience = 'https://bench.example';
const subject = 'the-bench';

type Managed = { service: Service; issued_key: string; jwt: string };

/** A service in managed mode with one member, who has a key and a token of an external issuer. */
async function startManaged(stage: Stage): Promise<Managed> {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'bench', alg: 'EdDSA' }];
  const issuer_server = createServer((_, answer) => {
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify({ keys }));
  }).listen(0, '127.0.0.1');
  await once(issuer_server, 'listening');
  stage.atClose(async () => issuer_server.close());
  const issuer = `http://127.0.0.1:${(issuer_server.address() as AddressInfo).port}`;

  const service = await stage.startService({
    data_dir: stage.makeFolder(),
    environment: {
      PARLEY_MANAGED: 'on',
      PARLEY_JWT_ISSUER: issuer,
      PARLEY_JWT_JWKS_URL: `${issuer}/jwks`,
      PARLEY_JWT_AUDIENCES: audience,
    },
  });
  const make = async <T>(where: string, body: unknown): Promise<T> => {
    const answer = await fetch(service.url + where, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (answer.status !== 201) throw new Error(`${where} returned ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const { id } = await make<{ id: string }>('/v1/admin/organizations', { name: 'Bench' });
  const { user_id } = await make<{ user_id: string }>(`/v1/admin/organizations/${id}/members`, {
    email: 'bench@example.com',
    name: 'Bench',
    external_subject: subject,
  });
  const { key } = await make<{ key: string }>(`/v1/admin/organizations/${id}/api-keys`, {
    user_id,
    name: 'Bench',
  });
  const jwt = await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', kid: 'bench' })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(subject)
    .setExpirationTime('1h')
    .sign(privateKey);
  return { service, issued_key: key, jwt };
}

const managedService = (run: Run): Promise<Managed> => run.shared('managed-service', startManaged);

const row = (
  name: string,
  credential_name: string,
  ratio: number,
  credential: (managed: Managed) => string,
): Row => ({
  name,
  subject: `GET ${path} with ${credential_name}`,
  limit: `the same with the shared key, ${connections} connections`,
  unit: 'requests/s',
  target: { comparison: '>=', ratio },
  async prepare(run) {
    const managed = await managedService(run);
    const side = (bearer: string) => () =>
      costing([managed.service.pid], async () => {
        const { requests, seconds } = await run.load({
          url: managed.service.url,
          connections,
          duration_ms: run.window_ms,
          max_requests: 1_000_000,
          method: 'GET',
          paths: [path],
          headers: { authorization: `Bearer ${bearer}` },
          status: 200,
        });
        return { operations: requests, value: requests / seconds };
      });
    return { limit: side(managed.service.key), subject: side(credential(managed)) };
  },
});

export const credentialRows: Row[] = [
  row('whoami-issued-key', 'an issued key', 0.8, ({ issued_key }) => issued_key),
  row('whoami-jwt', 'a JWT', 0.5, ({ jwt }) => jwt),
];
