// How some records are shown to people; programs get JSON.
import { styleText } from 'node:util';
import { domainView } from './domain-records.ts';
import { goLiveView } from './findings.ts';
import type { Output } from './output.ts';
import type { Row } from './tables.ts';
import { plain } from './tables.ts';
import { verificationView } from './verification-documents.ts';

type View = (record: Row, output: Output) => Promise<void> | void;
type Turn = { speaker: string; text: string; started_ms: number; is_interrupted: boolean };

/** By command (`noun verb`), else by noun. */
const views: Record<string, View> = {
  domains: domainView,
  'go-live get': goLiveView,
  'verifications get': verificationView,
  'verifications create': verificationView,
  'verifications update': verificationView,
  'verifications submit': verificationView,
  'calls transcript': ({ turns, is_final }, output) => {
    const lines = (turns as Turn[]).map(turnLine);
    if (lines.length === 0) lines.push(styleText('dim', 'No speech yet.', { stream: process.stdout }));
    if (!is_final) lines.push(styleText('dim', 'The call is in progress.', { stream: process.stdout }));
    output.text(lines.join('\n'));
  },
};

export const viewOf = (noun: string, verb: string): View | undefined =>
  views[`${noun} ${verb}`] ?? views[noun];

function turnLine({ speaker, text, started_ms, is_interrupted }: Turn): string {
  const seconds = Math.floor(started_ms / 1000);
  const time = `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  const head = `${styleText('dim', time, { stream: process.stdout })}  ${plain(speaker).padEnd(6)}`;
  return `${head}  ${plain(text).replaceAll(/\s+/g, ' ')}${is_interrupted ? ' …' : ''}`;
}
