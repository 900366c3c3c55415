import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp, type Persona } from '../../harness/app.ts'
import { followTable } from '../../harness/following.ts'
import { atOnce, contribute, decide, everyState, publish, sure } from '../../harness/make.ts'

let app: App
beforeAll(async () => {
  app = await openApp()
})

const notFound = { detail: 'Not found.' }
const refused = { detail: 'You do not have permission to perform this action.' }
const noRecord = { entity: ['There is no record with this id.'] }
type Made = { id: number; cultural_entity_id: string }
type Row = { id: string | null; entity: string | null; flag_type: string; is_resolved: boolean; created_at: string }

const raise = (who: Persona, it: Pick<Made, 'cultural_entity_id'>, body: object = {}) =>
  who.post('/data/review-flags/', {
    body: { entity: it.cultural_entity_id, flag_type: 'questionable_source', reason: 'No such page.', ...body },
  })
const at = (id: string) => `/data/review-flags/${id}/`
const resolve = (who: Persona, id: string) => who.post(`${at(id)}resolve/`)
const list = async (who: Persona, query: Record<string, string | number> = {}) =>
  sure(200, await who.get('/data/review-flags/', { query: { limit: 100, ...query } }))
const headOf = async (it: Pick<Made, 'cultural_entity_id'>) => {
  const { loadRecordById } = await import('../../../lib/domain/records/write.ts')
  const found = await loadRecordById(it.cultural_entity_id)
  return { open_flags: found?.open_flags, open_contradictions: found?.open_contradictions }
}
let names = 0
const published = () => publish(app, 'structures', { name: `Flagged ${++names}` })
const pending = () => contribute(app.contributor, 'structures', { name: `Flagged ${++names}` })

describe('raising a flag', () => {
  test('answers the whole flag, counts it on the record and tells the feed', async () => {
    const it = await published()
    const row = sure(201, await raise(app.other, it))
    expect(row).toEqual({
      id: expect.any(String),
      entity: it.cultural_entity_id,
      entity_id: it.cultural_entity_id,
      entity_name: `Flagged ${names}`,
      entity_category: 'monument',
      flag_type: 'questionable_source',
      reason: 'No such page.',
      flagged_by: expect.objectContaining({ username: 'other', email: '' }),
      property: null,
      assertion_ids: [],
      other_entity_id: null,
      other: null,
      is_resolved: false,
      resolved_by: null,
      resolved_at: null,
      created_at: '2025-01-15T10:00:00.000Z',
    })
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 0 })
    const { results } = (await app.curator.get('/data/activities/', { query: { activity_type: 'flagged' } })).body
    expect(results[0]).toMatchObject({ entity_id: it.cultural_entity_id, comment: 'No such page.' })
    expect(results[0].user.username).toBe('other')
  })

  test('of a contradiction is counted as one too', async () => {
    const it = await published()
    sure(201, await raise(app.community, it, { flag_type: 'contradiction' }))
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 1 })
  })

  test('needs a caller', async () => {
    expect((await raise(app.anon, await published())).status).toBe(401)
  })

  test('is for those who see or review the record; for others there is no such record', async () => {
    const it = await pending()
    const reply = await raise(app.other, it)
    expect([reply.status, reply.body]).toEqual([400, noRecord])
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
    for (const who of [app.contributor, app.community, app.staff]) sure(201, await raise(who, it))
  })

  test('on what is deleted or was never there is refused, for staff too', async () => {
    const it = await published()
    sure(204, await app.staff.delete(`/cidoc/structures/${it.id}/`))
    for (const cultural_entity_id of [it.cultural_entity_id, crypto.randomUUID()]) {
      const reply = await raise(app.staff, { cultural_entity_id })
      expect([reply.status, reply.body]).toEqual([400, noRecord])
    }
  })

  test('twice is refused while the first is open; another type, person or record is not a twin', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it))
    const reply = await raise(app.other, it)
    expect([reply.status, reply.body]).toEqual([
      400,
      { non_field_errors: ['A flag of this type, raised by the same person, is open on this record.'] },
    ])
    sure(201, await raise(app.other, it, { flag_type: 'other' }))
    sure(201, await raise(app.community, it))
    sure(201, await raise(app.other, await published()))
    expect(await headOf(it)).toEqual({ open_flags: 3, open_contradictions: 0 })
    sure(200, await resolve(app.other, id))
    sure(201, await raise(app.other, it))
  })

  test('twice at once succeeds once', async () => {
    const it = await published()
    const replies = await atOnce([1, 2].map(() => () => raise(app.other, it)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([201, 400])
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 0 })
  })

  test('by several people at once succeeds for all', async () => {
    const it = await published()
    const replies = await atOnce([app.other, app.community, app.domain].map((who) => () => raise(who, it)))
    expect(replies.map((reply) => reply.status)).toEqual([201, 201, 201])
    expect(await headOf(it)).toEqual({ open_flags: 3, open_contradictions: 0 })
  })

  test('cannot be done in the name of others, or resolved', async () => {
    const more = { flagged_by: 'x', is_resolved: true, created_at: '1999', id: 'x', version: 7 }
    const row = sure(201, await raise(app.other, await published(), more))
    expect(row).toMatchObject({ is_resolved: false, created_at: '2025-01-15T10:00:00.000Z' })
    expect(row.flagged_by.username).toBe('other')
  })

  const types =
    'questionable_source, suspected_duplicate, sensitive_content, low_confidence, stale_review, contradiction, other'
  test.each([
    [{ entity: 'x' }, { entity: ['Not a valid UUID.'] }],
    [{ entity: null }, { entity: ['This field is required.'] }],
    [{ flag_type: 'ugly' }, { flag_type: [`Not a valid choice. Choose one of: ${types}.`] }],
    [{ flag_type: null }, { flag_type: ['This field is required.'] }],
    [{ reason: 'x'.repeat(5001) }, { reason: ['Ensure this field has no more than 5000 characters.'] }],
    [{ reason: '\u0000' }, { reason: ['Control characters are not allowed.'] }],
  ])('with %j is refused, and nothing is written', async (body, fields) => {
    const it = await published()
    const reply = await raise(app.other, it, body)
    expect([reply.status, reply.body]).toEqual([400, fields])
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
  })
})

