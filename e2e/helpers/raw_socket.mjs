// A client that speaks bytes, as a broken or hostile one does.
import { once } from 'node:events';
import net from 'node:net';
import { within } from './harness.mjs';

export class Bytes {
  static async connect(port) {
    const socket = net.connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new Bytes(socket);
  }
  constructor(socket) {
    this.socket = socket;
    this.text = '';
    socket.on('error', () => {});
    socket.on('data', (data) => (this.text += data.toString('latin1')));
    this.ended = once(socket, 'close');
  }
  async answer(text) {
    this.socket.write(text);
    const header = new Promise((resolve) => {
      const look = () => this.text.includes('\r\n\r\n') && resolve();
      this.socket.on('data', look);
    });
    await within(Promise.race([header, this.ended]), () => `an answer; there is ${this.text}`);
    return Number(this.text.match(/^HTTP\/1\.[01] (\d+)/)?.[1]);
  }
}

// A correct opening handshake, with changes; `undefined` leaves a header out.
export const handshake = (changes = {}) => {
  const headers = {
    Host: 'relay',
    Upgrade: 'websocket',
    Connection: 'Upgrade',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
    ...changes,
  };
  const lines = Object.entries(headers).filter(([, value]) => value !== undefined);
  return `GET / HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
};
