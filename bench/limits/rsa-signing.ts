// Limit of signed mail: the rate of RSA-2048 signatures of one thread.
import { generateKeyPairSync, sign } from 'node:crypto';
import { answerQuestions } from '../side-process.ts';

export type RsaSigning = { duration_ms: number };

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const text = Buffer.alloc(600, 'header');

answerQuestions<RsaSigning, { signatures: number; seconds: number }>(async ({ duration_ms }) => {
  const start = performance.now();
  let signatures = 0;
  while (performance.now() - start < duration_ms) {
    sign('RSA-SHA256', text, privateKey);
    signatures++;
  }
  return { signatures, seconds: (performance.now() - start) / 1000 };
});
