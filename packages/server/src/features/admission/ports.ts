// The providers that features get: sending, dialing and answering need the proof that it was admitted.
import type { Carrier, SmsPort, VoicePort } from '../../providers/carrier/carrier.ts';
import type { Carriers } from '../../providers/carrier/registry.ts';
import type { MailTransport, OutgoingMail, SendOutcome } from '../../providers/mail/transport.ts';
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

export function guardTransport(transport: MailTransport): GuardedTransport {
  return {
    ...transport,
    async send(mail, admitted, signal) {
      redeemProof(admitted, 'emails', mail.envelope.to);
      return transport.send(mail, signal);
    },
  } as GuardedTransport;
}

function guardCarrier(carrier: Carrier): GuardedCarrier {
  const { sms, voice } = carrier;
  return {
    ...carrier,
    sms: {
      ...sms,
      async send(text, admitted) {
        redeemProof(admitted, 'sms', [text.to]);
        return sms.send(text);
      },
    },
    voice: voice && {
      ...voice,
      async place(order, admitted) {
        redeemProof(admitted, 'calls', [order.to]);
        return voice.place(order);
      },
      async accept(call, admitted) {
        redeemProof(admitted, 'calls', null);
        return voice.accept(call);
      },
    },
  };
}

export function guardCarriers(carriers: Carriers): GuardedCarriers {
  const by_name = new Map(carriers.all().map((carrier) => [carrier.name, guardCarrier(carrier)]));
  const { active } = carriers;
  const registry: Omit<GuardedCarriers, typeof guarded> = {
    active: active && by_name.get(active.name)!,
    byName: (name) => by_name.get(name) ?? null,
    names: carriers.names,
    all: () => [...by_name.values()],
  };
  return registry as GuardedCarriers;
}
