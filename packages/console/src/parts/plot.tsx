// Lines over time: drawn for eyes, summed up in words and given as a table for everybody else.
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

export type Line = { label: string; color: string; values: (number | null)[] };

const colors = {
  light: { axis: '#565d73', grid: '#e4e6ee' },
  dark: { axis: '#a3abc2', grid: '#292e3e' },
};

export function Plot({
  times,
  lines,
  summary,
  height = 220,
  unit = '',
  time_format,
}: {
  /** Milliseconds; or, without `time_format`, plain positions. */
  times: number[];
  lines: Line[];
  summary: string;
  height?: number;
  unit?: string;
  time_format?: Intl.DateTimeFormat;
}) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const { axis, grid } = colors[scheme];
    const look = {
      stroke: axis,
      grid: { stroke: grid, width: 1 },
      ticks: { stroke: grid, width: 1 },
      font: '11px system-ui',
    };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        padding: [12, 8, 0, 0],
        scales: {
          x: { time: time_format !== undefined },
          y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
        },
        axes: [
          {
            ...look,
            values: (_: UPlot, at: number[]) =>
              at.map((each) =>
                time_format ? time_format.format(each * 1000) : Number.isInteger(each) ? String(each) : '',
              ),
            space: 80,
          },
          {
            ...look,
            size: unit ? 64 : 44,
            values: (_: UPlot, at: number[]) =>
              at.map((each) => (Number.isInteger(each) ? `${each.toLocaleString('en')}${unit}` : '')),
          },
        ],
        series: [
          {},
          ...lines.map(({ label, color }) => ({
            label,
            stroke: color,
            width: 2,
            fill: lines.length < 3 ? `${color}18` : undefined,
            points: { show: times.length < 40, size: 5 },
          })),
        ],
        legend: { show: false },
        cursor: { drag: { x: false, y: false } },
      },
      [
        times.map((time) => (time_format ? time / 1000 : time)),
        ...lines.map(({ values }) => values),
      ] as UPlot.AlignedData,
      element,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [times, lines, height, unit, time_format, scheme]);

  return (
    <figure style={{ margin: 0 }}>
      <div className="row small" aria-hidden>
        {lines.map(({ label, color }) => (
          <span key={label} className="row" style={{ gap: 6 }}>
            <span className="dot" style={{ background: color }} /> {label}
          </span>
        ))}
      </div>
      <div ref={place} role="img" aria-label={summary} style={{ minHeight: height }} />
      <div className="visually-hidden">
        <table>
          <caption>{summary}</caption>
          <thead>
            <tr>
              <th scope="col">{time_format ? 'Time' : 'Place'}</th>
              {lines.map(({ label }) => (
                <th scope="col" key={label}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((time, index) => (
              <tr key={time}>
                <th scope="row">{time_format ? time_format.format(time) : time}</th>
                {lines.map(({ label, values }) => (
                  <td key={label}>{values[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
