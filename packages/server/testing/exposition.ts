// Parses the response of /metrics and checks every rule of Prometheus' text format 0.0.4.
import assert from 'node:assert/strict';

export type Family = { type: string; help: string; samples: Map<string, number> };
export type Exposition = {
  families: Map<string, Family>;
  /** The value of a series, 0 if it does not exist; labels in any order. */
  value(name: string, labels?: Record<string, string>): number;
  /** Every value of every label. */
  labelValues(): string[];
};

// Prometheus parses NaN case-insensitively; the library writes Nan for the mean of no values.
const sample_line =
  /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (NaN|Nan|[+-]Inf|[-+]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;
const label_pair = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\n"])*)"(,|$)/y;

function readLabels(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  label_pair.lastIndex = 0;
  while (label_pair.lastIndex < text.length) {
    const at = label_pair.lastIndex;
    const found = label_pair.exec(text);
    assert.ok(found, `no label at ${text.slice(at)}`);
    assert.ok(!(found[1]! in labels), `the label ${found[1]} comes twice`);
    labels[found[1]!] = found[2]!;
  }
  return labels;
}

const keyOf = (name: string, labels: Record<string, string>) =>
  `${name}${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

function readValue(text: string): number {
  if (text === '+Inf') return Number.POSITIVE_INFINITY;
  return text === '-Inf' ? Number.NEGATIVE_INFINITY : Number(text);
}

export function readExposition(text: string): Exposition {
  assert.ok(text.endsWith('\n'), 'the last line has an end');
  const families = new Map<string, Family>();
  const all_labels: { name: string; labels: Record<string, string>; value: number }[] = [];
  let current: { name: string; family: Family } | null = null;
  let help: { name: string; text: string } | null = null;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const helped = /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$/.exec(line);
    if (helped) {
      help = { name: helped[1]!, text: helped[2]! };
      continue;
    }
    const typed = /^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped)$/.exec(line);
    if (typed) {
      const [, name, type] = typed as unknown as [string, string, string];
      assert.equal(help?.name, name, `${name} has its help before its type`);
      assert.ok(!families.has(name), `${name} is described twice`);
      const family: Family = { type, help: help.text, samples: new Map() };
      families.set(name, family);
      current = { name, family };
      continue;
    }
    const sample = sample_line.exec(line);
    assert.ok(sample, `no sample: ${line}`);
    const [, name, pairs, value] = sample as unknown as [string, string, string | undefined, string];
    assert.ok(current, `${name} has no type`);
    const suffixes = current.family.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    assert.ok(
      suffixes.some((suffix) => name === `${current!.name}${suffix}`),
      `${name} is listed under ${current.name}`,
    );
    const labels = readLabels(pairs ?? '');
    const key = keyOf(name, labels);
    assert.ok(!current.family.samples.has(key), `${line} comes twice`);
    current.family.samples.set(key, readValue(value));
    all_labels.push({ name, labels, value: readValue(value) });
  }
  for (const [name, { type }] of families) {
    // Some gauges of the library have names that end like counters.
    const is_own = !name.startsWith('parley_nodejs_');
    if (is_own || type === 'counter')
      assert.equal(name.endsWith('_total'), type === 'counter', `${name} is a ${type}`);
  }
  checkHistograms(all_labels);
  return {
    families,
    value: (name, labels = {}) =>
      families.get(name.replace(/_(bucket|sum|count)$/, ''))?.samples.get(keyOf(name, labels)) ??
      families.get(name)?.samples.get(keyOf(name, labels)) ??
      0,
    labelValues: () => all_labels.flatMap(({ labels }) => Object.values(labels)),
  };
}

/** Buckets are cumulative, and the last one equals the count. */
function checkHistograms(samples: { name: string; labels: Record<string, string>; value: number }[]): void {
  const series = new Map<string, { le: number; value: number }[]>();
  for (const { name, labels, value } of samples) {
    const { le, ...rest } = labels;
    if (le === undefined || !name.endsWith('_bucket')) continue;
    const key = keyOf(name, rest);
    series.set(key, [...(series.get(key) ?? []), { le: readValue(le), value }]);
    if (le === '+Inf') {
      const count = samples.find(
        (each) => keyOf(each.name, each.labels) === keyOf(name.replace(/_bucket$/, '_count'), rest),
      );
      assert.equal(count?.value, value, `${key}: the last bucket is the count`);
    }
  }
  for (const [key, buckets] of series) {
    for (const [at, bucket] of buckets.entries()) {
      const before = buckets[at - 1];
      assert.ok(!before || (before.le < bucket.le && before.value <= bucket.value), `${key} does not grow`);
    }
    assert.equal(buckets.at(-1)!.le, Number.POSITIVE_INFINITY, key);
  }
}
