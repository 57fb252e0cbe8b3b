// Checks the connection from this machine to a working service and what is missing to go live, with the fix for each.
import { ApiError, type Parley } from '@parley/sdk';
import type { Command } from 'commander';
import { commandContext } from './command-context.ts';
import { readStored } from './credentials.ts';
import { commandTable } from './derived-commands.ts';
import type { Finding } from './findings.ts';
import { findingOf, line } from './findings.ts';
import { exit } from './output.ts';

const timeout_ms = 5000;
const skew_seconds = 120;

export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('Check the connection to the server and what is missing to go live, and say how to fix it')
    .action(async (_, command: Command) => {
      const { parley, output, base_url, api_key } = commandContext(command);
      const server = await checkServer(base_url, api_key);
      const is_up = server[0]!.status === 'ok';
      const key = is_up ? await checkKey(parley, api_key) : skipped('key');
      const records = key.status === 'ok' ? await checkRecords(parley) : [skipped('go live')];
      const findings = worstOfEachCheck([...server, key, ...records]);
      if (output.is_json) output.record({ items: findings });
      else output.text(findings.map(line).join('\n'));
      if (findings.some(({ status }) => status === 'failed')) process.exitCode = exit.failed;
    });
}

const skipped = (check: string): Finding => ({ check, status: 'skipped', detail: 'Not checked.' });

async function get(url: string, api_key: string | null = null): Promise<Response | null> {
  return fetch(url, {
    signal: AbortSignal.timeout(timeout_ms),
    redirect: 'manual',
    ...(api_key === null ? {} : { headers: { authorization: `Bearer ${api_key}` } }),
  }).catch(() => null);
}

/** The server gives the reasons only to a superadmin's credential. */
async function failedChecks(response: Response | null): Promise<string> {
  const body = (await response?.json().catch(() => null)) as { checks?: Record<string, string> } | null;
  const failed = Object.entries(body?.checks ?? {}).filter(([, state]) => state.startsWith('unavailable'));
  return failed.map(([name, state]) => `${name} ${state}`).join('; ') || 'it gives no reason';
}

async function checkServer(base_url: string, api_key: string | null): Promise<Finding[]> {
  const alive = await get(`${base_url}/healthz`);
  if (!alive?.ok) {
    const detail = alive ? `${base_url} responds with ${alive.status}` : `${base_url} does not respond`;
    const fix =
      'Start the server (parley start, or npm start in a checkout), or select another with --base-url or PARLEY_URL.';
    return [{ check: 'server', status: 'failed', detail, fix }, skipped('database')];
  }
  const skew = Math.abs(Date.now() - Date.parse(alive.headers.get('date') ?? '')) / 1000;
  const ready = await get(`${base_url}/readyz`, api_key);
  return [
    { check: 'server', status: 'ok', detail: `${base_url} responds` },
    ready?.ok
      ? { check: 'database', status: 'ok', detail: 'The server can reach its database.' }
      : {
          check: 'database',
          status: 'failed',
          detail: `The server is not ready: ${await failedChecks(ready)}.`,
          fix: 'Read the server’s log, or /readyz on its health port (PARLEY_HEALTH_PORT).',
        },
    ...(skew > skew_seconds
      ? [
          {
            check: 'clock',
            status: 'warning' as const,
            detail: `The clocks differ by ${Math.round(skew)} seconds; signatures will be rejected as too old.`,
            fix: 'Set the clock of this machine or of the server.',
          },
        ]
      : []),
  ];
}

async function checkKey(parley: Parley, api_key: string | null): Promise<Finding> {
  if (api_key === null)
    return {
      check: 'key',
      status: 'failed',
      detail: readStored() ? 'The stored key is for another server.' : 'No key.',
      fix: 'Run: parley login (or parley auth set -, or set PARLEY_API_KEY)',
    };
  try {
    const { auth_kind, organization_id } = await parley.identity.whoami();
    return { check: 'key', status: 'ok', detail: `${auth_kind} of organization ${organization_id}` };
  } catch (error) {
    const fix = error instanceof ApiError && error.status === 401 ? 'Run: parley login' : undefined;
    return { check: 'key', status: 'failed', detail: (error as Error).message, ...(fix ? { fix } : {}) };
  }
}

type Subscription = {
  id: string;
  target_url: string;
  status: string;
  dead_streak: number;
  /** Older servers do not return it. */
  recent_deliveries?: { count: number; failed_count: number; failing_since: string | null };
};

/** Deliveries are retried for a day before they count as dead, so the last attempts count too. */
const isFailing = ({ status, dead_streak, recent_deliveries }: Subscription) =>
  status !== 'active' || dead_streak > 0 || (recent_deliveries?.failing_since ?? null) !== null;

/** All items of a list, if the API has it. */
async function all<T>(parley: Parley, noun: string, group: string): Promise<T[] | null> {
  if (!commandTable().some((info) => info.noun === noun && info.verb === 'list')) return null;
  const list = parley[group as keyof Parley] as unknown as { list(query: object): AsyncIterable<T> };
  const items: T[] = [];
  for await (const item of list.list({ limit: 200 })) items.push(item);
  return items;
}

const severity = ['skipped', 'ok', 'warning', 'missing', 'failed'] satisfies Finding['status'][];
const isWorse = (one: Finding, other: Finding) =>
  severity.indexOf(one.status) > severity.indexOf(other.status);

/** The server may report a check that was made here, too. Each is shown once, with the worse finding. */
function worstOfEachCheck(findings: Finding[]): Finding[] {
  const worst = new Map<string, Finding>();
  for (const finding of findings) {
    const worst_finding = worst.get(finding.check);
    if (!worst_finding || isWorse(finding, worst_finding)) worst.set(finding.check, finding);
  }
  return [...worst.values()];
}

/** What the server reports about itself and the organization, with the details of failing webhooks. */
async function checkRecords(parley: Parley): Promise<Finding[]> {
  const [reported, webhooks] = await Promise.all([checkGoLive(parley), checkWebhooks(parley)]);
  if (webhooks === null) return reported;
  return [...reported.filter(({ check }) => check !== webhooks.check), webhooks];
}

/** How many subscriptions are named; `parley webhooks list` shows all of them. */
const most_named = 5;

const named = (texts: string[]) =>
  [
    ...texts.slice(0, most_named),
    ...(texts.length > most_named ? [`${texts.length - most_named} more`] : []),
  ].join('; ');

async function checkWebhooks(parley: Parley): Promise<Finding | null> {
  const subscriptions = await all<Subscription>(parley, 'webhooks', 'webhooks').catch(() => null);
  const wrong = subscriptions?.filter(isFailing) ?? [];
  const [first] = wrong;
  if (!first) return null;
  const details = wrong.map(
    ({ target_url, status, dead_streak, recent_deliveries: recent }) =>
      `${target_url} is ${status}; ${
        dead_streak > 0 || !recent
          ? `${dead_streak} consecutive deliveries failed`
          : `${recent.failed_count} of the last ${recent.count} deliveries failed`
      }`,
  );
  return {
    check: 'webhooks',
    status: 'warning',
    detail: named(details),
    fix: `See why: parley webhooks list-deliveries ${first.id}.${
      first.status === 'active' ? '' : ` Then: parley webhooks update ${first.id} --status active`
    }`,
  };
}

/** The server checks its own settings, the records of the organization and DNS. */
async function checkGoLive(parley: Parley): Promise<Finding[]> {
  const go_live = await parley.goLive.get().catch(() => null);
  if (go_live === null) return [skipped('go live')];
  return go_live.items.map(findingOf);
}
