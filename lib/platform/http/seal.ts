import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { config } from '../../base/config.ts'

/** A key object: from plain bytes Node would make one at each call, which costs more than the encryption. */
const keyOf = (secret: string) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'page hint', 32)))
const keys = [config.SECRET_KEY, ...config.SECRET_KEY_FALLBACKS].map(keyOf)

/**
 * Encrypts a text so that only this service can read it, and only in the same context (AES-256-GCM). The same text and context always
 * give the same result, so a page with links keeps its ETag. The nonce is derived from both, so no two texts share one.
 */
export function sealText(plain: string, context: string): string {
  const key = keys[0] ?? keyOf('')
  const iv = createHmac('sha256', key)
    .update(JSON.stringify([context, plain]))
    .digest()
    .subarray(0, 12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts a sealed text. Undefined if it was altered, or sealed in another context. */
export function unsealText(sealed: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < 28) return undefined
  for (const key of keys) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(-16))
      return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      // An older key may fit.
    }
  }
  return undefined
}
