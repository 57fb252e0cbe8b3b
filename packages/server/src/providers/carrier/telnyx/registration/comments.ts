// Reads what Telnyx's reviewers wrote about a requirement group or an order.
import type { CarrierFailure } from '../../carrier-failure.ts';
import { listField, textField } from '../../carrier-http.ts';
import { refused, type TelnyxApi } from '../api.ts';

export type Comment = { id: string; body: string; created_at: string };

/** Oldest first; without the comments of the account itself. */
export async function comments(
  api: TelnyxApi,
  type: 'requirement_group' | 'sub_number_order',
  id: string,
): Promise<{ outcome: 'found'; comments: Comment[] } | CarrierFailure> {
  const response = await api.get('/comments', [
    ['filter[comment_record_type]', type],
    ['filter[comment_record_id]', id],
  ]);
  if (response.outcome !== 'response') return response;
  if (response.status === 404) return { outcome: 'found', comments: [] };
  if (response.status !== 200) return refused(response.status, response.json);
  const said = listField(response.json, 'data')
    .filter((each) => textField(each, 'commenter_type') === 'admin')
    .map((each) => ({
      id: textField(each, 'id') ?? '',
      body: textField(each, 'body')?.trim() ?? '',
      created_at: textField(each, 'created_at') ?? '',
    }))
    .filter(({ body }) => body !== '')
    .sort((a, b) => a.created_at.localeCompare(b.created_at));
  return { outcome: 'found', comments: said };
}

export const textOf = ({ body }: Comment): string => body.slice(0, 1000);
