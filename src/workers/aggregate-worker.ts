/** Aggregates off the main thread. */
import { serveJobs } from '../ops/serve-jobs.js';
import { runAggregate } from '../projections/rows/run-aggregate.js';

serveJobs(runAggregate);
