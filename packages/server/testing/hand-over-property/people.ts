// The people that random sequences contact. Their time zones are written here, not taken from the product's table.

export type Person = {
  name: string;
  phone: string;
  email: string;
  country: string;
  /** Every zone in which the holder of the number may be. */
  zones: readonly string[];
};

export const people: readonly Person[] = [
  {
    name: 'ana',
    phone: '+14155550101',
    email: 'ana@example.org',
    country: 'US',
    zones: ['America/Los_Angeles'],
  },
  {
    name: 'ben',
    phone: '+12125550102',
    email: 'ben@example.org',
    country: 'US',
    zones: ['America/New_York'],
  },
  {
    name: 'cho',
    phone: '+442079460103',
    email: 'cho@example.org',
    country: 'GB',
    zones: ['Europe/London'],
  },
  {
    name: 'dee',
    phone: '+17015550104',
    email: 'dee@example.org',
    country: 'US',
    // North Dakota has two.
    zones: ['America/Denver', 'America/Chicago'],
  },
];

export const personOf = (recipient: string): Person =>
  people.find(({ phone, email }) => phone === recipient || email === recipient)!;
