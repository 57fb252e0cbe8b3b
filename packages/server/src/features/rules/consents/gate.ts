// What admission asks: whether a recorded consent exists, and whether a number may be called.
import type { Clock } from '../../../platform/clock.ts';
import { contactRulesOf, type SendingRules, type SendingRulesFeature } from '../sending-rules/index.ts';
import { type ConsentQuery, recipientKey } from './consent.ts';
import type { RevocationStore } from './revocation-store.ts';
import { type ConsentCondition, type ConsentStore, consentRecorded } from './store.ts';

/** How long a message of the person allows to answer it. */
const inbound_days = 180;
const day_ms = 86_400_000;
const none: readonly string[] = [];

export type GateDeps = {
  store: ConsentStore;
  revocations: RevocationStore;
  rules: Pick<SendingRulesFeature, 'of'>;
  /** Stores what follows from an inbound message, so that the next send finds it. */
  recordInbound(query: ConsentQuery, recipient: string, at: Date, expires_at: Date): Promise<string>;
  clock: Clock;
};

export function consentGate(deps: GateDeps) {
  const { store, revocations, rules, clock } = deps;

  /** The id of an active consent; null when there is none. */
  const find = async (query: ConsentQuery, recipient: string): Promise<string | null> => {
    const active_consents = await store.active(query);
    if (active_consents !== null || query.purpose !== 'conversational') return active_consents;
    const at = await store.lastInbound(query, new Date(clock.ms() - inbound_days * day_ms));
    if (at === null) return null;
    return deps.recordInbound(query, recipient, at, new Date(at.getTime() + inbound_days * day_ms));
  };

  let last_second = { ms: 0, text: '' };
  /** Rounded up. Kept, because writing a time takes longer than the rest of the condition. */
  const secondText = (): string => {
    const ms = Math.ceil(clock.ms() / 1000) * 1000;
    if (last_second.ms !== ms) last_second = { ms, text: new Date(ms).toISOString() };
    return last_second.text;
  };

  const needsRecord = (found: SendingRules) => contactRulesOf(found).consent === 'recorded';

  return {
    find,

    /**
     * For the statement that stores a record. The time is rounded up to seconds, so that equal records share one test: a
     * consent in its last second is found by `find`.
     */
    condition(query: ConsentQuery): ConsentCondition {
      return consentRecorded({ ...query, at: secondText() });
    },

    /** Whether the organization asks for recorded consents. */
    needsRecord(organization_id: string): boolean | Promise<boolean> {
      const current_rules = rules.of(organization_id);
      return current_rules instanceof Promise ? current_rules.then(needsRecord) : needsRecord(current_rules);
    },

    /** The numbers of these that must not be called. Nothing is read while nobody of the organization refused calls. */
    stoppedCalls(
      organization_id: string,
      numbers: readonly string[],
    ): readonly string[] | Promise<readonly string[]> {
      const read = ({ has_call_stops }: SendingRules) =>
        has_call_stops ? revocations.stoppedCalls(organization_id, numbers.map(recipientKey)) : none;
      const current_rules = rules.of(organization_id);
      return current_rules instanceof Promise ? current_rules.then(read) : read(current_rules);
    },
  };
}
export type ConsentGate = ReturnType<typeof consentGate>;
