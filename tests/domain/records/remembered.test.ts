import { readFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, decide, publish, sure } from '../../harness/make.ts'

/** Rows of records that a process remembers are those that it would read, after whatever change, for whoever asks. */

const LIST = '/cidoc/structures/'
const SEARCHED = '/cidoc/structures/?search=mandap'
type Made = { id: number; cultural_entity_id: string }

let app: App
let following: Following
let shrine: Made
let source: { id: string }
let claim: { id: string }
let place: Made
beforeAll(async () => {
  app = await openApp()
  following = await followTable()
  source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Survey of mandaps' } }))
  place = await publish(app, 'locations', { name: 'Bhaktapur' })
  const other = await publish(app, 'structures', { name: 'Kasthamandap', note: 'Built of one tree.' })
  const found = sure(200, await app.anon.get(`/cidoc/assertions/?cultural_entity_id=${other.cultural_entity_id}`))
  claim = found.results.find((it: { property: string }) => it.property === 'note')
  shrine = await publish(app, 'structures', {
    name: 'Chyasilin Mandap',
    coordinates: '27.67221, 85.42791',
    has_current_location: place.id,
    documented_in_source: source.id,
    has_provenance_assertion: claim.id,
  })
  await following.settled()
})

/** By a size that nobody has asked for, a page is read anew. */
let unused = 100
const readAnew = async (who: Persona, path: string) => {
  unused -= 1
  return sure(200, await who.get(path, { query: { limit: unused } }))
}
const askedFor = async (who: Persona, path: string) => sure(200, await who.get(path))
const shown = ({ count, results }: { count: number; results: object[] }) => ({ count, results })

/** What it costs to ask once more for a page that was read some while after the last change. */
async function warm(who: Persona, path: string): Promise<number> {
  app.tick(5)
  await askedFor(who, path)
  return (await who.get(path)).cost.calls
}

test.each([
  ['nobody', 'anon'],
  ['someone signed in', 'contributor'],
  ['staff', 'staff'],
] as const)(
  'a list that was asked for before costs one call for %s, which asks whether it still stands',
  async (_, who) => {
    expect(await warm(app[who], LIST)).toBe(1)
    // This one also asks whether the search model has changed.
    expect(await warm(app[who], SEARCHED)).toBe(2)
  },
)

test('a list that nobody has asked for lately costs no call more than its page', async () => {
  unused -= 1
  const { cost } = await app.anon.get(LIST, { query: { limit: unused } })
  expect(cost.calls).toBe(2)
})

test('everyone sees what they would see of what is read anew, whoever asked before', async () => {
  const restricted = await publish(app, 'structures', {
    name: 'Restricted mandap',
    coordinates: '27.67333, 85.42888',
    access_tier: 'sensitive_indigenous',
  })
  sure(200, await app.contributor.patch(`/cidoc/structures/${shrine.id}/`, { body: { note: 'An edit that waits.' } }))
  await following.settled()
  const people = ['staff', 'anon', 'contributor', 'community', 'other', 'anon', 'staff'] as const
  for (const path of [LIST, SEARCHED]) {
    for (const who of people) await warm(app[who], path)
    for (const who of people) {
      const remembered = await app[who].get(path)
      expect(remembered.cost.calls, who).toBeLessThanOrEqual(2)
      expect(shown(remembered.body), `${who} ${path}`).toEqual(shown(await readAnew(app[who], path)))
    }
  }
  const [hidden, exact] = await Promise.all([app.other.get(LIST), app.contributor.get(LIST)])
  const point = ({ body }: { body: { results: Record<string, unknown>[] } }) =>
    body.results.find(({ id }) => id === restricted.id)?.coordinates
  expect([point(hidden), point(exact)]).toEqual(['27.7, 85.4', '27.67333, 85.42888'])
  expect(shown(sure(200, await app.anon.get(LIST))).results.map((it) => Object(it).id)).not.toContain(restricted.id)
})

