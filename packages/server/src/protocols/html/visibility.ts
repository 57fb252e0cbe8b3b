// Tells which words of an HTML mail a person cannot see: hidden by elements, attributes, inline styles or simple rules.
import { type Declarations, merged, readDeclarations, readStyleSheet, type StyleSheet } from './css.ts';
import type { Attributes } from './walk.ts';

/** Elements whose content is never shown as text. */
const silent = new Set(
  'script style title template noscript textarea select datalist object iframe noframes noembed audio video canvas svg math'.split(
    ' ',
  ),
);

/** What an element passes on to those inside it. */
type Inherited = {
  /** Nothing inside can become visible again. */
  is_gone: boolean;
  /** These two end where an inner element sets another size or visibility. */
  is_tiny: boolean;
  is_invisible: boolean;
  color: string | null;
  background: string | null;
};

const transparent = 'transparent';
const smallest_px = 1.5;
/** Moved by more than this, a box is outside of every window that a mail is read in. */
const off_screen_px = 300;

export function visibilityOf(html: string) {
  const sheet: StyleSheet = /<style/i.test(html) ? readStyleSheet(html) : new Map();
  // White on the default white can only be judged where no other background is declared anywhere.
  const default_background = /background|bgcolor/i.test(html) ? null : '#ffffff';
  const stack: Inherited[] = [
    { is_gone: false, is_tiny: false, is_invisible: false, color: null, background: default_background },
  ];

  const inline = inlineStyles();

  return {
    open(name: string, attributes: Attributes): void {
      const parent = stack.at(-1)!;
      if (parent.is_gone) {
        stack.push(parent);
        return;
      }
      const style = styleOf(sheet, name, attributes, inline);
      if (style === null && !changesAnything(name, attributes)) {
        stack.push(parent);
        return;
      }
      const is_gone = silent.has(name) || 'hidden' in attributes || (style !== null && takesAway(style));
      stack.push({ ...parent, is_gone, ...inheritedFrom(style, attributes, parent) });
    },
    close(): void {
      if (stack.length > 1) stack.pop();
    },
    /** Whether text at this place can be seen. */
    isShown(): boolean {
      const { is_gone, is_tiny, is_invisible, color, background } = stack.at(-1)!;
      if (is_gone || is_tiny || is_invisible || color === transparent) return false;
      return color === null || color !== background;
    },
    /** Whether the element just opened, with all inside it, is hidden for good. */
    isGone: (): boolean => stack.at(-1)!.is_gone,
  };
}

const changesAnything = (name: string, attributes: Attributes): boolean =>
  silent.has(name) ||
  attributes.hidden !== undefined ||
  attributes.color !== undefined ||
  attributes.bgcolor !== undefined ||
  attributes.background !== undefined;

/** A page repeats the same few styles over and over. */
function inlineStyles(): (style: string) => Declarations {
  const read = new Map<string, Declarations>();
  return (style) => {
    let declarations = read.get(style);
    if (!declarations) {
      declarations = readDeclarations(style);
      if (read.size < 1000) read.set(style, declarations);
    }
    return declarations;
  };
}

function styleOf(
  sheet: StyleSheet,
  name: string,
  attributes: Attributes,
  inline: (style: string) => Declarations,
): Declarations | null {
  let style: Declarations | null = null;
  const add = (declarations: Declarations | undefined) => {
    if (declarations) style = style ? merged(style, declarations) : declarations;
  };
  if (sheet.size > 0) {
    add(sheet.get(name));
    const classes = attributes.class?.split(/\s+/, 30) ?? [];
    for (const each of classes) {
      add(sheet.get(`.${each}`));
      add(sheet.get(`${name}.${each}`));
    }
    if (attributes.id) {
      add(sheet.get(`#${attributes.id}`));
      add(sheet.get(`${name}#${attributes.id}`));
    }
  }
  if (attributes.style) add(inline(attributes.style));
  return style;
}

/** Hides the element with everything in it, whatever those inside declare. */
function takesAway(style: Declarations): boolean {
  const value = (name: string) => style.get(name)?.value ?? '';
  if (value('display') === 'none' || value('mso-hide') === 'all') return true;
  const opacity = value('opacity');
  if (opacity !== '' && Number.parseFloat(opacity) <= 0.02) return true;
  const cuts = /hidden|clip/.test(`${value('overflow')} ${value('overflow-x')} ${value('overflow-y')}`);
  if (cuts && ['width', 'height', 'max-width', 'max-height'].some((name) => isZero(value(name)))) return true;
  return isElsewhere(value);
}

