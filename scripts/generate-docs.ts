/** Writes the generated pages under docs/. Run it after a change of a tool or an error; a test compares. */
import { writeFileSync } from 'node:fs';
import { generatedPages } from './docs/pages.js';

for (const [file, content] of generatedPages()) {
  writeFileSync(new URL(`../docs/${file}`, import.meta.url), content);
  console.log(`docs/${file}: ${content.length} characters`);
}
