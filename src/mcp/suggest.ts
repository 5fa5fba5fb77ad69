/** The name somebody probably meant. */

/** The nearest of the known names, or undefined when none is near: a wrong guess misleads more than none. */
export function nearestName(wanted: string, known: readonly string[]): string | undefined {
  const plain = plainName(wanted);
  let best: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(plain, plainName(name));
    if (distance <= limitFor(plain, name) && (best === undefined || distance < best.distance))
      best = { name, distance };
  }
  return best?.name ?? known.find((name) => related(plain, plainName(name)));
}

/** `orderBy` and `order_by` are one name to whoever writes them. Long input is cut: the distance is quadratic. */
function plainName(name: string): string {
  return name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

function limitFor(wanted: string, known: string): number {
  return Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
}

function related(wanted: string, known: string): boolean {
  return Math.min(wanted.length, known.length) >= 2 && (wanted.includes(known) || known.includes(wanted));
}

/** Levenshtein's distance, two swapped neighbours counting once. */
function editDistance(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      current[column] = cell(left, right, row, column, { beforeLast, last, current });
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? left.length;
}

interface Rows {
  readonly beforeLast: readonly number[];
  readonly last: readonly number[];
  readonly current: readonly number[];
}

function cell(left: string, right: string, row: number, column: number, rows: Rows): number {
  const at = (line: readonly number[], index: number) => line[index] ?? Number.POSITIVE_INFINITY;
  const same = left[row - 1] === right[column - 1];
  const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
  return Math.min(
    at(rows.last, column) + 1,
    at(rows.current, column - 1) + 1,
    at(rows.last, column - 1) + (same ? 0 : 1),
    swapped ? at(rows.beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
  );
}
