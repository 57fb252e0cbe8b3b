// Worker threads for heavy computing: each answers a few questions at a time, the others wait in a queue.
import { parentPort, type Transferable, Worker, workerData } from 'node:worker_threads';

/** `stuck`: the thread computed for longer than its questions may take, and was ended. */
export type ThreadFailure = 'line_full' | 'thread_died' | 'stuck' | 'refused' | 'closed';

export class ThreadFailed extends Error {
  override name = 'ThreadFailed';
  readonly reason: ThreadFailure;
  constructor(reason: ThreadFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

type Waiting<Question, Answer> = {
  question: Question;
  transfer: Transferable[];
  cpu_ms: number;
  since_ms: number;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
};

type Probe = { sent_ms: number; cpu_ms: number | null };
type Thread<Question, Answer> = {
  worker: Worker;
  asked: Map<number, Waiting<Question, Answer>>;
  /** Once it has loaded its code, which takes longer than most questions. */
  is_ready: boolean;
  /** Asks whether the thread still takes messages; null while no answer is outstanding. */
  probe: Probe | null;
  post(item: Post<Question>, transfer: Transferable[]): void;
};

type Post<Question> = { id: number; question: Question } | { probe: true };
type Reply<Answer> = { id: number; answer: Answer } | { id: number; problem: string } | { probe: true };

export type AskOptions = {
  transfer?: Transferable[];
  signal?: AbortSignal | undefined;
  /** How long the thread may compute for this question without taking other messages, in its own processor time. */
  cpu_ms?: number;
};

export type ThreadPool<Question, Answer> = {
  ask(question: Question, options?: AskOptions): Promise<Answer>;
  /** How long the first in line has waited, 0 without a line. */
  lag_ms(): number;
  close(): Promise<void>;
};

export type ThreadPoolOptions = {
  /** Must call `answerInThread`. */
  file: URL;
  threads: number;
  max_waiting: number;
  /** How many questions a thread works on at a time; more than one where they wait for something else, such as DNS. */
  in_flight?: number;
  /** How much short-lived memory each may gather before it is collected; Node allows 48 MB. */
  young_mb?: number;
  /** What every thread is told when it starts; it reads this with `threadData`. */
  data?: unknown;
};

/** Sends items that come within one turn of the event loop as one message: to wake a thread costs more than to tell it. */
function batched<Item>(port: { postMessage(items: Item[], transfer: Transferable[]): void }) {
  let items: Item[] = [];
  let transfers: Transferable[] = [];
  const flush = () => {
    const [sent, moved] = [items, transfers];
    items = [];
    transfers = [];
    port.postMessage(sent, moved);
  };
  return (item: Item, transfer: Transferable[] = []) => {
    if (items.length === 0) setImmediate(flush);
    items.push(item);
    transfers.push(...transfer);
  };
}

const probe_every_ms = 200;
/** A thread that answers nothing for so long on the clock is ended, whatever processor time it used. */
const silent_ms = 60_000;

/** Threads start with the first question and again after one died. */
export function threadPool<Question, Answer>(options: ThreadPoolOptions): ThreadPool<Question, Answer> {
  const { file, threads: max_threads, max_waiting, in_flight = 1 } = options;
  const resourceLimits = options.young_mb ? { maxYoungGenerationSizeMb: options.young_mb } : {};
  const threads = new Set<Thread<Question, Answer>>();
  const line: Waiting<Question, Answer>[] = [];
  let is_closed = false;
  let last_id = 0;
  let watch: NodeJS.Timeout | undefined;

  const startThread = () => {
    const worker = new Worker(file, { stdin: false, resourceLimits, workerData: options.data });
    const post = batched<Post<Question>>(worker);
    const thread: Thread<Question, Answer> = { worker, asked: new Map(), is_ready: false, probe: null, post };
    threads.add(thread);
    worker.on('message', (replies: Reply<Answer>[]) => {
      thread.is_ready = true;
      thread.probe = null;
      for (const reply of replies) {
        if ('probe' in reply) continue;
        const asked = thread.asked.get(reply.id);
        thread.asked.delete(reply.id);
        if (asked && 'answer' in reply) asked.resolve(reply.answer);
        else if (asked && 'problem' in reply) asked.reject(new ThreadFailed('refused', reply.problem));
      }
      handOut();
    });
    worker.on('error', (error) => ended(thread, 'thread_died', (error as Error).message));
    worker.on('exit', (code) => ended(thread, 'thread_died', `The thread ended with code ${code}.`));
    return thread;
  };

  const ended = (thread: Thread<Question, Answer>, reason: ThreadFailure, why: string) => {
    if (!threads.delete(thread)) return;
    for (const asked of thread.asked.values()) asked.reject(new ThreadFailed(reason, why));
    // A thread that cannot even start would otherwise be started for ever: the line is told instead.
    if (threads.size === 0 && reason === 'thread_died') {
      for (const waiting of line.splice(0)) waiting.reject(new ThreadFailed(reason, why));
    } else {
      handOut();
    }
  };

  /** The thread with the fewest questions; a new one while all have some and more are allowed. */
  const freeThread = (): Thread<Question, Answer> | null => {
    let free: Thread<Question, Answer> | null = null;
    for (const thread of threads) if (!free || thread.asked.size < free.asked.size) free = thread;
    if ((!free || free.asked.size > 0) && threads.size < max_threads) return startThread();
    return free && free.asked.size < in_flight ? free : null;
  };

  const handOut = () => {
    while (line.length > 0 && !is_closed) {
      const thread = freeThread();
      if (!thread) return;
      const next = line.shift()!;
      const id = ++last_id;
      thread.asked.set(id, next);
      thread.post({ id, question: next.question }, next.transfer);
      if (Number.isFinite(next.cpu_ms)) watch ??= setInterval(() => void watchAll(), probe_every_ms).unref();
    }
  };

  /** A thread that answers a probe is waiting or between two steps of its work: only one that does not is stuck. */
  const watchThread = async (thread: Thread<Question, Answer>) => {
    if (!thread.probe) {
      thread.probe = { sent_ms: performance.now(), cpu_ms: await cpuMs(thread.worker) };
      thread.post({ probe: true }, []);
      return;
    }
    const { probe } = thread;
    const allowed_ms = Math.max(...[...thread.asked.values()].map(({ cpu_ms }) => cpu_ms));
    const used_ms = await cpuMs(thread.worker);
    // The thread may not have come to say it when the probe was sent.
    probe.cpu_ms ??= used_ms;
    const is_stuck =
      (used_ms !== null && used_ms - probe.cpu_ms! > allowed_ms) ||
      performance.now() - probe.sent_ms > Math.max(silent_ms, 10 * allowed_ms);
    if (!is_stuck || thread.probe !== probe) return;
    const why = `The thread computed for more than ${allowed_ms} ms.`;
    ended(thread, 'stuck', why);
    await thread.worker.terminate();
  };
  const watchAll = async () => {
    const busy = [...threads].filter(({ asked }) => asked.size > 0);
    if (busy.length === 0) {
      clearInterval(watch);
      watch = undefined;
    }
    await Promise.all(busy.filter(({ is_ready }) => is_ready).map(watchThread));
  };

  return {
    ask(question, { transfer = [], signal, cpu_ms = Number.POSITIVE_INFINITY } = {}) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        if (is_closed) return reject(new ThreadFailed('closed', 'The threads were closed.'));
        if (line.length >= max_waiting) {
          return reject(new ThreadFailed('line_full', `${max_waiting} questions wait already.`));
        }
        const leave = () => {
          const place = line.indexOf(waiting);
          if (place >= 0) line.splice(place, 1);
          reject(signal!.reason);
        };
        const settled = () => signal?.removeEventListener('abort', leave);
        const waiting: Waiting<Question, Answer> = {
          question,
          transfer,
          cpu_ms,
          since_ms: performance.now(),
          resolve(answer) {
            settled();
            resolve(answer);
          },
          reject(error) {
            settled();
            reject(error);
          },
        };
        signal?.addEventListener('abort', leave, { once: true });
        line.push(waiting);
        handOut();
      });
    },
    lag_ms: () => (line[0] ? performance.now() - line[0].since_ms : 0),
    async close() {
      is_closed = true;
      clearInterval(watch);
      const closed = new ThreadFailed('closed', 'The threads were closed.');
      for (const waiting of line.splice(0)) waiting.reject(closed);
      for (const { asked } of threads) for (const each of asked.values()) each.reject(closed);
      const ending = [...threads];
      threads.clear();
      await Promise.all(ending.map(({ worker }) => worker.terminate()));
    },
  };
}

/** Null where the thread does not say: it has just ended, or does not come to a point where it could. */
const cpuMs = async (worker: Worker): Promise<number | null> => {
  const late = new Promise<null>((resolve) => setTimeout(() => resolve(null), probe_every_ms).unref());
  const used = await Promise.race([worker.cpuUsage().catch(() => null), late]);
  return used && (used.user + used.system) / 1000;
};

/** What the pool was made with, inside a thread. */
export const threadData = <Data>(): Data => workerData as Data;

/** The other end. Questions that come while the work is being prepared wait. */
export function answerInThread<Question, Answer>(
  work: (question: Question) => Promise<{ answer: Answer; transfer?: Transferable[] }>,
): void {
  const reply = batched<Reply<Answer>>(parentPort!);
  reply({ probe: true });
  parentPort!.on('message', (posts: Post<Question>[]) => {
    for (const post of posts) {
      if ('probe' in post) {
        reply({ probe: true });
        continue;
      }
      const { id, question } = post;
      work(question).then(
        ({ answer, transfer }) => reply({ id, answer }, transfer),
        (error: Error) => reply({ id, problem: error.message }),
      );
    }
  });
}
