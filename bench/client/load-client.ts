/** A client in a process of its own, so that reading its answers does not hold up the one that is measured. */
import { HttpClient } from './http-client.js';
import { type LoadName, loads } from './loads.js';

const [port, name] = process.argv.slice(2);
const client = await HttpClient.connect(Number(port));
let stopped = false;
process.stdin.resume().on('end', () => {
  stopped = true;
});
process.stdout.write('ready\n');
while (!stopped) await loads[name as LoadName](client);
await client.close();
