import { globSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { cacheTtls, invalidatedBy, rememberedFor } from '../../../lib/platform/cache/rules.ts'

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
  for (const name of [...Object.keys(cacheTtls), ...Object.keys(rememberedFor)]) expect([...named]).toContain(name)
})
