// The one-time code of a text is found, and texts without a code give none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verificationCode } from './verification-code.ts';

for (const [text, code] of [
  ['Your code is 482913', '482913'],
  ['482913 is your verification code.', '482913'],
  ['G-482913 is your Google verification code.', '482913'],
  ['Your WhatsApp code: 123-456. Don’t share it', '123456'],
  ['Use OTP 4821 to log in. Valid for 10 minutes.', '4821'],
  ['<#> 771 204 is your passcode', '771204'],
  ['Your PIN is 0042', '0042'],
  ['Your security code is AB12CD', 'AB12CD'],
  ['Call +1 415 555 0123 if you did not ask for code 90210.', '90210'],
  ['Tu código es 123456', '123456'],
  ['您的验证码是 654321', '654321'],
  ['Code 111222 expires 2026-06-06', '111222'],
  ['您的验证码是123456，请勿泄露', '123456'],
  ['認証番号は123456です', '123456'],
  ['인증번호 123456을 입력하세요', '123456'],
  ['Your code:123456', '123456'],
  ['Ref 4821 code is 987654', '987654'],
  ['Security: do not share this. Order 4821. Your code is 987654', '987654'],
  ['482913 is your verification code. Valid until 2026', '482913'],
  ['Password reset: https://x.test/r/AB12CD34', null],
  ['Your code was sent at 12:3045', null],
  ['Is Tuesday at 1500 possible?', null],
  ['Your order 482913 has shipped', null],
  ['Your code will arrive by mail', null],
  ['Pay $4500 now, security deposit', null],
  ['', null],
] as const) {
  test(`${JSON.stringify(text)} contains ${code}`, () => assert.equal(verificationCode(text), code));
}