describe('after a change nobody is shown what was before', () => {
  beforeEach(async () => {
    for (const path of [LIST, SEARCHED])
      for (const who of [app.anon, app.contributor, app.staff]) expect(await warm(who, path)).toBeLessThan(3)
  })

  const waits = () => contribute(app.contributor, 'structures', { name: 'Waiting mandap' })
  const note = (text: string) => app.staff.patch(`/cidoc/structures/${shrine.id}/`, { body: { note: text } })
  test.each<[string, () => Promise<unknown>]>([
    [
      'a new record is accepted',
      async () => sure(201, await decide(app.curator, await waits(), { verdict: 'accept' })),
    ],
    [
      'a record is deleted',
      async () => {
        const { results } = await readAnew(app.anon, LIST)
        sure(204, await app.staff.delete(`/cidoc/structures/${results[0].id}/`))
      },
    ],
    [
      'an edit is accepted',
      async () => {
        sure(200, await note('Another note.'))
        sure(201, await decide(app.curator, shrine, { verdict: 'accept' }))
      },
    ],
    [
      'the contributor is called otherwise',
      async () => sure(200, await app.contributor.patch('/user/username/', { body: { username: 'renamed' } })),
    ],
    [
      'what it links to is called otherwise',
      async () => {
        sure(200, await app.contributor.patch(`/cidoc/locations/${place.id}/`, { body: { name: 'Bhadgaon' } }))
        sure(201, await decide(app.curator, place, { verdict: 'accept', conflict_handling: 'supersedes' }))
      },
    ],
    ['what it links to is deleted', async () => sure(204, await app.staff.delete(`/cidoc/locations/${place.id}/`))],
    [
      'its source is called otherwise',
      async () =>
        sure(200, await app.contributor.patch(`/cidoc/data_sources/${source.id}/`, { body: { name: 'The survey' } })),
    ],
    [
      'a claim that it names is superseded',
      async () =>
        sure(
          200,
          await app.domain.patch(`/cidoc/assertions/${claim.id}/`, { body: { reconciliation_status: 'superseded' } }),
        ),
    ],
    ['its source is deleted', async () => sure(204, await app.staff.delete(`/cidoc/data_sources/${source.id}/`))],
  ])('%s', async (_, change) => {
    const before = shown(await askedFor(app.anon, LIST))
    await change()
    for (const path of [LIST, SEARCHED])
      for (const who of [app.anon, app.contributor, app.staff])
        expect(shown(await askedFor(who, path)), path).toEqual(shown(await readAnew(who, path)))
    expect(shown(await askedFor(app.anon, LIST))).not.toEqual(before)
  })

  test('a contribution is in the list of whoever made it at once', async () => {
    const mine = `${LIST}?mine=true`
    expect(await warm(app.contributor, mine)).toBe(1)
    const { id } = await contribute(app.contributor, 'structures', { name: 'Mandap of mine' })
    expect((await askedFor(app.contributor, mine)).results[0].id).toBe(id)
  })
})

test('what is read within moments of a change is not kept, since an index may lag behind it', async () => {
  await publish(app, 'structures', { name: 'Mandap of a moment ago' })
  await askedFor(app.anon, LIST)
  expect((await app.anon.get(LIST)).cost.calls).toBeGreaterThan(1)
})

test('a version that was not raised in time counts for half a minute', async () => {
  await publish(app, 'structures', { name: 'Mandap of some seconds ago' })
  await warm(app.anon, LIST)
  app.tick(29)
  expect((await app.anon.get(LIST)).cost.calls).toBe(1)
  app.tick(2)
  expect((await app.anon.get(LIST)).cost.calls).toBeGreaterThan(1)
})

