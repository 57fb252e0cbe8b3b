// Stores a batch of emails for the worker: all of them, or those that can be sent.
import type {
  EmailBatch,
  EmailBatchCreate,
  EmailBatchItem,
} from '@parley/contract/channels/emails/email-batches';
import { EmailCreate } from '@parley/contract/channels/emails/email-requests';
import { errors } from '@parley/contract/errors';
import { limits } from '@parley/contract/limits';
import type { Transaction } from '../../../../platform/db/database.ts';
import { ApiError, type FieldProblem } from '../../../../platform/http/api-error.ts';
import { problemAnswer } from '../../../../platform/http/problem.ts';
import { validateInside } from '../../../../platform/http/validate.ts';
import { insert, type UnitOfWork } from '../../../../platform/unit-of-work/unit-of-work.ts';
import { type PreparedEmail, prepareEmail, storedWith } from '../send/prepare/prepare-email.ts';
import type { MoreOfRequest } from '../send/prepare/resolve-request.ts';
import type { SendContext, SendDeps } from '../send/send-email.ts';
import { newEmailChange } from '../store.ts';
import { waitingRows } from '../waiting/hold-email.ts';
import { type BatchRow, type BatchStore, email_batches, type StoredItem, withSavepoint } from './store.ts';

type Deps = SendDeps & { unitOfWork: UnitOfWork; batches: BatchStore };

/** One email of the request: ready to be stored, or rejected. */
type Item = { prepared: PreparedEmail } | { error: ApiError };

/** `more`: per email, in the same order. */
type BatchRequest = EmailBatchCreate & { more?: readonly MoreOfRequest[] };

export const sendBatch = (deps: Deps) => ({
  create: (organization_id: string, request: BatchRequest, context: SendContext) =>
    createBatch(deps, organization_id, request, context),

  async get(organization_id: string, id: string): Promise<EmailBatch> {
    const batch = await deps.batches.find(organization_id, id);
    if (!batch) throw new ApiError('not_found');
    const ids = batch.items.flatMap(({ email_id }) => email_id ?? []);
    const states = new Map((await deps.batches.states(organization_id, ids)).map((each) => [each.id, each]));
    return presentBatch(batch, (email_id) => states.get(email_id));
  },
});
export type SendBatch = ReturnType<typeof sendBatch>;

async function createBatch(
  deps: Deps,
  organization_id: string,
  { emails, on_error: requested, more }: BatchRequest,
  context: SendContext,
): Promise<EmailBatch> {
  const on_error = requested ?? 'reject_all';
  const id = deps.ids.next();
  const items = await prepareAll(deps, organization_id, emails, { context, batch_id: id, more });
  if (on_error === 'reject_all') refuseAny(items);
  const batch = await deps.db.transaction(async (tx) => {
    const counted = await countAll(tx, items, on_error);
    refuseAll(counted);
    const row: BatchRow = {
      id,
      organization_id,
      on_error,
      created_at: deps.clock.now().toISOString(),
      items: counted.map((item) => storedItem(item, context.request_id)),
    };
    return storeBatch(deps, tx, row, counted, context);
  });
  deps.jobs.wake();
  return batch;
}

