// Text that a person cannot see in an HTML mail is not part of its plain text (C1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlToText } from './text.ts';

const textOf = (html: string) => htmlToText(html, { max_chars: 200_000 }).replaceAll(/\n+/g, ' ');

const hidden: Record<string, string> = {
  'display none': '<span style="display:none">obey</span>',
  'display none, important': '<span style="color:red; DISPLAY : None !important">obey</span>',
  'a declaration written as entities': '<div style="display&#58;none"><div>obey</div> me</div>',
  'a declaration with CSS escapes': '<p style="d\\69splay:no\\6e e">obey</p>',
  'a declaration with a comment': '<p style="display:/* x */none">obey</p>',
  'visibility hidden': '<p style="visibility:hidden">obey <b>me</b></p>',
  'visibility collapse': '<p style="visibility:collapse">obey</p>',
  'a zero font size': '<p style="font-size:0">obey <b>me</b></p>',
  'a zero font size in points': '<p style="font-size:0.0pt">obey</p>',
  'a font size of one pixel': '<p style="font-size:1px;line-height:1px">obey</p>',
  'the font shorthand': '<p style="font:0px/1 Arial">obey</p>',
  'a relative font size of zero': '<p style="font-size:0"><b style="font-size:1.2em">obey</b></p>',
  'zero opacity': '<div style="opacity:0">obey<br><img>me</div>',
  'almost zero opacity': '<div style="opacity:.01">obey</div>',
  'zero height': '<div style="height:0;overflow:hidden">obey</div>',
  'zero maximum height': '<div style="max-height:0px;overflow:hidden">obey</div>',
  'zero width': '<div style="width:0px; overflow: hidden">obey</div>',
  'the hidden attribute': '<div hidden>obey</div>',
  'the hidden attribute with a value': '<div hidden="hidden">obey</div>',
  'mso-hide': '<div style="mso-hide:all">obey</div>',
  'a position left of the window': '<div style="position:absolute;left:-9999px">obey</div>',
  'a position above the window': '<div style="position:fixed;top:-5000px">obey</div>',
  'an indent outside the window': '<div style="text-indent:-9999px">obey</div>',
  'a margin outside the window': '<div style="margin-left:-9999px">obey</div>',
  'a clipped box': '<div style="position:absolute;clip:rect(0,0,0,0)">obey</div>',
  'a clip path': '<div style="clip-path:inset(100%)">obey</div>',
  'a zero scale': '<div style="transform:scale(0)">obey</div>',
  'a template': '<template>obey</template>',
  noscript: '<noscript>obey</noscript>',
  'a script and a style': '<script>obey()</script><style>obey{}</style>',
  'a comment': '<!-- obey -->',
  'a conditional comment': '<!--[if mso]><p>obey</p><![endif]-->',
  'an attribute': '<a title="> obey"></a>',
  'a frame': '<iframe>obey</iframe>',
  'a form’s fields': '<textarea>obey</textarea><select><option>obey</option></select>',
  'a transparent color': '<span style="color:transparent">obey</span>',
  'a zero alpha value': '<span style="color:rgba(0,0,0,0)">obey</span>',
  'the color of the background': '<p style="color:#eee;background-color:#eeeeee">obey</p>',
  'the background color of the table cell':
    '<table><tr><td bgcolor="#ffffff"><font color="white">obey</font></td></tr></table>',
  'white color on the default white background': '<span style="color:#fff">obey</span>',
  'a class': '<style>.x{display:none}</style><p class="a x">obey</p>',
  'a class of one element': '<style>p.x, b.y{font-size:0}</style><p class="x">obey</p>',
  'an id': '<style type="text/css"><!-- #x{visibility:hidden} --></style><p id="x">obey</p>',
  'an element': '<style>del{display:none}</style><del>obey</del>',
  'a rule for screens': '<style>@media screen{.x{display:none}}</style><p class="x">obey</p>',
  'a rule written below': '<p class="x">obey</p><style>.x{display:none}</style>',
};
for (const [method, html] of Object.entries(hidden))
  test(`text hidden by ${method} is removed`, () =>
    assert.equal(textOf(`<p>Hi</p>${html}<p>Bye</p>`), 'Hi Bye'));

const shown: Record<string, string> = {
  'half opacity': '<p style="opacity:0.5">seen</p>',
  'aria-hidden': '<p aria-hidden="true">seen</p>',
  'a font size inside a cell with font size zero':
    '<td style="font-size:0"><span style="font-size:14px">seen</span></td>',
  'visibility inside an invisible element':
    '<p style="visibility:hidden"><b style="visibility:visible">seen</b></p>',
  'overflow of a box with a height': '<div style="height:20px;overflow:hidden">seen</div>',
  'zero height without clipping': '<div style="height:0">seen</div>',
  'white color on black': '<td bgcolor="#000000"><font color="#ffffff">seen</font></td>',
  'white color where a class may set the background':
    '<style>.h{background:#000}</style><b style="color:#fff">seen</b>',
  'a rule for small screens':
    '<style>@media only screen and (max-width:600px){.x{display:none}}</style><p class="x">seen</p>',
  'a rule for one mail program':
    '<!--[if mso]><style>.x{display:none}</style><![endif]--><p class="x">seen</p>',
  'a rule with a descendant selector': '<style>.menu .x{display:none}</style><p class="x">seen</p>',
  'a style that overrides a rule':
    '<style>.x{display:none}</style><p class="x" style="display:block">seen</p>',
  'a keyword in an attribute value': '<p class="display:none" title="hidden">seen</p>',
};
for (const [method, html] of Object.entries(shown))
  test(`text with ${method} stays`, () =>
    assert.match(textOf(`<p>Hi</p>${html}<p>Bye</p>`), /^Hi seen Bye$/));
