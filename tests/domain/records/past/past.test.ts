import * as fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../../harness/app.ts'
import { commandsOf, contribute, decide, publish, sure } from '../../../harness/make.ts'

let app: App
let now: () => string
beforeAll(async () => {
  app = await openApp()
  const { clock } = await import('../../../../lib/base/clock.ts')
  now = () => clock.now().toISOString()
})

type It = { id: number; cultural_entity_id: string }
const MISSING = { status: 404, body: { detail: 'Not found.' } }
const pathOf = (it: It) => `/cidoc/structures/${it.id}/`
const at = (who: Persona, it: It, moment: string) => who.get(pathOf(it), { query: { at: moment } })
/** The present, after which a second passes. */
function moment(): string {
  app.tick(1)
  const then = now()
  app.tick(1)
  return then
}
const settling = { verdict: 'accept', conflict_handling: 'supersedes' }
async function edit(who: Persona, it: It, body: object, verdict: object = settling) {
  sure(200, await who.patch(pathOf(it), { body }))
  app.tick(1)
  return sure(201, await decide(app.domain, it, verdict))
}
const valuesIn = (body: { assertions: { property: string; value: string; reconciliation_status: string }[] }) =>
  body.assertions.map((each) => `${each.property}: ${each.value} (${each.reconciliation_status})`).sort()

