// Funds: balances, the ledger behind them, and charges by a price table.
export { fundsRoutes } from './routes.ts';
export { type Funds, fundsService } from './service.ts';
