// Decides which text of an HTML mail a person cannot see: hidden by elements, attributes, inline styles or simple CSS rules.
import {
  addAll,
  type Declarations,
  type Property,
  readDeclarations,
  readStyleSheet,
  type StyleSheet,
} from './css.ts';
import type { Attributes } from './walk.ts';

/** Elements whose content is never shown as text. */
const never_shown = new Set(
  'script style title template noscript textarea select datalist object iframe noframes noembed audio video canvas svg math'.split(
    ' ',
  ),
);

/** The state that an element inherits from its parent. */
type Inherited = {
  /** Hidden with its whole content: no inner element can become visible again. */
  is_hidden: boolean;
  /** An inner element can override these two by its own font size or visibility. */
  is_tiny: boolean;
  is_invisible: boolean;
  color: string | null;
  background: string | null;
};

const transparent = 'transparent';
const smallest_px = 1.5;
/** A box that is moved by at least this distance is outside the window of any mail program. */
const off_screen_px = 300;

export function visibilityOf(html: string) {
  const sheet: StyleSheet = /<style/i.test(html) ? readStyleSheet(html) : new Map();
  // White text on the default white background counts as hidden only if the page declares no background at all.
  const default_background = /background|bgcolor/i.test(html) ? null : '#ffffff';
  const stack: Inherited[] = [
    { is_hidden: false, is_tiny: false, is_invisible: false, color: null, background: default_background },
  ];

  const styles = styleReader(sheet);

  return {
    open(name: string, attributes: Attributes): void {
      const parent = stack.at(-1)!;
      if (parent.is_hidden) {
        stack.push(parent);
        return;
      }
      const style = styles(name, attributes);
      if (style === null && !mayAffectVisibility(name, attributes)) {
        stack.push(parent);
        return;
      }
      const is_hidden = never_shown.has(name) || 'hidden' in attributes || (style?.hides_content ?? false);
      stack.push({ ...parent, is_hidden, ...inheritedFrom(style, attributes, parent) });
    },
    close(): void {
      if (stack.length > 1) stack.pop();
    },
    /** Whether text at the current position is visible. */
    isShown(): boolean {
      const { is_hidden, is_tiny, is_invisible, color, background } = stack.at(-1)!;
      if (is_hidden || is_tiny || is_invisible || color === transparent) return false;
      return color === null || color !== background;
    },
    /** Whether the current element is hidden with its whole content. */
    isHidden: (): boolean => stack.at(-1)!.is_hidden,
  };
}

const mayAffectVisibility = (name: string, attributes: Attributes): boolean =>
  never_shown.has(name) ||
  attributes.hidden !== undefined ||
  attributes.color !== undefined ||
  attributes.bgcolor !== undefined ||
  attributes.background !== undefined;

/** What the styles of an element say about the visibility of its text. */
type Style = {
  hides_content: boolean;
  /** Empty where it is not declared. */
  font_size: string;
  is_invisible: boolean | null;
  color: string | null;
  background: string;
};

const max_classes = 30;
const max_cached = 1000;

/** Reads each combination of name, classes, id and style attribute once: a page usually repeats the same few. */
function styleReader(sheet: StyleSheet): (name: string, attributes: Attributes) => Style | null {
  const read = new Map<string, Style | null>();
  return (name, attributes) => {
    const { class: classes, id, style: inline } = attributes;
    const has_rules = sheet.size > 0;
    if (!has_rules && !inline) return null;
    const key = has_rules ? [name, classes, id, inline].join('\0') : inline!;
    let style = read.get(key);
    if (style === undefined) {
      style = styleOf(sheet, name, attributes);
      if (read.size < max_cached) read.set(key, style);
    }
    return style;
  };
}