describe('a flag', () => {
  test('is read by those who see or review its record, and told apart from nothing for others', async () => {
    const it = await pending()
    const { id } = sure(201, await raise(app.community, it))
    for (const who of [app.contributor, app.domain, app.staff]) expect((await who.get(at(id))).body.id).toBe(id)
    const reply = await app.other.get(at(id))
    expect([reply.status, reply.body]).toEqual([404, notFound])
    expect((await app.anon.get(at(id))).status).toBe(401)
    expect((await app.staff.get(at(crypto.randomUUID()))).status).toBe(404)
    expect((await app.staff.get(at('x'))).status).toBe(404)
  })

  test('says its reason to those who work on the record and to whoever raised it', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it))
    const reader = await someone('reader')
    expect((await reader.get(at(id))).body).toMatchObject({ id, reason: '', flag_type: 'questionable_source' })
    for (const who of [app.other, app.contributor, app.community])
      expect((await who.get(at(id))).body.reason).toBe('No such page.')
  })

  test('costs one read beside its names', async () => {
    const { id } = sure(201, await raise(app.other, await published()))
    const base = (await app.other.get('/data/testme/')).cost.calls
    expect((await app.other.get(at(id))).cost.calls - base).toBe(1)
  })
})

describe('the flags of the conflict check', () => {
  test('name the other record to those who may see it, and the service as who raised them', async () => {
    const hidden = await contribute(app.other, 'structures', { name: 'Nyatapola of Bhaktapur' })
    const it = await contribute(app.contributor, 'structures', { name: 'Nyatapola of Bhaktapur' })
    const [row] = (await list(app.community, { entity: it.cultural_entity_id })).results
    const system = { id: null, username: 'system', email: '', first_name: '', last_name: '' }
    expect(row).toMatchObject({
      flag_type: 'suspected_duplicate',
      flagged_by: system,
      other_entity_id: hidden.cultural_entity_id,
      other: {
        entity_id: hidden.cultural_entity_id,
        kind: 'structure',
        id: hidden.id,
        name: 'Nyatapola of Bhaktapur',
      },
    })
    expect(row.reason).toContain('Nyatapola')
    expect((await app.contributor.get(at(row.id))).status).toBe(404)
    expect(await list(app.contributor, { entity: it.cultural_entity_id })).toMatchObject({ count: 0, results: [] })
  })

  test('tell which claims contradict each other to those who work on the record only', async () => {
    const it = await publish(app, 'structures', { name: 'Contested', construction_date: '1700' })
    const body = { entity_type: 'structure', entity_id: it.id, property: 'construction_date', value: '1900' }
    sure(201, await app.community.post('/cidoc/assertions/', { body }))
    const flagsFor = async (who: Persona) =>
      (await list(who, { entity: it.cultural_entity_id, flag_type: 'contradiction' })).results
    expect(await flagsFor(app.contributor)).toMatchObject([
      { property: 'construction_date', assertion_ids: [expect.any(String), expect.any(String)] },
    ])
    expect(await flagsFor(app.other)).toEqual([])
  })
})

