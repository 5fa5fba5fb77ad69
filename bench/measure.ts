import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contender, type Figure, type Metric, median, type Row, type Sample } from './figure.js';

/** Where the directories of the measurements are made: BENCH_DIR, to choose the disk, or the system's place. */
export const workRoot = process.env.BENCH_DIR ?? tmpdir();

/** Measures subject and reference in turns, so that a slow minute of the machine meets both. */
export async function measure(figure: Figure): Promise<Row[]> {
  const subject: Sample[] = [];
  const reference: Sample[] = [];
  for (let run = 0; run <= figure.runs; run++) {
    const ours = await measureOnce(figure.subject);
    const theirs = figure.reference === undefined ? null : await measureOnce(figure.reference);
    if (run === 0) continue;
    subject.push(ours);
    if (theirs !== null) reference.push(theirs);
  }
  return Object.entries(figure.metrics).map(([name, metric]) => row(figure, name, metric, subject, reference));
}

async function measureOnce(contender: Contender): Promise<Sample> {
  mkdirSync(workRoot, { recursive: true });
  const directory = mkdtempSync(join(workRoot, 'mini-app-bench-'));
  try {
    return await contender.measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function row(
  figure: Figure,
  name: string,
  metric: Metric,
  subject: readonly Sample[],
  reference: readonly Sample[],
): Row {
  const values = subject.map((sample) => valueIn(figure, sample, name));
  const value = median(values);
  const references = reference.map((sample) => valueIn(figure, sample, name));
  const referenceValue = references.length === 0 ? null : median(references);
  const ratio = referenceValue === null ? null : value / referenceValue;
  return {
    figure: figure.name,
    metric: name,
    unit: metric.unit,
    subject: figure.subject.name,
    value,
    min: Math.min(...values),
    max: Math.max(...values),
    reference: figure.reference?.name ?? null,
    referenceValue,
    ratio,
    withinLimit: isWithin(metric, ratio),
  };
}

function valueIn(figure: Figure, sample: Sample, metric: string): number {
  const value = sample[metric];
  if (value === undefined) throw new Error(`figure ${figure.name} measured no '${metric}'`);
  return value;
}

function isWithin(metric: Metric, ratio: number | null): boolean {
  if (ratio === null) return true;
  return ratio <= (metric.maxRatio ?? Number.POSITIVE_INFINITY) && ratio >= (metric.minRatio ?? 0);
}
