/** The pages that are generated from what the program says of itself, so that they cannot drift from it. */
import { errorsPage } from './errors-page.js';
import { toolsPage } from './tools-page.js';

/** File name under docs/ to content. */
export function generatedPages(): ReadonlyMap<string, string> {
  return new Map([
    ['tools.md', toolsPage()],
    ['errors.md', errorsPage()],
  ]);
}
