// Issues receipts in the background: looks at new records until they were handed over, then signs and stores a statement.
import { backgroundLoop } from '../../../platform/background-loop.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Transaction } from '../../../platform/db/database.ts';
import type { Ids } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log.ts';
import { type AttemptRecord, readAttempts } from './attempt-store.ts';
import type { ReceiptKeys } from './keys.ts';
import * as store from './receipt-store.ts';
import { attemptState, receiptHash, statementOf } from './statement.ts';

export type IssuerDeps = {
  db: Database;
  /** Decides when a record is looked at again; the sandbox can move it. */
  clock: Clock;
  /** The time that is signed. */
  wall_clock: Clock;
  ids: Ids;
  log: Log;
  keys: ReceiptKeys;
  baseUrl(): string;
};

const poll_ms = 1000;
const batch = 200;
const max_wait_seconds = 600;

export function receiptIssuer(deps: IssuerDeps) {
  const issueAll = async (isStopped: () => boolean): Promise<void> => {
    while (!isStopped() && (await issueBatch(deps)) === batch);
  };
  const loop = backgroundLoop({
    poll_ms,
    work: issueAll,
    failed: (error) => deps.log.warn({ err: error }, 'receipts were not issued; trying again'),
  });
  return {
    start: loop.start,
    stop: loop.stop,
    wake: () => loop.wakeIn(100),
    drain: () => loop.runOnce(),
  };
}

async function issueBatch(deps: IssuerDeps): Promise<number> {
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const due = await store.takeDue(tx, now, batch);
    if (due.length === 0) return 0;
    const records = await readAttempts(tx, due);
    const states = Map.groupBy(due, ({ id }) => {
      const record = records.get(id);
      const state = record ? attemptState(record) : 'no_attempt';
      return state === 'waiting' || state === 'no_attempt' ? state : 'over';
    });
    await store.lookLater(
      tx,
      (states.get('waiting') ?? []).map((row) => ({
        ...row,
        looks: row.looks + 1,
        look_at: nextLook(records.get(row.id)!, row.looks, now).toISOString(),
      })),
    );
    const over = states.get('over') ?? [];
    await issue(
      deps,
      tx,
      over.map(({ id }) => records.get(id)!),
    );
    await store.deleteDue(tx, [...over, ...(states.get('no_attempt') ?? [])]);
    return due.length;
  });
}

function nextLook({ scheduled_at }: AttemptRecord, looks: number, now: Date): Date {
  if (scheduled_at && scheduled_at > now) return new Date(scheduled_at.getTime() + 1000);
  return new Date(now.getTime() + Math.min(2 ** looks, max_wait_seconds) * 1000);
}

async function issue(deps: IssuerDeps, tx: Transaction, records: AttemptRecord[]): Promise<void> {
  if (records.length === 0) return;
  const { kid, sign } = await deps.keys.signer(tx);
  const by_organization = Map.groupBy(records, ({ organization_id }) => organization_id);
  // In order, so that two transactions cannot deadlock.
  for (const organization_id of [...by_organization.keys()].sort()) {
    const chain = await store.lockChain(tx, organization_id);
    const attempts = by_organization.get(organization_id)!;
    const existing = await store.recordsWithReceipt(
      tx,
      organization_id,
      attempts.map(({ id }) => id),
    );
    const created: store.NewReceipt[] = [];
    for (const record of attempts.filter(({ id }) => !existing.has(id))) {
      const now = deps.wall_clock.now();
      const id = deps.ids.next();
      chain.seq++;
      const { claims, disclosures } = statementOf(record, {
        id,
        issuer: deps.baseUrl(),
        now,
        seq: chain.seq,
        previous_sha256: chain.last_sha256,
      });
      const jws = await sign(claims);
      chain.last_sha256 = receiptHash(jws);
      const { noun, id: object_id } = record;
      created.push({ id, organization_id, seq: chain.seq, noun, object_id, kid, jws, disclosures, now });
    }
    await store.insertReceipts(tx, created);
    await store.moveChain(tx, organization_id, chain);
  }
}
