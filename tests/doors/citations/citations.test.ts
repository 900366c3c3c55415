import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { type Following, followTable } from '../../harness/following.ts'
import { contribute, copies, decide, everyState, publish, sure } from '../../harness/make.ts'
import { applyDifference, cited, type Row } from './answers.ts'

let app: App
let following: Following
beforeAll(async () => {
  app = await openApp({ env: { EXPORT_LICENCE: 'CC-BY-4.0' } })
  following = await followTable()
})

type Made = { id: number; cultural_entity_id: string }

/** Keeps a question, once search has heard of all. */
async function cite(of: string) {
  await following.settled()
  return sure(201, await app.other.post('/data/citations/', { body: { of } }))
}
const tell = async (id: string) => cited(app.anon, `/data/citations/${id}/`)
async function differenceOf(id: string, to = '') {
  await following.settled()
  const rows: Row[] = []
  for (let path: string | null = `/data/citations/${id}/difference/?to=${encodeURIComponent(to)}`; path; ) {
    const url = new URL(path, 'http://x')
    const page = sure(200, await app.anon.get(url.pathname, { query: Object.fromEntries(url.searchParams) }))
    rows.push(...page.differences)
    path = page.next
  }
  return rows
}
async function amend(it: Made, segment: string, body: object, ruling: object = {}) {
  sure(200, await app.contributor.patch(`/cidoc/${segment}/${it.id}/`, { body }))
  sure(201, await decide(app.curator, it, { verdict: 'accept', ...ruling }))
}
const digestOf = (rows: readonly Pick<Row, 'cultural_entity_id' | 'revision' | 'digest'>[]) =>
  createHash('sha256')
    .update(
      [...rows]
        .sort((a, b) => (a.cultural_entity_id < b.cultural_entity_id ? -1 : 1))
        .map((it) => `${it.cultural_entity_id} ${it.revision} ${it.digest}\n`)
        .join(''),
    )
    .digest('hex')

