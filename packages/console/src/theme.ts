// Colors, fonts and defaults for contrast and keyboard use.
import { createTheme, type MantineColorsTuple } from '@mantine/core';

const ink: MantineColorsTuple = [
  '#eef0ff',
  '#dcdffb',
  '#b9bff3',
  '#949deb',
  '#7580e4',
  '#616de0',
  '#5660d8',
  '#4650c0',
  '#3b44ac',
  '#2f3798',
];

/** The dark grays have a blue tint to match the page. */
const dark: MantineColorsTuple = [
  '#eceef6',
  '#c3c9da',
  '#a3abc2',
  '#6d7590',
  '#3f465c',
  '#333a4e',
  '#232838',
  '#1b1f2b',
  '#12151e',
  '#0b0d12',
];

export const theme = createTheme({
  primaryColor: 'ink',
  colors: { ink, dark },
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', 'Cascadia Code', Menlo, Consolas, monospace",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '600' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
  },
});
