// Chooses the sender of a text: the one in the request, else the custom sender id, else a number.
import { SenderName } from '@parley/contract/channels/sms/sms';

type OwnNumber = {
  e164: string;
  provider: string;
  /** The carrier said that the number is not registered for texts to the US. */
  is_unregistered: boolean;
};

export type SenderFacts = {
  custom_sender_id: string | null;
  /** The organization's oldest active number that can text. */
  own_number: OwnNumber | null;
  /** The number in the request, if it is an active number of the organization that can text. */
  named_number: OwnNumber | null;
  /** The sender that the operator set for the server. */
  default_sender: string | null;
  /** The carrier for senders that are not a number of the organization; null if none is configured. */
  active: { name: string; sender_names: boolean } | null;
};

export type SenderChoice =
  | { from: string; provider: string }
  | {
      refused: 'from_not_allowed' | 'no_sms_sender' | 'carrier_not_configured' | 'sender_not_registered';
      detail?: string;
    };

/** Countries whose networks replace or drop texts with a name as sender, or accept only registered names. */
const no_names = new Set(
  (
    'US CA PR VI GU AS MP DO JM BS BB TT BR AR CL CO CR EC GT HN MX NI PA PY PE SV UY VE BO CU HT ' +
    'CN TW KR JP IN PK BD LK NP VN TH MY PH ID IR SA AE QA KW OM JO EG KE NG GH ZA NZ BE HU RO RU BY UA KZ'
  ).split(' '),
);

export const allowsNames = (country_code: string | null): boolean =>
  country_code !== null && !no_names.has(country_code);

/** US networks block texts of unregistered numbers; the carrier would charge for them. */
const fromNumber = ({ e164, provider, is_unregistered }: OwnNumber, to: string): SenderChoice =>
  is_unregistered && to.startsWith('+1')
    ? { refused: 'sender_not_registered', detail: `${e164} is not registered for texts to +1 numbers.` }
    : { from: e164, provider };

export function chooseSender(
  from: string | null,
  { to, to_country }: { to: string; to_country: string | null },
  facts: SenderFacts,
): SenderChoice {
  const { custom_sender_id, own_number, named_number, default_sender, active } = facts;
  const nameFits = allowsNames(to_country) && active?.sender_names === true;

  if (from !== null) {
    if (named_number) return fromNumber(named_number, to);
    if (custom_sender_id !== null && from === custom_sender_id) {
      if (!active) return { refused: 'carrier_not_configured' };
      if (nameFits) return { from, provider: active.name };
      return {
        refused: 'from_not_allowed',
        detail: 'The country of the recipient does not allow names as senders.',
      };
    }
    const isName = SenderName.safeParse(from).success;
    return {
      refused: 'from_not_allowed',
      detail: isName
        ? '"from" is not your custom sender id.'
        : '"from" is not an active number of yours that can send texts.',
    };
  }
  if (custom_sender_id !== null && nameFits) return { from: custom_sender_id, provider: active.name };
  if (own_number) return fromNumber(own_number, to);
  if (default_sender === null) return { refused: 'no_sms_sender' };
  if (!active) return { refused: 'carrier_not_configured' };
  if (!default_sender.startsWith('+') && !nameFits) return { refused: 'no_sms_sender' };
  return { from: default_sender, provider: active.name };
}
