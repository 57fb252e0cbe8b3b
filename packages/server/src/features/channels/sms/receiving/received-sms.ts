// A text as a carrier delivers it.
import type { CarrierEvent } from '../../../../providers/carrier/carrier.ts';

export type ReceivedSms = Extract<CarrierEvent, { kind: 'text_received' }> & {
  provider: string;
  /** Only in the sandbox: the organization that the shared sender belongs to this time. */
  organization_id?: string;
};
