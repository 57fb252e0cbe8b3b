// Transfers a call: the person waits while the colleague is called, briefed and connected. Every failure returns to the person.
import type { CallEndReason } from '@parley/contract/channels/calls/call-records';
import type { TransferFailure } from '@parley/contract/channels/calls/call-transfers';
import { bridge } from '../../../../../providers/media/bridge.ts';
import {
  type Conversation,
  currentTurn,
  endConversation,
  isApologizing,
  isEnded,
  isTransferring,
} from '../conversation-state.ts';
import { isTalking } from '../relay/relay-talk.ts';
import { sayModelReply } from '../turns/model-turn.ts';
import { apologize, takeTurn } from '../turns/take-turn.ts';
import { sayText } from '../turns/turn.ts';
import { makeBrief } from './brief.ts';
import { type Colleague, openColleague } from './colleague.ts';
import { consult } from './consult.ts';
import { failureAtEnd } from './failure-at-end.ts';
import { sayAside } from './say-aside.ts';
import { transferPhrases } from './transfer-phrases.ts';
import type { OpenTransfer, TransferPort, TransferRequest } from './transfer-port.ts';
import { startWaitingSound, type WaitingSound } from './waiting-sound.ts';
import { answerWaiting } from './waiting-words.ts';

export type TransferStarted = { outcome: 'started' } | { outcome: 'refused'; detail: string };

/** Why a transfer stops before the colleague is connected. */
type Stop = { by: 'person' } | { by: 'end'; reason: CallEndReason } | { by: 'timeout' };
type Result = 'connected' | 'canceled' | TransferFailure;

type Transfer = {
  conversation: Conversation;
  port: TransferPort;
  request: TransferRequest;
  record: OpenTransfer;
  is_connected: boolean;
  stopping: AbortController;
};

const longest_ms = 120_000;
const longest_chain = 3;

/** Resolves when the transfer has begun; it goes on by itself. */
export async function requestTransfer(
  conversation: Conversation,
  request: TransferRequest,
): Promise<TransferStarted> {
  const { transfers: port } = conversation;
  const refused = (detail: string) => ({ outcome: 'refused', detail }) as const;
  if (!port) return refused('This call cannot be transferred.');
  if (isTransferring(conversation)) return refused('A transfer is under way.');
  if (isEnded(conversation) || isApologizing(conversation)) return refused('The call is about to end.');
  if (conversation.party === 'machine') return refused('An answering machine is on the line.');
  const record = await port.begin(request);
  if (!record) return refused('A transfer is under way.');
  if (isEnded(conversation) || isTransferring(conversation)) {
    await record.failed('call_ended');
    return refused('The call has ended.');
  }
  const turn = currentTurn(conversation);
  conversation.cancelTimer.silence();
  conversation.cancelTimer.opening();
  const transfer = {
    conversation,
    port,
    request,
    record,
    is_connected: false,
    stopping: new AbortController(),
  };
  enter(transfer);
  // The turn that asked for it ends by itself, when the model has got the result of its tool.
  if (request.requested_by === 'api') turn?.stop();
  conversation.transfer_done = follow(transfer, 1).catch((error: Error) => {
    conversation.emit({
      kind: 'went_wrong',
      at_ms: conversation.now(),
      layer: 'transfer',
      detail: error.message,
    });
    return resume(transfer, 'carrier_error');
  });
  return { outcome: 'started' };
}

/** From now on the agent takes no turns. */
function enter({ conversation, stopping }: Transfer): void {
  conversation.state = { name: 'transferring', personSaid: () => {} };
  conversation.first_message = { state: 'over' };
  // A relay that answered its last prompt with this transfer need not speak.
  conversation.turn_deps.relay?.cancelDeadline();
  void conversation.ended.promise.then(({ reason }) => stopping.abort({ by: 'end', reason } satisfies Stop));
}

async function follow(transfer: Transfer, attempt: number): Promise<void> {
  const { conversation, request, record } = transfer;
  const { destination, mode } = { ...request, ...request.options };
  conversation.emit({
    kind: 'transfer_requested',
    at_ms: conversation.now(),
    destination,
    to: request.to,
    mode,
  });
  const cancelTimeout = conversation.clock.after(longest_ms, () =>
    transfer.stopping.abort({ by: 'timeout' } satisfies Stop),
  );
  const result = await tryTransfer(transfer).finally(cancelTimeout);
  if (result === 'connected') return;
  const at_ms = conversation.now();
  if (result === 'canceled') {
    await record.canceled();
    conversation.emit({ kind: 'transfer_canceled', at_ms });
  } else {
    await record.failed(result);
    conversation.emit({ kind: 'transfer_failed', at_ms, failure: result });
  }
  if (!isEnded(conversation)) await goOn(transfer, result, attempt);
}

