import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync } from 'node:crypto'
import { config } from '../../base/config.ts'

/** As an object: Node takes bytes too, and makes such an object of them each time, which costs more than to seal. */
const keyOf = (secret: string) => createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'page hint', 32)))
const keys = [config.SECRET_KEY, ...config.SECRET_KEY_FALLBACKS].map(keyOf)

/**
 * Text that only this service can read, bound to a context (AES-256-GCM). The same text is sealed alike each time, so that a
 * page that links on keeps its ETag: its nonce follows from text and context, and so comes with no other text.
 */
export function seal(plain: string, context: string): string {
  const key = keys[0] ?? keyOf('')
  const iv = createHmac('sha256', key)
    .update(JSON.stringify([context, plain]))
    .digest()
    .subarray(0, 12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** What was sealed in that context, or undefined when anything was altered. */
export function unseal(sealed: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < 28) return undefined
  for (const key of keys) {
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(-16))
      return decipher.update(bytes.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8')
    } catch {
      // Another key may fit; none does when the hint was altered.
    }
  }
  return undefined
}
