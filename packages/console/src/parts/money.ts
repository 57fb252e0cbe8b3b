// Amounts of money, which the API gives in millionths of a dollar.
export const money = (micros: number) => `$${(micros / 1e6).toFixed(micros % 10_000 === 0 ? 2 : 6)}`;
