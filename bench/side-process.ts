// A second process of the benchmark, such as the load generator or a limit, which handles one request at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';

type Reply = { answer: unknown } | { problem: string };

export type SideProcess<In, Out> = { pid: number; ask(question: In): Promise<Out>; stop(): Promise<void> };

/** `file` must call `answerQuestions`. */
export function startSideProcess<In, Out>(file: URL): SideProcess<In, Out> {
  const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  let ending = false;
  return {
    pid: child.pid!,
    async ask(question) {
      child.send(question as object);
      const [reply] = (await Promise.race([
        once(child, 'message'),
        ended.then(([code, signal]) => [{ problem: `${file.pathname} ended: ${signal ?? code}` }]),
      ])) as [Reply];
      if ('problem' in reply) throw new Error(reply.problem);
      return reply.answer as Out;
    },
    async stop() {
      if (!ending) child.kill('SIGTERM');
      ending = true;
      await ended;
    },
  };
}

let answers = false;

/** Called by the file that runs in the side process, and by no file that it imports. */
export function answerQuestions<In, Out>(work: (question: In) => Promise<Out>): void {
  if (answers) throw new Error('Two files of one process handle the requests.');
  answers = true;
  process.on('message', (question: In) => {
    work(question).then(
      (answer) => process.send!({ answer } satisfies Reply),
      (error: Error) => process.send!({ problem: error.message } satisfies Reply),
    );
  });
  // Ctrl-C reaches every process of the terminal, but the parent stops this one. Without a parent, it ends itself.
  process.on('SIGINT', () => {});
  process.on('disconnect', () => process.exit());
}
