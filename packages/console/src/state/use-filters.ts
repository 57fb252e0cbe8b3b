// The filters of a page, which stand in its address.
import { useSearch } from '@tanstack/react-router';

export type Filters = Record<string, string | undefined>;

export const useFilters = (): Filters => useSearch({ strict: false });
