import { beforeAll, describe, expect, test } from 'vitest'
import { callerOf, type Send } from '../../local/commands/import/client.ts'
import type { Report, Result } from '../../local/commands/import/report.ts'
import { type Offered, readExchangeLines } from '../../local/commands/import/rows.ts'
import { importRows, type Options } from '../../local/commands/import/run.ts'
import { type App, openApp } from '../harness/app.ts'

let app: App
let sent: string[] = []
beforeAll(async () => {
  app = await openApp()
})

/** The service without a socket. */
const send: Send = async (url, { method, headers, body }) => {
  const { pathname, search } = new URL(url)
  sent.push(`${method} ${pathname}`)
  const reply = await app.anon.send(method, pathname + search, { headers, ...(body !== undefined && { body }) })
  return new Response(reply.text || null, { status: reply.status, headers: reply.headers })
}

async function run(offered: readonly Offered[], options: Partial<Options> = {}): Promise<Report> {
  sent = []
  const settings = { base: 'http://localhost:8000', send }
  return importRows(offered, {
    contributor: callerOf({ email: 'dev@heritage.test' }, settings),
    reviewer: callerOf({ email: 'reviewer@heritage.test' }, settings),
    ...options,
  })
}

const rows = (...given: object[]) => readExchangeLines('test.jsonl', given.map((row) => JSON.stringify(row)).join('\n'))
const writes = () => sent.filter((line) => line.startsWith('POST') && !line.includes('/login/'))
const figures = ({ rows: _, ...rest }: Report) => rest
const nothing = {
  offered: 0,
  created: 0,
  changed: 0,
  already_there: 0,
  refused: 0,
  failed: 0,
  not_reached: 0,
  accepted: 0,
  not_accepted: 0,
  set_aside: 0,
}
const idOf = (report: Report, id: string) => report.rows.find((row) => row.id === id)?.record?.id

describe('rows that name each other', () => {
  const place = { id: 't:place/asan', kind: 'location', name: 'Asan', coordinates: '27.7075,85.3120' }
  const temple = { id: 't:temple', kind: 'structure', name: 'Annapurna Temple', has_current_location: 't:place/asan' }
  const link = {
    id: 't:link',
    kind: 'relationship',
    name: 'Annapurna Temple located_in Asan',
    subject_id: 't:temple',
    subject_kind: 'structure',
    subject_name: 'Annapurna Temple',
    predicate: 'relationship.located_in',
    object_id: 't:place/asan',
    object_kind: 'location',
    object_name: 'Asan',
    source: 'A test',
  }
  let first: Report

  test('may come in any order', async () => {
    first = await run(rows(link, temple, place), { accept: true })
    expect(figures(first)).toEqual({ ...nothing, offered: 3, created: 3, accepted: 3 })
    const found = await app.anon.get(`/cidoc/structures/${idOf(first, 't:temple')}/`)
    expect(found.body.has_current_location).toEqual({ id: idOf(first, 't:place/asan'), name: 'Asan' })
    const claims = await app.anon.get('/cidoc/assertions/', {
      query: { entity_type: 'structure', entity_id: Number(idOf(first, 't:temple')) },
    })
    const relation = claims.body.results.find((it: Result & { id: string }) => it.id === idOf(first, 't:link'))
    expect(relation).toMatchObject({
      asserted_property: 'relationship.located_in',
      asserted_value: 'Asan',
      object_entity_type: 'location',
      object_entity_id: idOf(first, 't:place/asan'),
      reconciliation_status: 'accepted',
    })
  })

  test('a second run creates nothing', async () => {
    const again = await run(rows(place, temple, link), { accept: true })
    expect(figures(again)).toEqual({ ...nothing, offered: 3, already_there: 3 })
    expect(writes()).toEqual([])
    expect(again.rows.map((row) => row.record)).toEqual(
      ['t:place/asan', 't:temple', 't:link'].map((id) => first.rows.find((row) => row.id === id)?.record),
    )
  })

  test('a row finds what an earlier run made', async () => {
    const later = await run(
      rows({
        id: 't:temple-2',
        kind: 'structure',
        name: 'Ganesh Shrine of Asan',
        has_current_location: 't:place/asan',
      }),
    )
    const found = await app.contributor.get(`/cidoc/structures/${idOf(later, 't:temple-2')}/`)
    expect(found.body.has_current_location).toEqual({ id: idOf(first, 't:place/asan'), name: 'Asan' })
  })

  test('an id that names nothing is kept in the note', async () => {
    const report = await run(
      rows({ id: 't:lost', kind: 'syncretic_relationship', name: 'A pair', assigned_to_deity: 'DEY002' }),
    )
    expect(figures(report)).toEqual({ ...nothing, offered: 1, created: 1, set_aside: 1 })
    const found = await app.contributor.get(`/cidoc/syncretic_relationships/${idOf(report, 't:lost')}/`)
    expect(found.body.note).toBe('assigned_to_deity as given: DEY002')
  })

  test('two rows that name one thing nobody has made yet name one record', async () => {
    const of = (n: number) => ({ id: `t:puja-${n}`, kind: 'ritual', name: `Puja ${n}`, start_place: 'Oku Bahal' })
    const report = await run(rows(of(1), of(2), of(3), of(4)))
    const places = await Promise.all(
      report.rows.map(
        async ({ record }) => (await app.contributor.get(`/cidoc/rituals/${record?.id}/`)).body.start_place.id,
      ),
    )
    expect(new Set(places).size).toBe(1)
  })
})