function styleOf(sheet: StyleSheet, name: string, attributes: Attributes): Style | null {
  const declared: Declarations = new Map();
  const addRule = (selector: string) => {
    const declarations = sheet.get(selector);
    if (declarations) addAll(declared, declarations);
  };
  if (sheet.size > 0) {
    addRule(name);
    for (const each of new Set(attributes.class?.split(/\s+/, max_classes))) {
      addRule(`.${each}`);
      addRule(`${name}.${each}`);
    }
    if (attributes.id) {
      addRule(`#${attributes.id}`);
      addRule(`${name}#${attributes.id}`);
    }
  }
  if (attributes.style) addAll(declared, readDeclarations(attributes.style));
  if (declared.size === 0) return null;
  const value = (property: Property) => declared.get(property)?.value ?? '';
  const visibility = value('visibility');
  return {
    hides_content: hidesContent(value),
    font_size: value('font-size') || sizeInFont(value('font')),
    is_invisible: visibility === '' ? null : /^(?:hidden|collapse)$/.test(visibility),
    color: colorOf(value('color')),
    background: value('background-color') || value('background'),
  };
}

type ValueOf = (property: Property) => string;

/** Whether the style hides the element with its whole content, whatever the inner elements declare. */
function hidesContent(value: ValueOf): boolean {
  if (value('display') === 'none' || value('mso-hide') === 'all') return true;
  const opacity = value('opacity');
  if (opacity !== '' && Number.parseFloat(opacity) <= 0.02) return true;
  const cuts = /hidden|clip/.test(`${value('overflow')} ${value('overflow-x')} ${value('overflow-y')}`);
  if (cuts && (['width', 'height', 'max-width', 'max-height'] as const).some((name) => isZero(value(name))))
    return true;
  return isOffScreen(value);
}

function isOffScreen(value: ValueOf): boolean {
  const isMovedOut = (name: Property) => (px(value(name)) ?? 0) <= -off_screen_px;
  if (isMovedOut('text-indent') || isMovedOut('margin-left') || isMovedOut('margin-top')) return true;
  if (/absolute|fixed|relative/.test(value('position'))) {
    if ((['left', 'top', 'right', 'bottom'] as const).some(isMovedOut)) return true;
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
  style: Style | null,
  attributes: Attributes,
  parent: Inherited,
): Omit<Inherited, 'is_hidden'> {
  const font_size = style?.font_size ?? '';
  const color = style?.color ?? colorOf(attributes.color ?? '');
  const declared_background = style?.background || (attributes.bgcolor ?? '');
  return {
    is_tiny: font_size === '' ? parent.is_tiny : isTiny(font_size, parent.is_tiny),
    is_invisible: style?.is_invisible ?? parent.is_invisible,
    color: color ?? parent.color,
    background: backgroundOf(declared_background, attributes, parent.background),
  };
}

const sizeInFont = (font: string) => /(?:^|\s)([\d.]+(?:px|pt|em|rem|%))(?:\/|\s)/.exec(font)?.[1] ?? '';

/** A relative size inside a tiny element is tiny too. */
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

/** Null if the value is not a length. Lengths relative to the window are computed for a small window. */
function px(length: string): number | null {
  const match = /^(-?(?:\d+\.?\d*|\.\d+))([a-z]*|%)$/.exec(length.trim());
  if (!match) return null;
  const unit = match[2] === '%' || /^v[wh]$/.test(match[2]!) ? 6 : in_px[match[2]!];
  return unit === undefined ? null : Number(match[1]) * unit;
}

const isZero = (length: string) => length !== '' && Math.abs(px(length) ?? 1) < 1;

const named: Record<string, string> = { white: '#ffffff', black: '#000000' };

/** Returns `#rrggbb` or `transparent`; null for an empty or unknown value. */
function colorOf(value: string): string | null {
  const color = value.trim().toLowerCase();
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

/** Null if the background is an image or unknown: then the text color proves nothing. */
function backgroundOf(value: string, attributes: Attributes, inherited: string | null): string | null {
  if (attributes.background !== undefined || /url\(|gradient/.test(value)) return null;
  if (value === '' || value === transparent || value === 'none' || value === 'inherit') return inherited;
  return colorOf(value.split(/\s/, 1)[0]!) ?? colorOf(value);
}
