// Calls over Telnyx: call control places, answers and ends them, webhooks report their progress, media streams carry the audio.
import type { CallOrder, CarrierEvent, VoicePort } from '../carrier.ts';
import { textField, uuidOrNull } from '../carrier-http.ts';
import { type MediaSocketDeps, type MediaSockets, mediaSockets, not_leading } from '../media-sockets.ts';
import { repeatBusy, repeatedHangUp } from '../repeat-requests.ts';
import { refused, type TelnyxApi } from './api.ts';
import { callEnding } from './translate.ts';

export type TelnyxVoice = MediaSocketDeps & {
  /** Our URL for Telnyx's media streams. */
  mediaUrl(): string;
};

type Deps = TelnyxVoice & { api: TelnyxApi; connection_id: string; callbackUrl(): string };

/** Telnyx returns the client state with every webhook of the call. */
const clientState = (call_id: string) => Buffer.from(call_id).toString('base64');
const callIdIn = (state: string | null) => uuidOrNull(Buffer.from(state ?? '', 'base64').toString());

export type TelnyxCalls = ReturnType<typeof telnyxVoice>;

export function telnyxVoice(deps: Deps) {
  const hangUp = repeatedHangUp({ carrier: 'telnyx', log: deps.log }, (id) => endCall(deps, sockets, id));
  const sockets: MediaSockets = mediaSockets({
    ...deps,
    carrier: 'telnyx',
    opening: streamOpening,
    async sendDigits(provider_call_id, digits) {
      const response = await callAction(deps, provider_call_id, 'send_dtmf', { digits });
      if (response.outcome !== 'response' || response.status !== 200) {
        throw new Error('the digits were not sent');
      }
    },
    hangUp: (provider_call_id) => void hangUp(provider_call_id).catch(() => {}),
  });

  const voice: VoicePort = {
    place: (order) => placeCall(deps, sockets, order),
    // Telnyx has no list of calls. Only its webhooks report a call whose response was lost.
    find: async () => ({ outcome: 'cannot_tell' }),
    async accept({ provider_call_id, call_id }) {
      const expected = await sockets.expect(call_id, 30);
      if (!expected) return not_leading;
      expected.named(provider_call_id);
      const response = await repeatBusy(() =>
        callAction(deps, provider_call_id, 'answer', callOptions(deps, expected, call_id)),
      );
      if (response.outcome === 'response' && response.status === 200) return { outcome: 'accepted' };
      // Unknown: if the call was answered, its stream will connect.
      if (response.outcome === 'lost') return { outcome: 'accepted' };
      expected.cancel();
      return response.outcome === 'response' ? refused(response.status, response.json) : response;
    },
    async decline(provider_call_id) {
      await callAction(deps, provider_call_id, 'reject', { cause: 'CALL_REJECTED' });
    },
    media: sockets.media,
    hangUp,
  };

  return {
    voice,
    openMedia: sockets.openMedia,
    /** The events of a webhook about a call; null when it is about something else. */
    read: (type: string, payload: unknown): CarrierEvent[] | null => callEvents(sockets, type, payload),
  };
}

const callAction = ({ api }: Deps, provider_call_id: string, action: string, body: object = {}) =>
  api.post(`/calls/${encodeURIComponent(provider_call_id)}/actions/${action}`, body);

/** Reads the start message of a media stream. */
const streamOpening = (start: unknown, query: URLSearchParams) => ({
  token: query.get('token') ?? '',
  is_readable: textField(start, 'start', 'media_format', 'encoding') === 'PCMU',
  dialect: {
    media: (payload: string) => ({ event: 'media', media: { payload } }),
    mark: (name: string) => ({ event: 'mark', mark: { name } }),
    clear: () => ({ event: 'clear' }),
  },
});

