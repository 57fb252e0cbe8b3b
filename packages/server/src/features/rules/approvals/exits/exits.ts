// Requests that open a way out for data, such as webhooks, tools and providers: the approval policy refuses them, or lets them wait
// for a person. Nothing of a waiting request is carried out: after the approval the same request is sent again, and works once.
import { exitOf } from '@parley/contract/rules/exits';
import type { Clock } from '../../../../platform/clock.ts';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import type { Context } from '../../../../platform/http/context.ts';
import type { Ids } from '../../../../platform/ids.ts';
import type { JobHandler } from '../../../../platform/jobs.ts';
import type { PartyHash } from '../../../../platform/party-hash.ts';
import { type Payload, principalOf, type Verdict, type WaitingRecords } from '../../admission/index.ts';
import { type ApprovalGate, payloadHash } from '../gate.ts';
import type { ExitStore } from './exit-store.ts';

export type ExitDeps = {
  db: Database;
  clock: Clock;
  ids: Ids;
  partyHash: PartyHash;
  gate: ApprovalGate;
  exit_store: ExitStore;
};

export type ExitRequestInput = { operation: string; params: unknown; body: unknown };
/** Called when the request was not carried out after all. */
export type GiveBack = () => Promise<void>;

const day_ms = 86_400_000;
/** How long an approval can be used. */
const usable_ms = day_ms;
/** An approval waits for 7 days at most. */
const kept_ms = 9 * day_ms;

/** Null when the request may be carried out and nothing was used for it. Throws when it waits or is refused. */
export async function admitExit(
  deps: ExitDeps,
  { caller, organization_id }: Context,
  request: ExitRequestInput,
): Promise<GiveBack | null> {
  const exit = exitOf(request.operation, request.body);
  if (!exit) return null;
  const id = deps.ids.next();
  const payload = payloadOf(deps.partyHash, organization_id, request);
  const verdict = await deps.gate.judge('create', {
    organization_id,
    channel: exit.channel,
    origin: 'api',
    recipients: payload.to,
    consent: 'configured',
    record: { noun: 'configuration', id },
    principal: principalOf(caller),
    payload: () => payload,
  });
  if (verdict.outcome === 'refuse' || verdict.outcome === 'defer') throw verdict.error;
  if (verdict.outcome !== 'hold') return null;
  return useApproval(deps, organization_id, { id, payload_sha256: payloadHash(payload) }, verdict);
}

async function useApproval(
  { db, clock, exit_store }: ExitDeps,
  organization_id: string,
  { id, payload_sha256 }: { id: string; payload_sha256: string },
  verdict: Extract<Verdict, { outcome: 'hold' }>,
): Promise<GiveBack> {
  const now = clock.now();
  const since = new Date(now.getTime() - usable_ms);
  const approved = await exit_store.use(organization_id, payload_sha256, { now, since });
  if (approved) return async () => void (await exit_store.giveBack(organization_id, approved.id));
  const pending = await exit_store.findPending(organization_id, payload_sha256);
  if (pending) throw waits(pending.approval_id);
  const approval_id = verdict.hold.approval_id!;
  await db.transaction(async (tx) => {
    await exit_store.insert(tx, organization_id, { organization_id, id, approval_id, payload_sha256 }, now);
    await verdict.commit?.(tx);
  });
  throw waits(approval_id);
}

const waits = (approval_id: string) =>
  new ApiError('held', {
    detail: `A person must approve this change (approval ${approval_id}). Nothing was changed.`,
    fix: `Wait with GET /v1/approvals/${approval_id}?wait_seconds=55. When it is approved, send exactly the same request again within a day.`,
  });

/** Where the data would go, and everything else of the request. Secrets are shown as a keyed hash, so that they are bound too. */
function payloadOf(
  partyHash: PartyHash,
  organization_id: string,
  { operation, params, body }: ExitRequestInput,
): Payload {
  const hide = (text: string) => partyHash(organization_id, text);
  const plain: unknown = JSON.parse(JSON.stringify({ params: params ?? {}, body: body ?? {} }));
  const targets = [...new Set(hostsIn(plain))];
  return {
    from: null,
    to: targets.length > 0 ? targets : [operation],
    cc: [],
    bcc: [],
    subject: `${operation}: ${targets.join(', ') || 'change'}`,
    body_text: null,
    body_html: null,
    attachments: [],
    more: { operation, ...(masked(plain, hide, false) as Record<string, unknown>) },
    scheduled_at: null,
  };
}

const secret_name = /key|secret|token|password|credential|authorization|headers/i;

/** The same value with a hash in place of each secret text. */
function masked(value: unknown, hide: (text: string) => string, is_secret: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => masked(each, hide, is_secret));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        name,
        masked(each, hide, is_secret || secret_name.test(name)),
      ]),
    );
  return is_secret && (typeof value === 'string' || typeof value === 'number') ? hide(String(value)) : value;
}

/** The hosts of all addresses in the request. */
function* hostsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') {
    const url = /^(?:https?|wss?):\/\//i.test(value) && URL.canParse(value) ? new URL(value) : null;
    if (url) yield url.hostname;
  } else if (typeof value === 'object' && value !== null)
    for (const each of Object.values(value)) yield* hostsIn(each);
}

/** The port for approvals. */
export const waitingExits = ({
  clock,
  exit_store,
}: Pick<ExitDeps, 'clock' | 'exit_store'>): WaitingRecords => ({
  release: (tx, ref, { approval_id }) => exit_store.release(tx, ref, { approval_id, now: clock.now() }),
  cancel: (tx, ref) => exit_store.delete(tx, ref),
  payload: async (ref) => ((await exit_store.payload(ref))?.shown as Payload | undefined) ?? null,
});

export const forgetExitsJob = ({
  clock,
  exit_store,
}: Pick<ExitDeps, 'clock' | 'exit_store'>): JobHandler => ({
  kind: 'forget_exit_requests',
  every_seconds: 86_400,
  run: async () => void (await exit_store.deleteBefore(new Date(clock.ms() - kept_ms))),
});
