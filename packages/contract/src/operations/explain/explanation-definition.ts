// The parts of an explanation: what happened, who caused it, what to change, and whether sending again makes sense.

/**
 * `you`: the request, the settings or the receiver of your organization. `policy`: a rule that a person of your organization
 * or the operator set. `provider`: a mail transport, a language model or a speech engine. `parley`: this service.
 * `none`: it went as requested, or it still runs.
 */
export const explanationParties = [
  'you',
  'recipient',
  'carrier',
  'provider',
  'parley',
  'policy',
  'none',
] as const;
export type ExplanationParty = (typeof explanationParties)[number];

/**
 * `no`: the same again has the same result, or is not needed. `later`: the same may work after some time. `now`: repeat the
 * same request once the fix is done. `now_with_new_key`: once the fix is done, send a new request with a new Idempotency-Key.
 */
export const explanationRetries = ['no', 'later', 'now', 'now_with_new_key'] as const;
export type ExplanationRetry = (typeof explanationRetries)[number];

export type ExplanationDefinition = {
  who: ExplanationParty;
  /** What happened, in one sentence. */
  summary: string;
  /** What the reader can do next. */
  fix: string;
  retry: ExplanationRetry;
};
