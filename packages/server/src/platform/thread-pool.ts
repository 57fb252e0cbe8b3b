// Worker threads for heavy computing: one question at a time each, the others wait in line.
import { parentPort, type Transferable, Worker } from 'node:worker_threads';

export type ThreadFailure = 'line_full' | 'thread_died' | 'refused' | 'closed';

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
  since_ms: number;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
};

type Thread<Question, Answer> = { worker: Worker; current: Waiting<Question, Answer> | null };
type Reply<Answer> = { answer: Answer } | { problem: string };

export type ThreadPool<Question, Answer> = {
  ask(
    question: Question,
    options?: { transfer?: Transferable[]; signal?: AbortSignal | undefined },
  ): Promise<Answer>;
  /** How long the first in line has waited, 0 without a line. */
  lag_ms(): number;
  close(): Promise<void>;
};

/** Threads start with the first question and again after one died. `file` must call `answerInThread`. */
export function threadPool<Question, Answer>(options: {
  file: URL;
  threads: number;
  max_waiting: number;
  /** How much short-lived memory each may gather before it is collected; Node allows 48 MB. */
  young_mb?: number;
}): ThreadPool<Question, Answer> {
  const { file, threads: max_threads, max_waiting } = options;
  const resourceLimits = options.young_mb ? { maxYoungGenerationSizeMb: options.young_mb } : {};
  const threads = new Set<Thread<Question, Answer>>();
  const line: Waiting<Question, Answer>[] = [];
  let is_closed = false;

  const startThread = () => {
    const worker = new Worker(file, { stdin: false, resourceLimits });
    const thread: Thread<Question, Answer> = { worker, current: null };
    threads.add(thread);
    worker.on('message', (reply: Reply<Answer>) => {
      const asked = thread.current;
      thread.current = null;
      if (asked && 'answer' in reply) asked.resolve(reply.answer);
      else if (asked && 'problem' in reply) asked.reject(new ThreadFailed('refused', reply.problem));
      handOut();
    });
    const died = (why: string) => {
      if (!threads.delete(thread)) return;
      thread.current?.reject(new ThreadFailed('thread_died', why));
      // A thread that cannot even start would otherwise be started for ever: the line is told instead.
      if (threads.size === 0) {
        for (const waiting of line.splice(0)) waiting.reject(new ThreadFailed('thread_died', why));
      } else {
        handOut();
      }
    };
    worker.on('error', (error) => died((error as Error).message));
    worker.on('exit', (code) => died(`The thread ended with code ${code}.`));
    return thread;
  };

  const handOut = () => {
    while (line.length > 0 && !is_closed) {
      const idle = [...threads].find(({ current }) => current === null);
      if (!idle && threads.size >= max_threads) return;
      const thread = idle ?? startThread();
      const next = line.shift()!;
      thread.current = next;
      thread.worker.postMessage(next.question, next.transfer);
    }
  };

  return {
    ask(question, { transfer = [], signal } = {}) {
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
      const closed = new ThreadFailed('closed', 'The threads were closed.');
      for (const waiting of line.splice(0)) waiting.reject(closed);
      for (const { current } of threads) current?.reject(closed);
      const ending = [...threads];
      threads.clear();
      await Promise.all(ending.map(({ worker }) => worker.terminate()));
    },
  };
}

/** The other end. Questions that come while the work is being prepared wait. */
export function answerInThread<Question, Answer>(
  work: (question: Question) => Promise<{ answer: Answer; transfer?: Transferable[] }>,
): void {
  parentPort!.on('message', (question: Question) => {
    work(question).then(
      ({ answer, transfer = [] }) => parentPort!.postMessage({ answer } satisfies Reply<Answer>, transfer),
      (error: Error) => parentPort!.postMessage({ problem: error.message } satisfies Reply<Answer>),
    );
  });
}
