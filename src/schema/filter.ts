export type Filter = unknown;
