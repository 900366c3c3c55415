import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, type App, openApp, type Persona } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { checkTable, csv, done } from '../../harness/imports.ts'
import { contribute, decide, flagsOf, publish, sure } from '../../harness/make.ts'

/**
 * That a record exists is data, too. Each door that gives hints is asked twice by somebody who may not read a record: once by the
 * name of that record, once by a name that nobody has. The answers are equal but for the names, ids and places that were sent.
 */

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '20/day' } })
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string; name: string }

/** Two names without likeness. The first is that of the hidden record. */
const names = {
  pending: ['Zhodyakwat Chhen', 'Mubhirtang Chhen'],
  rejected: ['Wegrupolsa Chhen', 'Tsandekhim Chhen'],
  deleted: ['Qiltomaheri Chhen', 'Vorbasunetz Chhen'],
} as const
const states = ['pending', 'rejected', 'deleted'] as const
const places = {
  hidden: ['27.6100, 85.3100', '27.6101, 85.3101'],
  free: ['27.9400, 85.9400', '27.9401, 85.9401'],
} as const

/** Hides a structure and a location of one name. */
async function hide(state: (typeof states)[number], name: string): Promise<Made> {
  const [coordinates] = places.hidden
  const made = await Promise.all(
    [
      ['structures', { name, coordinates, same_as: ['wd:Q8800001'] }] as const,
      ['locations', { name: `${name} Tol` }] as const,
    ].map(async ([segment, body]) => {
      if (state !== 'deleted') {
        const it = await contribute(app.other, segment, body)
        if (state === 'rejected')
          sure(201, await decide(app.curator, it, { verdict: 'reject', feedback: 'Not heritage.' }))
        return it
      }
      const it = await publish(app, segment, body, app.other)
      sure(204, await app.staff.delete(`/cidoc/${segment}/${it.id}/`))
      return it
    }),
  )
  await following.settled()
  return made[0]
}

