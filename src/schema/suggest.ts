/** "Did you mean": the nearest known name, for hints. */

/** The candidate nearest to `name` within a small edit distance, letter case ignored; undefined when none is near. */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours, each counted once. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cell(a, b, i, j, { row, last, beforeLast }));
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

interface Rows {
  readonly row: readonly number[];
  readonly last: readonly number[];
  readonly beforeLast: readonly number[];
}

function cell(a: string, b: string, i: number, j: number, { row, last, beforeLast }: Rows): number {
  const cost = a[i - 1] === b[j - 1] ? 0 : 1;
  const plain = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + cost);
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(plain, at(beforeLast, j - 2) + 1) : plain;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
