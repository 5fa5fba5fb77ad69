import pkg from '../package.json' with { type: 'json' };

/** The version of this package, as `--version`, the MCP handshake and the log's lines give it. */
export const version: string = pkg.version;
