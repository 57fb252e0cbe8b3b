// What a person cannot see in an HTML mail is not among its words (C1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlToText } from './text.ts';

const wordsOf = (html: string) => htmlToText(html, { max_chars: 200_000 }).replaceAll(/\n+/g, ' ');

const hidden: Record<string, string> = {
  'display none': '<span style="display:none">obey</span>',
  'display none, important': '<span style="color:red; DISPLAY : None !important">obey</span>',
  'a declaration written as entities': '<div style="display&#58;none"><div>obey</div> me</div>',
  'a declaration with CSS escapes': '<p style="d\\69splay:no\\6e e">obey</p>',
  'a declaration with a comment': '<p style="display:/* x */none">obey</p>',
  'visibility hidden': '<p style="visibility:hidden">obey <b>me</b></p>',
  'visibility collapse': '<p style="visibility:collapse">obey</p>',
  'no font size': '<p style="font-size:0">obey <b>me</b></p>',
  'no font size in points': '<p style="font-size:0.0pt">obey</p>',
  'a font size of one pixel': '<p style="font-size:1px;line-height:1px">obey</p>',
  'the font shorthand': '<p style="font:0px/1 Arial">obey</p>',
  'a share of no font size': '<p style="font-size:0"><b style="font-size:1.2em">obey</b></p>',
  'no opacity': '<div style="opacity:0">obey<br><img>me</div>',
  'hardly any opacity': '<div style="opacity:.01">obey</div>',
  'no height': '<div style="height:0;overflow:hidden">obey</div>',
  'no greatest height': '<div style="max-height:0px;overflow:hidden">obey</div>',
  'no width': '<div style="width:0px; overflow: hidden">obey</div>',
  'the hidden attribute': '<div hidden>obey</div>',
  'the hidden attribute with a value': '<div hidden="hidden">obey</div>',
  'mso-hide': '<div style="mso-hide:all">obey</div>',
  'a place left of the window': '<div style="position:absolute;left:-9999px">obey</div>',
  'a place above the window': '<div style="position:fixed;top:-5000px">obey</div>',
  'an indent out of the window': '<div style="text-indent:-9999px">obey</div>',
  'a margin out of the window': '<div style="margin-left:-9999px">obey</div>',
  'a clipped box': '<div style="position:absolute;clip:rect(0,0,0,0)">obey</div>',
  'a clip path': '<div style="clip-path:inset(100%)">obey</div>',
  'a scale of nothing': '<div style="transform:scale(0)">obey</div>',
  'a template': '<template>obey</template>',
  noscript: '<noscript>obey</noscript>',
  'a script and a style': '<script>obey()</script><style>obey{}</style>',
  'a comment': '<!-- obey -->',
  'a conditional comment': '<!--[if mso]><p>obey</p><![endif]-->',
  'an attribute': '<a title="> obey"></a>',
  'a frame': '<iframe>obey</iframe>',
  'a form’s fields': '<textarea>obey</textarea><select><option>obey</option></select>',
  'transparent letters': '<span style="color:transparent">obey</span>',
  'letters without an alpha value': '<span style="color:rgba(0,0,0,0)">obey</span>',
  'letters in the colour of their background': '<p style="color:#eee;background-color:#eeeeee">obey</p>',
  'letters in the colour of the cell':
    '<table><tr><td bgcolor="#ffffff"><font color="white">obey</font></td></tr></table>',
  'white letters on the default white': '<span style="color:#fff">obey</span>',
  'a class': '<style>.x{display:none}</style><p class="a x">obey</p>',
  'a class of one element': '<style>p.x, b.y{font-size:0}</style><p class="x">obey</p>',
  'an id': '<style type="text/css"><!-- #x{visibility:hidden} --></style><p id="x">obey</p>',
  'an element': '<style>del{display:none}</style><del>obey</del>',
  'a rule for screens': '<style>@media screen{.x{display:none}}</style><p class="x">obey</p>',
  'a rule written below': '<p class="x">obey</p><style>.x{display:none}</style>',
};
for (const [way, html] of Object.entries(hidden))
  test(`words hidden by ${way} are left out`, () =>
    assert.equal(wordsOf(`<p>Hi</p>${html}<p>Bye</p>`), 'Hi Bye'));

const shown: Record<string, string> = {
  'half opacity': '<p style="opacity:0.5">seen</p>',
  'aria-hidden': '<p aria-hidden="true">seen</p>',
  'a size inside a cell without one': '<td style="font-size:0"><span style="font-size:14px">seen</span></td>',
  'visibility inside something invisible':
    '<p style="visibility:hidden"><b style="visibility:visible">seen</b></p>',
  'overflow of a box with a height': '<div style="height:20px;overflow:hidden">seen</div>',
  'no height without cutting': '<div style="height:0">seen</div>',
  'white letters on black': '<td bgcolor="#000000"><font color="#ffffff">seen</font></td>',
  'white letters where a class may set the background':
    '<style>.h{background:#000}</style><b style="color:#fff">seen</b>',
  'a rule for small screens':
    '<style>@media only screen and (max-width:600px){.x{display:none}}</style><p class="x">seen</p>',
  'a rule for one program': '<!--[if mso]><style>.x{display:none}</style><![endif]--><p class="x">seen</p>',
  'a rule for another place': '<style>.menu .x{display:none}</style><p class="x">seen</p>',
  'a style that undoes a rule': '<style>.x{display:none}</style><p class="x" style="display:block">seen</p>',
  'a word in a name': '<p class="display:none" title="hidden">seen</p>',
};
for (const [way, html] of Object.entries(shown))
  test(`words with ${way} stay`, () => assert.match(wordsOf(`<p>Hi</p>${html}<p>Bye</p>`), /^Hi seen Bye$/));
