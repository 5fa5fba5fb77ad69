/** What is shipped beside the program: each file read by the tool it is for, where that is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { version } from '../src/version.js';
import { tempDir } from './helpers/temp-dir.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const text = (file: string) => readFileSync(join(root, file), 'utf8');
const json = (file: string) => JSON.parse(text(file));
const has = (program: string) =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));

/** A test that is skipped, and says so, where its program is not installed. */
function testWith(program: string, name: string, body: () => void): void {
  if (has(program)) test(name, body);
  else test.skip(`${name} (skipped: no ${program})`, body);
}

describe('the versions', () => {
  test('are one', () => {
    const server = json('server.json');
    const [npm, oci] = server.packages;
    expect([
      server.version,
      npm.version,
      json('manifest.json').version,
      json('.claude-plugin/plugin.json').version,
    ]).toEqual([version, version, version, version]);
    expect(oci.identifier).toBe(`ghcr.io/ynishi/mini-app-mcp:${version}`);
    expect(json('.mcp.json').mcpServers['mini-app'].args).toEqual(['-y', `mini-app-mcp@${version}`, '--mcp']);
  });

  test('the registry finds the package under its name, with a description that it takes', () => {
    const server = json('server.json');
    expect(server.name).toBe(json('package.json').mcpName);
    expect(server.packages[0].identifier).toBe(json('package.json').name);
    expect(server.description.length).toBeLessThanOrEqual(100);
    expect(text('contrib/docker/Dockerfile')).toContain(`io.modelcontextprotocol.server.name="${server.name}"`);
  });

  test('the bundle starts what the build makes', () => {
    const { server } = json('manifest.json');
    expect(server.entry_point).toBe(json('package.json').bin['mini-app-mcp']);
    expect(server.mcp_config.args).toEqual([`\${__dirname}/${server.entry_point}`, '--mcp']);
  });
});

describe('the daemon forms', () => {
  testWith('systemd-analyze', 'systemd takes the unit', () => {
    const unit = join(root, 'contrib/systemd/mini-app-mcp.service');
    const env = { ...process.env, XDG_RUNTIME_DIR: tempDir() };
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--user', unit], { env, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
  });

  testWith('python3', 'the plist is one', () => {
    const plist = text('contrib/launchd/io.github.ynishi.mini-app-mcp.plist').replaceAll('__HOME__', '/Users/me');
    const script = 'import json,plistlib,sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const parsed = JSON.parse(execFileSync('python3', ['-c', script], { input: plist, encoding: 'utf8' }));
    expect(parsed).toMatchObject({
      Label: 'io.github.ynishi.mini-app-mcp',
      ProgramArguments: ['/usr/bin/env', 'mini-app-mcp', '--mcp-http', '--bind', '127.0.0.1:8484'],
      EnvironmentVariables: { MINI_APP_USER_DIR: '/Users/me/.mini-app' },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
    });
  });

  testWith('shellcheck', 'the scripts are clean', () => {
    const scripts = [
      'contrib/backup/mini-app-backup.sh',
      'contrib/docker/entrypoint.sh',
      'scripts/s3-server.sh',
      'scripts/swift-server.sh',
      '.ci/run',
    ];
    execFileSync('shellcheck', scripts, { cwd: root, encoding: 'utf8' });
  });
});

describe('the entry point of the image', () => {
  /** Runs it with stand-ins for the two programs, which say how they were called. */
  function run(args: string[], environment: Record<string, string> = {}) {
    const directory = tempDir();
    for (const program of ['mini-app-mcp', 'supercronic']) {
      const file = join(directory, program);
      writeFileSync(file, `#!/bin/sh\necho "${program} $*"\n`);
      chmodSync(file, 0o755);
    }
    const crontab = join(directory, 'crontab');
    const env = { PATH: `${directory}:${process.env.PATH}`, MINI_APP_DATA: directory, BACKUP_CRONTAB: crontab };
    const { status, stdout, stderr } = spawnSync(join(root, 'contrib/docker/entrypoint.sh'), args, {
      env: { ...env, ...environment },
      encoding: 'utf8',
    });
    return { status, stdout, stderr, crontab: existsSync(crontab) ? readFileSync(crontab, 'utf8') : null };
  }

  test('starts the server with its arguments and nothing else', () => {
    expect(run(['--mcp'])).toEqual({ status: 0, stdout: 'mini-app-mcp --mcp\n', stderr: '', crontab: null });
  });

  test('writes the schedule, and keeps it out of the protocol', () => {
    const { stdout, crontab } = run(['--mcp-http', '--bind', '0.0.0.0:8484'], {
      BACKUP_CRON: '0 3 * * *',
      BACKUP_ARGS: '--scope user',
    });
    expect(crontab).toBe('0 3 * * * /usr/local/bin/mini-app-backup --scope user\n');
    expect(stdout).toBe('mini-app-mcp --mcp-http --bind 0.0.0.0:8484\n');
  });
});

test('the runbooks name files that are there', () => {
  for (const name of ['fly-io-deploy', 'data-migration', 'multi-device-smoke']) {
    const files = text(`docs/runbooks/${name}.md`).match(/\b(?:contrib|examples|docs)\/[\w./-]+\.\w+/g) ?? [];
    for (const file of files) expect(existsSync(join(root, file)), `${name}: ${file}`).toBe(true);
  }
  expect(text('contrib/fly/fly.toml')).toContain('--mcp-http --bind 0.0.0.0:8484');
});