describe('a record at a moment', () => {
  test('has the values, the claims and the place that were public then', async () => {
    const before = moment()
    const it = await contribute(app.contributor, 'structures', {
      ...{ name: 'Past', condition: 'Good', coordinates: '27.6, 85.4' },
    })
    const waiting = moment()
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    const first = moment()
    sure(
      200,
      await app.contributor.patch(pathOf(it), { body: { name: 'Renamed', condition: '', coordinates: '27.7, 85.3' } }),
    )
    const edited = moment()
    sure(201, await decide(app.curator, it, settling))
    const last = moment()

    for (const early of [before, waiting])
      for (const who of [app.anon, app.contributor, app.staff]) expect(await at(who, it, early)).toMatchObject(MISSING)
    for (const then of [first, edited]) {
      const body = sure(200, await at(app.anon, it, then))
      expect(body).toMatchObject({
        name: 'Past',
        condition: 'Good',
        latitude: 27.6,
        longitude: 85.4,
        status: 'accepted',
      })
      expect(valuesIn(body)).toEqual([
        'condition: Good (accepted)',
        'coordinates: 27.6, 85.4 (accepted)',
        'name: Past (accepted)',
      ])
    }
    // Those who work on it read the same: what waited is no part of what was public.
    for (const who of [app.contributor, app.community, app.staff])
      expect(sure(200, await at(who, it, edited))).toEqual(sure(200, await at(app.anon, it, edited)))
    const body = sure(200, await at(app.anon, it, last))
    expect(body).toEqual(sure(200, await app.anon.get(pathOf(it))))
    expect(body).toMatchObject({ name: 'Renamed', condition: '', latitude: 27.7 })
  })

  test('is told as linked data and for maps as well', async () => {
    const it = await publish(app, 'structures', { name: 'Linked then', coordinates: '27.6, 85.4' })
    const then = moment()
    await edit(app.contributor, it, { name: 'Linked now', coordinates: '27.7, 85.3' })
    const as = (accept: string) => app.anon.get(pathOf(it), { query: { at: then }, headers: { accept } })
    const linked = sure(200, await as('application/ld+json'))
    expect([linked.label, JSON.stringify(linked).includes('now')]).toEqual([['Linked then'], false])
    expect(JSON.stringify(linked)).toContain('POINT(85.4 27.6)')
    expect(sure(200, await as('application/geo+json'))).toMatchObject({
      geometry: { coordinates: [85.4, 27.6] },
      properties: { name: 'Linked then' },
    })
  })

  test('shows dates in the calendar that is asked for, as they were', async () => {
    const it = await publish(app, 'structures', { name: 'Dated', construction_date: '1702' })
    const then = moment()
    await edit(app.contributor, it, { construction_date: '1750' })
    const query = { at: then, calendar: 'bs' }
    expect(sure(200, await app.anon.get(pathOf(it), { query })).dates.construction_date.words).toBe('1702')
  })

  test.each([
    ['supersedes', ['condition: Ruinous (accepted)']],
    ['coexist', ['condition: Good (accepted)', 'condition: Ruinous (accepted)']],
    ['existing_stands', ['condition: Good (accepted)']],
    ['refines', ['condition: Good (accepted)', 'condition: Ruinous (accepted)']],
    ['disputed', ['condition: Good (disputed)', 'condition: Ruinous (disputed)']],
  ] as const)('has what %s made of two claims, before it and after it', async (conflict_handling, after) => {
    const it = await publish(app, 'structures', { name: `Ruled ${conflict_handling}`, condition: 'Good' })
    const first = moment()
    await edit(app.staff, it, { condition: 'Ruinous' }, { verdict: 'accept', conflict_handling })
    const second = moment()
    const handed = ['Poor', 'Fair'].map((condition) => ({ condition }))
    for (const body of handed) await edit(app.staff, it, body, { verdict: 'accept', conflict_handling: 'supersedes' })
    const claims = async (then: string) =>
      valuesIn(sure(200, await at(app.anon, it, then))).filter((each) => each.startsWith('condition'))
    expect([await claims(first), await claims(second)]).toEqual([['condition: Good (accepted)'], after])
  })

  test('knows what reviewers said of a claim alone, and when', async () => {
    const it = await publish(app, 'structures', { name: 'Claimed' })
    const body = { entity_type: 'structure', entity_id: it.id, property: 'note', value: 'An aside' }
    const claim = sure(201, await app.other.post('/cidoc/assertions/', { body }))
    const waits = moment()
    const settle = (reconciliation_status: string) =>
      app.community.patch(`/cidoc/assertions/${claim.id}/`, { body: { reconciliation_status } })
    sure(200, await settle('accepted'))
    const accepted = moment()
    sure(200, await settle('disputed'))
    const disputed = moment()
    sure(200, await settle('superseded'))
    const gone = moment()
    const found = async (then: string) =>
      valuesIn(sure(200, await at(app.anon, it, then))).filter((each) => each.startsWith('note'))
    expect(await Promise.all([waits, accepted, disputed, gone].map(found))).toEqual([
      [],
      ['note: An aside (accepted)'],
      ['note: An aside (disputed)'],
      [],
    ])
  })

  test('is the present at every moment of any history', async () => {
    const step = fc.oneof(
      fc.record({ condition: fc.constantFrom('Good', 'Fair', 'Ruinous', '') }),
      fc.record({ note: fc.constantFrom('one', 'two', '') }),
      fc.constantFrom('accept', 'coexist', 'disputed', 'existing_stands', 'supersedes', 'reject', 'delete', 'restore'),
    )
    const act = async (it: It, what: object | string): Promise<void> => {
      if (typeof what === 'object') await app.staff.patch(pathOf(it), { body: what })
      else if (what === 'delete') await app.staff.delete(pathOf(it))
      else if (what === 'restore') await app.staff.post(`${pathOf(it)}restore/`)
      else if (what === 'reject') await decide(app.domain, it, { verdict: 'reject', feedback: 'No.' })
      else
        await decide(app.domain, it, {
          ...{ verdict: 'accept', conflict_handling: what === 'accept' ? 'not_applicable' : what },
        })
    }
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
        const it = await contribute(app.contributor, 'structures', { name: `Any ${++run}`, condition: 'Good' })
        const seen: [string, unknown][] = []
        for (const each of ['accept', ...steps]) {
          app.tick(1)
          await act(it, each)
          const then = moment()
          const { status, body } = await app.anon.get(pathOf(it))
          seen.push([then, status === 200 ? withoutTimes(body) : status])
        }
        // What is deleted today is hidden at every moment.
        await app.staff.post(`${pathOf(it)}restore/`)
        for (const [then, was] of seen) {
          const { status, body } = await at(app.anon, it, then)
          expect([then, status === 200 ? withoutTimes(body) : status]).toEqual([then, was])
        }
      }),
      { numRuns: 12 },
    )
  }, 120_000)

  test('costs as many calls however long its history is', async () => {
    const it = await publish(app, 'structures', { name: 'Costed', note: '0' })
    const then = moment()
    const cost = () => commandsOf(async () => sure(200, await at(app.anon, it, then)))
    const short = await cost()
    for (let i = 1; i < 8; i += 1) await edit(app.contributor, it, { note: String(i) })
    expect(await cost()).toEqual(short)
    expect(short).toEqual(['QueryCommand', 'QueryCommand', 'BatchGetItemCommand'])
  })
})

