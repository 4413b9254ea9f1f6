// The connection to the server. A lost one is tried again every second.
// SPDX-License-Identifier: Apache-2.0

// Samples of a panel, by its type: how many numbers a point, and their array.
const types = { level: [1, Uint16Array], gray: [1, Uint8Array], rgb: [3, Uint8Array] };

/** Splits a picture's message into its JSON and the samples of its panels, `levels`. */
function parsePicture(buffer) {
  const length = new DataView(buffer).getUint32(0, true);
  const picture = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  let at = 4 + length;
  for (const panel of picture.panels) {
    const [n, Samples] = types[panel.type];
    panel.levels = new Samples(buffer, at, n * panel.w * panel.h);
    at += panel.levels.byteLength + (panel.levels.byteLength & 1);
  }
  return picture;
}

export class Link {
  /** Handlers: open, lost, state, picture, refusal. */
  constructor(handlers) {
    this.handlers = handlers;
    this.pending = new Map(); // what is to be sent at the next frame: the last value of each name
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(new URL('socket', location.href.replace(/^http/, 'ws')));
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => this.handlers.open();
    this.socket.onclose = () => {
      this.handlers.lost();
      setTimeout(() => this.connect(), 1000);
    };
    this.socket.onmessage = (event) => {
      if (typeof event.data === 'string') {
        const message = JSON.parse(event.data);
        this.handlers[message.kind](message);
      } else {
        this.handlers.picture(parsePicture(event.data));
      }
    };
  }

  /** At most one message of a name each frame: a slider tells more than anybody can see. */
  set(name, value) {
    if (this.pending.size === 0) requestAnimationFrame(() => this.flush());
    this.pending.set(name, value);
  }

  flush() {
    for (const [name, value] of this.pending) this.send(`${name} ${value}`);
    this.pending.clear();
  }

  get isOpen() {
    return this.socket.readyState === WebSocket.OPEN;
  }

  send(text) {
    if (this.isOpen) this.socket.send(text);
  }
}
