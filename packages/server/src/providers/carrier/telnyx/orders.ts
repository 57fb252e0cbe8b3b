// What became of an order of a number at Telnyx: bought, refused, or under review for days.
import type { NumberOrder, OrderReview, PurchaseResult } from '../carrier.ts';
import type { CarrierFailure } from '../carrier-failure.ts';
import { field, listField, textField } from '../carrier-http.ts';
import { readOne, refused, segment, type TelnyxApi } from './api.ts';
import { comments, textOf } from './registration/comments.ts';

/** An ordered number may not be in the account yet; then it is pending. */
export async function orderResult(
  api: TelnyxApi,
  order: NumberOrder,
  data: unknown,
): Promise<PurchaseResult> {
  const order_id = textField(data, 'id') ?? '';
  const status = textField(data, 'status');
  if (status === 'failure') return failed('the order failed');
  if (status !== 'success') return openOrder(api, order, data, order_id);
  const number = await findNumberId(api, order.e164);
  return number.outcome === 'known' && number.id !== null
    ? { outcome: 'bought', provider_number_id: number.id }
    : { outcome: 'pending', provider_number_id: order_id };
}

const failed = (detail: string): CarrierFailure => ({ outcome: 'refused', code: 'order_failed', detail });

/** A part of an order with what Telnyx thinks about its requirements. */
type Line = { id: string; requirements: string; sub_order: string | null; deadline: string | null };

async function openOrder(
  api: TelnyxApi,
  order: NumberOrder,
  data: unknown,
  order_id: string,
): Promise<PurchaseResult> {
  const line = await lineOf(api, order, data);
  if (line.requirements === 'cancelled' || line.requirements === 'deleted')
    return failed('Telnyx ended the order');
  const is_reviewed = line.requirements.startsWith('requirement-info-') || order.verification !== null;
  if (!is_reviewed) return { outcome: 'pending', provider_number_id: order_id };
  const review =
    line.requirements === 'requirement-info-exception'
      ? await exception(api, order, data, line)
      : waiting(line);
  return { outcome: 'pending', provider_number_id: order_id, review };
}

/** The order names the state; the deadline and the part of the order are read separately, and are missing if Telnyx is away. */
async function lineOf(api: TelnyxApi, { e164 }: NumberOrder, data: unknown): Promise<Line> {
  const numbers = listField(data, 'phone_numbers');
  const listed = numbers.find((each) => textField(each, 'phone_number') === e164) ?? numbers[0];
  const id = textField(listed, 'id') ?? '';
  const read = id === '' ? null : await readOne(api.get(`/number_order_phone_numbers/${segment(id)}`));
  const line = read?.outcome === 'found' ? field(read.json, 'data') : listed;
  return {
    id,
    requirements:
      textField(line, 'requirements_status') ?? textField(listed, 'requirements_status') ?? 'pending',
    sub_order: textField(line, 'sub_number_order_id') ?? textField(data, 'sub_number_orders_ids', 0),
    deadline: textField(line, 'deadline'),
  };
}

function waiting({ requirements, deadline }: Line): OrderReview {
  const until = deadline === null ? '' : ` It decides until ${deadline}.`;
  return requirements === 'requirement-info-pending'
    ? { detail: `The carrier waits for information about who uses the number.${until}` }
    : { detail: `The carrier reviews the order.${until}` };
}

/**
 * The review found the verification wrong. If it was corrected and approved since then, the order gets it again; otherwise the
 * reviewers' comments are the reasons.
 */
async function exception(
  api: TelnyxApi,
  { verification }: NumberOrder,
  data: unknown,
  line: Line,
): Promise<OrderReview> {
  const wrong = { detail: 'The carrier found the verification wrong. Correct it and submit it again.' };
  if (line.sub_order === null) return { ...wrong, problems: [unexplained] };
  const said = await comments(api, 'sub_number_order', line.sub_order);
  if (said.outcome !== 'found') return wrong;
  const newest = said.comments.at(-1)?.created_at ?? textField(data, 'updated_at') ?? '';
  if (verification && (await isCorrected(api, verification.reference, newest))) {
    const path = `/sub_number_orders/${segment(line.sub_order)}/requirement_group`;
    await api.post(path, { requirement_group_id: verification.reference });
    return waiting({ ...line, requirements: 'requirement-info-under-review' });
  }
  const problems = said.comments.slice(-10).map((each) => ({
    key: null,
    code: 'requirement-info-exception',
    message: textOf(each),
  }));
  return { ...wrong, problems: problems.length > 0 ? problems : [unexplained] };
}

const unexplained = {
  key: null,
  code: 'requirement-info-exception',
  message: 'The carrier’s review of an order found the information wrong and gave no reason.',
};

/** Whether the group was changed and approved after Telnyx refused it. */
async function isCorrected(api: TelnyxApi, group_id: string, refused_at: string): Promise<boolean> {
  const group = await readOne(api.get(`/requirement_groups/${segment(group_id)}`));
  if (group.outcome !== 'found' || textField(group.json, 'status') !== 'approved') return false;
  return Date.parse(textField(group.json, 'updated_at') ?? '') > Date.parse(refused_at);
}

/** Telnyx's id of a number in the account. */
async function findNumberId(
  api: TelnyxApi,
  e164: string,
): Promise<{ outcome: 'known'; id: string | null } | CarrierFailure> {
  const response = await api.get('/phone_numbers', [['filter[phone_number]', e164]]);
  if (response.outcome !== 'response') return response;
  if (response.status !== 200) return refused(response.status, response.json);
  const number = listField(response.json, 'data').find((each) => textField(each, 'phone_number') === e164);
  return { outcome: 'known', id: textField(number, 'id') };
}