/** What a change of the record itself moves on, without a change of what it says. */
const withoutTimes = ({ updated_at: _, assertions, ...rest }: Record<string, unknown>) => ({
  ...rest,
  assertions: (Array.isArray(assertions) ? assertions : [])
    .map(({ updated_at: __, supersedes: ___, refines: ____, ...each }) => each)
    .sort((a, b) => (a.id < b.id ? -1 : 1)),
})

describe('what is hidden', () => {
  test('today is hidden at every moment: what is deleted, but for staff, and what is restricted', async () => {
    const it = await publish(app, 'structures', { name: 'Goes away' })
    const then = moment()
    sure(204, await app.staff.delete(pathOf(it)))
    for (const who of [app.anon, app.other, app.contributor, app.community])
      expect(await at(who, it, then)).toMatchObject(MISSING)
    expect(sure(200, await at(app.staff, it, then)).name).toBe('Goes away')

    const tied = await publish(app, 'structures', { name: 'Becomes restricted' })
    const open = moment()
    await edit(app.contributor, tied, { access_tier: 'restricted' })
    expect(await at(app.anon, tied, open)).toMatchObject(MISSING)
    expect(sure(200, await at(app.other, tied, open)).name).toBe('Becomes restricted')
  })

  test('then is absent then: what was restricted, and what was deleted for a while', async () => {
    const it = await publish(app, 'structures', {
      name: 'Was restricted',
      access_tier: 'restricted',
      note: 'Between us',
    })
    const closed = moment()
    await edit(app.contributor, it, { access_tier: 'public', note: 'For all' })
    const open = moment()
    expect(await at(app.anon, it, closed)).toMatchObject(MISSING)
    expect(sure(200, await at(app.other, it, closed)).note).toBe('Between us')
    expect(sure(200, await at(app.anon, it, open)).note).toBe('For all')

    const away = await publish(app, 'structures', { name: 'Was away' })
    const first = moment()
    sure(204, await app.staff.delete(pathOf(away)))
    const gone = moment()
    sure(200, await app.staff.post(`${pathOf(away)}restore/`))
    const back = moment()
    for (const who of [app.anon, app.staff]) expect(await at(who, away, gone)).toMatchObject(MISSING)
    for (const then of [first, back]) expect(sure(200, await at(app.anon, away, then)).name).toBe('Was away')
  })

  test('as a place is rounded, whether it is guarded today or was', async () => {
    const exact = { coordinates: '27.6716, 85.4284' }
    const later = await publish(app, 'structures', { name: 'Guarded later', ...exact })
    const free = moment()
    await edit(app.contributor, later, { access_tier: 'community_only' })
    const first = await publish(app, 'structures', { name: 'Guarded first', ...exact, access_tier: 'community_only' })
    const guarded = moment()
    await edit(app.contributor, first, { access_tier: 'restricted' })
    for (const [it, then] of [
      [later, free],
      [first, guarded],
    ] as const) {
      for (const accept of ['application/json', 'application/ld+json', 'application/geo+json']) {
        const { status, text } = await app.other.get(pathOf(it), { query: { at: then }, headers: { accept } })
        expect([status, /6716|4284/.test(text)]).toEqual([200, false])
      }
      const { results } = sure(200, await app.other.get(`${pathOf(it)}history/`))
      expect(JSON.stringify(it === later ? results : results.at(-1))).not.toMatch(/\.6716|\.4284/)
      expect((await at(app.contributor, it, then)).text).toMatch(/27.6716/)
    }
  })

  test('is what a rollback has taken back: it never was', async () => {
    const { at: inProject, projectIn } = await import('../../../harness/projects.ts')
    const it = await contribute(app.contributor, 'structures', { name: 'Taken back' })
    const slug = await projectIn(app, 'merged', [it])
    const merged = moment()
    expect(sure(200, await at(app.anon, it, merged)).name).toBe('Taken back')
    sure(200, await app.domain.post(inProject(slug, 'rollback-merge/')))
    app.tick(1)
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
    const accepted = moment()
    expect(await at(app.anon, it, merged)).toMatchObject(MISSING)
    expect(sure(200, await at(app.anon, it, accepted)).name).toBe('Taken back')
    expect(sure(200, await app.anon.get(`${pathOf(it)}history/`)).count).toBe(1)
  })
})

