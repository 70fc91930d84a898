/** Sends bytes to a server without an HTTP client, for requests that a client would not send. */
import { connect } from 'node:net';

/** Everything that the server sends in response to these bytes, until it closes the connection. */
export const exchangeBytes = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(bytes);
    });
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => {
        received += chunk;
      })
      .on('error', reject)
      .on('close', () => {
        resolve(received);
      });
  });