async function prepareAll(
  deps: Deps,
  organization_id: string,
  emails: readonly unknown[],
  { context, batch_id, more }: { context: SendContext; batch_id: string; more: BatchRequest['more'] },
): Promise<Item[]> {
  const batch = { id: batch_id, size: emails.length };
  const prepared = await Promise.allSettled(
    emails.map((email, index) =>
      prepareItem(deps, organization_id, email, { index, context, batch, more: more?.[index] }),
    ),
  );
  return prepared.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

async function prepareItem(
  deps: Deps,
  organization_id: string,
  email: unknown,
  {
    index,
    context,
    batch,
    more,
  }: {
    index: number;
    context: SendContext;
    batch: { id: string; size: number };
    more: MoreOfRequest | undefined;
  },
): Promise<Item> {
  const read = validateInside(EmailCreate, email, ['emails', index]);
  if ('error' in read) return read;
  try {
    const by = { caller: context.caller, consent_by: context.consent_by, key: null, batch };
    return { prepared: await prepareEmail(deps, organization_id, { ...read.data, ...more }, by) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { error: within(error, index) };
  }
}

/** The same error, with paths that lead into the batch. */
function within({ code, options }: ApiError, index: number): ApiError {
  const inBatch = (path: string) => path.replace(/^body\b/, `body.emails[${index}]`);
  const { path, errors: fields, ...others } = options;
  return new ApiError(code, {
    ...others,
    path: inBatch(path ?? 'body'),
    ...(fields ? { errors: fields.map((field) => ({ ...field, path: inBatch(field.path) })) } : {}),
  });
}

const errorsOf = (items: readonly Item[]): ApiError[] =>
  items.flatMap((item) => ('error' in item ? [item.error] : []));

/** Rejects the batch if any of its emails is rejected. */
function refuseAny(items: readonly Item[]): void {
  const found = errorsOf(items);
  if (found.length > 0) throw batchRejected(found, items.length);
}

/** Rejects a batch of which nothing is left. */
function refuseAll(items: readonly Item[]): void {
  const found = errorsOf(items);
  if (found.length === items.length) throw batchRejected(found, items.length);
}

/** An error that is not about one email, such as the kill switch, is the response itself. */
function batchRejected(found: readonly ApiError[], size: number): ApiError {
  const general = found.find(({ code }) => errors[code].status !== 422);
  if (general) return general;
  const fields = found.flatMap(({ message, options }): FieldProblem[] =>
    options.errors ? options.errors : [{ path: options.path ?? 'body.emails', message, code: 'invalid' }],
  );
  return new ApiError('batch_rejected', {
    detail: `${found.length} of ${size} emails cannot be sent.`,
    errors: fields.slice(0, limits.email_batch),
  });
}

/** Counts every email against the limits of the organization. With reject_all a limit that is reached rejects the batch. */
async function countAll(
  tx: Transaction,
  items: readonly Item[],
  on_error: EmailBatch['on_error'],
): Promise<Item[]> {
  const counted: Item[] = [];
  for (const [index, item] of items.entries()) {
    if ('error' in item || !item.prepared.commit) {
      counted.push(item);
      continue;
    }
    const { commit } = item.prepared;
    try {
      await (on_error === 'reject_all' ? commit(tx) : withSavepoint(tx, () => commit(tx)));
      counted.push(item);
    } catch (error) {
      if (!(error instanceof ApiError) || on_error === 'reject_all') throw error;
      counted.push({ error: within(error, index) });
    }
  }
  return counted;
}

const storedItem = (item: Item, request_id: string): StoredItem =>
  'error' in item
    ? { email_id: null, error: problemAnswer(item.error, request_id).body }
    : { email_id: item.prepared.email.id, error: null };

/** The response is stored with the batch. */
async function storeBatch(
  deps: Deps,
  tx: Transaction,
  row: BatchRow,
  items: readonly Item[],
  { idempotency }: SendContext,
): Promise<EmailBatch> {
  const ready = items.flatMap((item) => ('prepared' in item ? [item.prepared] : []));
  const emails = new Map(ready.map(({ email }) => [email.id, email]));
  const batch = presentBatch(row, (id) => emails.get(id));
  const answer = idempotency?.row({ status: 201, body: batch }) ?? null;
  const outcomes = await deps.unitOfWork.commitIn(tx, [
    { record: insert(email_batches, row), answer },
    ...ready.map((prepared) =>
      newEmailChange(prepared.email, {
        ...storedWith(deps, prepared, null),
        // Counted above, in this transaction.
        guard: null,
        also: waitingRows(deps, prepared.email),
      }),
    ),
  ]);
  if (outcomes.some(({ outcome }) => outcome !== 'stored')) throw new Error(`Batch ${row.id} was not stored`);
  return batch;
}

function presentBatch(
  { items: stored, ...batch }: BatchRow,
  stateOf: (email_id: string) => { status: string; hold: EmailBatchItem['hold'] } | undefined,
): EmailBatch {
  const counts = { queued: 0, sent: 0, failed: 0, bounced: 0, complained: 0, canceled: 0 };
  const items = stored.map(({ email_id, error }, index): EmailBatchItem => {
    const state = email_id === null ? undefined : stateOf(email_id);
    const status = (state?.status ?? null) as EmailBatchItem['status'];
    if (status) counts[status] += 1;
    return { index, email_id, status, hold: state?.hold ?? null, error };
  });
  const accepted = items.filter(({ email_id }) => email_id !== null).length;
  return { ...batch, accepted, rejected: items.length - accepted, counts, items };
}
