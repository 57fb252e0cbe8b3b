// Decides whether a record was handed over, and what the receipt says about it.
import { createHash, randomBytes } from 'node:crypto';
import type { Receipt } from '@parley/contract/inbox/receipts';
import type { AttemptRecord } from './attempt-store.ts';

export type AttemptState = 'waiting' | 'no_attempt' | 'accepted' | 'refused' | 'failed';

type StoredAdmission = { outcome: string; checks: { name: string; outcome: string }[] };

const no_admission: StoredAdmission = { outcome: 'allow', checks: [] };

const admissionOf = ({ admission }: AttemptRecord): StoredAdmission =>
  admission === null ? no_admission : JSON.parse(admission);

/** `failed`: the provider was called, or could not be reached. `refused`: a rule stopped it right before. */
export function attemptState(record: AttemptRecord): AttemptState {
  const { status, handed_over_at, provider_id } = record;
  if (status === 'queued') return 'waiting';
  if (status === 'canceled') return provider_id === null ? 'no_attempt' : 'accepted';
  if (status !== 'failed') return handed_over_at === null ? 'waiting' : 'accepted';
  if (['canceled', 'approval_rejected', 'approval_expired'].includes(record.error ?? '')) return 'no_attempt';
  return admissionOf(record).outcome === 'allow' ? 'failed' : 'refused';
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

export const receiptHash = (jws: string): string => sha256(jws);

export type Statement = { claims: Record<string, unknown>; disclosures: NonNullable<Receipt['disclosures']> };

export function statementOf(
  record: AttemptRecord,
  of: { id: string; issuer: string; now: Date; seq: number; previous_sha256: string | null },
): Statement {
  const disclosures = record.parties.map((party) => ({ salt: randomBytes(16).toString('base64url'), party }));
  const content_salt = randomBytes(16).toString('base64url');
  const state = attemptState(record);
  const claims = {
    iss: of.issuer,
    jti: of.id,
    iat: Math.floor(of.now.getTime() / 1000),
    v: 1,
    kind: 'attempt',
    seq: of.seq,
    prev: of.previous_sha256,
    org: record.organization_id,
    object: { noun: record.noun, id: record.id },
    channel: record.noun,
    from: record.from,
    to_hash: disclosures.map(({ salt, party }) => sha256(`${salt}|${party}`)),
    content_salt,
    content_hash: sha256(`${content_salt}|${record.content_sha256}`),
    checks: admissionOf(record)
      .checks.filter(({ outcome }) => outcome !== 'skip')
      .map(({ name, outcome }) => ({ name, outcome })),
    approval: record.approval_id,
    carrier: record.provider === null ? null : { name: record.provider, id: record.provider_id },
    result: state,
    error: state === 'accepted' ? null : record.error,
    occurred_at: record.handed_over_at,
  };
  return { claims, disclosures };
}