describe('a citation', () => {
  test('keeps what everyone may read, with its moment, count, digest, kinds and licences', async () => {
    const made = await everyState(app, 'deities')
    const it = await cite('/cidoc/deities/?limit=5&ordering=name')
    expect(it).toMatchObject({
      of: expect.stringMatching(/\/cidoc\/deities\/$/),
      title: 'Deities',
      at: '2025-01-15T10:00:00.000Z',
      count: 1,
      kinds: { deity: 1 },
      licences: ['CC-BY-4.0'],
      contributors: [{ username: 'dev' }],
    })
    const rows = await tell(it.id)
    expect(rows.map(({ id, name, holds }) => [id, name, holds])).toEqual([[made.published.id, 'Sight published', true]])
    expect(digestOf(rows)).toBe(it.digest)
  })

  test('says no word of its author, and is the same for staff', async () => {
    await publish(app, 'guthis', { name: 'Of everyone' })
    const it = await cite('/cidoc/guthis/')
    const path = `/data/citations/${it.id}/`
    const [anon, staff] = [sure(200, await app.anon.get(path)), sure(200, await app.staff.get(path))]
    expect(staff).toEqual(anon)
    expect(JSON.stringify(anon)).not.toContain('other')
  })

  test('is told again as it was, after edits, a new name of a linked record, and new records', async () => {
    const place = await publish(app, 'locations', { name: 'Old square' })
    const temple = await publish(app, 'structures', {
      name: 'Cited temple',
      note: 'Seen.',
      has_current_location: place.id,
    })
    const it = await cite('/data/search/?q=Cited temple&resource=structures')
    const before = await tell(it.id)
    expect(before.map(({ values }) => values)).toEqual([
      expect.objectContaining({ note: 'Seen.', has_current_location: [{ kind: 'location', id: place.id }] }),
    ])
    app.tick(60)
    await amend(temple, 'structures', { note: 'Seen again.' })
    await amend(place, 'locations', { name: 'New square' }, { conflict_handling: 'supersedes' })
    await publish(app, 'structures', { name: 'Cited temple of late' })
    await following.settled()
    const after = await tell(it.id)
    expect(after).toEqual(before)
    expect(digestOf(after)).toBe(it.digest)
  })

  test('names what was withdrawn since, by the rule that withdrew it, and nothing of its values', async () => {
    const named = (name: string) => ({ name: `Falls ${name}`, note: 'a secret to be' })
    const kept = await publish(app, 'rituals', named('not'))
    const gone = await publish(app, 'rituals', named('deleted'))
    const hidden = await publish(app, 'rituals', named('hidden'))
    const it = await cite('/cidoc/rituals/')
    sure(204, await app.staff.delete(`/cidoc/rituals/${gone.id}/`))
    await amend(hidden, 'rituals', { access_tier: 'restricted' })
    const rows = await tell(it.id)
    const byId = new Map(rows.map((row) => [row.id, row]))
    expect(byId.get(kept.id)).toMatchObject({ holds: true, name: 'Falls not', withdrawn: null })
    expect(byId.get(gone.id)).toMatchObject({ holds: false, name: null, values: null, withdrawn: { rule: 'deleted' } })
    expect(byId.get(hidden.id)).toMatchObject({ holds: false, name: null, withdrawn: { rule: 'restricted' } })
    expect(JSON.stringify([byId.get(gone.id), byId.get(hidden.id)])).not.toMatch(/Falls|secret/)
    // The digests of all rows still give the digest of the citation.
    expect(digestOf(rows)).toBe(it.digest)
    sure(200, await app.staff.post(`/cidoc/rituals/${gone.id}/restore/`))
    expect((await tell(it.id)).find(({ id }) => id === gone.id)).toMatchObject({ holds: true, name: 'Falls deleted' })
  })

  test('leaves a link out once its end is hidden, and shows none that was hidden then', async () => {
    const [shown, waiting] = [
      await publish(app, 'locations', { name: 'Shown then' }),
      await contribute(app.contributor, 'locations', { name: 'Waits then' }),
    ]
    const one = await publish(app, 'monuments', { name: 'Linked one', has_current_location: shown.id })
    await publish(app, 'monuments', { name: 'Linked two', has_current_location: 'Waits then' })
    const it = await cite('/cidoc/monuments/')
    const before = await tell(it.id)
    sure(201, await decide(app.curator, waiting, { verdict: 'accept' }))
    expect(await tell(it.id)).toEqual(before)
    sure(204, await app.staff.delete(`/cidoc/locations/${shown.id}/`))
    expect((await tell(it.id)).find(({ id }) => id === one.id)).toMatchObject({
      holds: false,
      name: 'Linked one',
      withdrawn: { rule: 'link_withdrawn', links: [`location/${shown.id}`] },
    })
  })

  test('holds after an account has gone, whose name it tells no more', async () => {
    const names = { username: 'zyxzyx', email: 'zyxzyx@example.org', password: 'Stupa-at-dawn-7' }
    const { user } = sure(201, await app.anon.post('/api/register/', { body: names }))
    const { access } = sure(200, await app.anon.post('/api/token/', { body: names }))
    await publish(app, 'persons', { name: 'Written by one who leaves', note: 'n' }, app.as(access))
    const it = await cite('/cidoc/persons/')
    expect(it.contributors).toMatchObject([{ id: user.id, username: 'zyxzyx' }])
    const before = await tell(it.id)
    sure(202, await app.as(access).delete('/data/user/me/', { body: { password: names.password } }))
    await following.settled()
    await (await import('../../../functions/sweeper.ts')).handler({ chores: 'seldom' })
    const answer = sure(200, await app.anon.get(`/data/citations/${it.id}/`))
    expect(answer.contributors).toMatchObject([
      { id: user.id, username: expect.stringMatching(/^former-contributor-/) },
    ])
    expect(JSON.stringify(answer)).not.toContain('zyxzyx')
    expect([answer.digest, await tell(it.id)]).toEqual([it.digest, before])
  })

  test('is CSL-JSON and DataCite metadata, by Accept or format', async () => {
    await publish(app, 'events', { name: 'To be cited' })
    const it = await cite('/data/search/?q=To be cited')
    const path = `/data/citations/${it.id}/`
    const csl = sure(200, await app.anon.get(path, { query: { format: 'csl' } }))
    expect(csl).toEqual({
      id: it.url,
      type: 'dataset',
      title: 'Search: To be cited',
      author: [{ literal: 'Dev Heritage' }],
      publisher: 'Heritage knowledge service',
      issued: { 'date-parts': [[2025, 1, 15]] },
      version: `sha256:${it.digest}`,
      license: 'CC-BY-4.0',
      note: expect.stringMatching(/^\d records as of 2025-01-15T/),
      URL: it.url,
    })
    const accept = 'application/vnd.datacite.datacite+json'
    const answer = await app.anon.get(path, { headers: { accept } })
    expect(answer.headers['content-type']).toBe(accept)
    expect(sure(200, answer)).toMatchObject({
      schemaVersion: 'http://datacite.org/schema/kernel-4',
      creators: [{ name: 'Dev Heritage' }],
      publicationYear: 2025,
      rightsList: [{ rights: 'CC-BY-4.0' }],
      relatedIdentifiers: [{ relatedIdentifier: it.of, relationType: 'IsDerivedFrom' }],
    })
  })

  test.each([
    [
      '/data/users/',
      { of: ['Cite a list of records, such as /cidoc/structures/, or a search, such as /data/search/?q=patan.'] },
    ],
    ['https://elsewhere.example/cidoc/structures/', { of: [expect.stringMatching(/^Cite a list/)] }],
    ['/cidoc/data_sources/', { of: [expect.stringMatching(/^Cite a list/)] }],
    ['/cidoc/structures/?mine=true', { of: ['A citation holds what everyone may read. It cannot keep "mine".'] }],
    ['/cidoc/structures/?status=rejected', { of: [expect.stringMatching(/cannot keep "status"/)] }],
    ['/data/search/?sort=newest', { of: { q: ['This parameter is required.'] } }],
    ['/data/search/?q=x&resource=users', { of: { resource: ['Only records are cited.'] } }],
    ['/cidoc/structures/?within=3', { of: { within: ['Give near as well: the point to measure from.'] } }],
    [' ', { of: ['This field may not be blank.'] }],
  ])('of %s is refused', async (of, fault) => {
    expect(sure(400, await app.other.post('/data/citations/', { body: { of } }))).toEqual(fault)
  })

  test('takes somebody who is signed in, and is made once for an Idempotency-Key', async () => {
    const body = { of: '/cidoc/deities/' }
    sure(401, await app.anon.post('/data/citations/', { body }))
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const [one, two] = [
      sure(201, await app.other.post('/data/citations/', { body, headers })),
      sure(201, await app.other.post('/data/citations/', { body, headers })),
    ]
    expect(two).toEqual(one)
    sure(404, await app.anon.get(`/data/citations/${crypto.randomUUID()}/`))
  })
})

