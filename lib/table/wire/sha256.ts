import { hash } from 'node:crypto'

type Data = string | ArrayBuffer | ArrayBufferView
const bytesOf = (data: Data): Uint8Array =>
  typeof data === 'string'
    ? Buffer.from(data)
    : ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data)

/** SHA-256, or HMAC with a secret, as signers of the SDK take it: Node hashes what is short in one call, without a stream or a key object. */
export class Sha256 {
  readonly #secret: Uint8Array | undefined
  #parts: Uint8Array[] = []

  constructor(secret?: Data) {
    this.#secret = secret === undefined ? undefined : blockOf(bytesOf(secret))
  }

  update(data: Data): void {
    this.#parts.push(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    const secret = this.#secret
    if (!secret) return digestOf(this.#parts)
    return digestOf([
      secret.map((byte) => byte ^ OUTER),
      digestOf([secret.map((byte) => byte ^ INNER), ...this.#parts]),
    ])
  }

  reset(): void {
    this.#parts = []
  }
}

const [INNER, OUTER] = [0x36, 0x5c]
const BLOCK = 64

const digestOf = (parts: readonly Uint8Array[]): Uint8Array =>
  hash('sha256', parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts), 'buffer')

/** A secret as HMAC (RFC 2104) takes it: one block. */
function blockOf(secret: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK)
  block.set(secret.byteLength > BLOCK ? digestOf([secret]) : secret)
  return block
}