describe('resolving', () => {
  test('is for whoever raised it and for reviewers', async () => {
    const it = await published()
    const first = sure(201, await raise(app.other, it))
    expect(sure(200, await resolve(app.other, first.id))).toMatchObject({
      id: first.id,
      is_resolved: true,
      resolved_by: expect.objectContaining({ username: 'other' }),
      resolved_at: '2025-01-15T10:00:00.000Z',
    })
    for (const who of [app.community, app.domain, app.curator, app.staff]) {
      const { id } = sure(201, await raise(app.other, it))
      sure(200, await resolve(who, id))
    }
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
  })

  test('is refused to others who see the record, its contributor too', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.community, it, { flag_type: 'contradiction' }))
    for (const who of [app.other, app.contributor]) {
      const reply = await resolve(who, id)
      expect([reply.status, reply.body]).toEqual([403, refused])
    }
    expect((await resolve(app.anon, id)).status).toBe(401)
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 1 })
  })

  test('is refused to a reviewer on a record of their own', async () => {
    const it = await contribute(app.community, 'structures', { name: 'A reviewer wrote this' })
    const { id } = sure(201, await raise(app.domain, it))
    for (const [method, path] of [
      ['POST', `${at(id)}resolve/`],
      ['DELETE', at(id)],
      ['PATCH', at(id)],
    ] as const)
      expect((await app.community.send(method, path, { body: {} })).status).toBe(403)
    sure(200, await resolve(app.domain, id))
  })

  test('of what others may not see finds nothing', async () => {
    const { id } = sure(201, await raise(app.community, await pending()))
    const reply = await resolve(app.other, id)
    expect([reply.status, reply.body]).toEqual([404, notFound])
  })

  test('twice is a conflict, also at once', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it, { flag_type: 'contradiction' }))
    const replies = await atOnce([app.curator, app.domain].map((who) => () => resolve(who, id)))
    expect(replies.map((reply) => reply.status).sort()).toEqual([200, 409])
    const again = await resolve(app.curator, id)
    expect([again.status, again.body]).toEqual([409, { detail: 'This flag is resolved already.' }])
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
  })

  test('several flags of one record at once resolves all', async () => {
    const it = await published()
    const made = []
    for (const flag_type of ['other', 'low_confidence', 'contradiction'])
      made.push(sure(201, await raise(app.other, it, { flag_type })))
    const replies = await atOnce(
      made.map(
        ({ id }) =>
          () =>
            resolve(app.domain, id),
      ),
    )
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200])
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
  })

  test('a contradiction takes who may settle it, or whoever raised the flag', async () => {
    const it = await pending()
    const { id } = sure(201, await raise(app.domain, it, { flag_type: 'contradiction' }))
    const takesExpert = { detail: 'Settling a contradiction takes at least a domain expert.' }
    // Resolving, deleting or renaming the flag would each let a community reviewer accept without a handling.
    for (const [method, path, body] of [
      ['POST', `${at(id)}resolve/`, {}],
      ['DELETE', at(id), {}],
      ['PATCH', at(id), { is_resolved: true }],
      ['PATCH', at(id), { flag_type: 'other' }],
      ['PUT', at(id), { flag_type: 'other' }],
    ] as const) {
      const reply = await app.community.send(method, path, { body })
      expect([reply.status, reply.body]).toEqual([403, takesExpert])
    }
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 1 })
    sure(200, await resolve(app.domain, id))

    const withdrawn = sure(201, await raise(app.community, it, { flag_type: 'contradiction' }))
    sure(200, await resolve(app.community, withdrawn.id))
    const again = sure(201, await raise(app.community, it, { flag_type: 'contradiction' }))
    sure(204, await app.community.delete(at(again.id)))
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
  })

  test('a contradiction that an edit raised takes a domain expert', async () => {
    const it = await publish(app, 'structures', { name: `Flagged ${++names}`, condition: 'Good' })
    sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { condition: 'Ruinous' } }))
    const { results } = await list(app.community, { entity: it.cultural_entity_id, is_resolved: 'false' })
    expect((await resolve(app.community, results[0].id)).status).toBe(403)
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(403)
    sure(200, await resolve(app.domain, results[0].id))
    sure(201, await decide(app.community, it, { verdict: 'accept' }))
  })

  test('the claims of a contradiction take who may settle it, and a claim that waits does not stand though it was superseded', async () => {
    const it = await publish(app, 'structures', { name: `Flagged ${++names}`, condition: 'Good' })
    sure(200, await app.staff.patch(`/cidoc/structures/${it.id}/`, { body: { condition: 'Ruinous' } }))
    const about = { cultural_entity_id: it.cultural_entity_id, asserted_property: 'condition' }
    const { results } = sure(200, await app.domain.get('/cidoc/assertions/', { query: about }))
    const claimOf = (value: string) => results.find((one: { value: string }) => one.value === value).id
    const settle = (who: Persona, value: string, reconciliation_status: string) =>
      who.patch(`/cidoc/assertions/${claimOf(value)}/`, { body: { reconciliation_status } })
    for (const value of ['Good', 'Ruinous'])
      for (const status of ['superseded', 'accepted', 'disputed'])
        expect(await settle(app.community, value, status), `${value} ${status}`).toMatchObject({
          status: 403,
          body: { detail: 'Settling a contradiction takes at least a domain expert.' },
        })

    // An expert refuses the new value. Whoever accepts the edit afterwards still has to say what stands.
    sure(200, await settle(app.domain, 'Ruinous', 'superseded'))
    expect((await decide(app.community, it, { verdict: 'accept' })).status).toBe(403)
    expect((await decide(app.domain, it, { verdict: 'accept' })).status).toBe(400)
    sure(201, await decide(app.domain, it, { verdict: 'accept', conflict_handling: 'existing_stands' }))
    expect(sure(200, await app.anon.get(`/cidoc/structures/${it.id}/`)).condition).toBe('Good')
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
    sure(200, await settle(app.community, 'Ruinous', 'disputed'))
  })

  test('a contradiction lets its record be accepted without more words', async () => {
    const it = await pending()
    const { id } = sure(201, await raise(app.community, it, { flag_type: 'contradiction' }))
    expect((await decide(app.curator, it, { verdict: 'accept' })).status).toBe(400)
    sure(200, await resolve(app.curator, id))
    sure(201, await decide(app.curator, it, { verdict: 'accept' }))
  })
})

