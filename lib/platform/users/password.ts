import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)
/** What new hashes cost: 19 MiB, two passes, one lane. */
const current = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG = 32

/** Returns a sentence for each rule that a new password breaks. */
export function passwordFaults(password: string, names: { username: string; email: string }): string[] {
  const plain = password.toLowerCase()
  const own = [names.username, names.email, names.email.split('@')[0] ?? ''].map((name) => name.toLowerCase())
  return [
    ...(password.length < 8 ? ['The password must have at least 8 characters.'] : []),
    ...(password.length > MOST_LETTERS ? [`The password must have at most ${MOST_LETTERS} characters.`] : []),
    ...(own.includes(plain) ? ['The password must differ from the username and the email address.'] : []),
    ...(common.has(plain) || /^(.)\1*$/u.test(plain) || /^\d{1,11}$/.test(plain)
      ? ['This password is too common.']
      : []),
  ]
}

/** Hashes a password with Argon2id and a fresh salt. Returns a PHC string. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: passwordBytes(password), nonce, tagLength: TAG, ...current })
  const { memory, passes, parallelism } = current
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(tag)}`
}

/** Whether a password matches a stored hash. An empty hash never matches, and takes as long to check, so time does not show it. */
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

const MOST_LETTERS = 256

/** The bytes of a password. Equal letters that keyboards type in different ways become one spelling (NFKC). */
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

const common = new Set(
  `password password1 password12 password123 passw0rd p@ssw0rd passwort qwertyui qwerty12 qwerty123 qwertyuiop asdfghjk
   asdfghjkl zxcvbnm1 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4 abc12345 abcd1234 abcdefgh a1b2c3d4 iloveyou iloveyou1
   sunshine princess football baseball superman batman123 starwars trustno1 whatever welcome1 welcome123 letmein1
   letmein123 admin123 administrator adminadmin changeme changeme1 changeit default1 computer internet michael1
   jennifer charlie1 dragon12 monkey123 shadow12 master123 secret12 secret123 testtest test1234 guest123 login123
   kathmandu nepal123 namaste1 namaste123 heritage heritage1 heritage123`.split(/\s+/),
)
