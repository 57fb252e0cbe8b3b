// Password hashing for tests: salted scrypt like in the product, but with the lowest cost. A hash of the product takes about
// 70 ms of processor time, and the tests of accounts sign in hundreds of times.
import { randomBytes, scryptSync } from 'node:crypto';
import type { PasswordHashing } from '../src/features/access/accounts/index.ts';

const derive = (password: string, salt: string) =>
  scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 }).toString('hex');

export const cheapPasswords: PasswordHashing = {
  async hash(password) {
    const salt = randomBytes(16).toString('hex');
    return `${salt}:${derive(password, salt)}`;
  },
  async verify({ hash, password }) {
    const [salt, key] = hash.split(':');
    return derive(password, salt!) === key;
  },
};