/** Resolves when the colleague has left again, or with the reason why they were not connected. */
async function tryTransfer(transfer: Transfer): Promise<Result> {
  const { conversation, port, request, record, stopping } = transfer;
  const { signal } = stopping;
  const is_warm = request.options.mode === 'warm';
  const brief = is_warm ? makeBrief(conversation, request, port.person) : Promise.resolve('');
  brief.catch(() => {});
  conversation.emit({ kind: 'transfer_dialed', at_ms: conversation.now() });
  const dialing = record.dial(signal);
  // A colleague who answers when the transfer was stopped is not left on an open line.
  dialing
    .then((late) => {
      if (signal.aborted && late.outcome === 'answered') late.media.close();
    })
    .catch(() => {});
  const waiting = waitWithPerson(transfer);
  let colleague: Colleague | null = null;
  try {
    const dialed = await untilStopped(dialing, signal);
    signal.throwIfAborted();
    if (dialed.outcome === 'failed') return dialed.failure;
    conversation.emit({ kind: 'transfer_answered', at_ms: conversation.now() });
    colleague = openColleague(conversation, dialed.media);
    if (is_warm) {
      await record.answered();
      const left = dialed.media.closed.then((): Result => 'declined');
      const consulted = await untilStopped(
        Promise.race([consult(conversation, colleague, request, brief, signal), left]),
        signal,
      );
      signal.throwIfAborted();
      if (consulted !== 'accepted') return consulted as TransferFailure;
      conversation.emit({ kind: 'transfer_accepted', at_ms: conversation.now() });
    }
    signal.throwIfAborted();
    waiting.stop();
    await talk(transfer, colleague);
    return 'connected';
  } catch (error) {
    if (!signal.aborted) throw error;
    return stoppedBy(signal.reason as Stop);
  } finally {
    waiting.stop();
    if (colleague) await leave(transfer, colleague);
  }
}

function stoppedBy(stop: Stop): Result {
  if (stop.by === 'end') return failureAtEnd(stop.reason);
  return stop.by === 'person' ? 'canceled' : 'timeout';
}

/** The announcement, then sound until the colleague takes the call. The person is listened to. */
function waitWithPerson({ conversation, request, stopping }: Transfer): { stop(): void } {
  const { signal } = stopping;
  let sound: WaitingSound | null = null;
  const over = new AbortController();
  const answer_signal = AbortSignal.any([signal, over.signal]);
  const text = announcement(conversation, request);
  const turn = text === null ? null : sayText(conversation.turn_deps, text);
  void Promise.resolve(turn?.done.catch(() => {})).then(() => {
    if (answer_signal.aborted) return;
    sound = startWaitingSound(conversation, request.options.mode === 'blind' ? 'ringing' : 'hold');
  });
  let answering: Promise<void> = Promise.resolve();
  if (conversation.state.name === 'transferring')
    conversation.state.personSaid = (said) => {
      answering = answering.then(async () => {
        if (answer_signal.aborted) return;
        const quiet: WaitingSound = { pause() {}, resume() {}, stop() {} };
        if (await answerWaiting(conversation, said, sound ?? quiet, answer_signal))
          stopping.abort({ by: 'person' } satisfies Stop);
      });
    };
  const stop = () => {
    over.abort();
    turn?.stop();
    sound?.stop();
  };
  signal.addEventListener('abort', stop, { once: true });
  return { stop };
}

/** Null when the model has just announced it in its own words. */
function announcement(
  { turns, call }: Conversation,
  { options, requested_by }: TransferRequest,
): string | null {
  if (options.announce !== null) return options.announce;
  const last = turns.findLast(({ role }) => role === 'assistant');
  const is_announced =
    requested_by === 'agent' && turns.at(-1) === last && last !== undefined && last.content !== '';
  return is_announced ? null : transferPhrases(call.language).announce;
}