test('the queue follows the flags of what waits', async () => {
  const it = await pending()
  const row = async () => (await app.curator.get(`/data/review-queue/${it.cultural_entity_id}/`)).body
  const isIn = async (queue_type: string) => {
    const { results } = (await app.curator.get('/data/review-queue/', { query: { queue_type, limit: 100 } })).body
    return results.some((one: { entity_id: string }) => one.entity_id === it.cultural_entity_id)
  }
  const queues = async () => [await isIn('flagged'), await isIn('conflicts')]
  expect(await queues()).toEqual([false, false])
  const doubt = sure(201, await raise(app.community, it))
  expect(await queues()).toEqual([true, false])
  const rival = sure(201, await raise(app.community, it, { flag_type: 'contradiction' }))
  expect(await queues()).toEqual([false, true])
  expect(await row()).toMatchObject({ flag_count: 2, has_conflicts: true })
  sure(200, await resolve(app.curator, rival.id))
  sure(204, await app.curator.delete(at(doubt.id)))
  expect(await queues()).toEqual([false, false])
  expect(await row()).toMatchObject({ flag_count: 0, has_conflicts: false })
})

describe('changing a flag', () => {
  test('is not for whoever raised it, who may withdraw or resolve it', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it))
    const body = { flag_type: 'contradiction', reason: 'Page 7.' }
    for (const method of ['PUT', 'PATCH']) {
      expect((await app.other.send(method, at(id), { body })).status).toBe(403)
      expect((await app.contributor.delete(at(id))).status).toBe(403)
    }
    expect(sure(200, await app.community.patch(at(id), { body }))).toMatchObject(body)
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 1 })
    expect(sure(200, await app.domain.put(at(id), { body: { flag_type: 'other' } }))).toMatchObject({ reason: '' })
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 0 })
    sure(204, await app.other.delete(at(id)))
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
    const again = sure(201, await raise(app.other, it))
    sure(200, await resolve(app.other, again.id))
    expect((await app.other.delete(at(again.id))).status).toBe(403)
  })

  test('is for reviewers, who may also resolve and open it', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it, { flag_type: 'contradiction' }))
    const settled = sure(200, await app.domain.patch(at(id), { body: { is_resolved: true } }))
    expect(settled).toMatchObject({ is_resolved: true, resolved_at: '2025-01-15T10:00:00.000Z' })
    expect(settled.resolved_by.username).toBe('expert')
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
    sure(200, await app.community.patch(at(id), { body: { flag_type: 'other' } }))
    const reopened = sure(200, await app.community.patch(at(id), { body: { is_resolved: false } }))
    expect(reopened).toMatchObject({ is_resolved: false, resolved_by: null, resolved_at: null })
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 0 })
  })

  test('is refused to others', async () => {
    const { id } = sure(201, await raise(app.other, await published()))
    for (const method of ['PUT', 'PATCH']) {
      expect((await app.contributor.send(method, at(id), { body: { flag_type: 'other' } })).status).toBe(403)
      expect((await app.anon.send(method, at(id), { body: { flag_type: 'other' } })).status).toBe(401)
    }
  })

  test('does not move it to another record, and makes no twin', async () => {
    const [it, another] = [await published(), await published()]
    const { id } = sure(201, await raise(app.other, it))
    sure(201, await raise(app.other, it, { flag_type: 'other' }))
    const body = { entity: another.cultural_entity_id, reason: 'Moved?' }
    expect(sure(200, await app.community.patch(at(id), { body })).entity).toBe(it.cultural_entity_id)
    expect((await app.community.patch(at(id), { body: { flag_type: 'other' } })).status).toBe(400)
    sure(200, await resolve(app.other, id))
    sure(201, await raise(app.other, it))
    expect((await app.community.patch(at(id), { body: { is_resolved: false } })).status).toBe(400)
    expect(await headOf(it)).toEqual({ open_flags: 2, open_contradictions: 0 })
  })

  test('over a version that is no longer the current one is refused', async () => {
    const { id } = sure(201, await raise(app.other, await published()))
    const { etag = '' } = (await app.community.get(at(id))).headers
    const write = () => app.community.patch(at(id), { body: { reason: 'New' }, headers: { 'if-match': etag } })
    expect((await write()).status).toBe(200)
    expect((await write()).status).toBe(412)
  })
})