describe('a list at a moment', () => {
  type Row = { name: string; note: string }
  const list = (who: Persona, query: Record<string, string>) => who.get('/cidoc/guthis/', { query })
  const named = ({ results }: { results: Row[] }) => results.map(({ name, note }) => `${name} ${note}`.trim())
  const marked: Record<string, string> = {}
  beforeAll(async () => {
    const change = async (it: It, body: object) => {
      sure(200, await app.contributor.patch(`/cidoc/guthis/${it.id}/`, { body }))
      sure(201, await decide(app.curator, it, settling))
    }
    const first = await publish(app, 'guthis', { name: 'First', note: 'old' })
    const late = await contribute(app.contributor, 'guthis', { name: 'Late' })
    const closed = await publish(app, 'guthis', { name: 'Closed', access_tier: 'restricted' })
    const away = await publish(app, 'guthis', { name: 'Away' })
    const gone = await publish(app, 'guthis', { name: 'Gone' })
    marked.first = moment()
    await change(first, { note: 'new' })
    sure(201, await decide(app.curator, late, { verdict: 'accept' }))
    await change(closed, { access_tier: 'public' })
    sure(204, await app.staff.delete(`/cidoc/guthis/${away.id}/`))
    sure(204, await app.staff.delete(`/cidoc/guthis/${gone.id}/`))
    marked.second = moment()
    sure(200, await app.staff.post(`/cidoc/guthis/${away.id}/restore/`))
    await publish(app, 'guthis', { name: 'Last' })
    marked.third = moment()
  })

  test('has the records that were public then, as they were, newest first', async () => {
    const seen = async (who: Persona, when: string) => named(sure(200, await list(who, { at: marked[when] ?? '' })))
    expect(await seen(app.anon, 'first')).toEqual(['Away', 'First old'])
    expect(await seen(app.other, 'first')).toEqual(['Away', 'Closed', 'First old'])
    // Nobody may see today what is deleted, staff in no list either.
    expect(await seen(app.staff, 'first')).toEqual(['Away', 'Closed', 'First old'])
    expect(await seen(app.anon, 'second')).toEqual(['Closed', 'Late', 'First new'])
    expect(await seen(app.anon, 'third')).toEqual(['Last', 'Away', 'Closed', 'Late', 'First new'])
    expect(sure(200, await list(app.anon, { at: '2020-01-01' })).results).toEqual([])
  })

  test('is read to its end by its links, each record once', async () => {
    for (const when of ['first', 'second', 'third']) {
      const whole = named(sure(200, await list(app.anon, { at: marked[when] ?? '' })))
      const read: string[] = []
      let page = sure(200, await list(app.anon, { at: marked[when] ?? '', limit: '1' }))
      for (let turn = 0; ; turn += 1) {
        read.push(...named(page))
        expect([page.count >= read.length, page.previous, turn < 9]).toEqual([true, null, true])
        if (!page.next) break
        const { pathname, search } = new URL(page.next)
        page = sure(200, await app.anon.get(pathname + search))
      }
      expect(read).toEqual(whole)
    }
  })

  test('is told as linked data and for maps', async () => {
    const query = { at: marked.first ?? '' }
    for (const accept of ['application/ld+json', 'application/geo+json']) {
      const { status, text } = await app.anon.get('/cidoc/guthis/', { query, headers: { accept } })
      expect([status, text.includes('First'), /Late|Closed|Gone/.test(text)]).toEqual([200, true, false])
    }
  })

  test('is neither narrowed, sorted, skipped into nor made a table', async () => {
    const answer = async (query: Record<string, string>) => {
      const { status, body } = await list(app.anon, { at: marked.third ?? '', ...query })
      return [status, body]
    }
    const narrowed = (names: string) => [
      400,
      { at: [`A list of a past time is not narrowed or sorted: leave out ${names}.`] },
    ]
    expect(await answer({ search: 'first' })).toEqual(narrowed('search'))
    expect(await answer({ near: '27.6,85.4', within: '2', ordering: 'name' })).toEqual(
      narrowed('near, within, ordering'),
    )
    expect(await answer({ offset: '2' })).toEqual([400, { offset: ['Of a past time, follow the links in "next".'] }])
    expect(await answer({ format: 'csv' })).toEqual([
      400,
      { at: ['Tables show the records of today: leave out format or at.'] },
    ])
    expect((await answer({ ordering: '-created_at', limit: '2' }))[0]).toBe(200)
  })

  test('costs a call more for each record of the page that was published anew since', async () => {
    const cost = (when: string) => commandsOf(async () => sure(200, await list(app.anon, { at: marked[when] ?? '' })))
    // The page, its size, and who and what the rows name.
    expect(await cost('third')).toEqual(['QueryCommand', 'BatchGetItemCommand', 'BatchGetItemCommand'])
    expect((await cost('first')).filter((it) => it === 'QueryCommand')).toHaveLength(1 + 3)
    expect((await cost('first')).filter((it) => it === 'BatchGetItemCommand')).toHaveLength(3)
  })
})

