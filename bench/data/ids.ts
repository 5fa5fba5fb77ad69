/** Ids spread over the key space as random ones are, the same ones in each run. */
export function idOf(index: number): string {
  const spread = (Math.imul(index, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
  return `${spread}-0000-4000-8000-${index.toString(16).padStart(12, '0')}`;
}
