import { hash } from 'node:crypto'
import type { HttpRequest } from '@smithy/core/protocols'

/** Credentials, as the SDK resolves them. */
export type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string }

export type Sign = (
  request: Pick<HttpRequest, 'headers' | 'path' | 'body'>,
  credentials: Credentials,
  at: Date,
) => Record<string, string>

/**
 * Signs requests to DynamoDB by AWS Signature Version 4. All of them are posted to one path and have no query, so this does less than
 * a general signer. The key is derived once a day. Returns the headers, with those of the signature.
 */
export function signerIn(region: string): Sign {
  let kept: { secret: string; day: string; mac: Mac } | undefined
  const macOf = (secret: string, day: string): Mac => {
    if (kept?.day !== day || kept.secret !== secret) kept = { secret, day, mac: macOfDay(secret, day, region) }
    return kept.mac
  }
  return ({ headers, path, body }, { accessKeyId, secretAccessKey, sessionToken }, at) => {
    const time = `${at.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
    const day = time.slice(0, 8)
    const scope = `${day}/${region}/dynamodb/aws4_request`
    const token = sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }
    const signed: Record<string, string> = { ...headers, 'x-amz-date': time, ...token }
    const names = Object.keys(signed).sort()
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('')
    const asked = `POST\n${path}\n\n${lines}\n${names.join(';')}\n${hash('sha256', String(body))}`
    const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash('sha256', asked)}`
    const signature = macOf(secretAccessKey, day)(text).toString('hex')
    const by = `Credential=${accessKeyId}/${scope}`
    signed.authorization = `AWS4-HMAC-SHA256 ${by}, SignedHeaders=${names.join(';')}, Signature=${signature}`
    return signed
  }
}

/** The message authentication code of a text under one key. */
type Mac = (text: string) => Buffer

const macOfDay = (secret: string, day: string, region: string): Mac =>
  [day, region, 'dynamodb', 'aws4_request'].reduce((mac, part) => macOf(mac(part)), macOf(Buffer.from(`AWS4${secret}`)))

const BLOCK = 64

/** HMAC with SHA-256 (RFC 2104) by two digests. Node's own makes an object for each key, which takes ten times as long. */
export function macOf(key: Uint8Array): Mac {
  const block = Buffer.alloc(BLOCK)
  block.set(key.byteLength > BLOCK ? hash('sha256', key, 'buffer') : key)
  const [inner, outer] = [0x36, 0x5c].map((pad) => block.map((byte) => byte ^ pad)) as [Buffer, Buffer]
  return (text) =>
    hash(
      'sha256',
      Buffer.concat([outer, hash('sha256', Buffer.concat([inner, Buffer.from(text)]), 'buffer')]),
      'buffer',
    )
}