describe('a difference', () => {
  test('turns the older answer into the later one: now, at a moment, and of another citation', async () => {
    const made: Made[] = []
    for (const name of ['A', 'B', 'C', 'D']) made.push(await publish(app, 'festivals', { name, note: 'one' }))
    const first = await cite('/cidoc/festivals/')
    const before = await tell(first.id)
    app.tick(60)
    await amend(made[1] as Made, 'festivals', { note: 'two' })
    sure(204, await app.staff.delete(`/cidoc/festivals/${made[2]?.id}/`))
    await publish(app, 'festivals', { name: 'E' })
    await contribute(app.contributor, 'festivals', { name: 'It waits' })
    const second = await cite('/cidoc/festivals/')
    const between = second.at
    const after = await tell(second.id)
    const said = await differenceOf(first.id)
    expect(said.map(({ change, name, withdrawn }) => [change, name, withdrawn?.rule])).toEqual(
      expect.arrayContaining([
        ['changed', 'B', undefined],
        ['removed', null, 'deleted'],
        ['added', 'E', undefined],
      ]),
    )
    expect(said).toHaveLength(3)
    const later = applyDifference(before, said)
    expect(later).toEqual(applyDifference(after, []))
    expect(digestOf([...later.values()])).toBe(second.digest)
    expect(await differenceOf(first.id, second.id)).toEqual(said)
    app.tick(60)
    await amend(made[3] as Made, 'festivals', { note: 'later' })
    expect(await differenceOf(first.id, between)).toEqual(said)
    // What is hidden today is hidden at every moment, so the record that was deleted is missing then, too.
    expect((await differenceOf(first.id, first.at)).map(({ withdrawn }) => withdrawn?.rule)).toEqual(['deleted'])
    expect(await differenceOf(second.id, second.id)).toEqual([])
  })

  test('is a file of lines, too', async () => {
    const first = await cite('/cidoc/traditions/')
    await publish(app, 'traditions', { name: 'New tradition' })
    await following.settled()
    const answer = await app.anon.get(`/data/citations/${first.id}/difference/`, { query: { format: 'jsonl' } })
    expect(answer.headers['content-type']).toBe('application/jsonl; charset=utf-8')
    expect(answer.headers['content-disposition']).toBe(`attachment; filename="difference-${first.id}.jsonl"`)
    expect(
      answer.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ change: 'added', name: 'New tradition' }])
  })

  test('is refused where nothing could be told truly', async () => {
    const list = await cite('/cidoc/traditions/')
    const other = await cite('/cidoc/deities/')
    const found = await cite('/data/search/?q=tradition')
    app.tick(60)
    const ask = async (id: string, to: string) =>
      sure(400, await app.anon.get(`/data/citations/${id}/difference/`, { query: { to } }))
    expect(await ask(list.id, other.id)).toEqual({ to: ['This citation is of another question.'] })
    expect(await ask(list.id, '2024-01-01')).toEqual({ to: ['This lies before the citation.'] })
    expect(await ask(list.id, 'x')).toEqual({
      to: ['Give a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z.'],
    })
    expect(await ask(found.id, found.at)).toEqual({
      detail: 'What a search found at a moment of the past is not kept. Compare with now, or with a later citation.',
    })
    sure(404, await app.anon.get(`/data/citations/${list.id}/difference/`, { query: { to: crypto.randomUUID() } }))
  })

  test('holds for any changes: what is applied gives what is', async () => {
    const roll = rolls(7)
    const made: Made[] = []
    for (let i = 0; i < 6; i += 1)
      made.push(await publish(app, 'iconographic_objects', { name: `Of chance ${i}`, note: 'n' }))
    for (let round = 0; round < 6; round += 1) {
      const first = await cite('/cidoc/iconographic_objects/')
      const before = (await tell(first.id)).filter(({ values }) => values !== null)
      for (let step = 0; step < 4; step += 1) await changeAny(made, roll)
      const second = await cite('/cidoc/iconographic_objects/')
      const [said, after] = [await differenceOf(first.id), await tell(second.id)]
      const later = applyDifference(before, said)
      expect(later, `round ${round}`).toEqual(applyDifference(after, []))
      expect(digestOf([...later.values()])).toBe(second.digest)
    }
  })

  /** Changes, deletes, restores, hides or adds a record. */
  async function changeAny(made: Made[], roll: (below: number) => number) {
    const it = made[roll(made.length)] as Made
    const path = `/cidoc/iconographic_objects/${it.id}/`
    app.tick(1)
    const now = await app.staff.get(path)
    const deleted = now.body.is_deleted === true || now.body.deleted_at != null
    const what = roll(4)
    if (what === 0) made.push(await publish(app, 'iconographic_objects', { name: `Of chance ${made.length}` }))
    else if (deleted) sure(200, await app.staff.post(`${path}restore/`))
    else if (what === 1) sure(204, await app.staff.delete(path))
    else if (what === 2) await amend(it, 'iconographic_objects', { note: `note ${roll(1000)}` })
    else
      await amend(it, 'iconographic_objects', {
        access_tier: roll(2) ? 'restricted' : 'public',
        note: `n ${roll(1000)}`,
      })
  }
})

