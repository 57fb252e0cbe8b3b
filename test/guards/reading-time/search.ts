// Searches for the input on which a reader spends most processor time per kilobyte, and measures how that grows with its size.
import type { RandomNumbers } from '../../../packages/server/testing/random.ts';

/** An input of any size: the middle is repeated between a beginning and an end. */
export type Pattern = { start: string[]; middle: string[]; end: string[] };

export type Reader = {
  name: string;
  /** Pieces of the grammar that this reader understands. */
  pieces: readonly string[];
  read(text: string): unknown;
  /** Inputs are not longer than this. Default: any size. */
  max_chars?: number;
  /** Not repeated: what must stand around each input. */
  frame?: (text: string) => string;
};

export type Cost = { pattern: Pattern; ms_per_kb: number };

const search_chars = 4096;
const max_pieces = 8;

export function textOf({ start, middle, end }: Pattern, chars: number): string {
  const [before, part, after] = [start, middle, end].map((pieces) => pieces.join('')) as [
    string,
    string,
    string,
  ];
  const room = Math.max(0, chars - before.length - after.length);
  return before + part.repeat(Math.ceil(room / Math.max(1, part.length))).slice(0, room) + after;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const frameOf = ({ frame }: Reader, text: string) => (frame ? frame(text) : text);

/** Short runs are repeated, because the clock is coarse. */
const shortest_ms = 0.5;
const max_repeats = 64;

async function onceMs(reader: Reader, text: string): Promise<number> {
  const begin_ms = cpuMs();
  for (let runs = 1; ; runs++) {
    await reader.read(text);
    const used_ms = cpuMs() - begin_ms;
    if (used_ms >= shortest_ms || runs >= max_repeats) return used_ms / runs;
  }
}

/** The least of several measurements: collections of garbage and other threads only add time. */
export async function costMs(
  reader: Reader,
  pattern: Pattern,
  chars: number,
  times: number,
): Promise<number> {
  const text = frameOf(reader, textOf(pattern, chars));
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < times; run++) least = Math.min(least, await onceMs(reader, text));
  return least;
}

const generic = [
  'a',
  'Z',
  '1',
  ' ',
  '\n',
  '\t',
  '.',
  ',',
  ':',
  '-',
  '"',
  '<',
  '>',
  '(',
  '[',
  '@',
  '\\',
  'é',
  '漢',
  '\u200b',
];

/** Mostly short ones: the worst inputs repeat one or two pieces after one that makes the reader look for more. */
function randomPattern(random: RandomNumbers, pieces: readonly string[]): Pattern {
  const some = (most: number) => Array.from({ length: random.below(most + 1) }, () => random.pick(pieces));
  const is_short = random.next() < 0.7;
  return {
    start: some(is_short ? 1 : 2),
    middle: [random.pick(pieces), ...some(is_short ? 0 : 3)],
    end: some(1),
  };
}

function changed(random: RandomNumbers, pieces: readonly string[], pattern: Pattern): Pattern {
  const next = { start: [...pattern.start], middle: [...pattern.middle], end: [...pattern.end] };
  for (let changes = 1 + random.below(2); changes > 0; changes--) {
    const list = next[random.pick(['start', 'middle', 'middle', 'end'] as const)];
    const at = random.below(list.length + 1);
    const piece = random.pick(pieces);
    const kind = random.below(3);
    if (kind === 0 && list.length < max_pieces) list.splice(at, 0, piece);
    else if (kind === 1 && list.length > 0) list.splice(Math.min(at, list.length - 1), 1);
    else if (list.length > 0) list[Math.min(at, list.length - 1)] = piece;
  }
  return next.middle.join('') === '' ? pattern : next;
}

const kept = 4;
const fresh_share = 0.4;

/** Hill climbing from the known worst cases and from random ones. Returns the worst that it finds, worst first. */
export async function worstCases(
  reader: Reader,
  known: readonly Pattern[],
  { random, cpu_ms }: { random: RandomNumbers; cpu_ms: number },
): Promise<Cost[]> {
  const pieces = [...reader.pieces, ...reader.pieces, ...generic];
  const chars = Math.min(search_chars, reader.max_chars ?? search_chars);
  let best: Cost[] = [];
  const measure = async (pattern: Pattern, times: number) => ({
    pattern,
    ms_per_kb: ((await costMs(reader, pattern, chars, times)) * 1024) / chars,
  });
  const consider = async (pattern: Pattern) => {
    const least = best.length < kept ? 0 : best.at(-1)!.ms_per_kb;
    if ((await measure(pattern, 1)).ms_per_kb <= least) return;
    // Only what repeats is a find.
    const again = await measure(pattern, 3);
    if (again.ms_per_kb <= least) return;
    const text = textOf(pattern, chars);
    best = [...best.filter((each) => textOf(each.pattern, chars) !== text), again]
      .sort((a, b) => b.ms_per_kb - a.ms_per_kb)
      .slice(0, kept);
  };
  for (const pattern of known) await consider(pattern);
  for (const piece of new Set(pieces)) await consider({ start: [], middle: [piece], end: ['x'] });
  const end_ms = cpuMs() + cpu_ms;
  while (cpuMs() < end_ms) {
    const is_fresh = best.length === 0 || random.next() < fresh_share;
    const pattern = is_fresh
      ? randomPattern(random, pieces)
      : changed(random, pieces, best[random.below(best.length)]!.pattern);
    await consider(pattern);
  }
  return best;
}
