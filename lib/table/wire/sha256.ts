import { createHmac, hash } from 'node:crypto'

type Data = string | ArrayBuffer | ArrayBufferView
const bytesOf = (data: Data): Uint8Array =>
  typeof data === 'string'
    ? Buffer.from(data)
    : ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data)

/** SHA-256, or HMAC with a secret, as signers of the SDK take it. Node computes a short one in one call, without a stream. */
export class Sha256 {
  readonly #secret: Uint8Array | undefined
  #parts: Uint8Array[] = []

  constructor(secret?: Data) {
    this.#secret = secret === undefined ? undefined : bytesOf(secret)
  }

  update(data: Data): void {
    this.#parts.push(bytesOf(data))
  }

  async digest(): Promise<Uint8Array> {
    const [first = new Uint8Array(), ...rest] = this.#parts
    const data = rest.length === 0 ? first : Buffer.concat(this.#parts)
    return this.#secret ? createHmac('sha256', this.#secret).update(data).digest() : hash('sha256', data, 'buffer')
  }

  reset(): void {
    this.#parts = []
  }
}
