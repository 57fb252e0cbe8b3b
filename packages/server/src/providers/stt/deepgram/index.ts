// STT vendor Deepgram: one WebSocket per call, which transcribes each turn while it is spoken.
import { type Dispatcher, WebSocket } from 'undici';
import { line_rate_hz } from '../../media/media-session.ts';
import { type Stt, SttFailed, type SttSession } from '../stt.ts';
import { transcriptOf } from './translate.ts';

export type DeepgramSettings = {
  base_url: string;
  api_key: string;
  model: string;
  /** Words that are likely to be said, such as names. */
  keywords?: string[] | undefined;
};

export const deepgramDefaults = { base_url: 'wss://api.deepgram.com', model: 'nova-3' } as const;

/** Without audio or this message Deepgram closes the connection after ten seconds. */
const keep_alive_ms = 4000;
/** Deepgram answers Finalize only when it held audio back, so no answer in this time means that the text is complete. */
const finalize_timeout_ms = 700;
const connect_timeout_ms = 5000;

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

/** A broken connection is replaced at the next turn. `text()` of the broken turn rejects. */
function openSession(agent: Dispatcher, settings: DeepgramSettings, language: string): SttSession {
  let connection = openConnection(agent, settings, language);
  return {
    push: (pcm) => connection.push(pcm),
    text: () => connection.text(),
    interim: () => connection.interim(),
    nextTurn() {
      if (connection.isBroken()) connection = openConnection(agent, settings, language);
      else connection.nextTurn();
    },
    close: () => connection.close(),
  };
}

type Connection = Required<SttSession> & { isBroken(): boolean };

function openConnection(agent: Dispatcher, settings: DeepgramSettings, language: string): Connection {
  const link = openLink(agent, settings, language, (data) => receive(data));
  let finals: string[] = [];
  let interim = '';
  let pushed_seconds = 0;
  let turn_start_seconds = 0;
  let is_finalized = true;
  let finalized: (() => void) | null = null;

  const receive = (data: unknown) => {
    const transcript = transcriptOf(data);
    if (!transcript) return;
    if (transcript.end_seconds > turn_start_seconds) {
      if (transcript.is_final && transcript.text !== '') finals.push(transcript.text);
      interim = transcript.is_final ? '' : transcript.text;
    }
    if (transcript.is_finalize_response) finalized?.();
  };
  const soFar = () => [...finals, interim].filter((part) => part !== '').join(' ');
  const finalize = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, finalize_timeout_ms);
      finalized = () => {
        clearTimeout(timer);
        resolve();
      };
      link.send('{"type":"Finalize"}');
    });

  return {
    isBroken: () => link.failure() !== null,
    push(pcm) {
      is_finalized = false;
      pushed_seconds += pcm.length / line_rate_hz;
      link.send(pcm.slice().buffer as ArrayBuffer);
    },
    async text() {
      const failure = link.failure();
      if (failure) throw failure;
      if (!is_finalized) {
        is_finalized = true;
        await Promise.race([finalize(), link.broken]);
        finalized = null;
      }
      return soFar();
    },
    interim: soFar,
    nextTurn() {
      finals = [];
      interim = '';
      turn_start_seconds = pushed_seconds;
    },
    close: link.close,
  };
}

/** The WebSocket with its timers: queues messages until it is open, and reports the first failure. */
function openLink(
  agent: Dispatcher,
  settings: DeepgramSettings,
  language: string,
  receive: (data: unknown) => void,
) {
  const socket = new WebSocket(listenUrl(settings, language), {
    dispatcher: agent,
    headers: { authorization: `Token ${settings.api_key}` },
  });
  socket.binaryType = 'arraybuffer';
  let failure: SttFailed | null = null;
  const unsent: (string | ArrayBuffer)[] = [];
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => {});

  const send = (message: string | ArrayBuffer) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(message);
    else if (socket.readyState === WebSocket.CONNECTING) unsent.push(message);
  };
  const fail = (reason: SttFailed) => {
    failure ??= reason;
    clearInterval(keep_alive);
    clearTimeout(connecting);
    reject(failure);
  };
  const breakOff = (message: string) => {
    if (failure) return;
    fail(new SttFailed(message, { retryable: true }));
    socket.close();
  };
  const connecting = setTimeout(() => breakOff('no connection in time'), connect_timeout_ms);
  const keep_alive = setInterval(() => send('{"type":"KeepAlive"}'), keep_alive_ms);
  socket.addEventListener('open', () => {
    clearTimeout(connecting);
    for (const message of unsent.splice(0)) socket.send(message);
  });
  socket.addEventListener('error', ({ message }) => breakOff(message || 'the connection failed'));
  socket.addEventListener('close', ({ code, reason }) =>
    breakOff(`closed the connection (${code}) ${reason}`.trim()),
  );
  socket.addEventListener('message', ({ data }) => receive(data));

  return {
    send,
    broken,
    failure: () => failure,
    close() {
      fail(new SttFailed('The session was closed.', { retryable: false }));
      send('{"type":"CloseStream"}');
      socket.close();
    },
  };
}

function listenUrl(settings: DeepgramSettings, language: string): URL {
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
    // The call's own voice activity detection decides where a turn ends.
    endpointing: 'false',
  }).toString();
  // Older models have another parameter with the same purpose.
  const parameter = settings.model.startsWith('nova-3') ? 'keyterm' : 'keywords';
  for (const word of fitting(settings.keywords ?? [])) url.searchParams.append(parameter, word);
  return url;
}

/** Deepgram accepts 500 tokens of words; a token has at least three characters in most languages. */
const max_keyword_chars = 1500;

function fitting(words: string[]): string[] {
  let chars = 0;
  return words.filter((word) => {
    chars += word.length;
    return chars <= max_keyword_chars;
  });
}
