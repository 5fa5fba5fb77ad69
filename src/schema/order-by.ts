export type OrderBy = unknown;