describe('deleting a flag', () => {
  test('is for reviewers, and takes it out of every count', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it, { flag_type: 'contradiction' }))
    const before = (await list(app.staff)).count
    expect((await app.contributor.delete(at(id))).status).toBe(403)
    expect((await app.anon.delete(at(id))).status).toBe(401)
    sure(204, await app.domain.delete(at(id)))
    expect(await headOf(it)).toEqual({ open_flags: 0, open_contradictions: 0 })
    expect((await list(app.staff)).count).toBe(before - 1)
    expect((await app.staff.get(at(id))).status).toBe(404)
  })

  test('that is resolved leaves the counts of the record', async () => {
    const it = await published()
    const { id } = sure(201, await raise(app.other, it))
    sure(201, await raise(app.other, it, { flag_type: 'other' }))
    sure(200, await resolve(app.other, id))
    sure(204, await app.staff.delete(at(id)))
    expect(await headOf(it)).toEqual({ open_flags: 1, open_contradictions: 0 })
  })
})

describe('the list of flags', () => {
  test('needs a caller', async () => {
    expect((await app.anon.get('/data/review-flags/')).status).toBe(401)
  })

  test('is newest first, and counted exactly under each filter', async () => {
    const whole = await list(app.staff)
    expect(whole.count).toBe(whole.results.length)
    const times = whole.results.map((row: Row) => row.created_at)
    expect(times).toEqual([...times].sort().reverse())
    const fits: [Record<string, string>, (row: Row) => boolean][] = [
      [{ flag_type: 'contradiction' }, (row) => row.flag_type === 'contradiction'],
      [{ is_resolved: 'true' }, (row) => row.is_resolved],
      [{ is_resolved: 'false' }, (row) => !row.is_resolved],
      [
        { flag_type: 'contradiction', is_resolved: 'true' },
        (row) => row.flag_type === 'contradiction' && row.is_resolved,
      ],
    ]
    for (const [query, fit] of fits) {
      const { count, results } = await list(app.staff, query)
      expect(results).toEqual(whole.results.filter(fit))
      expect(count).toBe(results.length)
      expect(count).toBeGreaterThan(0)
    }
    expect(await list(app.staff, { flag_type: 'ugly' })).toEqual({
      ...{ count: 0, next: null, previous: null, results: [] },
      warnings: [{ member: 'flag_type', message: expect.stringMatching(/^Not a valid choice\. /) }],
    })
  })

  test('of one record is paged, and filtered', async () => {
    const it = await published()
    for (const flag_type of ['other', 'low_confidence', 'contradiction']) {
      app.tick(1)
      sure(201, await raise(app.other, it, { flag_type }))
    }
    const entity = it.cultural_entity_id
    const first = await list(app.other, { entity, limit: 2 })
    expect([first.count, first.results.map((row: Row) => row.flag_type)]).toEqual([
      3,
      ['contradiction', 'low_confidence'],
    ])
    const { pathname, search } = new URL(first.next)
    expect((await app.other.get(pathname + search)).body.results.map((row: Row) => row.flag_type)).toEqual(['other'])
    expect((await list(app.other, { entity, flag_type: 'other', is_resolved: 'false' })).count).toBe(1)
  })

  test('of a record that the caller may not see is empty', async () => {
    const it = await pending()
    sure(201, await raise(app.community, it))
    const entity = it.cultural_entity_id
    const nothing = { count: 0, next: null, previous: null, results: [] }
    expect(await list(app.other, { entity })).toEqual(nothing)
    expect(await list(app.other, { entity: 'x' })).toEqual(nothing)
    expect((await list(app.contributor, { entity })).count).toBe(1)
  })

  const seen = {
    other: ['published', 'restricted'],
    contributor: ['pending', 'published', 'rejected', 'restricted', 'revising'],
    community: ['pending', 'published', 'rejected', 'restricted', 'revising'],
    staff: ['deleted', 'pending', 'published', 'rejected', 'restricted', 'revising'],
  } as const
  test('holds what belongs to records that the caller may see, and counts nothing else', async () => {
    const following = await followTable()
    const { deleted: _, ...sights } = await everyState(app, 'monuments')
    const deleted = await publish(app, 'monuments', { name: 'Sight deleted' })
    for (const it of [...Object.values(sights), deleted])
      sure(201, await raise(app.community, it, { flag_type: 'stale_review', reason: 'A secret.' }))
    sure(204, await app.staff.delete(`/cidoc/monuments/${deleted.id}/`))
    await following.settled()
    for (const who of ['other', 'contributor', 'community', 'staff'] as const) {
      const { count, results } = await list(app[who], { flag_type: 'stale_review' })
      expect(results.map((row: { entity_name: string }) => row.entity_name.replace('Sight ', '')).sort()).toEqual(
        seen[who],
      )
      expect(count).toBe(seen[who].length)
      for (const is_resolved of ['true', 'false']) {
        const half = await list(app[who], { flag_type: 'stale_review', is_resolved })
        expect(half.count).toBe(is_resolved === 'true' ? 0 : count)
        expect(half.results).toEqual(is_resolved === 'true' ? [] : results)
      }
    }
  })

  test('tells others nothing of what was raised while an edit waited, but by themselves', async () => {
    const it = await published()
    sure(200, await app.contributor.patch(`/cidoc/structures/${it.id}/`, { body: { note: 'Waits' } }))
    const inside = sure(201, await raise(app.community, it))
    const outside = sure(201, await raise(app.other, it))
    const of = async (who: Persona) =>
      (await list(who, { entity: it.cultural_entity_id })).results.map((row: Row) => row.id).sort()
    expect(await of(app.other)).toEqual([outside.id])
    for (const who of [app.contributor, app.domain, app.staff])
      expect(await of(who)).toEqual([inside.id, outside.id].sort())
    expect((await app.other.get(at(inside.id))).status).toBe(404)
    expect((await app.contributor.get(at(inside.id))).status).toBe(200)
  })

  test.each([
    ['other', {}, 4],
    ['community', {}, 4],
    ['staff', {}, 5],
    ['staff', { is_resolved: 'false' }, 5],
    ['staff', { flag_type: 'other', is_resolved: 'true' }, 5],
  ] as const)(
    'costs %s with %j a call for each audience and one more, however long it is',
    async (who, query, calls) => {
      const base = (await app[who].get('/data/testme/')).cost.calls
      expect((await app[who].get('/data/review-flags/', { query: { limit: 100, ...query } })).cost.calls - base).toBe(
        calls,
      )
    },
  )
})

/** Someone who has just signed up. */
async function someone(username: string): Promise<Persona> {
  const password = 'correct horse battery'
  sure(201, await app.anon.post('/api/register/', { body: { username, email: `${username}@example.org`, password } }))
  return app.as(sure(200, await app.anon.post('/api/token/', { body: { username, password } })).access)
}
