// The data of the simulated Telnyx account, and the answers that all its parts have in common.
import type { Reply } from './stand-in.ts';

export type Json = Record<string, unknown>;

/** One request, read: `/v2/requirement_groups/{id}/submit_for_approval` has three parts. */
export type TelnyxRequest = {
  method: string;
  parts: string[];
  query: URLSearchParams;
  json: Json;
};
/** Null for a request of another part of the API. */
export type TelnyxRoute = (request: TelnyxRequest) => Reply | null;

export type HeldNumber = Json & { id: string; phone_number: string; messaging_profile_id: string | null };
export type Profile = Json & { id: string; name: string; webhook_url: string };
export type OrderLine = Json & {
  id: string;
  phone_number: string;
  requirements_status: string;
  status: string;
};
export type Order = Json & {
  id: string;
  customer_reference: string;
  status: string;
  messaging_profile_id: string | null;
  phone_numbers: OrderLine[];
  sub_number_orders_ids: string[];
};
export type RegulatoryRequirement = {
  id: string;
  name: string;
  description: string;
  example: string;
  field_type: 'textual' | 'datetime' | 'address' | 'document';
  acceptance_criteria: Json;
};
export type GroupValue = { requirement_id: string; field_value: string; status: string; expires_at?: string };
export type Group = Json & {
  id: string;
  country_code: string;
  phone_number_type: string;
  customer_reference: string;
  status: string;
  updated_at: string;
  regulatory_requirements: GroupValue[];
};
export type Document = Json & { id: string; content: Buffer; content_type: string; linked: boolean };
export type Brand = Json & { brandId: string; displayName: string; status: string; identityStatus?: string };
export type Campaign = Json & {
  campaignId: string;
  brandId: string;
  referenceId: string;
  campaignStatus: string;
};
export type Assignment = Json & { phoneNumber: string; campaignId: string; assignmentStatus: string };
export type TollFree = Json & {
  id: string;
  phoneNumbers: { phoneNumber: string }[];
  verificationStatus: string;
};

export type Account = {
  numbers: HeldNumber[];
  orders: Order[];
  on_sale: Set<string>;
  /** When on, orders stay pending until `settleOrders`. */
  slow_orders: { on: boolean };
  profiles: Profile[];
  /** By country and type: `FR local`. Without an entry nothing is needed. */
  requirements: Map<string, RegulatoryRequirement[]>;
  addresses: (Json & { id: string })[];
  documents: Document[];
  groups: Group[];
  comments: Json[];
  brands: Brand[];
  /** How often each brand was checked again. */
  revets: Map<string, number>;
  campaigns: Campaign[];
  assignments: Assignment[];
  /**
   * Texts of US local numbers without a campaign are refused. Off: the operator registered the account in Telnyx's console, so
   * every number that is bought is in a campaign.
   */
  needs_campaigns: { on: boolean };
  toll_free: TollFree[];
  /** When on, Telnyx sends words that its description does not have yet, so that nothing is checked. */
  new_words: { on: boolean };
};

export const newAccount = (): Account => ({
  numbers: [],
  orders: [],
  on_sale: new Set(['+13125550101', '+13125550102', '+13125550103', '+33199001234', '+18005550101']),
  slow_orders: { on: false },
  profiles: [],
  requirements: new Map(),
  addresses: [],
  documents: [],
  groups: [],
  comments: [],
  brands: [],
  revets: new Map(),
  campaigns: [],
  assignments: [],
  needs_campaigns: { on: false },
  toll_free: [],
  new_words: { on: false },
});

export const refusal = (
  code: string,
  title: string,
  detail: string,
  status: number,
  source: { parameter?: string; pointer?: string } = {},
): Reply => ({ status, json: { errors: [{ code, title, detail, source }] } });

export const missing = refusal('10005', 'Resource not found', 'The requested resource was not found', 404);
export const ok = (json: unknown): Reply => ({ status: 200, json });
export const wrapped = (data: unknown): Reply => ok({ data });
export const listed = (data: unknown[]): Reply =>
  ok({ data, meta: { total_results: data.length, total_pages: 1, page_number: 1, page_size: 250 } });

/** The check of a 10DLC request answers like this. */
export const unprocessable = (name: string, msg: string): Reply => ({
  status: 422,
  json: { detail: [{ loc: ['body', name], msg, type: 'value_error' }] },
});

/** A time that is later than every one before, so that changes can be told apart. */
let last_ms = 0;
export const timestamp = (): string => {
  last_ms = Math.max(Date.now(), last_ms + 1);
  return new Date(last_ms).toISOString();
};
