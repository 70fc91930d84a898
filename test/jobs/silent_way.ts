/** A way to a PostgreSQL server that can fall silent: connections stay, and nothing comes over them any more. */
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface SilentWay {
  /** Address of the database by this way. */
  readonly url: string;
  silence(): void;
  close(): Promise<void>;
}

export async function wayTo(database: string): Promise<SilentWay> {
  const to = new URL(database);
  const open = new Set<Socket>();
  let isSilent = false;
  const server = createServer({ allowHalfOpen: true }, (here) => {
    const there = connect({ port: Number(to.port), host: to.hostname, allowHalfOpen: true });
    for (const [from, other] of [
      [here, there],
      [there, here],
    ] as const) {
      open.add(from);
      from.on('data', (bytes) => {
        if (!isSilent) other.write(bytes);
      });
      from.on('end', () => {
        if (!isSilent) other.end();
      });
      from.on('error', () => {
        other.destroy();
      });
      from.on('close', () => {
        open.delete(from);
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const by = new URL(database);
  by.port = String((server.address() as AddressInfo).port);
  return {
    url: by.href,
    silence() {
      isSilent = true;
    },
    async close() {
      server.close();
      for (const socket of open) socket.destroy();
      await once(server, 'close');
    },
  };
}
