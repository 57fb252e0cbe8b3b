// Sign-in through a browser (RFC 8628): this machine shows a code, and a signed-in person approves it.
import { readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionError, createParley, ParleyError } from '@parley/sdk';
import type { Command } from 'commander';
import { type CommandContext, commandContext, interruption } from './command-context.ts';
import { credentialsFile, store, writePrivately } from './credentials.ts';
import { openBrowser } from './open-browser.ts';
import { exit } from './output.ts';
import { plain } from './tables.ts';

const request_timeout_ms = 30_000;
const client_id = 'parley-cli';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';

type DeviceCode = {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
};
type Pending = DeviceCode & { base_url: string; expires_at: number };

/** The server has no accounts to sign in to: the user must set a key. */
export class NoAccounts extends ParleyError {
  override name = 'NoAccounts';
}

export function addLoginCommand(program: Command): void {
  program
    .command('login')
    .description('Sign in through a browser and store a key for this machine')
    .option('--complete', 'Second step of a login without a terminal: wait until the code is approved')
    .action(async (options: { complete?: true }, command: Command) => {
      const context = commandContext(command);
      const signal = interruption();
      if (options.complete) {
        const pending = readPending(context.base_url);
        if (!pending)
          throw new ParleyError(
            'No login was started on this machine, or its code has expired. Run: parley login',
          );
        await finish(pending, context, signal);
        return;
      }
      const code = await requestCode(context.base_url);
      const pending = {
        ...code,
        base_url: context.base_url,
        expires_at: Date.now() + code.expires_in * 1000,
      };
      if (context.output.is_json) {
        const { device_code: _, interval: __, ...shown } = code;
        writePrivately(pendingFile(), JSON.stringify(pending));
        context.output.record({ ...shown, next_step: 'parley login --complete' });
        return;
      }
      context.output.text(
        `\n  Open   ${plain(code.verification_uri)}\n  Code   ${plain(code.user_code)}    (expires in ${Math.round(code.expires_in / 60)} minutes)\n`,
      );
      await openBrowser(code.verification_uri_complete);
      context.output.progress('Waiting for approval. Ctrl-C to stop.');
      await finish(pending, context, signal);
    });
}

async function post(url: string, fields: Record<string, string>): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
      signal: AbortSignal.timeout(request_timeout_ms),
    });
  } catch (error) {
    throw new ConnectionError(`Cannot reach ${new URL(url).origin}: ${(error as Error).message}`);
  }
}

async function requestCode(base_url: string): Promise<DeviceCode> {
  const response = await post(`${base_url}/auth/device/code`, { client_id });
  if (response.status === 404)
    throw new NoAccounts('This server uses a shared key. Set PARLEY_API_KEY, or run: parley auth set -');
  if (!response.ok) throw new ParleyError(`The server rejected the login (${response.status}).`);
  const code = (await response.json()) as DeviceCode;
  // Open only web addresses: the operating system would start other programs for other schemes.
  for (const link of [code.verification_uri, code.verification_uri_complete])
    if (!/^https?:\/\//.test(link))
      throw new ParleyError('The server returned an address that is not a web page.');
  return code;
}

type Token = { access_token?: string; error?: string };

/** Null if the server did not decide: it cannot be reached, is overloaded, or a proxy in front of it failed. */
async function requestToken(base_url: string, device_code: string): Promise<Token | null> {
  try {
    const response = await post(`${base_url}/auth/device/token`, { grant_type, client_id, device_code });
    if (response.status >= 500 || response.status === 429) return null;
    const token = (await response.json()) as Token;
    return token.access_token || token.error ? token : null;
  } catch {
    return null;
  }
}

/** RFC 8628 section 3.5: polling goes on until there is a decision or the code expires. */
async function finish(pending: Pending, { output }: CommandContext, signal: AbortSignal): Promise<void> {
  const { base_url, device_code } = pending;
  let interval_ms = pending.interval * 1000;
  for (;;) {
    const token = await requestToken(base_url, device_code);
    if (token?.access_token) {
      // The server gives the key out once, so it is stored before anything else can fail.
      const file = store({ base_url, api_key: token.access_token });
      rmSync(pendingFile(), { force: true });
      output.progress(`Logged in on ${hostname()}. The key is stored in ${file}`);
      output.record(await createParley({ base_url, api_key: token.access_token }).identity.whoami());
      return;
    }
    const error = token?.error ?? 'authorization_pending';
    if (error === 'slow_down') interval_ms += 5000;
    else if (error === 'access_denied') throw new ParleyError('The login was denied.');
    else if (error !== 'authorization_pending' || Date.now() >= pending.expires_at)
      throw new ParleyError('The code has expired or was used. Run: parley login');
    await wait(interval_ms, undefined, { signal }).catch(() => process.exit(exit.interrupted));
  }
}

const pendingFile = () => join(dirname(credentialsFile()), 'pending-login.json');

function readPending(base_url: string): Pending | null {
  try {
    const pending = JSON.parse(readFileSync(pendingFile(), 'utf8')) as Pending;
    return pending.base_url === base_url && pending.expires_at > Date.now() ? pending : null;
  } catch {
    return null;
  }
}
