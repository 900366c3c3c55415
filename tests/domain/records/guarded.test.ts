import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { DOCUMENT } from '../../../deploy/packages/built-document.ts'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { checkTable, csv, rowsIn } from '../../harness/imports.ts'
import { flagsOf, publish, sure } from '../../harness/make.ts'

/**
 * Whoever may not know where a guarded record is learns it by no guess either: of two that everybody sees in the same place, to a
 * tenth of a degree, all that they are answered is the same, wherever each of them is.
 */

/** A few metres from what is guessed, and 2 km from it, in the same tenth of a degree. */
const [NEAR, FAR] = ['27.67211, 85.42831', '27.6921, 85.4283']

type It = { id: number; cultural_entity_id: string }
let app: App
let near: It
let far: It
beforeAll(async () => {
  app = await openApp()
  const make = (coordinates: string) =>
    publish(app, 'structures', { name: 'Kept from strangers', access_tier: 'community_only', coordinates })
  ;[near, far] = [await make(NEAR), await make(FAR)]
})

const document: { paths: Record<string, { get?: object }> } = JSON.parse(readFileSync(DOCUMENT, 'utf8'))

/** All pages about a record, as the document has them. */
const pagesOf = ({ id, cultural_entity_id }: It): string[] => [
  ...Object.keys(document.paths)
    .filter((path) => document.paths[path]?.get && /(\/structures\/\{id\}|\{entity_id\})[^{]*$/.test(path))
    .map((path) => path.replace('{id}', String(id)).replace('{entity_id}', cultural_entity_id)),
  `/cidoc/assertions/?cultural_entity_id=${cultural_entity_id}`,
  `/data/review-flags/?entity=${cultural_entity_id}`,
  `/data/activities/?entity=${cultural_entity_id}`,
  `/data/revisions/?entity=${cultural_entity_id}`,
]

/** What an answer says of a record, whichever of the two it is about. */
const without = ({ id, cultural_entity_id }: It, text: string) =>
  text
    .replaceAll(cultural_entity_id, 'ENTITY')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(new RegExp(`("(?:id|cidoc_id|_cidoc_id|object_id|entity_id)":|/structures/)${id}\\b`, 'g'), '$1NUMBER')

/** All that somebody reads of a record, by page. */
async function readBy(who: Persona, it: It): Promise<Map<string, string>> {
  const read = new Map<string, string>()
  for (const path of pagesOf(it)) {
    const [at = '', query] = path.split('?')
    const { status, text } = await who.get(at, { query: Object.fromEntries(new URLSearchParams(query)) })
    read.set(without(it, path), `${status} ${without(it, text)}`)
  }
  return read
}

/** The pages on which they read something else of one than of the other. */
async function differing(who: Persona): Promise<string[]> {
  const [one, other] = [await readBy(who, near), await readBy(who, far)]
  expect([...one.values()].filter((it) => it.startsWith('200')).length).toBeGreaterThan(9)
  return [...one].filter(([page, text]) => text !== other.get(page)).map(([page]) => page)
}

const claim = (who: Persona, { id }: It, asserted_value: string) =>
  who.post('/cidoc/assertions/', {
    body: { entity_type: 'structure', entity_id: id, asserted_property: 'coordinates', asserted_value },
  })

test('before anybody guesses, others read the same of both, and those who work on them do not', async () => {
  expect(await differing(app.other)).toEqual([])
  expect((await differing(app.contributor)).length).toBeGreaterThan(3)
  expect((await differing(app.community)).length).toBeGreaterThan(3)
})

describe.each([
  ['as exact as the place itself', '27.6721, 85.4283'],
  ['as coarse as what everybody sees', '27.7, 85.4'],
  ['of a hundredth of a degree', '27.67, 85.43'],
  ['of a text of another form', 'POINT(85.4283 27.6721)'],
  ['far from what everybody sees', '27.9, 85.4'],
])('a claim that is %s', (_, value) => {
  test('tells who makes it the same of both', async () => {
    const [one, other] = [await claim(app.other, near, value), await claim(app.other, far, value)]
    expect(one.status).toBe(201)
    expect(without(near, one.text)).toBe(without(far, other.text))
    expect(await differing(app.other)).toEqual([])
  })
})

test('what is far from what everybody sees contradicts it all the same, and reviewers see what each claim says', async () => {
  expect((await flagsOf(near)).map((it) => [it.flag_type, it.property])).toEqual([['contradiction', 'coordinates']])
  const { properties } = sure(200, await app.community.get(`/data/entities/${near.cultural_entity_id}/explain/`))
  const { rivals } = properties.find((it: { property: string }) => it.property === 'coordinates')
  expect(rivals.map((it: { value: string; verdict: string }) => [it.value, it.verdict]).reverse()).toEqual([
    ['27.6721, 85.4283', 'compatible'],
    ['27.7, 85.4', 'compatible'],
    ['27.67, 85.43', 'compatible'],
    ['POINT(85.4283 27.6721)', 'compatible'],
    ['27.9, 85.4', 'contradicts'],
  ])
})

test('a reviewer contradicts where it is by an exact claim', async () => {
  const { id, cultural_entity_id } = await publish(app, 'structures', {
    ...{ name: 'Kept from strangers, and reviewed', access_tier: 'sensitive_indigenous', coordinates: FAR },
  })
  sure(201, await claim(app.community, { id, cultural_entity_id }, NEAR))
  expect((await flagsOf({ cultural_entity_id })).map((it) => it.flag_type)).toContain('contradiction')
})

describe('a table that is matched by name and place', () => {
  const part = {
    mapping: {
      kind: 'structure',
      match: 'name_and_place',
      rules: ['name', 'coordinates'].map((it) => ({ field: it, column: it })),
    },
  }
  const told = async (who: Persona, name: string, coordinates: string) => {
    const { id } = await checkTable(
      who,
      'places.csv',
      csv([
        ['name', 'coordinates'],
        [name, coordinates],
      ]),
      part,
    )
    const [row] = await rowsIn(who, id)
    return [row.outcome, ...row.faults.map((it: { message: string }) => it.message), row.alike.length]
  }
  test('finds the same of both by any place in the tenth of a degree that everybody sees, and neither beyond it', async () => {
    await publish(app, 'structures', { name: 'Kept here', access_tier: 'community_only', coordinates: NEAR })
    await publish(app, 'structures', { name: 'Kept there', access_tier: 'community_only', coordinates: FAR })
    const [not, seen] = ['This is a record of someone else, which only they and staff may change.', '27.7, 85.4']
    for (const name of ['Kept here', 'Kept there']) {
      for (const place of [NEAR, FAR]) expect(await told(app.other, name, place)).toEqual(['refused', not, 0])
      expect(await told(app.other, name, seen)).toEqual(['same', 0])
      expect(await told(app.other, name, '27.9, 85.4')).toEqual(['doubtful', 1])
    }
    expect(await told(app.community, 'Kept here', NEAR)).toEqual(['same', 0])
    expect(await told(app.community, 'Kept there', NEAR)).toEqual(['doubtful', 1])
  })
})