/** Both talk until one of them hangs up. The agent says nothing more and writes down what is said. */
async function talk(transfer: Transfer, colleague: Colleague): Promise<void> {
  const { conversation, record } = transfer;
  const { session, clock } = conversation;
  transfer.is_connected = true;
  session.clear();
  const connection = bridge({ clock, first: session, second: colleague.media });
  colleague.connect(connection);
  conversation.state = { name: 'bridged', bridge: connection };
  try {
    await record.connected();
    conversation.emit({ kind: 'transfer_connected', at_ms: conversation.now() });
    const by = await Promise.race([
      colleague.media.closed.then(() => 'colleague' as const),
      conversation.ended.promise.then(() => 'person' as const),
    ]);
    conversation.emit({ kind: 'transfer_ended', at_ms: conversation.now(), by });
    await record.ended().finally(() => {
      if (by === 'colleague') endConversation(conversation, 'colleague_hangup');
    });
  } finally {
    connection.stop();
  }
}

/** Closes the second line. A colleague who was being asked is told that the person has left. */
async function leave(
  { conversation, stopping, is_connected }: Transfer,
  colleague: Colleague,
): Promise<void> {
  const { media } = colleague;
  const stop = stopping.signal.reason as Stop | undefined;
  const { turn_deps, call } = conversation;
  if (stop?.by === 'end' && !is_connected) {
    const player = { ...turn_deps.player, session: media };
    const text = transferPhrases(call.language).caller_left;
    const aside = sayAside(turn_deps, player, text, { is_filler: false, is_private: true });
    // The call of the person is over and does not wait for it.
    void aside.done.then(() => media.close());
    return colleague.close();
  }
  media.close();
  await colleague.close();
}

/** After a failure: the next destination, a goodbye, or the agent goes on with the person. */
async function goOn(
  transfer: Transfer,
  result: Exclude<Result, 'connected'>,
  attempt: number,
): Promise<void> {
  const { conversation, port, request } = transfer;
  const { options } = request;
  const next = options.on_failure === 'next' && options.then !== null ? port.destination(options.then) : null;
  if (next && result !== 'canceled' && attempt < longest_chain) {
    const again: TransferRequest = { ...request, ...next, destination: options.then };
    const record = await port.begin(again);
    if (record && !isEnded(conversation)) {
      const following = { ...transfer, request: again, record, stopping: new AbortController() };
      enter(following);
      return follow(following, attempt + 1);
    }
  }
  return resume(transfer, result);
}

/** The agent and the person talk to each other again, or say goodbye if that was requested or the relay has ended its session. */
async function resume(
  { conversation, request }: Transfer,
  result: Exclude<Result, 'connected'>,
): Promise<void> {
  if (isEnded(conversation)) return;
  const { options, destination } = request;
  conversation.state = { name: 'listening' };
  const { turn_deps, call } = conversation;
  const { relay } = turn_deps;
  const has_ended = relay?.stopped.signal.aborted && !relay.failure && !relay.settings.fallback;
  if (has_ended || (options.on_failure === 'end_call' && result !== 'canceled')) {
    const goodbye = () => sayText(turn_deps, transferPhrases(call.language).not_reached);
    return takeTurn(conversation, goodbye, () => endConversation(conversation, 'agent_hangup'));
  }
  if (relay?.failure && !relay.settings.fallback) return apologize(conversation, 'relay', relay.failure);
  conversation.emit({ kind: 'resumed', at_ms: conversation.now() });
  const failure = `The transfer to ${destination ?? request.to} did not happen: ${explanations[result]}.`;
  if (isTalking(relay)) relay.link.send({ type: 'error', description: `transfer: ${failure}` });
  conversation.turns.push({ role: 'note', content: `${failure} ${after_failure}` });
  void takeTurn(conversation, () => sayModelReply(turn_deps, null));
}

const explanations: Record<Exclude<Result, 'connected'>, string> = {
  no_answer: 'nobody answered',
  busy: 'the line was busy',
  declined: 'the colleague declined',
  machine: 'an answering machine answered',
  not_accepted: 'the colleague did not accept the call',
  unreachable: 'the number cannot be reached',
  not_allowed: 'the call to the colleague is not allowed',
  person_left: 'the person left',
  carrier_error: 'the call to the colleague failed',
  timeout: 'it took too long',
  call_ended: 'the call ended',
  process_lost: 'the process that ran the call is gone',
  canceled: 'the person does not want it any more',
};
const after_failure = 'You are talking to the person again. Tell them and offer what you can do instead.';

function untilStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}
