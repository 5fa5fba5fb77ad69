import type { Row } from './figure.js';

const heads = ['figure', 'metric', 'subject', 'median', 'min', 'max', 'reference', 'median', 'ratio', ''];
const numeric = new Set([3, 4, 5, 7, 8]);

/** The rows as aligned columns. */
export function table(rows: readonly Row[]): string {
  const cells = [heads, ...rows.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => pad(cell, column, widths))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellsOf(row: Row): string[] {
  return [
    row.figure,
    `${row.metric}, ${row.unit}`,
    row.subject,
    digits(row.value),
    digits(row.min),
    digits(row.max),
    row.reference ?? '',
    row.referenceValue === null ? '' : digits(row.referenceValue),
    row.ratio === null ? '' : row.ratio.toFixed(2),
    row.withinLimit ? '' : 'beyond the limit',
  ];
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function pad(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return numeric.has(column) ? cell.padStart(width) : cell.padEnd(width);
}
