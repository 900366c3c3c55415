import fc from 'fast-check'
import { expect, test } from 'vitest'
import { claimsOf } from '../../../lib/platform/auth/shape.ts'

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const token = (claims: unknown, signature = 'c2ln') => `${part({ alg: 'HS256' })}.${part(claims)}.${signature}`

test('the claims of a JWT are read without verifying it', () => {
  expect(claimsOf(token({ iss: 'someone', exp: 1 }))).toEqual({ iss: 'someone', exp: 1 })
})

test.each([
  '',
  '.',
  '..',
  'a.b',
  'ya29.opaque-token',
  token({}, ''),
  `${token({})}.c2ln`,
  `${token({})}=`,
  ` ${token({})}`,
])('"%s" is no JWT', (text) => {
  expect(claimsOf(text)).toBe(undefined)
})

test.each([[null], [[]], ['text'], [5]])('a payload of %j holds no claims', (payload) => {
  expect(claimsOf(token(payload))).toBe(undefined)
})

test('a letter that base64url does not have spoils it, wherever it stands', () => {
  const foreign = fc.string({ minLength: 1, maxLength: 2 }).filter((it) => !/^[\w-]*$/.test(it))
  fc.assert(
    fc.property(fc.nat(200), foreign, (place, inserted) => {
      const good = token({ iss: 'someone' })
      const at = place % (good.length + 1)
      return claimsOf(good.slice(0, at) + inserted + good.slice(at)) === undefined
    }),
  )
})

test('nothing makes it throw', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.base64String()), { maxLength: 4 }), (parts) => {
      expect(['object', 'undefined']).toContain(typeof claimsOf(parts.join('.')))
    }),
  )
})
