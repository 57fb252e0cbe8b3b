// Deepgram: one WebSocket a call, which hears the turns while they are spoken.
import { type Dispatcher, WebSocket } from 'undici';
import { z } from 'zod';
import { line_rate_hz } from '../../media/media-session.ts';
import { type Stt, SttFailed, type SttSession } from '../stt.ts';

export type DeepgramSettings = { base_url: string; api_key: string; model: string };

export const deepgramDefaults = { base_url: 'wss://api.deepgram.com', model: 'nova-3' } as const;

// Without sound or this message the far end hangs up after ten seconds.
const keep_alive_ms = 4000;
/** The far end answers a Finalize only when it held something back, so silence is an answer too. */
const flush_patience_ms = 700;
const connect_patience_ms = 5000;

const Results = z.object({
  type: z.literal('Results'),
  start: z.number().default(0),
  duration: z.number().default(0),
  is_final: z.boolean(),
  from_finalize: z.boolean().optional(),
  channel: z.object({ alternatives: z.array(z.object({ transcript: z.string() })) }),
});

export function deepgramStt(deps: { agent: Dispatcher; settings: DeepgramSettings }): Stt {
  return {
    name: 'deepgram',
    capabilities: { streaming: true, languages: null },
    ready: async () => {},
    open: ({ language }) => openSession(deps.agent, deps.settings, language),
    isBehind: () => false,
    close: async () => {},
  };
}

/** A line that broke is replaced with the next turn; the turn that it lost is reported to whoever asks for it. */
function openSession(agent: Dispatcher, settings: DeepgramSettings, language: string): SttSession {
  let line = openLine(agent, settings, language);
  return {
    push: (pcm) => line.push(pcm),
    text: () => line.text(),
    nextTurn() {
      if (line.isBroken()) line = openLine(agent, settings, language);
      else line.nextTurn();
    },
    close: () => line.close(),
  };
}

type Line = SttSession & { isBroken(): boolean };

function openLine(agent: Dispatcher, settings: DeepgramSettings, language: string): Line {
  const url = new URL('/v1/listen', settings.base_url);
  url.search = new URLSearchParams({
    model: settings.model,
    language,
    encoding: 'linear16',
    sample_rate: String(line_rate_hz),
    channels: '1',
    interim_results: 'true',
    punctuate: 'true',
    smart_format: 'true',
    // Turns are taken by our own ear.
    endpointing: 'false',
  }).toString();
  const socket = new WebSocket(url, {
    dispatcher: agent,
    headers: { authorization: `Token ${settings.api_key}` },
  });
  socket.binaryType = 'arraybuffer';

  let finals: string[] = [];
  let interim = '';
  let pushed_seconds = 0;
  let turn_start_seconds = 0;
  let is_flushed = true;
  let flushed: (() => void) | null = null;
  let failure: SttFailed | null = null;
  const unsent: (string | ArrayBuffer)[] = [];

  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});
  const breakOff = (message: string) => {
    if (failure) return;
    failure = new SttFailed(message, { retryable: true });
    clearInterval(keep_alive);
    clearTimeout(connecting);
    reject(failure);
    socket.close();
  };

  const send = (message: string | ArrayBuffer) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(message);
    else if (socket.readyState === WebSocket.CONNECTING) unsent.push(message);
  };
  const connecting = setTimeout(() => breakOff('no connection in time'), connect_patience_ms);
  const keep_alive = setInterval(() => send('{"type":"KeepAlive"}'), keep_alive_ms);
  socket.addEventListener('open', () => {
    clearTimeout(connecting);
    for (const message of unsent.splice(0)) socket.send(message);
  });
  socket.addEventListener('error', ({ message }) => breakOff(message || 'the connection failed'));
  socket.addEventListener('close', ({ code, reason }) => breakOff(`hung up (${code}) ${reason}`.trim()));
  socket.addEventListener('message', ({ data }) => {
    const parsed = Results.safeParse(readJson(data));
    // Metadata and other news are of no use here.
    if (!parsed.success) return;
    const { start, duration, is_final, from_finalize, channel } = parsed.data;
    const words = channel.alternatives[0]?.transcript ?? '';
    if (start + duration > turn_start_seconds) {
      if (is_final && words !== '') finals.push(words);
      interim = is_final ? '' : words;
    }
    if (from_finalize) flushed?.();
  });

  const flush = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, flush_patience_ms);
      flushed = () => {
        clearTimeout(timer);
        resolve();
      };
      send('{"type":"Finalize"}');
    });

  return {
    isBroken: () => failure !== null,
    push(pcm) {
      is_flushed = false;
      pushed_seconds += pcm.length / line_rate_hz;
      send(pcm.slice().buffer as ArrayBuffer);
    },
    async text() {
      if (failure) throw failure;
      if (!is_flushed) {
        is_flushed = true;
        await Promise.race([flush(), broken]);
        flushed = null;
      }
      return [...finals, interim].filter((part) => part !== '').join(' ');
    },
    nextTurn() {
      finals = [];
      interim = '';
      turn_start_seconds = pushed_seconds;
    },
    close() {
      failure ??= new SttFailed('The session was closed.', { retryable: false });
      clearInterval(keep_alive);
      clearTimeout(connecting);
      reject(failure);
      send('{"type":"CloseStream"}');
      socket.close();
    },
  };
}

function readJson(data: unknown): unknown {
  if (typeof data !== 'string') return null;
  try {
    return JSON.parse(data);
  } catch {
    return null;
  }
}
