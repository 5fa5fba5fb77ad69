import type { Metric } from './figure.js';

/** The limits of a metric in words, for the table; null without one. */
export function goalText({ unit, maxRatio, minRatio, max, maxAbove }: Metric): string | null {
  const parts = [
    maxRatio === undefined ? null : `≤ ${short(maxRatio)} ×`,
    minRatio === undefined ? null : `≥ ${short(minRatio)} ×`,
    max === undefined ? null : `≤ ${max} ${unit}`,
    maxAbove === undefined ? null : `≤ +${maxAbove} ${unit}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

/** Whether a value keeps every limit; one that needs a reference is kept where there is none. */
export function isWithin(metric: Metric, value: number, reference: number | null): boolean {
  const { maxRatio = Number.POSITIVE_INFINITY, minRatio = 0, max = Number.POSITIVE_INFINITY } = metric;
  if (value > max) return false;
  if (reference === null) return true;
  const ratio = value / reference;
  return ratio <= maxRatio && ratio >= minRatio && value - reference <= (metric.maxAbove ?? Number.POSITIVE_INFINITY);
}

function short(ratio: number): string {
  return String(Number(ratio.toFixed(2)));
}
