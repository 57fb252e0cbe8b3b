// A client that has only the URL gets a challenge, finds the authorization server, signs its user in, and works.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, test } from 'node:test';
import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { startTestApp } from '../../server/testing/app.ts';
import { freePort } from '../../server/testing/free-port.ts';
import { fieldsOf, signUp } from '../../server/testing/visitor.ts';
import { startMcp } from './index.ts';

const port = await freePort();
const mcp_url = `http://127.0.0.1:${port}/mcp`;
const api = await startTestApp({
  PARLEY_MANAGED: 'on',
  PARLEY_SANDBOX: 'on',
  PARLEY_SIGN_UP: 'open',
  PARLEY_MCP_URL: mcp_url,
});
const mcp = await startMcp({
  api_url: api.url,
  mode: { kind: 'oauth', authorization_servers: [`${api.url}/auth`] },
  host: '127.0.0.1',
  port,
  public_url: null,
  toolsets: ['default'],
  read_only: false,
  onError: (error) => assert.fail(error),
});
after(() => mcp.close());

const redirect = 'http://127.0.0.1:53117/callback';

/** The data that a client stores between the steps of signing in. */
function memory() {
  const stored: {
    client?: OAuthClientInformationMixed;
    tokens?: OAuthTokens;
    verifier?: string;
    redirect?: URL;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'An agent’s client',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => stored.client,
    saveClientInformation: (client) => {
      stored.client = client;
    },
    tokens: () => stored.tokens,
    saveTokens: (tokens) => {
      stored.tokens = tokens;
    },
    redirectToAuthorization: (url) => {
      stored.redirect = url;
    },
    saveCodeVerifier: (verifier) => {
      stored.verifier = verifier;
    },
    codeVerifier: () => stored.verifier!,
  };
  return { stored, provider };
}

test('a real client signs its user in and acts for that user’s organization', async () => {
  const { stored, provider } = memory();
  const connect = async () => {
    const client = new Client({ name: 'agent', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(mcp.url), { authProvider: provider });
    after(() => client.close());
    return { client, transport };
  };
  const first = await connect();
  await assert.rejects(first.client.connect(first.transport), UnauthorizedError);
  assert.equal(stored.redirect?.origin, api.url, 'redirected to the authorization server from the challenge');
  assert.equal(
    stored.redirect?.searchParams.get('resource'),
    mcp_url,
    'requests a token for this server only',
  );

  const ana = await signUp(api, {
    email: `${randomUUID()}@example.com`,
    organization: 'Sousa Trading',
  });
  const sent = await ana.open(stored.redirect!.href);
  const page = await ana.open(sent.location!);
  const { oauth_query, organization_id } = fieldsOf(page.text);
  const decided = await ana.send('/auth/consent', {
    oauth_query: oauth_query!,
    organization_id: organization_id!,
    decision: 'allow',
  });
  const back = new URL(decided.location!);
  await first.transport.finishAuth(back.searchParams);

  const second = await connect();
  await second.client.connect(second.transport);
  const me = await second.client.callTool({ name: 'whoami', arguments: {} });
  const identity = me.structuredContent as { auth_kind: string; organization_id: string };
  assert.deepEqual([identity.auth_kind, identity.organization_id], ['jwt', organization_id]);

  // The same token is not accepted by a server it was not issued for.
  const elsewhere = await startMcp({
    api_url: api.url,
    mode: { kind: 'oauth', authorization_servers: [`${api.url}/auth`] },
    host: '127.0.0.1',
    port: 0,
    public_url: null,
    toolsets: ['default'],
    read_only: false,
    onError: (error) => assert.fail(error),
  });
  after(() => elsewhere.close());
  const refused = await fetch(elsewhere.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${stored.tokens!.access_token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(refused.status, 401);
});
