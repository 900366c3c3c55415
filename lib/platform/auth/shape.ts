/**
 * The claims of a JWT, unverified. Undefined if the text is no JWT. It has three parts, each in canonical base64url. With spaces, padding,
 * foreign characters or spare bits, one signature would have several spellings.
 */
export function claimsOf(token: string): Record<string, unknown> | undefined {
  const parts = token.split('.')
  const [, payload = ''] = parts
  if (parts.length !== 3 || !parts.every(isPlain)) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return isObject(claims) ? claims : undefined
  } catch {
    return undefined
  }
}

const isPlain = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part
const isObject = (it: unknown): it is Record<string, unknown> =>
  typeof it === 'object' && it !== null && !Array.isArray(it)
