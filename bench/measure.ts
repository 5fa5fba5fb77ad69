import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Contender, type Figure, type Metric, median, type Row, type Sample } from './figure.js';
import { goalText, isWithin } from './goal.js';

/** Where the directories of the measurements are made: BENCH_DIR, to choose the disk, or the system's place. */
export const workRoot = process.env.BENCH_DIR ?? tmpdir();

/**
 * Measures subject and reference in turns, so that a slow minute of the machine meets both.
 * @throws Unavailable when a contender cannot be had here.
 */
export async function measure(figure: Figure): Promise<Row[]> {
  const subject: Sample[] = [];
  const reference: Sample[] = [];
  for (let run = figure.warmUp === false ? 1 : 0; run <= figure.runs; run++) {
    const ours = await measureOnce(figure.subject);
    const theirs = figure.reference === undefined ? null : await measureOnce(figure.reference);
    if (run === 0) continue;
    subject.push(ours);
    if (theirs !== null) reference.push(theirs);
  }
  return Object.entries(figure.metrics).map(([name, metric]) => row(figure, name, metric, subject, reference));
}

/** A directory of this run, for one measurement or for data that several share. */
export function makeDirectory(): string {
  mkdirSync(workRoot, { recursive: true });
  return mkdtempSync(join(workRoot, 'mini-app-bench-'));
}

async function measureOnce(contender: Contender): Promise<Sample> {
  const directory = makeDirectory();
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
  const references = reference.map((sample) => sample[name]).filter((found) => found !== undefined);
  const referenceValue = references.length === 0 ? null : median(references);
  return {
    figure: figure.name,
    metric: name,
    unit: metric.unit,
    subject: figure.subject.name,
    value,
    min: Math.min(...values),
    max: Math.max(...values),
    reference: referenceValue === null ? null : (figure.reference?.name ?? null),
    referenceValue,
    ratio: referenceValue === null ? null : value / referenceValue,
    goal: goalText(metric),
    withinLimit: isWithin(metric, value, referenceValue),
  };
}

function valueIn(figure: Figure, sample: Sample, metric: string): number {
  const value = sample[metric];
  if (value === undefined) throw new Error(`figure ${figure.name} measured no '${metric}'`);
  return value;
}
