/** `docs://errors`, from the closed set of errors. */
import { type ErrorCode, errorCodes, hintOf } from '../../../errors.js';
import { sampleError } from './error-samples.js';

const examples: readonly ErrorCode[] = ['VALIDATION_ERROR', 'NOT_FOUND', 'TABLE_NOT_FOUND', 'TABLE_REQUIRED'];

export function errorsPage(): string {
  return `# Error Code Reference

A failed call answers with \`isError: true\` and one text block: \`{"kind", "code", "message", ..., "hint"}\`. The members between message and hint belong to the code.

- kind \`input\`: the arguments are wrong in themselves; correct them.
- kind \`business\`: act on the code, as the table says.
- kind \`system\`: report the incident; repeating the call does not help.

An unknown tool and a malformed request are JSON-RPC errors; so are errors of resources, with the code in \`data.code\`.

| code | message, such as | members | what to do |
|---|---|---|---|
${errorCodes.map(line).join('\n')}

## Examples

${examples.map((code) => `\`\`\`json\n${JSON.stringify(sampleError(code), null, 2)}\n\`\`\``).join('\n\n')}
`;
}

function line(code: ErrorCode): string {
  const { message, fields, retryable } = sampleError(code);
  const members = Object.keys(fields).map((name) => `\`${name}\``);
  const retry = retryable ? ' (the same call may succeed later)' : '';
  return `| ${code} | ${cell(message)} | ${members.join(', ') || '-'} | ${cell(hintOf(code))}${retry} |`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
