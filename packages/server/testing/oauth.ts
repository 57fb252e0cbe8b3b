// A program that connects by OAuth as agents' clients do: registers itself, sends the user to consent, gets a token.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { fieldsOf, fromRandomIp, type Visitor } from './visitor.ts';

export type OauthToken = { access_token: string; refresh_token?: string; scope: string; error?: string };

const redirect_uri = 'http://127.0.0.1:53117/callback';

export function oauthProgram(url: string) {
  const token = async (fields: Record<string, string>) => {
    const response = await fetch(`${url}/auth/oauth2/token`, {
      method: 'POST',
      headers: fromRandomIp(),
      body: new URLSearchParams(fields),
    });
    return { status: response.status, body: (await response.json()) as OauthToken };
  };

  return {
    async register(client_name = 'An agent’s client'): Promise<string> {
      const response = await fetch(`${url}/auth/oauth2/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...fromRandomIp() },
        body: JSON.stringify({
          client_name,
          redirect_uris: [redirect_uri],
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
        }),
      });
      const { client_id } = (await response.json()) as { client_id: string };
      assert.ok(client_id);
      return client_id;
    },

    /** The user consents, or has consented before. */
    async connect(
      browser: Visitor,
      client_id: string,
      choice: { organization_id?: string; scope?: string; resource?: string } = {},
    ): Promise<OauthToken> {
      const verifier = randomBytes(32).toString('base64url');
      const query = new URLSearchParams({
        response_type: 'code',
        client_id,
        redirect_uri,
        scope: choice.scope ?? 'parley offline_access',
        state: 'a-state',
        ...(choice.resource ? { resource: choice.resource } : {}),
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      let { location } = await browser.open(`/auth/oauth2/authorize?${query}`);
      if (new URL(location!, url).pathname === '/auth/consent') {
        const fields = fieldsOf((await browser.open(location!)).text);
        const response = await browser.send('/auth/consent', {
          oauth_query: fields.oauth_query!,
          organization_id: choice.organization_id ?? fields.organization_id ?? '',
          decision: 'allow',
        });
        location = response.location;
      }
      const code = new URL(location!, url).searchParams.get('code');
      assert.ok(code, `no code at ${location}`);
      const { status, body } = await token({
        grant_type: 'authorization_code',
        code,
        redirect_uri,
        client_id,
        code_verifier: verifier,
      });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },

    refresh: (client_id: string, refresh_token: string) =>
      token({ grant_type: 'refresh_token', refresh_token, client_id }),
  };
}
