// Access tokens for the login at a relay: from the token endpoint of its provider, cached, and renewed before their end.
import { request } from 'undici';
import type { Clock } from '../../../platform/clock.ts';
import { type RenewedValue, renewedValue } from '../../../platform/renewed-value.ts';
import { isPassing, isPassingStatus, Passing, withRetries } from '../../../platform/retries.ts';
import { SmtpFailure } from './dialogue.ts';

export type OauthSettings = {
  token_url: string;
  client_id: string;
  client_secret: string | null;
  /** With a refresh token the grant is refresh_token, else client_credentials. */
  refresh_token: string | null;
  scope: string | null;
  clock: Clock;
  /** The longest first pause before a request is repeated. */
  retry_base_ms?: number;
};

const timeout_ms = 10_000;
const max_answer_chars = 64 * 1024;
/** Of tokens without an end. */
const default_life_s = 3600;

export function oauthTokens(settings: OauthSettings): RenewedValue<string> {
  // Some providers give another refresh token with each access token; the configured one stays as the fallback after a start.
  let { refresh_token } = settings;
  const fetch = async () => {
    const answer = await ask(settings, refresh_token);
    if (answer.refresh_token) refresh_token = answer.refresh_token;
    return { value: answer.access_token, expires_ms: settings.clock.ms() + answer.expires_s * 1000 };
  };
  return renewedValue(fetch, settings.clock);
}

type Answer = { access_token: string; refresh_token: string | null; expires_s: number };

async function ask(settings: OauthSettings, refresh_token: string | null): Promise<Answer> {
  const { retry_base_ms } = settings;
  try {
    return await withRetries(() => askOnce(settings, refresh_token), {
      max_tries: 3,
      ...(retry_base_ms === undefined ? {} : { base_ms: retry_base_ms }),
    });
  } catch (error) {
    if (!isPassing(error)) throw error;
    throw new SmtpFailure('lost', `The token endpoint cannot be reached: ${(error as Error).message}`);
  }
}

/** RFC 6749 sections 4.4.2 and 6, with the secret in the body as Microsoft and Google document it. */
async function askOnce(settings: OauthSettings, refresh_token: string | null): Promise<Answer> {
  const { token_url, client_id, client_secret, scope } = settings;
  const form = new URLSearchParams({
    grant_type: refresh_token === null ? 'client_credentials' : 'refresh_token',
    client_id,
    ...(client_secret === null ? {} : { client_secret }),
    ...(refresh_token === null ? {} : { refresh_token }),
    ...(scope === null ? {} : { scope }),
  });
  const response = await request(token_url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    headersTimeout: timeout_ms,
    bodyTimeout: timeout_ms,
  });
  let text = '';
  for await (const chunk of response.body) {
    text += String(chunk);
    if (text.length > max_answer_chars) throw refusal('The token endpoint gave an answer that is too long');
  }
  const { statusCode: status } = response;
  if (isPassingStatus(status)) throw new Passing(`The token endpoint answered ${status}`);
  const { access_token, error, expires_in, ...more } = jsonOf(text);
  if (status !== 200 || !isToken(access_token)) {
    // Only the code: descriptions have ids of the tenant.
    const code = typeof error === 'string' && /^[\w.-]{1,60}$/.test(error) ? `: ${error}` : '';
    throw refusal(`The token endpoint answered ${status} without a token${code}`);
  }
  const seconds = Number(expires_in);
  return {
    access_token,
    refresh_token: isToken(more.refresh_token) ? more.refresh_token : null,
    expires_s: Number.isFinite(seconds) && seconds > 0 ? seconds : default_life_s,
  };
}

/** Printable ASCII: anything else would break the line of the login. */
const isToken = (value: unknown): value is string =>
  typeof value === 'string' && /^[\x21-\x7e]+$/.test(value);

const refusal = (message: string) => new SmtpFailure('password', message, { command: 'AUTH' });

function jsonOf(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}
