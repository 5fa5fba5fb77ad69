/** From what a caller calls an id to the id of one row (rulings §2 "ids"). */
import { StoreError } from '../errors.js';

const fullLength = 36;

/**
 * @param find ids that start with a prefix, ascending.
 * @throws StoreError VALIDATION_ERROR for an empty id, NOT_FOUND, AMBIGUOUS_ID with the candidates.
 */
export function resolveId(id: string, find: (prefix: string) => readonly string[]): string {
  if (id.length === fullLength) return id;
  if (id === '') throw new StoreError('VALIDATION_ERROR', { field: 'id', reason: 'must not be empty' });
  const candidates = find(id);
  if (candidates.includes(id)) return id;
  const [only, ...others] = id.length < fullLength ? candidates : [];
  if (only === undefined) throw new StoreError('NOT_FOUND', { id });
  if (others.length > 0) throw new StoreError('AMBIGUOUS_ID', { id_prefix: id, candidates });
  return only;
}
