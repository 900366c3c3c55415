import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { config } from '../config.ts'

const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'page hint', 32))
const keys = [config.SECRET_KEY, ...config.SECRET_KEY_FALLBACKS].map(keyOf)

/** Text that only this service can read, bound to a context (AES-256-GCM). */
export function seal(plain: string, context: string): string {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keys[0] ?? keyOf(''), iv).setAAD(Buffer.from(context))
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
