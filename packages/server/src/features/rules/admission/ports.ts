// The providers that features get: sending, dialing and answering need the proof that it was admitted.

import type { Tracing } from '../../../platform/tracing/trace.ts';
import type { Carrier, SmsPort, VoicePort } from '../../../providers/carrier/carrier.ts';
import type { Carriers } from '../../../providers/carrier/registry.ts';
import type { MailTransport, OutgoingMail, SendOutcome } from '../../../providers/mail/transport.ts';
import { type Admitted, redeemProof } from './proof.ts';

declare const guarded: unique symbol;
type Guarded = { readonly [guarded]: true };

export type GuardedTransport = Guarded &
  Omit<MailTransport, 'send'> & {
    /** Does not throw for a failure that a mail system reports; `signal` aborts the attempt. */
    send(mail: OutgoingMail, admitted: Admitted, signal: AbortSignal): Promise<SendOutcome>;
  };

export type GuardedSms = Omit<SmsPort, 'send'> & {
  send(text: Parameters<SmsPort['send']>[0], admitted: Admitted): ReturnType<SmsPort['send']>;
};
export type GuardedVoice = Omit<VoicePort, 'place' | 'accept'> & {
  place(order: Parameters<VoicePort['place']>[0], admitted: Admitted): ReturnType<VoicePort['place']>;
  accept(call: Parameters<VoicePort['accept']>[0], admitted: Admitted): ReturnType<VoicePort['accept']>;
};
export type GuardedCarrier = Omit<Carrier, 'sms' | 'voice'> & {
  sms: GuardedSms;
  voice: GuardedVoice | null;
};
export type GuardedCarriers = Guarded & {
  /** For new numbers and for senders that are not a number; null when no carrier is set up. */
  active: GuardedCarrier | null;
  byName(name: string): GuardedCarrier | null;
  names(): string[];
  all(): readonly GuardedCarrier[];
};

type Outcome = { outcome: string } | { accepted: boolean };

/** A span around the request to a provider, with the outcome that the provider returned. */
function handOver<T extends Outcome>(
  tracing: Tracing | null,
  span: { name: string; provider: string },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracing) return work();
  const attributes = { 'parley.provider': span.provider };
  return tracing.span(span.name, { kind: 'client', attributes }, async (current) => {
    const result = await work();
    const outcome = 'outcome' in result ? result.outcome : result.accepted ? 'accepted' : 'not_accepted';
    current.set({ 'parley.outcome': outcome });
    return result;
  });
}

export function guardTransport(transport: MailTransport, tracing: Tracing | null = null): GuardedTransport {
  return {
    ...transport,
    async send(mail, admitted, signal) {
      redeemProof(admitted, 'emails', mail.envelope.to);
      return handOver(tracing, { name: 'mail.send', provider: transport.name }, () =>
        transport.send(mail, signal),
      );
    },
  } as GuardedTransport;
}

function guardCarrier(carrier: Carrier, tracing: Tracing | null): GuardedCarrier {
  const { sms, voice, name: provider } = carrier;
  return {
    ...carrier,
    sms: {
      ...sms,
      async send(text, admitted) {
        redeemProof(admitted, 'sms', [text.to]);
        return handOver(tracing, { name: 'sms.send', provider }, () => sms.send(text));
      },
    },
    voice: voice && {
      ...voice,
      async place(order, admitted) {
        redeemProof(admitted, 'calls', [order.to]);
        return handOver(tracing, { name: 'call.place', provider }, () => voice.place(order));
      },
      async accept(call, admitted) {
        redeemProof(admitted, 'calls', null);
        return voice.accept(call);
      },
    },
  };
}

export function guardCarriers(carriers: Carriers, tracing: Tracing | null = null): GuardedCarriers {
  const by_name = new Map(carriers.all().map((carrier) => [carrier.name, guardCarrier(carrier, tracing)]));
  const { active } = carriers;
  const registry: Omit<GuardedCarriers, typeof guarded> = {
    active: active && by_name.get(active.name)!,
    byName: (name) => by_name.get(name) ?? null,
    names: carriers.names,
    all: () => [...by_name.values()],
  };
  return registry as GuardedCarriers;
}
