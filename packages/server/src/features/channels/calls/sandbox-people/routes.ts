// The HTTP operations of the sandbox phone, and simulated inbound calls.
import {
  own_phone_number,
  type SandboxInboundCall,
  type SandboxPhoneCall,
  sandboxPhone,
} from '@parley/contract/operations/sandbox/sandbox-phone';
import type { Database } from '../../../../platform/db/database.ts';
import { ApiError } from '../../../../platform/http/api-error.ts';
import { type Context, routesOf } from '../../../../platform/http/context.ts';
import type { InboundCall } from '../../../../providers/carrier/sandbox-phones.ts';
import type { MediaSession } from '../../../../providers/media/media-session.ts';
import type { NumbersFeature } from '../../numbers/index.ts';
import type { ProgressStore } from '../dispatch/progress/progress-store.ts';
import type { CallStore } from '../store.ts';
import type { OwnPhone } from './own-phone.ts';
import type { Step } from './people.ts';

/** The parts of the sandbox carrier that the routes need; built by app.ts. */
export type SandboxLine = {
  phone: OwnPhone;
  callIn(call: InboundCall): Promise<{ provider_call_id: string } | null>;
  play(session: MediaSession, steps: readonly Step[]): Promise<void>;
};

const stepOf = (step: NonNullable<SandboxInboundCall['script']>[number]): Step => {
  if (step.do === 'wait') return { do: 'wait', ms: step.seconds * 1000 };
  // The called side speaks first.
  return step.do === 'converse' ? { do: 'converse', greeting: null } : step;
};

export function sandboxPhoneRoutes(deps: {
  db: Database;
  store: CallStore;
  progress_store: ProgressStore;
  numbers: Pick<NumbersFeature, 'holders'>;
  line: SandboxLine;
  baseUrl(): string;
}) {
  const { store, line } = deps;
  const { phone } = line;

  const requireOpenCall = async (organization_id: string, call_id: string) => {
    if (!(await store.find(organization_id, call_id))) throw new ApiError('not_found');
    if (!phone.get(call_id)) throw new ApiError('call_already_ended');
  };
  /** Wraps an action on an open call; null means that the call is not in a state that allows it. */
  const action =
    <Input extends { params: { call_id: string } }, Result>(
      act: (input: Input, context: Context) => Result | Promise<Result>,
    ) =>
    async (input: Input, context: Context): Promise<NonNullable<Result>> => {
      await requireOpenCall(context.organization_id, input.params.call_id);
      const result = await act(input, context);
      if (result == null) throw new ApiError('call_already_ended');
      return result;
    };

  const callIn = async (organization_id: string, { from, to, script }: SandboxInboundCall) => {
    const [holder] = await deps.numbers.holders(deps.db, [to]);
    if (holder?.organization_id !== organization_id || holder.provider !== 'sandbox') {
      throw new ApiError('not_found', { detail: 'This is not a sandbox number of yours.' });
    }
    const steps = (script ?? [{ do: 'converse' as const }]).map(stepOf);
    const placed = await line.callIn({
      from,
      to,
      talk: (session, call_id) =>
        from === own_phone_number && !script
          ? phone.callIn(call_id, from, to, session)
          : line.play(session, steps),
    });
    const inserted =
      placed && (await deps.progress_store.idOf(organization_id, 'sandbox', placed.provider_call_id));
    const call = inserted && (await store.find(organization_id, inserted.id));
    return { is_answered: call !== null, call };
  };

  return routesOf(sandboxPhone, {
    call_in: ({ body }, context) => callIn(context.organization_id, body),
    async list(_, { organization_id }) {
      const own_ids = await store.ownAmong(organization_id, phone.ids());
      const items = own_ids
        .map((id) => phone.get(id))
        .filter((call): call is SandboxPhoneCall => call !== null);
      return { items };
    },
    answer: action(({ params }) => phone.answer(params.call_id)),
    decline: action(({ params }) => phone.decline(params.call_id)),
    say: action(({ params, body }: { params: { call_id: string }; body: { text: string } }) =>
      phone.say(params.call_id, body.text),
    ),
    press: action(({ params, body }: { params: { call_id: string }; body: { digits: string } }) =>
      phone.press(params.call_id, body.digits),
    ),
    hang_up: action(({ params }) => phone.hangUp(params.call_id)),
    open_sound: action(({ params }, { hold }) => {
      const opened = phone.openSound(params.call_id, hold);
      const base = deps.baseUrl().replace(/^http/, 'ws');
      return opened && { url: `${base}/v1/sandbox/phone/sound?token=${opened.token}` };
    }),
  });
}
