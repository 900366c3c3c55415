import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cacheTtls, invalidatedBy, parts, staleAfter } from '../../../lib/platform/cache/rules.ts'

/** The types of items that the rooms declare. */
const declared = globSync('lib/**/*.ts').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/defineItem\(\{\s*type: '([^']+)'/g)].map(([, type]) => type),
)

test('every rule is about a type of items that there is', () => {
  expect(declared).toContain('record')
  expect(Object.keys(invalidatedBy).filter((type) => !declared.includes(type))).toEqual([])
})

test('everything that is kept is made stale by something', () => {
  const named = new Set(Object.values(invalidatedBy).flat())
  for (const name of [...Object.keys(cacheTtls), parts.all]) expect([...named]).toContain(name)
})

/** The write of a record that was published or not, and is published or not. */
const writeOf = (before: object | undefined, after: object | undefined, type = 'record') => ({
  type,
  replaces: before && (() => ({ ...before })),
  action: after ? { Put: { TableName: 'table', Item: { ...after } } } : {},
})
const waits = { kind: 'structure', name: 'Well', public: false, status: 'pending_review', version: 1 }
const published = { ...waits, public: true, status: 'accepted' }
const [rows, ofKind, withheld, names] = ['rows', 'rows structure', 'withheld', 'names structure']

test.each<[string, object | undefined, object | undefined, string[]]>([
  ['a contribution', undefined, waits, [withheld]],
  ['a change of what waits', waits, { ...waits, version: 2 }, [withheld]],
  ['another name of what waits', waits, { ...waits, name: 'Spring' }, [withheld, names]],
  ['an acceptance', waits, published, [withheld, rows, ofKind, names]],
  ['a change of what is published', published, { ...published, version: 2 }, [rows, ofKind]],
  ['a deletion', published, { ...published, deleted_at: 'now' }, [rows, ofKind, names]],
])('%s makes only these parts of remembered pages stale', (_, before, after, expected) => {
  const stale = staleAfter(writeOf(before, after)).filter((name) => !Object.hasOwn(cacheTtls, name))
  expect(new Set(stale)).toEqual(new Set(expected))
})

test('what is new has no name that a page could show; what is replaced or deleted has', () => {
  const old = { version: 1 }
  for (const type of ['claims', 'source', 'username']) {
    expect(staleAfter(writeOf(undefined, old, type))).toEqual([])
    expect(staleAfter(writeOf(old, undefined, type))).toEqual(staleAfter(writeOf(old, { version: 2 }, type)))
    expect(staleAfter(writeOf(old, undefined, type))).toEqual([expect.stringMatching(/^names /)])
  }
})