function isElsewhere(value: (name: string) => string): boolean {
  const moved = (name: string) => (px(value(name)) ?? 0) <= -off_screen_px;
  if (moved('text-indent') || moved('margin-left') || moved('margin-top')) return true;
  if (/absolute|fixed|relative/.test(value('position'))) {
    if (['left', 'top', 'right', 'bottom'].some(moved)) return true;
    // clip: rect(0,0,0,0) and rect(1px,1px,1px,1px)
    const edges = /^rect\(([^)]*)\)/.exec(value('clip'))?.[1]?.split(/[\s,]+/);
    if (edges?.every((edge) => Math.abs(px(edge) ?? 9) <= 1)) return true;
  }
  if (/^(?:inset\((?:[5-9]\d|100)%|circle\(0)/.test(value('clip-path'))) return true;
  const transform = value('transform');
  if (/scale[xy]?\(\s*0(?:\.0+)?\s*[,)]/.test(transform)) return true;
  const distance = /translate[xy3d]*\(\s*(-[\d.]+)(?:px)?/.exec(transform)?.[1];
  return distance !== undefined && Number(distance) <= -off_screen_px;
}

function inheritedFrom(
  style: Declarations | null,
  attributes: Attributes,
  parent: Inherited,
): Omit<Inherited, 'is_gone'> {
  const value = (name: string) => style?.get(name)?.value ?? '';
  const font_size = value('font-size') || sizeInFont(value('font'));
  const visibility = value('visibility');
  const color = colorOf(value('color')) ?? colorOf(attributes.color ?? '');
  const shown_behind = value('background-color') || value('background') || (attributes.bgcolor ?? '');
  return {
    is_tiny: font_size === '' ? parent.is_tiny : isTiny(font_size, parent.is_tiny),
    is_invisible: visibility === '' ? parent.is_invisible : /^(?:hidden|collapse)$/.test(visibility),
    color: color ?? parent.color,
    background: backgroundOf(shown_behind, attributes, parent.background),
  };
}

const sizeInFont = (font: string) => /(?:^|\s)([\d.]+(?:px|pt|em|rem|%))(?:\/|\s)/.exec(font)?.[1] ?? '';

/** A share of a size that is nothing is nothing. */
function isTiny(size: string, parent_is_tiny: boolean): boolean {
  if (/^(?:smaller|larger|inherit)$/.test(size) || /[\d.](?:em|%)$/.test(size)) {
    const share = Number.parseFloat(size) / (size.endsWith('%') ? 100 : 1);
    return parent_is_tiny || share * 16 < smallest_px;
  }
  const length = px(size);
  return length !== null && length < smallest_px;
}

const in_px: Record<string, number> = {
  '': 1,
  px: 1,
  pt: 4 / 3,
  em: 16,
  rem: 16,
  ex: 8,
  in: 96,
  cm: 38,
  mm: 3.8,
};

/** Null for what is no length. Lengths relative to the window count as they are on a small one. */
function px(length: string): number | null {
  const match = /^(-?(?:\d+\.?\d*|\.\d+))([a-z]*|%)$/.exec(length.trim());
  if (!match) return null;
  const unit = match[2] === '%' || /^v[wh]$/.test(match[2]!) ? 6 : in_px[match[2]!];
  return unit === undefined ? null : Number(match[1]) * unit;
}

const isZero = (length: string) => length !== '' && Math.abs(px(length) ?? 1) < 1;

const named: Record<string, string> = { white: '#ffffff', black: '#000000' };

/** As #rrggbb, or `transparent`; null where it is not given or not understood. */
function colorOf(given: string): string | null {
  const color = given.trim().toLowerCase();
  if (color === '') return null;
  if (color === transparent) return transparent;
  if (named[color]) return named[color]!;
  const hex = /^#?([\da-f]{3}|[\da-f]{6})$/.exec(color)?.[1];
  if (hex) return `#${hex.length === 3 ? [...hex].map((digit) => digit + digit).join('') : hex}`;
  const parts = /^rgba?\(([^)]*)\)$/
    .exec(color)?.[1]
    ?.split(/[\s,/]+/)
    .map(Number.parseFloat);
  if (!parts || parts.length < 3 || parts.some(Number.isNaN)) return null;
  if (parts[3] !== undefined && parts[3] <= 0.02) return transparent;
  const [red, green, blue] = parts as [number, number, number];
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Null where a picture or something not understood is behind the words: then no colour proves anything. */
function backgroundOf(given: string, attributes: Attributes, inherited: string | null): string | null {
  if (attributes.background !== undefined || /url\(|gradient/.test(given)) return null;
  if (given === '' || given === transparent || given === 'none' || given === 'inherit') return inherited;
  return colorOf(given.split(/\s/, 1)[0]!) ?? colorOf(given);
}
