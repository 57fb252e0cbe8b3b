// The account engine: a small interface over better-auth for passwords, sessions, signing keys and OAuth. The rest of the
// code uses nothing else of better-auth. Loaded only in managed mode.
import { type BetterAuthOptions, betterAuth } from 'better-auth';
import { randomToken } from '../../../platform/crypto.ts';
import type { DatabaseUnavailable } from '../../../platform/db/database.ts';
import { type EngineDeps, engineOptions } from './engine-options.ts';

const password_link_ms = 3_600_000;

export type SignedIn = {
  user: { id: string; name: string; email: string };
  session: { id: string; organization_id: string | null; signed_in_ms: number };
};

type Engine = {
  deps: EngineDeps;
  auth: ReturnType<typeof betterAuth<BetterAuthOptions>>;
  /** Runs a call to better-auth, and throws DatabaseUnavailable when that was the cause of its failure. */
  call<T>(run: () => Promise<T>): Promise<T>;
};

export function accountEngine(deps: EngineDeps) {
  const engine = createEngine(deps);
  const { auth, call } = engine;
  return {
    /** Responds to a request to one of the OAuth paths. */
    handle: (request: Request): Promise<Response> => call(() => auth.handler(request)),
    ...sessionFunctions(engine),
    ...passwordFunctions(engine),
    ...oauthFunctions(engine),
  };
}
export type AccountEngine = ReturnType<typeof accountEngine>;

function createEngine(deps: EngineDeps): Engine {
  let last_unavailable: { error: DatabaseUnavailable } | null = null;
  const auth = betterAuth(
    engineOptions(deps, (error) => {
      last_unavailable = { error };
    }),
  );
  return {
    deps,
    auth,
    // better-auth hides the cause of a failure. If the database was unavailable during the call, that was the cause.
    async call<T>(run: () => Promise<T>): Promise<T> {
      const before = last_unavailable;
      const causeOf = (error: unknown) =>
        last_unavailable && last_unavailable !== before ? last_unavailable.error : error;
      let result: T;
      try {
        result = await run();
      } catch (error) {
        throw causeOf(error);
      }
      if (result instanceof Response && result.status >= 500)
        throw causeOf(new Error(`the account engine responded with ${result.status}`));
      return result;
    },
  };
}

const sessionFunctions = (engine: Engine) => ({
  async session(headers: Headers): Promise<SignedIn | null> {
    const found = await engine.call(() => engine.auth.api.getSession({ headers }));
    if (!found?.user.emailVerified) return null;
    const { user } = found;
    const session: { id: string; createdAt: Date; organization_id?: string | null } = found.session;
    return {
      user: { id: user.id, name: user.name, email: user.email },
      session: {
        id: session.id,
        organization_id: session.organization_id ?? null,
        signed_in_ms: new Date(session.createdAt).getTime(),
      },
    };
  },

  /** Returns the cookies of the new session; null when the email or the password is wrong. */
  /** Without `rememberMe` the cookie ends with the browser, and the session after a day. */
  async signIn(
    input: { email: string; password: string; rememberMe: boolean },
    headers: Headers,
  ): Promise<string[] | null> {
    const response = await engine.call(() =>
      engine.auth.api.signInEmail({ body: input, headers, asResponse: true }),
    );
    return response.ok ? response.headers.getSetCookie() : null;
  },

  signOut: async (headers: Headers): Promise<string[]> =>
    (await postAsBrowser(engine, '/sign-out', headers, {})).headers.getSetCookie(),
});

const passwordFunctions = ({ deps, auth, call }: Engine) => ({
  /** For sign-ups, which insert the account in a transaction of their own. */
  hashPassword: async (password: string): Promise<string> => (await auth.$context).password.hash(password),

  /** The secret of a link with which the user can choose a new password, once, within an hour. */
  async passwordToken(user_id: string): Promise<{ token: string; expires_at: Date }> {
    const token = randomToken('');
    const expires_at = new Date(deps.wall_clock.ms() + password_link_ms);
    const { internalAdapter } = await auth.$context;
    await internalAdapter.createVerificationValue({
      identifier: `reset-password:${token}`,
      value: user_id,
      expiresAt: expires_at,
    });
    return { token, expires_at };
  },

  /** Returns the user's id; null when the link was used, expired or is invalid. Ends all sessions of the user. */
  async setPassword(token: string, password: string): Promise<string | null> {
    const { internalAdapter } = await auth.$context;
    const link = await call(() => internalAdapter.findVerificationValue(`reset-password:${token}`));
    if (!link) return null;
    const body = { token, newPassword: password };
    const response = await call(() => auth.api.resetPassword({ body, asResponse: true }));
    return response.ok ? link.value : null;
  },
});

function oauthFunctions(engine: Engine) {
  const { call } = engine;
  const plugins = engine.auth.api as unknown as {
    getJwks(): Promise<unknown>;
    signJWT(input: { body: { payload: Record<string, unknown> } }): Promise<{ token: string }>;
    getOAuthServerConfig(): Promise<unknown>;
  };
  return {
    /** Returns the URL to redirect to; null when the request was changed, expired or belongs to another user. */
    async consent(headers: Headers, oauth_query: string, accept: boolean): Promise<string | null> {
      const response = await postAsBrowser(engine, '/oauth2/consent', headers, { accept, oauth_query });
      if (!response.ok) return null;
      const { url, redirect_uri } = (await response.json()) as { url?: string; redirect_uri?: string };
      return url ?? redirect_uri ?? null;
    },

    /** Returns a token of our own issuer with these claims. */
    sign: async (payload: Record<string, unknown>): Promise<string> =>
      (await call(() => plugins.signJWT({ body: { payload } }))).token,

    jwks: (): Promise<unknown> => call(() => plugins.getJwks()),
    authorizationServer: (): Promise<unknown> => plugins.getOAuthServerConfig(),
  };
}

/** Sends the request as a browser would, so that better-auth checks the cookie and the origin. */
const postAsBrowser = ({ deps, auth, call }: Engine, path: string, headers: Headers, body: unknown) =>
  call(() =>
    auth.handler(
      new Request(`${deps.base_url}/auth${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          cookie: headers.get('cookie') ?? '',
          origin: new URL(deps.base_url).origin,
        },
        body: JSON.stringify(body),
      }),
    ),
  );