/** Options that placing and answering a call have in common. */
const callOptions = (deps: Deps, { token }: { token: string }, call_id: string) => ({
  stream_url: `${deps.mediaUrl()}?token=${token}`,
  stream_track: 'inbound_track',
  // Without a mode Telnyx drops the audio that we send.
  stream_bidirectional_mode: 'rtp',
  stream_bidirectional_codec: 'PCMU',
  client_state: clientState(call_id),
  // Idempotency: Telnyx ignores a second command with the same id.
  command_id: call_id,
  webhook_url: deps.callbackUrl(),
  webhook_url_method: 'POST',
});

async function placeCall(
  deps: Deps,
  sockets: MediaSockets,
  order: CallOrder,
): ReturnType<VoicePort['place']> {
  const expected = await sockets.expect(order.call_id, order.ring_timeout_seconds);
  if (!expected) return not_leading;
  const response = await deps.api.post('/calls', {
    connection_id: deps.connection_id,
    to: order.to,
    from: order.from,
    timeout_secs: order.ring_timeout_seconds,
    time_limit_secs: order.max_duration_seconds,
    ...callOptions(deps, expected, order.call_id),
  });
  // The call may exist, so its token stays valid.
  if (response.outcome === 'lost') return response;
  if (response.outcome === 'response' && response.status < 300) {
    const id = textField(response.json, 'data', 'call_control_id');
    if (!id) return { outcome: 'lost', detail: `status ${response.status} without a call` };
    expected.named(id);
    return { outcome: 'placed', provider_call_id: id };
  }
  expected.cancel();
  return response.outcome === 'response' ? refused(response.status, response.json) : response;
}

async function endCall(
  deps: Deps,
  sockets: MediaSockets,
  provider_call_id: string,
): ReturnType<VoicePort['hangUp']> {
  sockets.ended({ provider_call_id, call_id: null });
  const response = await callAction(deps, provider_call_id, 'hangup');
  if (response.outcome !== 'response') return response;
  if (response.status === 404 || response.status === 422) return { outcome: 'already_ended' };
  return response.status === 200 ? { outcome: 'ended' } : refused(response.status, response.json);
}

type Change = Pick<Extract<CarrierEvent, { kind: 'call_changed' }>, 'trigger' | 'end_reason' | 'detail'>;

function callEvents(sockets: MediaSockets, type: string, payload: unknown): CarrierEvent[] | null {
  const provider_call_id = textField(payload, 'call_control_id');
  if (!provider_call_id || !/^(call|streaming)\./.test(type)) return null;
  if (type === 'call.initiated' && textField(payload, 'direction') === 'incoming') {
    const [from, to] = [textField(payload, 'from') ?? '', textField(payload, 'to') ?? ''];
    return [{ kind: 'call_offered', provider_call_id, from, to }];
  }
  const change = changeOf(type, payload);
  if (!change) return [];
  const call_id = callIdIn(textField(payload, 'client_state'));
  if (call_id !== null) sockets.named(call_id, provider_call_id);
  if (change.end_reason !== null) sockets.ended({ provider_call_id, call_id });
  return [{ kind: 'call_changed', provider_call_id, call_id, answered_by: null, ...change }];
}

/** Null for a webhook that does not change the call's status. */
function changeOf(type: string, payload: unknown): Change | null {
  switch (type) {
    case 'call.initiated':
      return { trigger: 'dialed', end_reason: null, detail: type };
    case 'call.answered':
      return { trigger: 'answered', end_reason: null, detail: type };
    case 'streaming.failed': {
      const detail = `${type} ${textField(payload, 'failure_reason') ?? ''}`.trim();
      return { trigger: 'broke', end_reason: 'media_failure', detail };
    }
    case 'call.hangup': {
      const cause = textField(payload, 'hangup_cause') ?? 'unspecified';
      const sip = textField(payload, 'sip_hangup_cause');
      return { ...callEnding(cause, sip), detail: sip ? `${cause} (SIP ${sip})` : cause };
    }
    default:
      return null;
  }
}
