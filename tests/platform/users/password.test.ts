import { describe, expect, test } from 'vitest'
import { hashPassword, isOutdated, passwordFaults, verifyPassword } from '../../../lib/platform/users/password.ts'

process.env.FRESH_SALTS = 'true'
const names = { username: 'sita', email: 'sita.devi@example.org', first_name: 'Sita', last_name: 'Bhandari' }

describe('hashing', () => {
  test('a password is stored as a PHC string with a salt of its own', async () => {
    const [one, two] = [await hashPassword('Stupa-at-dawn'), await hashPassword('Stupa-at-dawn')]
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(two)
  })

  test('only the same password matches', async () => {
    const stored = await hashPassword('Stupa-at-dawn')
    expect(await verifyPassword('Stupa-at-dawn', stored)).toBe(true)
    for (const other of ['stupa-at-dawn', 'Stupa-at-dawn ', '', 'Stupa-at-daw']) {
      expect(await verifyPassword(other, stored)).toBe(false)
    }
  })

  test('a hash holds under its own salt only', async () => {
    const [one, two] = [await hashPassword('Stupa-at-dawn'), await hashPassword('Stupa-at-dawn')]
    const tagOf = (stored: string) => stored.slice(stored.lastIndexOf('$'))
    expect(await verifyPassword('Stupa-at-dawn', one.replace(tagOf(one), tagOf(two)))).toBe(false)
  })

  test('two ways to type one password are one', async () => {
    expect(await verifyPassword('Śākya-dawn'.normalize('NFD'), await hashPassword('Śākya-dawn'.normalize('NFC')))).toBe(
      true,
    )
  })

  test.each(['', 'plain', '$argon2i$v=19$m=8,t=1,p=1$YWFhYWFhYWE$YWFhYQ', '$2b$10$abc'])(
    'nothing matches where "%s" is stored',
    async (stored) => {
      expect(await verifyPassword('', stored)).toBe(false)
      expect(await verifyPassword('Stupa-at-dawn', stored)).toBe(false)
    },
  )

  // RFC 9106 gives its vector with a secret and associated data, so this one comes from the reference implementation's own list.
  test('the strings of other implementations are read', async () => {
    const stored = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    expect(await verifyPassword('password', stored)).toBe(true)
    expect(await verifyPassword('passwore', stored)).toBe(false)
  })

  test('what was hashed for less is outdated', async () => {
    expect(isOutdated(await hashPassword('Stupa-at-dawn'))).toBe(false)
    expect(isOutdated('$argon2id$v=19$m=4096,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc')).toBe(
      true,
    )
    expect(isOutdated('$argon2id$v=19$m=19456,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc')).toBe(
      true,
    )
    expect(isOutdated('')).toBe(true)
  })
})

describe('rules', () => {
  test.each(['Stupa-at-dawn', 'heritage-local', 'काठमाडौं-१२३', 'correct horse battery', '730264915580'])(
    '"%s" is a password',
    async (password) => {
      expect(await passwordFaults(password, names)).toEqual([])
    },
  )

  const short = 'The password must have at least 8 characters.'
  const own = 'The password must differ from your names and your email address.'
  const common = 'This password is too common.'
  test.each([
    ['Dawn123', [short]],
    ['Sita', [short, own]],
    ['SITA.devi@example.org', [own]],
    ['sita.devi', [own]],
    ['Sita-1990', [own]],
    ['devi.SITA', [own]],
    ['example12', [own]],
    ['Bhandari9', [own]],
    ['trustno1!', []],
    ['liverpool', [common]],
    ['Qwertyuiop', [common]],
    ['iloveyou', [common]],
    ['kathmandu', [common]],
    ['Password123', [common]],
    ['12345678', [common]],
    ['123456789012', [common]],
    ['zzzzzzzzzz', [common]],
    ['x'.repeat(257), ['The password must have at most 256 characters.', common]],
  ])('"%s" is refused', async (password, sentences) => {
    expect(await passwordFaults(password, names)).toEqual(sentences)
  })
})
