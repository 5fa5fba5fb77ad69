/** A look at what a server sends, whichever transport it is connected to. */
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server';

/** Passes every message through `change` before the transport has it. To be called before the server is connected. */
export function onOutgoing(server: Server, change: (message: JSONRPCMessage) => JSONRPCMessage): void {
  const connect = server.connect.bind(server);
  server.connect = async (transport) => {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(change(message), options);
    await connect(transport);
  };
}
