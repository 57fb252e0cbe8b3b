// Checks how a webhook receiver handles deliveries: valid, forged, stale, repeated, large and many at the same time.
import {
  type ReceiverAnswer,
  type ReceiverCase,
  type ReceiverRequest,
  receiver_cases,
} from './receiver-cases.ts';

export type CertifiedCase = {
  name: string;
  weight: number;
  passed: boolean;
  expected: string;
  got: ReceiverAnswer[];
  /** What to change; null if the case passed. */
  advice: string | null;
};

export type Certification = {
  /** 0 to 100. */
  score: number;
  grade: 'A' | 'B' | 'C' | 'F';
  cases: CertifiedCase[];
  duration_ms: number;
};

export type CertifyOptions = {
  secret: string;
  /** Sends one request. Must not throw: without a response, `status` is null. */
  send(request: ReceiverRequest): Promise<ReceiverAnswer>;
  /** Called after each case, to show progress. */
  onCase?(result: CertifiedCase): void;
};

export async function certifyReceiver(options: CertifyOptions): Promise<Certification> {
  const start_ms = performance.now();
  const cases: CertifiedCase[] = [];
  for (const each of receiver_cases) {
    const result = isUnreachable(cases) ? notSent(each) : await runCase(each, options);
    cases.push(result);
    options.onCase?.(result);
  }
  const score = cases.reduce((sum, { passed, weight }) => sum + (passed ? weight : 0), 0);
  return {
    score,
    grade: gradeOf(score),
    cases: withCommonCauses(cases),
    duration_ms: Math.round(performance.now() - start_ms),
  };
}

const gradeOf = (score: number) => (score >= 90 ? 'A' : score >= 75 ? 'B' : score >= 50 ? 'C' : 'F');

async function runCase(each: ReceiverCase, { secret, send }: CertifyOptions): Promise<CertifiedCase> {
  const got: ReceiverAnswer[] = [];
  for (const requests of await each.steps(secret)) got.push(...(await Promise.all(requests.map(send))));
  const passed = each.passes(got);
  const { name, weight, expected, advice } = each;
  return { name, weight, passed, expected, got, advice: passed ? null : advice };
}

/** After a first request without a response, eleven more cases would only wait for the same time limit. */
const isUnreachable = (cases: readonly CertifiedCase[]) => cases[0]?.got[0]?.status === null;

const notSent = ({ name, weight, expected }: ReceiverCase): CertifiedCase => ({
  name,
  weight,
  passed: false,
  expected,
  got: [],
  advice: 'Not sent: the first request had no response.',
});

/** Replaces the advice where several cases together show the cause. */
function withCommonCauses(cases: CertifiedCase[]): CertifiedCase[] {
  const passed = (name: string) => cases.some((each) => each.name === name && each.passed);
  const advise = (names: readonly string[], advice: string) =>
    cases.map((each) => (names.includes(each.name) && !each.passed ? { ...each, advice } : each));
  const [first] = cases;
  if (first && isUnreachable(cases))
    return advise(
      ['valid'],
      `There was no response (${first.got[0]?.problem}). Is the server running at this URL?`,
    );
  const forged = ['tampered_body', 'wrong_secret', 'no_signature'];
  if (passed('valid') && !forged.some(passed))
    return advise(
      forged,
      'The signature is not checked: every request is accepted. Anyone can send events to this URL.',
    );
  if (!passed('valid') && passed('tampered_body'))
    return advise(
      ['valid'],
      'Correct signatures are refused. Usual causes: the body is parsed and serialized before the HMAC is computed, the secret is another one, or the clock is wrong.',
    );
  return cases;
}
