import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { audienceOf, openTier } from '../../lib/base/visibility.ts'
import { accessTier, sourceAccessTier } from '../../lib/domain/kinds/schema/enums.ts'
import { type Actor, maySee, maySeePlace, maySeeTier } from '../../lib/platform/permissions.ts'

const tiers = [...new Set([...Object.keys(accessTier.values), ...Object.keys(sourceAccessTier.values)])]
const others = tiers.filter((tier) => tier !== openTier)

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The code that rules could be spelt in: all but the rules themselves and the declarations of what tiers there are. */
const sources = ['lib', 'functions']
  .flatMap((folder) =>
    readdirSync(`${root}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  )
  .filter((name) => name.endsWith('.ts') && name !== 'lib/base/visibility.ts' && !name.startsWith('lib/domain/kinds/'))

const withoutComments = (code: string) => code.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

/** Where code names a tier: every tier but the open one by itself, the open one (a word of other meanings, too) near `tier`. */
function tiersIn(code: string): string[] {
  const named = new RegExp(`['"\`#](?:${others.join('|')})['"\`#]`, 'g')
  const open = `['"\`#]${openTier}['"\`#]`
  const nearby = new RegExp(`tier\\b[^;{}\\n]*\\s*[^;{}\\n]*${open}|${open}\\)?\\s*[!=]==?[^;{}\\n]*tier\\b`, 'gi')
  return [named, nearby].flatMap((pattern) => withoutComments(code).match(pattern) ?? [])
}

test.each([
  `it.access_tier === '${openTier}'`,
  `(it.access_tier ?? "${openTier}") !== '${openTier}'`,
  `'${openTier}' === it.access_tier`,
  `access_tier ===\n  '${openTier}'`,
  `size('SOURCE#TIER#${openTier}')`,
  ...others.flatMap((tier) => [
    `switch (tier) { case '${tier}': }`,
    `['${tier}'].includes(it.access_tier)`,
    `place === '${tier}'`,
  ]),
])('%s is found', (code) => {
  expect(tiersIn(code)).not.toEqual([])
})

test('no code but lib/base/visibility.ts and the kinds names a tier', () => {
  expect(sources.length).toBeGreaterThan(200)
  const found = sources.map((name) => [name, tiersIn(readFileSync(`${root}${name}`, 'utf8'))] as const)
  expect(Object.fromEntries(found.filter(([, tiers]) => tiers.length > 0))).toEqual({})
})

const someone = (id: string, rank: Actor['rank'] = null, is_staff = false): Actor => ({
  ...{ id, username: id, email: '', is_superuser: false },
  rank,
  is_staff,
})
const [author, reader] = [someone('author'), someone('reader')]
const workers = [author, someone('reviewer', 'community_reviewer'), someone('staff', null, true)]

test.each(tiers)('published in tier %s: who sees it, and who its place', (access_tier) => {
  const it = { contributor_id: author.id, public: true, access_tier }
  const isOpen = access_tier === 'public'
  expect(audienceOf(access_tier)).toBe(isOpen ? 'published' : 'restricted')
  expect([null, reader].map((actor) => maySeeTier(actor, access_tier))).toEqual([isOpen, true])
  expect([null, reader].map((actor) => maySee(actor, it))).toEqual([isOpen, true])
  // Decisions, 5.10.
  const isCoarse = ['sensitive_indigenous', 'community_only'].includes(access_tier)
  expect([null, reader].map((actor) => maySeePlace(actor, it))).toEqual([!isCoarse, !isCoarse])
  expect(workers.map((actor) => maySeePlace(actor, it))).toEqual([true, true, true])
})

test('no code but lib/platform/permissions.ts asks whether a caller is staff', () => {
  const asking = /\b(actor|caller|reviewer)\??\.is_(staff|superuser)\b/
  expect('actor?.is_staff || own').toMatch(asking)
  const found = sources.filter(
    (name) =>
      name !== 'lib/platform/permissions.ts' && asking.test(withoutComments(readFileSync(`${root}${name}`, 'utf8'))),
  )
  expect(found).toEqual([])
})

test('what names no tier is for everyone', () => {
  expect(maySee(null, { contributor_id: null, public: true })).toBe(true)
})