/** An answer without what differs between any two names: ids, times, and what was sent. */
function plain({ status, text, headers }: Answer, sent: readonly string[]): string {
  const told = sent.reduce(
    (all, word) => all.replaceAll(word, '<sent>'),
    `${status} ${headers.etag ? 'etag' : ''} ${text}`,
  )
  return told
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
    .replace(/"(id|object_id|entity_id|number|row|latitude|longitude|lat|lng)":-?[\d.]+/g, '"$1":0')
    .replace(/\/(structures|locations)\/\d+/g, '/$1/0')
    .replace(/"sha256":"\w+"/g, '"sha256":""')
    .replace(/X-Amz-[\w-]+=[^&"]+/g, '')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
}

type Probe = { name: string; coordinates: string; same_as: string }
type Door = (who: Persona, probe: Probe) => Promise<Answer[]>

/** What the caller is told of a record of their own afterwards. */
async function told(who: Persona, it: Pick<Made, 'cultural_entity_id'>): Promise<Answer[]> {
  await following.settled()
  return [
    await who.get('/data/review-flags/', { query: { entity: it.cultural_entity_id } }),
    await who.get('/data/review-flags/', { query: { flag_type: 'suspected_duplicate', limit: 1 } }),
    await who.get('/data/notifications/', { query: { notification_type: 'moderation' } }),
    await who.get('/data/activities/', { query: { entity: it.cultural_entity_id } }),
  ]
}

const doors: Record<string, Door> = {
  'a contribution of the same name': async (who, { name, coordinates, same_as }) => {
    const made = await who.post('/cidoc/structures/', { body: { name, coordinates, same_as: [same_as] } })
    return [made, ...(await told(who, made.body))]
  },
  'an edit that takes the name': async (who, { name, coordinates }) => {
    const made = await contribute(who, 'structures', { name: 'Yoluprang', coordinates: '28.5, 84.5' })
    const edited = await who.patch(`/cidoc/structures/${made.id}/`, { body: { name, coordinates } })
    return [edited, ...(await told(who, made))]
  },
  'suggest-duplicates': async (who, { name }) => [
    await who.get('/cidoc/entity-clusters/suggest-duplicates/', { query: { q: name, type_scope: 'structure' } }),
    await who.get('/cidoc/entity-clusters/suggest-duplicates/', { query: { q: name.slice(0, 8) } }),
  ],
  'the suggestion for a field': async (who, { name }) => [
    await who.post('/cidoc/assist/suggest-field/', {
      body: { ontology_class: 'structure', field_key: 'coordinates', partial_payload: { name } },
    }),
  ],
  reconciliation: async (who, { name, same_as }) => [
    await who.post('/data/reconcile/', { body: { queries: { q: { query: name, type: 'structure' } } } }),
    await who.get('/data/reconcile/suggest/entity/', { query: { prefix: name.slice(0, 6) } }),
    await who.get('/data/resolve/', { query: { same_as } }),
  ],
  'a relation in words': async (who, { name }) => {
    const body = { name: 'Prangyolu', coordinates: '28.6, 84.6', has_current_location: `${name} Tol` }
    const made = await who.post('/cidoc/structures/', { body })
    return [made, await who.get(`/cidoc/structures/${made.body.id}/`), ...(await told(who, made.body))]
  },
  'the dry run and the run of a table': async (who, { name, coordinates }) => {
    const table = csv([
      ['Name', 'Coordinates', 'has_current_location'],
      [name, coordinates, `${name} Tol`],
    ])
    const { id } = await checkTable(who, 'temples.csv', table)
    const checked = await who.get(`/data/imports/${id}/rows/`)
    await done(who, id, 'run')
    return [checked, await who.get(`/data/imports/${id}/rows/`), await who.get(`/data/imports/${id}/`)]
  },
}

describe.each(states)('a record that is %s', (state) => {
  let hidden: Made
  beforeAll(async () => {
    hidden = await hide(state, names[state][0])
  })

  test.each(Object.keys(doors))('is no hint by %s', async (door) => {
    const answers: string[][] = []
    for (const [i, place, same_as] of [
      [0, places.hidden[1], 'wd:Q8800001'],
      [1, places.free[1], 'wd:Q8800002'],
    ] as const) {
      const name = names[state][i]
      const sent = [name, name.slice(0, 8), name.slice(0, 6), place, same_as, same_as.slice(3)]
      const replies = await doors[door]?.(app.contributor, { name, coordinates: place, same_as })
      answers.push((replies ?? []).map((reply) => plain(reply, sent)))
      // What the door has made is taken away, so that the next door begins as this one.
      await clear()
    }
    expect(answers[0]?.length).toBeGreaterThan(0)
    expect(answers[0]).toEqual(answers[1])
    expect(JSON.stringify(answers)).not.toContain(hidden.cultural_entity_id)
  })
})

/** Deletes all records of the contributor. */
async function clear(): Promise<void> {
  for (const segment of ['structures', 'locations']) {
    const { results } = sure(200, await app.contributor.get(`/cidoc/${segment}/`, { query: { mine: 1, limit: 100 } }))
    for (const { id } of results) sure(204, await app.contributor.delete(`/cidoc/${segment}/${id}/`))
  }
  await following.settled()
}

describe('reviewers', () => {
  test('see the flag with both sides, and its contributor none', async () => {
    const one = await contribute(app.other, 'structures', { name: 'Brelkhamun Deval' })
    const two = await contribute(app.contributor, 'structures', { name: 'Brelkhamun Deval' })
    const [flag] = await flagsOf(two)
    expect(flag).toMatchObject({ other_entity_id: one.cultural_entity_id, concealed: true })
    const at = `/data/review-flags/${flag?.id}/`
    expect(sure(200, await app.community.get(at))).toMatchObject({ other: { id: one.id, name: 'Brelkhamun Deval' } })
    expect((await app.contributor.get(at)).status).toBe(404)
    expect((await app.contributor.post(`${at}resolve/`)).status).toBe(404)
    const workspace = sure(200, await app.community.get(`/data/review-workspace/${two.cultural_entity_id}/`))
    expect(workspace.flags).toMatchObject([{ other_entity_id: one.cultural_entity_id }])
    sure(200, await app.community.post(`${at}resolve/`))
    const { loadRecordById } = await import('../../../lib/domain/records/write.ts')
    expect(await loadRecordById(two.cultural_entity_id)).toMatchObject({ open_flags: 0, concealed_flags: 0 })
  })

  test('settle no hidden likeness of a record of their own', async () => {
    await contribute(app.other, 'structures', { name: 'Grolmisanta Deval' })
    const own = await contribute(app.community, 'structures', { name: 'Grolmisanta Deval' })
    const [flag] = await flagsOf(own)
    expect(flag?.concealed).toBe(true)
    expect((await app.community.post(`/data/review-flags/${flag?.id}/resolve/`)).status).toBe(403)
  })

  test('are told that a stub has the name of a record which its maker may not see', async () => {
    const place = await contribute(app.other, 'locations', { name: 'Drumkhalo' })
    const body = { name: 'In Drumkhalo', has_current_location: 'Drumkhalo' }
    const made = sure(201, await app.contributor.post('/cidoc/structures/', { body }))
    expect(made.has_current_location.id).not.toBe(place.id)
    const stub = sure(200, await app.contributor.get(`/cidoc/locations/${made.has_current_location.id}/`))
    expect(await flagsOf(stub)).toMatchObject([
      { flag_type: 'suspected_duplicate', other_entity_id: place.cultural_entity_id, concealed: true },
    ])
    const named = sure(201, await app.community.post('/cidoc/structures/', { body }))
    expect([place.id, stub.id]).toContain(named.has_current_location.id)
  })
})

test('a likeness that the contributor was told of goes when the other record is withdrawn', async () => {
  const other = await publish(app, 'structures', { name: 'Sklomurane Deval' }, app.other)
  const own = await contribute(app.contributor, 'structures', { name: 'Sklomurane Deval' })
  const flags = async (who: Persona) =>
    sure(200, await who.get('/data/review-flags/', { query: { entity: own.cultural_entity_id } }))
  const [row] = (await flags(app.contributor)).results
  expect(row).toMatchObject({ other_entity_id: other.cultural_entity_id })
  sure(204, await app.staff.delete(`/cidoc/structures/${other.id}/`))
  expect(await flags(app.contributor)).toMatchObject({ count: 0, results: [] })
  expect((await app.contributor.get(`/data/review-flags/${row.id}/`)).status).toBe(404)
  expect(await flags(app.community)).toMatchObject({ count: 1, results: [{ reason: 'It looks like another record.' }] })
})

test('a request that is too large counts no likeness to a hidden record', async () => {
  for (let i = 0; i < 3; i += 1) await contribute(app.other, 'deities', { name: `Krembolasu ${i}` })
  const answers = ['Krembolasu', 'Vrastindole'].map(async (name) => {
    const body = { name: `Of ${name}`, invokes_deity: Array.from({ length: 20 }, (_, i) => `${name} ${i}`) }
    return plain(await app.contributor.post('/cidoc/rituals/', { body }), [])
  })
  const [hidden, free] = await Promise.all(answers)
  expect(hidden).toMatch(/^400 .*they take \d+ writes, and 100 are the most/)
  expect(hidden).toBe(free)
})

test('look-alikes that the contributor may see come before hidden ones', async () => {
  for (let i = 0; i < 5; i += 1) await contribute(app.other, 'structures', { name: 'Plomkasura Deval', note: `${i}` })
  const seen = await publish(app, 'structures', { name: 'Plomkasura Deval' }, app.other)
  const made = await contribute(app.contributor, 'structures', { name: 'Plomkasura Deval' })
  const flags = await flagsOf(made)
  expect(flags).toHaveLength(5)
  expect(flags.filter((it) => !it.concealed)).toMatchObject([{ other_entity_id: seen.cultural_entity_id }])
})

test('dry runs count as tables do', async () => {
  const { id } = await checkTable(app.community, 'few.csv', csv([['Name'], ['Trolkamber']]))
  for (let run = 2; run < 20; run += 1) await done(app.community, id, 'check')
  const refused = await app.community.post(`/data/imports/${id}/check/`)
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.any(String)])
})