describe('an explanation at a moment', () => {
  test('is that of the decision which counted then', async () => {
    const it = await publish(app, 'structures', { name: 'Explained then', condition: 'Good' })
    const first = moment()
    await edit(app.staff, it, { condition: 'Ruinous' }, { verdict: 'accept', conflict_handling: 'supersedes' })
    const explain = async (query: Record<string, string>) =>
      sure(
        200,
        await app.anon.get(`/data/entities/${it.cultural_entity_id}/explain/`, {
          query: { property: 'condition', ...query },
        }),
      ).properties[0]
    expect(await explain({ at: first })).toMatchObject({
      ...{ value: 'Good', rule: 'accepted', rivals: [], decision: { accepted_revision: 1 } },
      standing: { value: 'Good', reconciliation_status: 'accepted' },
    })
    expect(await explain({ at: now() })).toMatchObject({ value: 'Ruinous', rule: 'supersedes' })
    const early = await app.anon.get(`/data/entities/${it.cultural_entity_id}/explain/`, {
      query: { at: '2025-01-01' },
    })
    expect(early).toMatchObject(MISSING)
  })
})

describe('a history', () => {
  const history = (who: Persona, it: It, query: Record<string, string> = {}) =>
    who.get(`${pathOf(it)}history/`, { query })
  const claim = async (who: Persona, it: It, value: string) => {
    app.tick(1)
    const body = { entity_type: 'structure', entity_id: it.id, property: 'condition', value }
    sure(201, await who.post('/cidoc/assertions/', { body }))
    app.tick(1)
  }

  test('says who changed what, who accepted it, and what was before', async () => {
    const it = await publish(app, 'structures', { name: 'Told', existence_status: 'Extant', note: 'A note' })
    await edit(app.contributor, it, { existence_status: 'PartiallyExtant', note: '' })
    const body = sure(200, await history(app.anon, it))
    expect(body).toEqual(
      sure(200, await app.anon.get(`/data/entities/${it.cultural_entity_id}/history/`, { query: {} })),
    )
    expect(body).toMatchObject({ count: 2, next: null, previous: null })
    expect(body.results).toEqual([
      {
        at: now(),
        event: 'changed',
        revision_number: 2,
        author: expect.objectContaining({ username: 'dev' }),
        verdict: 'accept',
        decided_by: expect.objectContaining({ username: 'expert' }),
        note: '',
        changes: [
          { field: 'note', label: 'Note', change: 'removed', before: 'A note', after: null },
          {
            ...{ field: 'existence_status', label: 'Existence', change: 'changed' },
            ...{ before: 'Extant', after: 'Partially Extant', is_correction: true },
          },
        ],
      },
      expect.objectContaining({
        event: 'published',
        changes: expect.arrayContaining([expect.objectContaining({ field: 'name', before: null, after: 'Told' })]),
      }),
    ])
  })

  test('keeps what waited and was refused to those who work on the record', async () => {
    const it = await publish(app, 'structures', { name: 'Refused', note: 'one' })
    app.tick(1)
    sure(200, await app.contributor.patch(pathOf(it), { body: { note: 'hearsay' } }))
    app.tick(1)
    sure(201, await decide(app.community, it, { verdict: 'reject', feedback: 'No source.' }))
    app.tick(1)
    sure(200, await app.contributor.patch(pathOf(it), { body: { note: 'rumour' } }))
    for (const who of [app.anon, app.other]) {
      const { text, body } = await history(who, it)
      expect([body.count, /hearsay|rumour|No source/.test(text)]).toEqual([1, false])
    }
    for (const who of [app.contributor, app.community]) {
      const { results } = sure(200, await history(who, it))
      expect(results.map(({ event, verdict }: { event: string; verdict: string }) => `${event} ${verdict}`)).toEqual([
        ...['sent_in null', 'decided reject', 'sent_in null', 'published accept', 'sent_in null'],
      ])
      expect(results[1]).toMatchObject({ note: 'No source.', decided_by: { username: 'reviewer' }, changes: [] })
      expect(results[0].changes).toEqual([
        { field: 'note', label: expect.any(String), change: 'changed', before: 'hearsay', after: 'rumour' },
      ])
    }
  })

  test('keeps the words to the contributor to those who work on the record', async () => {
    const it = await contribute(app.contributor, 'structures', { name: 'Praised' })
    sure(
      201,
      await decide(app.curator, it, { verdict: 'accept', feedback: 'Well found.', reconciliation_note: 'Seen.' }),
    )
    const note = async (who: Persona) => sure(200, await history(who, it)).results[0].note
    expect([await note(app.contributor), await note(app.community)]).toEqual(['Well found.', 'Well found.'])
    expect([await note(app.anon), await note(app.other)]).toEqual(['Seen.', 'Seen.'])
  })

  test('tells of a time away, and says nothing of what was restricted', async () => {
    const it = await publish(app, 'structures', { name: 'Seldom', access_tier: 'restricted', note: 'Between us' })
    await edit(app.contributor, it, { access_tier: 'public', note: '' })
    app.tick(1)
    sure(204, await app.staff.delete(pathOf(it)))
    app.tick(1)
    sure(200, await app.staff.post(`${pathOf(it)}restore/`))
    const { text, body } = await history(app.anon, it)
    expect(body.results.map(({ event }: { event: string }) => event)).toEqual(['restored', 'deleted', 'published'])
    expect(text).not.toContain('Between us')
    expect((await history(app.other, it)).text).toContain('Between us')
  })

  test('names the claimant as author of a claim that was made apart, and the expert as its judge', async () => {
    const it = await publish(app, 'structures', { name: 'Claimed', condition: 'Good' })
    await claim(app.other, it, 'Ruinous')
    sure(201, await decide(app.domain, it, settling))
    expect(sure(200, await history(app.anon, it)).results).toMatchObject([
      {
        ...{ event: 'changed', revision_number: 2, author: { username: 'other' }, decided_by: { username: 'expert' } },
        changes: [{ field: 'condition', before: 'Good', after: 'Ruinous' }],
      },
      { event: 'published', author: { username: 'dev' } },
    ])
    const query = { entity: it.cultural_entity_id }
    const revisions = sure(200, await app.anon.get('/data/revisions/', { query })).results
    expect(revisions).toMatchObject([{ created_by: { username: 'other' } }, { created_by: { username: 'dev' } }])
    const diff = await app.anon.get(`/data/entities/${it.cultural_entity_id}/diff/`, { query: { from: '1', to: '2' } })
    expect(sure(200, diff).field_diffs).toMatchObject([{ changed_by: { username: 'other' } }])
    // Values of the reviewer are the reviewer's work.
    await claim(app.contributor, it, 'Poor')
    sure(201, await decide(app.domain, it, { ...settling, verdict: 'accept_with_edits', edits: { note: 'Seen' } }))
    expect(sure(200, await history(app.anon, it)).results[0].author).toMatchObject({ username: 'expert' })
  })

  test('names the author of an edit if a claim of somebody else became public with it', async () => {
    const it = await publish(app, 'structures', { name: 'Both', condition: 'Good', note: 'one' })
    await claim(app.other, it, 'Ruinous')
    sure(200, await app.contributor.patch(pathOf(it), { body: { note: 'two' } }))
    app.tick(1)
    sure(201, await decide(app.domain, it, settling))
    expect(sure(200, await history(app.anon, it)).results[0].author).toMatchObject({ username: 'dev' })
  })

  test.each(['disputed', 'existing_stands'])(
    'has no change after %s, only a decision for insiders',
    async (handling) => {
      const it = await publish(app, 'structures', { name: 'Undecided', condition: 'Good' })
      await claim(app.other, it, 'Ruinous')
      sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: handling }))
      const events = async (who: Persona) => {
        const { count, results } = sure(200, await history(who, it))
        return [count, ...results.map(({ event }: { event: string }) => event)]
      }
      for (const who of [app.anon, app.other]) expect(await events(who)).toEqual([1, 'published'])
      const insiders = [3, 'decided', 'published', 'sent_in']
      for (const who of [app.contributor, app.community]) expect(await events(who)).toEqual(insiders)
      expect(sure(200, await history(app.community, it)).results[0]).toMatchObject({
        ...{ revision_number: 1, verdict: 'accept', decided_by: { username: 'expert' }, changes: [] },
      })
    },
  )

  test('does not name a record that its reader may not see', async () => {
    const hidden = await publish(app, 'locations', { name: 'A hidden square', access_tier: 'restricted' })
    const it = await publish(app, 'structures', { name: 'Linked', has_current_location: hidden.id })
    expect((await history(app.anon, it)).text).not.toContain('hidden square')
    expect((await history(app.other, it)).text).toContain('A hidden square')
  })

  test('is paged, and of what is hidden there is none', async () => {
    const it = await publish(app, 'structures', { name: 'Paged', note: '0' })
    for (let i = 1; i < 4; i += 1) await edit(app.contributor, it, { note: String(i) })
    const notes = async (query: Record<string, string>) =>
      sure(200, await history(app.anon, it, query)).results.map(
        (each: { revision_number: number }) => each.revision_number,
      )
    expect([await notes({ limit: '3' }), await notes({ limit: '3', offset: '3' })]).toEqual([[4, 3, 2], [1]])
    sure(204, await app.staff.delete(pathOf(it)))
    for (const who of [app.anon, app.contributor, app.community]) expect(await history(who, it)).toMatchObject(MISSING)
    const waiting = await contribute(app.contributor, 'structures', { name: 'Waits' })
    for (const who of [app.anon, app.other]) expect(await history(who, waiting)).toMatchObject(MISSING)
    expect(sure(200, await history(app.contributor, waiting)).results).toMatchObject([{ event: 'sent_in' }])
  })
})

