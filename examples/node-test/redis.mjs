// As much of a Redis client as these tests need, so that nothing has to be installed for them. Your own tests use the client
// that your code uses.

import { connect } from 'node:net';

export class Redis {
  #socket;
  #received = Buffer.alloc(0);
  #waiting = []; // { resolve, reject } of the commands without a reply: Redis answers in order

  static connect(uri) {
    const { hostname, port } = new URL(uri);
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port }, () => resolve(new Redis(socket)));
      socket.once('error', reject);
    });
  }

  constructor(socket) {
    this.#socket = socket;
    socket.on('data', (chunk) => this.#receive(chunk));
    socket.on('error', (error) => this.#fail(error));
    socket.on('close', () => this.#fail(new Error('Redis closed the connection')));
  }

  command(...words) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.write(`*${words.length}\r\n` + words.map((word) => `$${Buffer.byteLength(`${word}`)}\r\n${word}\r\n`).join(''));
    });
  }

  close() {
    this.#socket.destroy();
  }

  #receive(chunk) {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (let reply; (reply = parse(this.#received, 0)); ) {
      this.#received = this.#received.subarray(reply.end);
      const { resolve, reject } = this.#waiting.shift();
      reply.value instanceof Error ? reject(reply.value) : resolve(reply.value);
    }
  }

  #fail(error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

// The reply that begins at start and where it ends, or undefined if more must be received first.
function parse(bytes, start) {
  const line = bytes.indexOf('\r\n', start);
  if (line < 0) return undefined;
  const text = bytes.toString('utf8', start + 1, line);
  let end = line + 2;
  switch (String.fromCharCode(bytes[start])) {
    case '+':
      return { value: text, end };
    case '-':
      return { value: new Error(text), end };
    case ':':
      return { value: Number(text), end };
    case '$':
      if (text === '-1') return { value: null, end };
      end += Number(text) + 2;
      return bytes.length < end ? undefined : { value: bytes.toString('utf8', line + 2, end - 2), end };
    case '*': {
      const value = [];
      for (let n = Number(text); n > 0; n--) {
        const element = parse(bytes, end);
        if (!element) return undefined;
        value.push(element.value);
        end = element.end;
      }
      return { value, end };
    }
    default:
      throw new Error(`not a reply of Redis: ${text}`);
  }
}
