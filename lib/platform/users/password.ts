import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)
/** What new hashes cost: 19 MiB, two passes, one lane. */
const current = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG = 32

/** The names of a person. A password must not be like one of them. */
type Names = { username: string; email: string; first_name?: string; last_name?: string }

/** Returns a sentence for each rule that a new password breaks (NIST SP 800-63B: length, common passwords, likeness to the person's names). */
export async function passwordFaults(password: string, names: Names): Promise<string[]> {
  return [
    ...(password.length < LEAST_LETTERS ? ['The password must have at least 8 characters.'] : []),
    ...(password.length > MOST_LETTERS ? [`The password must have at most ${MOST_LETTERS} characters.`] : []),
    ...(isLike(password, names) ? ['The password must differ from your names and your email address.'] : []),
    ...((await isCommon(password)) ? ['This password is too common.'] : []),
  ]
}

const LEAST_LETTERS = 8
const MOST_LETTERS = 256
/** The fewest characters that a password must have besides the person's names. */
const LEAST_OTHERS = 6

/**
 * Whether little is left of a password without the person's names. Example: `maya-1990` of Maya. Names of fewer than three characters are
 * ignored.
 */
function isLike(password: string, { username, email, first_name = '', last_name = '' }: Names): boolean {
  const [local = '', host = ''] = email.split('@')
  const whole = [username, email, first_name, last_name, local, host, host.split('.')[0] ?? '']
  const parts = [...whole, ...whole.flatMap((it) => it.split(/[^\p{L}\p{N}]+/u))].map(plain)
  const own = parts.filter((it) => it.length >= 3).sort((a, b) => b.length - a.length)
  const rest = own.reduce((left, name) => left.replaceAll(name, ''), plain(password))
  return rest.length < plain(password).length && rest.length < LEAST_OTHERS
}

/**
 * Whether a password is one repeated character, a number of up to 11 digits, or one of the 49,000 most common passwords. Passwords shorter
 * than 8 characters are not looked up.
 */
async function isCommon(password: string): Promise<boolean> {
  const typed = plain(password)
  if (typed.length < LEAST_LETTERS) return false
  if (/^(.)\1*$/u.test(typed) || /^\d{1,11}$/.test(typed)) return true
  const { commonPasswords } = await import('./common-passwords.ts')
  return commonPasswords().has(typed) || ofThisService.has(typed)
}

/** Common passwords of this service and its country that the list does not have. */
const ofThisService = new Set([
  ...['nepal123', 'namaste1', 'namaste123', 'heritage1', 'heritage123'],
  ...['guest123', 'login123', 'adminadmin', 'abcdefgh'],
])

const plain = (text: string) => text.normalize('NFKC').toLowerCase()

/** Hashes a password with Argon2id and a fresh salt. Returns a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: passwordBytes(password), nonce, tagLength: TAG, ...current })
  const { memory, passes, parallelism } = current
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(tag)}`
}

/**
 * Whether a password matches a stored hash. An empty hash never matches, and takes as long to check. So the time does not show whether an
 * account has a password.
 */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const { memory, passes, parallelism, nonce, tag } = parseHash(stored) ?? decoyHash
  const message = passwordBytes(password)
  const given = await derive('argon2id', { message, nonce, tagLength: tag.length, memory, passes, parallelism })
  return timingSafeEqual(given, tag) && stored !== ''
}

/** Whether a stored hash is weaker than new ones. */
export function isOutdated(stored: string): boolean {
  const it = parseHash(stored)
  return !it || it.memory < current.memory || it.passes < current.passes
}

/** The bytes of a password. Equal characters that keyboards type in different ways become one spelling (NFKC). */
const passwordBytes = (password: string) => Buffer.from(password.normalize('NFKC'))

const decoyHash = { ...current, nonce: randomBytes(16), tag: randomBytes(TAG) }

function parseHash(phc: string) {
  const [, memory, passes, parallelism, nonce, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(phc) ?? []
  if (!nonce || !tag) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
