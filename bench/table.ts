import type { Row } from './figure.js';

const heads = ['figure', 'metric', 'ours', 'median', 'min – max', 'beside', 'median', 'ratio', 'goal', 'met'];
const numeric = new Set([3, 4, 6, 7]);

/** The rows as a Markdown table, aligned so that a terminal shows it too. */
export function table(rows: readonly Row[]): string {
  const cells = [heads, ...rows.map(cellsOf)];
  const widths = heads.map((_, column) => Math.max(3, ...cells.map((line) => line[column]?.length ?? 0)));
  const rule = widths.map((width, column) => (numeric.has(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  const [head = [], ...body] = cells.map((line) => line.map((cell, column) => pad(cell, column, widths)));
  return [head, rule, ...body].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cellsOf(row: Row): string[] {
  return [
    `\`${row.figure}\``,
    `${row.metric}, ${row.unit}`,
    row.subject,
    digits(row.value),
    row.min === row.max ? '' : `${digits(row.min)} – ${digits(row.max)}`,
    row.reference ?? '',
    row.referenceValue === null ? '' : digits(row.referenceValue),
    row.ratio === null ? '' : ratioText(row.ratio),
    row.goal ?? '',
    row.goal === null ? '' : row.withinLimit ? 'yes' : 'NO',
  ];
}

function digits(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

function ratioText(ratio: number): string {
  return ratio < 0.1 ? ratio.toPrecision(2) : ratio.toFixed(2);
}

function pad(cell: string, column: number, widths: readonly number[]): string {
  const width = widths[column] ?? 0;
  return numeric.has(column) ? cell.padStart(width) : cell.padEnd(width);
}
