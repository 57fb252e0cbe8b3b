// How long after its delay the answer of an agent to a text is handed to the carrier.
import { constant, type Row, type Run } from '../harness.ts';
import { connectTo, sharedService } from './service.ts';

const limit_ms = 300;
const delay_seconds = 1;
const texts: Record<Run['scale'], number> = { quick: 20, normal: 60, full: 100 };

export const smsAnswerRow: Row = {
  name: 'sms-answer',
  subject: 'inbound text to the hand-over of its answer, beyond the delay, p99',
  limit: `${limit_ms} ms`,
  unit: 'ms',
  target: { comparison: '<=', ratio: 1 },
  rounds: { quick: 1, normal: 2, full: 3 },
  fixed_time: true,
  async prepare(run) {
    return { limit: constant(limit_ms), subject: await answers(run) };
  },
};

async function answers(run: Run) {
  const service = await sharedService(run);
  const database = await connectTo(service.database_url, run.stage);
  const request = async (method: string, path: string, body: object) => {
    const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
    const response = await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as { id: string; e164: string };
  };
  let sent = 0;
  return async () => {
    // A new agent each time: an agent that writes too much within an hour is paused.
    const { id, e164 } = await request('POST', '/v1/numbers', { country_code: 'US' });
    const messaging = { reply_delay_seconds: delay_seconds };
    const agent = await request('POST', '/v1/agents', { name: 'Desk', messaging });
    await request('PATCH', `/v1/numbers/${id}`, { sms_agent_id: agent.id });
    const ids: string[] = [];
    for (let index = 0; index < texts[run.scale]; index++) {
      const from = `+1415${String(5_550_000 + sent++).padStart(7, '0')}`;
      ids.push((await request('POST', '/v1/sandbox/inbound-sms', { from, to: e164, body: 'Hello' })).id);
    }
    for (;;) {
      const { rows } = await database.query<{ ms: number }>(
        `select extract(epoch from (o.handed_at - i.requested_at))::float * 1000 - $2::int as ms
           from sms_messages i join sms_messages o on o.answers_id = i.id
          where i.id = any($1::uuid[]) and o.handed_at is not null order by ms`,
        [ids, delay_seconds * 1000],
      );
      if (rows.length === ids.length) return { value: rows[Math.ceil(rows.length * 0.99) - 1]!.ms };
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
}
