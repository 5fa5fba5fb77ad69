import { expect, it } from 'vitest';
import { guide } from '../../src/cli/serve-http.js';
import { loadConfig } from '../../src/tables/config.js';
import { TableRegistry } from '../../src/tables/registry.js';
import { writeIssues } from '../helpers/http-server.js';
import { tempDir } from '../helpers/temp-dir.js';

it('tells a person what is served and gives an entry that clients read, without the token', async () => {
  const directory = tempDir();
  writeIssues(directory);
  const environment = { MINI_APP_USER_DIR: `${directory}/user`, MINI_APP_HTTP_TOKEN: 's3cret' };
  const config = loadConfig(environment, directory);
  const registry = TableRegistry.mount({ config, session: 's', now: Date.now, log: () => undefined });
  const text = guide(config, registry.tables(), { host: '0.0.0.0', port: 8484 });
  await registry.close();
  expect(text).toContain('issues (user): Issues');
  expect(text).toContain(`${directory}/user`);
  expect(text).not.toContain('s3cret');
  expect(JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1))).toEqual({
    mcpServers: {
      'mini-app': {
        type: 'http',
        url: 'http://localhost:8484/mcp',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: clients replace it by the variable
        headers: { Authorization: 'Bearer ${MINI_APP_HTTP_TOKEN}' },
      },
    },
  });
});