describe('a moment', () => {
  const malformed = { at: ['Give a date such as 2026-01-31, or a time such as 2026-01-31T18:00:00Z.'] }
  const future = { at: ['This moment has not come yet.'] }
  test.each([
    ...['yesterday', '2025', '2025-1-1', '2025-02-29', '2024-13-01', '2025-01-01T10:00:00', '2025-01-01 10:00:00Z'],
    ...['2025-01-01T24:00:00Z', '2025-01-01T10:60:00Z', '2025-01-01T10:00Z', '2025-01-01T10:00:00+24:00', '20250101'],
  ])('%s is neither a date nor a time', async (text) => {
    const it = await publish(app, 'structures', { name: 'Asked badly' })
    const explain = app.anon.get(`/data/entities/${it.cultural_entity_id}/explain/`, { query: { at: text } })
    for (const { status, body } of [
      await at(app.anon, it, text),
      await app.anon.get('/cidoc/structures/', { query: { at: text } }),
      await explain,
    ])
      expect([status, body]).toEqual([400, malformed])
  })

  test('that has not come yet is refused; today is until now', async () => {
    const it = await publish(app, 'structures', { name: 'Asked early' })
    const today = now().slice(0, 10)
    expect(sure(200, await at(app.anon, it, today)).name).toBe('Asked early')
    for (const text of ['2999-01-01', '2999-01-01T00:00:00Z', new Date(Date.parse(now()) + 1000).toISOString()]) {
      const { status, body } = await at(app.anon, it, text)
      expect([status, body]).toEqual([400, future])
    }
  })

  test('may be in any zone; a date means until its end in UTC', async () => {
    const { momentOf } = await import('../../../../lib/platform/http/moment.ts')
    expect(
      [
        '2024-02-29',
        '2024-02-29T10:00:00.5Z',
        '2024-02-29T10:00:00+05:45',
        '2024-02-29T10:00:00 05:45',
        '2024-02-28t23:00:00-02:00',
      ].map(momentOf),
    ).toEqual(
      [
        ...['2024-02-29T23:59:59.999Z', '2024-02-29T10:00:00.500Z', '2024-02-29T04:15:00.000Z'],
        ...['2024-02-29T04:15:00.000Z', '2024-02-29T01:00:00.000Z'],
      ].map((each) => ({ at: each })),
    )
  })

  test('of which is answered is kept by no cache, and has a tag of its own', async () => {
    const it = await publish(app, 'structures', { name: 'Tagged' })
    const then = moment()
    await edit(app.contributor, it, { name: 'Tagged anew' })
    const old = await at(app.anon, it, then)
    const today = await app.anon.get(pathOf(it))
    expect(old.headers['cache-control']).toBe('private, no-store')
    expect(old.headers.etag).not.toBe(today.headers.etag)
    const headers = { 'if-none-match': String(old.headers.etag) }
    expect((await app.anon.get(pathOf(it), { query: { at: then }, headers })).status).toBe(304)
    sure(204, await app.staff.delete(pathOf(it)))
    expect((await app.anon.get(pathOf(it), { query: { at: then }, headers })).status).toBe(404)
  })
})
