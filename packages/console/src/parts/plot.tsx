// A line chart with a text summary, and a table for screen readers.
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

export type Line = { label: string; color: string; values: (number | null)[] };

const colors = {
  light: { axis: '#565d73', grid: '#e4e6ee' },
  dark: { axis: '#a3abc2', grid: '#292e3e' },
};

type PlotProps = {
  /** Milliseconds; without `time_format`, plain positions. */
  times: number[];
  lines: Line[];
  summary: string;
  height?: number;
  unit?: string;
  time_format?: Intl.DateTimeFormat;
};

export function Plot({ times, lines, summary, height = 220, unit = '', time_format }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const size = { width: element.clientWidth, height };
    const plot = new UPlot(
      { ...size, ...chartOptions({ times, lines, unit, time_format, scheme }) },
      chartData({ times, lines, time_format }),
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
      <div
        ref={container}
        role="img"
        aria-label={summary}
        style={{ minHeight: height, overflow: 'hidden' }}
      />
      <PlotTable times={times} lines={lines} summary={summary} time_format={time_format} />
    </figure>
  );
}

type ChartInput = Pick<PlotProps, 'times' | 'lines' | 'time_format'>;

function chartOptions({
  times,
  lines,
  unit,
  time_format,
  scheme,
}: ChartInput & { unit: string; scheme: keyof typeof colors }): Omit<UPlot.Options, 'width' | 'height'> {
  const { axis, grid } = colors[scheme];
  const style = {
    stroke: axis,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: '11px system-ui',
  };
  const labelX = (value: number) =>
    time_format ? time_format.format(value * 1000) : Number.isInteger(value) ? String(value) : '';
  const labelY = (value: number) => (Number.isInteger(value) ? `${value.toLocaleString('en')}${unit}` : '');
  return {
    // Room for half of the last label of the time axis.
    padding: [12, time_format ? 40 : 8, 0, 0],
    scales: {
      x: { time: time_format !== undefined },
      y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...style, values: (_: UPlot, at: number[]) => at.map(labelX), space: time_format ? 100 : 80 },
      {
        ...style,
        values: (_: UPlot, at: number[]) => at.map(labelY),
        size: (_: UPlot, labels: string[] | null) => axisWidth(labels),
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
  };
}

/** As wide as the longest label, at about 7 pixels a character, with the tick. */
const axisWidth = (labels: string[] | null) =>
  Math.max(44, Math.max(0, ...(labels ?? []).map(({ length }) => length)) * 7 + 18);

/** uPlot expects seconds for times. */
const chartData = ({ times, lines, time_format }: ChartInput) =>
  [
    times.map((time) => (time_format ? time / 1000 : time)),
    ...lines.map(({ values }) => values),
  ] as UPlot.AlignedData;

const PlotTable = ({ times, lines, summary, time_format }: ChartInput & { summary: string }) => (
  <div className="visually-hidden">
    <table>
      <caption>{summary}</caption>
      <thead>
        <tr>
          <th scope="col">{time_format ? 'Time' : 'Position'}</th>
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
);
