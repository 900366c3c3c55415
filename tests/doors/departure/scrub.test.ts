import { expect, test } from 'vitest'
import { scrubValue } from '../../../lib/doors/departure/scrub.ts'

const former = new Map([['id-maya', 'former-contributor-1a2b3c4d']])
const now = 'former-contributor-1a2b3c4d'

test.each([
  [
    'a copy of the name, whatever it was then',
    { contributor_id: 'id-maya', contributor: 'maya.before' },
    { contributor_id: 'id-maya', contributor: now },
  ],
  [
    'inside of lists and objects',
    { claims: [{ common: { contributor_id: 'id-maya', contributed_by: 'maya', value: 'maya' } }] },
    { claims: [{ common: { contributor_id: 'id-maya', contributed_by: now, value: 'maya' } }] },
  ],
  [
    'an actor with the address',
    { by: { id: 'id-maya', username: 'maya', email: 'maya@example.org' } },
    { by: { id: 'id-maya', username: now, email: '' } },
  ],
  [
    'a member whose person stands around it',
    { target_id: 'id-maya', payload: { username: 'maya', role: 'editor' } },
    { target_id: 'id-maya', payload: { username: now, role: 'editor' } },
  ],
  [
    'the name of a key, beside the id and in a pack whose claims share it',
    {
      common: { contributor_id: 'id-maya' },
      claims: { note: { software: 'Tablet of Maya' }, name: { value: 'Maya' } },
    },
    { common: { contributor_id: 'id-maya' }, claims: { note: { software: now }, name: { value: 'Maya' } } },
  ],
  ['the key of a proposal', { author_id: 'id-maya', machine: 'Tablet' }, { author_id: 'id-maya', machine: now }],
])('%s is replaced', (_what, stored, next) => {
  expect(scrubValue(stored, former)).toEqual(next)
})

test.each([
  ['the name of another person', { contributor_id: 'id-other', contributor: 'maya' }],
  ['the name of another beside the id', { contributor_id: 'id-other', contributor: 'other', resolved_by: 'id-maya' }],
  ['a value that happens to be the same', { name: 'maya', data: { note: 'maya' }, contributor_id: 'id-maya' }],
  ['a name without an id', { username: 'maya' }],
  [
    'a claim of another in a pack',
    { common: { contributor_id: 'id-maya' }, one: { contributor_id: 'id-other', software: 'x' } },
  ],
  ['bytes', { contributor_id: 'id-maya', packed: new Uint8Array([1, 2]) }],
])('%s stays, and the value is the same one', (_what, stored) => {
  expect(scrubValue(stored, former)).toBe(stored)
})
