// The socket on which LiveKit offers the rooms of inbound calls to its workers. We connect to LiveKit, so no public address is
// needed, and the process that says yes runs the call.
import { WebSocket } from 'ws';
import type { Log } from '../../../platform/log.ts';
import type { MediaClock } from '../../media/media-clock.ts';
import { field, parseJson, textField } from '../carrier-http.ts';
import { type LiveKitAccess, tokenOf } from './api.ts';
import { agent_identity } from './translate.ts';

export type AgentJob = { id: string; room: string; token: string };

export type AgentSocketDeps = {
  access: LiveKitAccess;
  agent_name: string;
  clock: MediaClock;
  log: Pick<Log, 'info' | 'warn'>;
  /** How many more calls this process can run now. */
  freeCalls(): number;
  /** Keeps a place for a call: others, such as placed calls, do not get it. Returns how to give it back. */
  keepPlace(): () => void;
  /** Resolves when the call is accepted or declined. */
  onJob(job: AgentJob): Promise<void>;
};

const ping_seconds = 10;
/** A socket without a message for this long is dead, also one that was never opened or registered. */
const silence_ms = 35_000;
const status_period_ms = 1000;
const first_retry_ms = 500;
const longest_retry_ms = 10_000;
/** A shorter interruption, such as a restart of LiveKit, is not reported. */
const problem_after_ms = 10_000;
/** An offer that LiveKit gives to another worker after our yes frees its place here. */
const assignment_ms = 15_000;

type Link = {
  socket: WebSocket | null;
  is_registered: boolean;
  is_stopped: boolean;
  /** When the socket was closed; null while it is open. */
  down_since_ms: number | null;
  last_message_ms: number;
  retry_ms: number;
  /** What LiveKit was told last. */
  was_full: boolean;
  /** Offers that we said yes to and that are not assigned yet, with how to give their places back. */
  promised: Map<string, () => void>;
};

export function agentSocket(deps: AgentSocketDeps) {
  const link: Link = {
    socket: null,
    is_registered: false,
    is_stopped: false,
    down_since_ms: deps.clock.ms(),
    last_message_ms: 0,
    retry_ms: first_retry_ms,
    was_full: false,
    promised: new Map(),
  };
  let stopWatching = () => {};
  let started = false;
  return {
    start(): void {
      if (started) return;
      started = true;
      connect(deps, link);
      stopWatching = deps.clock.every(status_period_ms, () => watch(deps, link));
    },
    stop(): void {
      link.is_stopped = true;
      stopWatching();
      link.socket?.close();
    },
    problem(): string | null {
      const { down_since_ms } = link;
      if (down_since_ms === null || deps.clock.ms() - down_since_ms < problem_after_ms) return null;
      return 'The connection to LiveKit for inbound calls is down.';
    },
  };
}

const isFull = ({ freeCalls }: AgentSocketDeps, link: Link) => link.is_stopped || freeCalls() <= 0;

function connect(deps: AgentSocketDeps, link: Link): void {
  const url = `${deps.access.url.replace(/^http/, 'ws').replace(/\/+$/, '')}/agent`;
  const authorization = `Bearer ${tokenOf(deps.access, { video: { agent: true } })}`;
  const socket = new WebSocket(url, { headers: { authorization }, maxPayload: 1 << 20 });
  link.socket = socket;
  link.last_message_ms = deps.clock.ms();
  socket.on('open', () => {
    link.last_message_ms = deps.clock.ms();
    send(link, {
      register: {
        type: 'JT_ROOM',
        agentName: deps.agent_name,
        version: '1',
        pingInterval: ping_seconds,
      },
    });
  });
  socket.on('message', (data) => receive(deps, link, parseJson(String(data))));
  socket.on('error', (error) => deps.log.warn({ err: error }, 'LiveKit worker socket failed'));
  socket.on('close', () => {
    if (link.socket !== socket) return;
    link.socket = null;
    link.is_registered = false;
    link.down_since_ms ??= deps.clock.ms();
    if (link.is_stopped) return;
    deps.clock.after(link.retry_ms, () => {
      if (!link.is_stopped) connect(deps, link);
    });
    link.retry_ms = Math.min(2 * link.retry_ms, longest_retry_ms);
  });
}

function send({ socket }: Link, message: object): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function watch(deps: AgentSocketDeps, link: Link): void {
  const now_ms = deps.clock.ms();
  if (now_ms - link.last_message_ms > silence_ms) {
    link.socket?.terminate();
    return;
  }
  if (!link.is_registered) return;
  if (now_ms - link.last_message_ms > ping_seconds * 1000) send(link, { ping: { timestamp: Date.now() } });
  reportStatus(deps, link);
}

/** LiveKit asks only workers that are not full. */
function reportStatus(deps: AgentSocketDeps, link: Link): void {
  const is_full = isFull(deps, link);
  if (is_full === link.was_full) return;
  link.was_full = is_full;
  send(link, { updateWorker: { status: is_full ? 'WS_FULL' : 'WS_AVAILABLE', load: is_full ? 1 : 0 } });
}

function receive(deps: AgentSocketDeps, link: Link, message: unknown): void {
  link.last_message_ms = deps.clock.ms();
  if (field(message, 'register')) {
    link.is_registered = true;
    link.down_since_ms = null;
    link.retry_ms = first_retry_ms;
    link.was_full = false;
    reportStatus(deps, link);
  }
  const offered = textField(message, 'availability', 'job', 'id');
  if (offered) considerOffer(deps, link, offered);
  const id = textField(message, 'assignment', 'job', 'id');
  const room = textField(message, 'assignment', 'job', 'room', 'name');
  const token = textField(message, 'assignment', 'token');
  if (id && room && token) void runJob(deps, link, { id, room, token });
}

/** A worker that does not respond blocks the offer for ten seconds, so the answer is immediate. */
function considerOffer(deps: AgentSocketDeps, link: Link, jobId: string): void {
  const available = !isFull(deps, link);
  if (available) {
    const giveBack = deps.keepPlace();
    const cancel = deps.clock.after(assignment_ms, () => {
      link.promised.delete(jobId);
      giveBack();
    });
    link.promised.set(jobId, () => {
      cancel();
      giveBack();
    });
  }
  send(link, { availability: { jobId, available, participantIdentity: agent_identity } });
}

async function runJob(deps: AgentSocketDeps, link: Link, job: AgentJob): Promise<void> {
  const giveBack = deps.keepPlace();
  link.promised.get(job.id)?.();
  link.promised.delete(job.id);
  send(link, { updateJob: { jobId: job.id, status: 'JS_RUNNING' } });
  try {
    await deps.onJob(job);
  } catch (error) {
    deps.log.warn({ err: error }, 'inbound call not answered');
  } finally {
    giveBack();
  }
}
