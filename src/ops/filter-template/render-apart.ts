/** Rendering a filter template so that nobody else waits for it. */
import { StoreError } from '../../errors.js';
import type { JsonObject, JsonValue } from '../../schema/json.js';
import { inTrial, type RenderJob, TrialStopped } from '../trial-process.js';
import { assertTemplate, renderFilter } from './render-filter.js';
import { isLight } from './weight.js';

/**
 * As {@link renderFilter}; what could make much out of little is rendered in a process of its own, within 2 s and 512 MiB.
 * @throws StoreError ALIAS_TEMPLATE_ERROR, VALIDATION_ERROR, BUSY.
 */
export async function renderApart(template: string, params: JsonObject): Promise<JsonValue> {
  if (isLight(template, JSON.stringify(params).length)) return renderFilter(template, params);
  // What comes back is what renderFilter returned there.
  return (await apart({ kind: 'render', template, params })) as JsonValue;
}

/** Compiles a template, which makes the values of its constant expressions. @throws StoreError as {@link renderApart}. */
export async function checkTemplateApart(template: string): Promise<void> {
  if (isLight(template, 0)) assertTemplate(template);
  else await apart({ kind: 'render', template, params: null });
}

async function apart(job: RenderJob): Promise<unknown> {
  try {
    return await inTrial(job);
  } catch (error) {
    if (!(error instanceof TrialStopped)) throw error;
    const detail = `the template takes too much: ${error.message}`;
    throw new StoreError('ALIAS_TEMPLATE_ERROR', { detail }, { hint });
  }
}

const hint = 'Let the template repeat less: no text times a number, fewer loops inside of loops.';
