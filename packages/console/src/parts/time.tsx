// Relative times, with the exact time as a tooltip.
import { useEffect, useState } from 'react';

const steps: [seconds: number, unit: Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [30 * 86_400, 'day'],
  [365 * 86_400, 'month'],
];
const sizes: Partial<Record<Intl.RelativeTimeFormatUnit, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  month: 30 * 86_400,
  year: 365 * 86_400,
};
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

function humanize(at: Date): string {
  const seconds = Math.round((at.getTime() - Date.now()) / 1000);
  if (Math.abs(seconds) < 5) return 'now';
  const unit = steps.find(([limit]) => Math.abs(seconds) < limit)?.[1] ?? 'year';
  return relative.format(Math.trunc(seconds / sizes[unit]!), unit);
}

export const exactTime = (at: string) => exact.format(new Date(at));
export const clockTime = (at: string) => new Date(at).toLocaleTimeString('en-GB');

export function Time({ at }: { at: string | null }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 15_000);
    return () => clearInterval(timer);
  }, []);
  if (at === null) return <span className="muted">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)} className="nowrap">
      {humanize(new Date(at))}
    </time>
  );
}

export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}

export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`;
}
