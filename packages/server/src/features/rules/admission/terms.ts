// The terms that a record keeps for its hand-over, where no column of the record has them.
import { default_purpose } from '@parley/contract/rules/approvals/hold';
import type { AdmissionRequest, CreateDecision, SendingTerms } from './admission.ts';

export const default_terms: SendingTerms = {
  purpose: default_purpose,
  principal: null,
  approval_id: null,
  is_counted_at_hand_over: false,
};

/** For a new record; null for the defaults, so that the common record stores nothing. */
export function newTerms(
  { channel, purpose = default_purpose, principal = null, origin, batch }: AdmissionRequest,
  { hold, checks, counted }: Extract<CreateDecision, { outcome: 'allow' }>,
): SendingTerms | null {
  const is_held = hold !== null;
  // An approval policy applies again at the hand-over, and depends on who sends.
  const has_policy = checks.some(({ name, outcome }) => name === 'approval' && outcome !== 'skip');
  // The credential of a request that is sent at once was judged at create. An agent acts without a credential, and who may
  // write in one conversation only is judged again.
  // What the agent of a call sends while it speaks counts for the program that started the call.
  const starts_agent = channel === 'calls' && (principal?.kind === 'api_key' || principal?.kind === 'oauth');
  const is_plain = origin !== 'agent' && !principal?.conversation && !starts_agent;
  const is_default = purpose === default_purpose && is_plain && counted.length === 0 && !batch;
  if (!is_held && !has_policy && is_default) return null;
  return {
    purpose,
    principal,
    approval_id: null,
    is_counted_at_hand_over: is_held,
    ...(batch ? { batch_size: batch.size } : {}),
    ...(counted.length > 0 ? { counted } : {}),
  };
}

/** The fields of the request for the hand-over. */
export const handOverTerms = (
  terms: SendingTerms | null,
): Pick<AdmissionRequest, 'terms' | 'principal' | 'purpose'> => ({
  terms,
  principal: terms?.principal ?? null,
  purpose: terms?.purpose ?? default_purpose,
});