describe('values outside a controlled list', () => {
  const guthi = { id: 't:guthi', kind: 'guthi', name: 'Guthi of Asan', guthi_type: 'Devi_Guthi', note: 'Old.' }

  test('are refused with the legal ones named', async () => {
    const report = await run(rows(guthi))
    expect(figures(report)).toEqual({ ...nothing, offered: 1, refused: 1 })
    expect(report.rows[0]?.reasons).toEqual([
      {
        member: 'guthi_type "Devi_Guthi"',
        reason:
          'Not a valid choice. Choose one of: SiGuthi, JatraGuthi, PujaGuthi, TempleGuthi, NashaGuthi, SanaGuthi, SanGuthi, RajGuthi, Other.',
      },
    ])
  })

  test('go into the note when the run is lenient, and are counted', async () => {
    const report = await run(rows(guthi), { lenient: true })
    expect(figures(report)).toEqual({ ...nothing, offered: 1, created: 1, set_aside: 1 })
    const found = await app.contributor.get(`/cidoc/guthis/${idOf(report, 't:guthi')}/`)
    expect(found.body).toMatchObject({ note: 'Old.\nguthi_type as given: Devi_Guthi', guthi_type: '' })
  })
})

describe('rows that cannot be taken', () => {
  test('each say why', async () => {
    const given = [
      ...rows({ id: 't:x', kind: 'spaceship', name: 'X' }, { kind: 'deity', name: 'No id' }),
      ...readExchangeLines('broken.jsonl', '{"id": "t:y", \n\n{"id":"t:z","kind":"deity","name":"Z","wings":2}'),
      ...readExchangeLines(
        'twice.jsonl',
        '{"id":"t:w","kind":"deity","name":"W"}\n{"id":"t:w","kind":"deity","name":"V"}',
      ),
    ]
    const report = await run(given)
    expect(figures(report)).toEqual({ ...nothing, offered: 6, created: 1, refused: 5 })
    expect(report.rows.map(({ outcome, reasons }) => [outcome, reasons[0]?.reason ?? ''])).toEqual([
      ['refused', expect.stringMatching(/^No kind of record has such rows\. Known are: person, /)],
      ['refused', 'A row needs an id, by which a second run knows it.'],
      ['refused', 'The line is not JSON.'],
      ['refused', 'Rows of the kind deity have no home for this member.'],
      ['created', ''],
      ['refused', 'twice.jsonl:1 has this id and other values.'],
    ])
  })

  test('a create whose answer is lost is not sent twice', async () => {
    let lost = 0
    const losing: Send = async (url, init) => {
      const answer = await send(url, init)
      if (init.method === 'POST' && url.endsWith('/cidoc/deities/') && ++lost <= 2) throw new Error('The line is dead.')
      return answer
    }
    const settings = { base: 'http://localhost:8000', send: losing }
    const given = rows(
      { id: 't:lost-1', kind: 'deity', name: 'Lost 1' },
      { id: 't:lost-2', kind: 'deity', name: 'Lost 2' },
    )
    const report = await run(given, { contributor: callerOf({ email: 'dev@heritage.test' }, settings) })
    expect(figures(report)).toEqual({ ...nothing, offered: 2, created: 2 })
    for (const id of ['t:lost-1', 't:lost-2']) {
      const listed = await app.contributor.get('/cidoc/deities/', { query: { identifier: id } })
      expect(listed.body.count).toBe(1)
    }
  })

  test('a run that is stopped tells what it did not reach', async () => {
    const stop = new AbortController()
    const many = rows(...Array.from({ length: 20 }, (_, n) => ({ id: `t:s${n}`, kind: 'deity', name: `Deity ${n}` })))
    const report = await run(many, { signal: stop.signal, concurrency: 2, advance: () => stop.abort() })
    expect(report.offered).toBe(20)
    expect(report.created).toBeGreaterThan(0)
    expect(report.not_reached).toBeGreaterThan(0)
    expect(report.created + report.not_reached).toBe(20)
    const rest = await run(many)
    expect(figures(rest)).toEqual({
      ...nothing,
      offered: 20,
      created: report.not_reached,
      already_there: report.created,
    })
  })
})

describe('claims about no record', () => {
  const claims = (...ids: string[]) =>
    rows(
      ...ids.map((id) => ({
        id,
        kind: 'assertion',
        name: `Claim ${id}`,
        asserted_property: 'note',
        asserted_value: id,
      })),
    )

  test('are found again by their identifiers, with one call each, also while they wait and without a reviewer', async () => {
    expect(figures(await run(claims('t:loose/1', 't:loose/2')))).toEqual({ ...nothing, offered: 2, created: 2 })
    const again = await run(claims('t:loose/1', 't:loose/2', 't:loose/3'), { reviewer: undefined })
    expect(figures(again)).toEqual({ ...nothing, offered: 3, created: 1, already_there: 2 })
    expect(sent.filter((line) => line === 'GET /cidoc/assertions/')).toHaveLength(3)
  })
})