/** Chances that a seed decides. */
function rolls(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
}

describe('the cost', () => {
  test('of a page and of a difference is bounded, and the same whatever the citation holds; more records are refused', async () => {
    const { citationLimits } = await import('../../../lib/doors/citations/cite.ts')
    expect(citationLimits.records).toBe(2000)
    // Entries are kept a hundred in a part, so five parts show what twenty would.
    citationLimits.records = 500
    const one = await publish(app, 'productions', { name: 'Copied production', note: 'n' })
    const small = { accepted_revision: 1 }
    await copies(one, 150, small)
    const of = '/cidoc/productions/'
    const first = await cite(of)
    expect(first.count).toBe(151)
    const costOf = async (id: string, path = '') => {
      const answer = await app.anon.get(`/data/citations/${id}/${path}`)
      sure(200, answer)
      return answer.cost
    }
    const before = [await costOf(first.id), await costOf(first.id, 'difference/')]
    const two = await publish(app, 'productions', { name: 'Second production', note: 'n' })
    await copies(two, 348, small)
    const second = await cite(of)
    expect(second.count).toBe(500)
    const after = [await costOf(second.id), await costOf(second.id, 'difference/')]
    expect(after.map(({ calls }) => calls)).toEqual(before.map(({ calls }) => calls))
    const [fewUnits, manyUnits] = [before, after].map((costs) => costs.map(({ units }) => units))
    for (const [i, units] of (manyUnits ?? []).entries()) expect(units).toBeLessThanOrEqual((fewUnits?.[i] ?? 0) + 1)
    for (const { calls, units } of [...before, ...after]) {
      expect(calls).toBeLessThan(16)
      expect(units).toBeLessThan(100)
    }
    await publish(app, 'productions', { name: 'One too many' })
    await following.settled()
    expect(sure(400, await app.other.post('/data/citations/', { body: { of } }))).toEqual({
      of: ['A citation holds 500 records at most, and this has 501. Narrow it, or cite its parts.'],
    })
  }, 120_000)
})
