/** Where a table is mounted from. */
export type Scope = 'user' | 'project' | 'legacy';