describe('while others write', () => {
  const people = ['anon', 'other', 'staff'] as const
  beforeEach(async () => {
    await following.settled()
    // Pages that were read before are forgotten, and all are read within a moment.
    app.tick(60)
    for (const who of people) for (const path of [LIST, SEARCHED]) await askedFor(app[who], path)
  })
  /** The names of whole rows in the replies of the table: those with values, which a page must unpack and check. */
  const namesOfWholeRows = async (work: () => Promise<unknown>): Promise<string[]> => {
    const { db } = await import('../../../lib/engines/table/client.ts')
    const rows: string[] = []
    const note = (items: unknown) => {
      for (const it of Array.isArray(items) ? items : [])
        if (it.type === 'record' && it.data !== undefined) rows.push(it.name)
    }
    db.middlewareStack.add(
      (next) => async (args) => {
        const reply = await next(args)
        const { Items, Responses } = reply.output as { Items?: unknown; Responses?: Record<string, unknown> }
        for (const items of [Items, ...Object.values(Responses ?? {})]) note(items)
        return reply
      },
      { step: 'initialize', name: 'rows' },
    )
    try {
      await work()
      return rows
    } finally {
      db.middlewareStack.remove('rows')
    }
  }

  test('contributions that wait cost readers of published records nothing', async () => {
    const before = shown(await askedFor(app.anon, LIST))
    for (let n = 0; n < 5; n += 1) {
      await contribute(app.contributor, 'structures', { name: `Waiting hall ${n}` })
      await following.settled()
      for (const who of people) {
        expect((await app[who].get(LIST)).cost.calls, who).toBe(1)
        expect((await app[who].get(SEARCHED)).cost.calls, who).toBe(2)
      }
    }
    expect(shown(await askedFor(app.anon, LIST))).toEqual(before)
  })

  test('after a change of one published record only that row is read whole', async () => {
    const size = 10
    for (let n = 0; n < size; n += 1) await publish(app, 'structures', { name: `Hall of mandaps ${'abcdefghij'[n]}` })
    await following.settled()
    const it = await publish(app, 'structures', { name: 'Mandap that changes' })
    app.tick(5)
    for (const path of [LIST, SEARCHED]) await askedFor(app.contributor, path)
    for (let n = 0; n < 3; n += 1) {
      sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { note: `Note ${n}.` } }))
      sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
      await following.settled()
      for (const path of [LIST, SEARCHED]) {
        // The first of both pages reads the row, and both show it.
        const rows = await namesOfWholeRows(async () => {
          const { results } = await askedFor(app.contributor, path)
          expect(results.find(({ id }: Made) => id === it.id).note).toBe(`Note ${n}.`)
        })
        // What another row names is read whole as well, for its name.
        const unnamed = rows.filter((name) => name !== 'Kasthamandap')
        expect(unnamed, `${path} ${n}`).toEqual(path === LIST ? ['Mandap that changes'] : [])
        expect(shown(await askedFor(app.contributor, path))).toEqual(shown(await readAnew(app.contributor, path)))
      }
    }
  })

  test('a row that is restricted between two reads is shown to nobody who may not read it', async () => {
    const it = await publish(app, 'structures', { name: 'Mandap of a secret' })
    app.tick(5)
    for (const path of [LIST, SEARCHED]) for (const who of people) await askedFor(app[who], path)
    sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { access_tier: 'restricted' } }))
    sure(201, await decide(app.curator, it, { verdict: 'accept', conflict_handling: 'supersedes' }))
    await following.settled()
    for (const path of [LIST, SEARCHED]) {
      const [everyone, signedIn] = await Promise.all([askedFor(app.anon, path), askedFor(app.other, path)])
      expect(everyone.results.map(({ id }: Made) => id)).not.toContain(it.id)
      expect(signedIn.results.map(({ id }: Made) => id)).toContain(it.id)
    }
  })
})

test('a list of 20 costs what ARCHITECTURE says: read anew, after a change of one row, and remembered', async () => {
  const path = '/cidoc/traditions/'
  const bodyOf = (n: number) => ({ name: `Lamp dance ${n}`, note: 'Danced on the last day of the festival.' })
  const made = await Promise.all(Array.from({ length: 20 }, (_, n) => publish(app, 'traditions', bodyOf(n))))
  const costFor = async (who: Persona) => {
    const { calls, units } = (await who.get(path, { query: { limit: 20 } })).cost
    return `${calls} / ${units}`
  }
  const amend = async ({ id, cultural_entity_id }: Made, note: string) => {
    sure(200, await app.contributor.patch(`${path}${id}/`, { body: { note } }))
    sure(201, await decide(app.curator, { cultural_entity_id }, { verdict: 'accept' }))
  }
  const costs: string[][] = []
  for (const who of [app.anon, app.contributor]) {
    app.tick(5)
    const anew = await costFor(who)
    const remembered = await costFor(who)
    await amend(sure(200, await app.anon.get(path)).results[0], `Danced by ${costs.length + 2} people.`)
    app.tick(5)
    costs.push([anew, await costFor(who), remembered])
  }
  expect(made.length).toBe(20)
  const rows = ['for the first time', 'again, after one row has changed', 'again, with no change']
  const page = readFileSync('ARCHITECTURE.md', 'utf8')
  for (const [n, row] of rows.entries())
    expect(page).toContain(`| ${row} | ${costs.map((column) => column[n]).join(' | ')} |`)
})
