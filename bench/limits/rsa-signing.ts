// Limit of signed mail: how many RSA-2048 signatures the machine makes, with every thread that signs.
import { generateKeyPairSync, sign } from 'node:crypto';
import { answerQuestions } from '../side-process.ts';

export type RsaSigning = { duration_ms: number };

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const text = Buffer.alloc(600, 'header');

answerQuestions<RsaSigning, { signatures: number; seconds: number }>(async ({ duration_ms }) => {
  const start = performance.now();
  let signatures = 0;
  const signUntilTheEnd = async () => {
    while (performance.now() - start < duration_ms) {
      await new Promise<void>((resolve, reject) =>
        sign('RSA-SHA256', text, privateKey, (error) => (error ? reject(error) : resolve())),
      );
      signatures++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, signUntilTheEnd));
  return { signatures, seconds: (performance.now() - start) / 1000 };
});
