import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { App, Persona } from '../../harness/app.ts'
import { copies, publish, sure } from '../../harness/make.ts'
import { openProjects, projectIn, waitingRecords } from '../../harness/projects.ts'

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
/** So many bytes of a table an answer holds here: a tenth of what it is elsewhere. */
const LARGEST = 400_000
let app: App
beforeAll(async () => {
  app = await openProjects({ LARGEST_TABLE: String(LARGEST) })
})

const rowsIn = (bytes: Uint8Array): string[][] => parse(Buffer.from(bytes), { bom: true, relax_column_count: false })
const asCsv = async (who: Persona, path: string, query: Record<string, string | number> = {}) => {
  const answer = await who.get(path, { query: { ...query, format: 'csv' } })
  expect([path, answer.status, answer.headers['content-type']], answer.text).toEqual([path, 200, 'text/csv'])
  return rowsIn(answer.bytes)
}

type Schema = { entries?: Record<string, Schema>; wrapped?: Schema; item?: Schema; getter?: () => Schema }
function bare(it: Schema | undefined): Schema | undefined {
  const inner = it?.getter?.() ?? it?.wrapped
  return inner ? bare(inner) : it
}
/** Whether a row of this shape has a member under this path. */
const has = (shape: Schema | undefined, [name = '', ...rest]: readonly string[]): boolean => {
  const member = bare(shape)?.entries?.[name]
  return member !== undefined && (rest.length === 0 || has(member, rest))
}

describe('every list', () => {
  test('is a table, of columns that its rows have', async () => {
    const { groups } = await import('../../../api/groups.ts')
    const { declarationOf } = await import('../../../lib/platform/http/endpoint.ts')
    const listColumns: Readonly<Record<string, readonly string[]>> = (
      await import('../../../lib/doors/exports/list-columns.ts')
    ).listColumns
    const lists = Object.values(groups).flatMap(({ routes }) =>
      Object.entries(routes).flatMap(([key, route]) => {
        const { answer, representations = {} } = declarationOf(route)
        return answer[200]?.paged ? [{ key, shape: answer[200].shape, types: representations }] : []
      }),
    )
    expect(lists.length).toBeGreaterThan(25)
    for (const { key, shape, types } of lists) {
      expect([key, Object.keys(types).filter((it) => it === 'text/csv' || it === XLSX)]).toEqual([
        key,
        ['text/csv', XLSX],
      ])
      const row = bare(typeof shape === 'function' ? undefined : (shape as unknown as Schema))?.entries?.results?.item
      for (const name of row ? (listColumns[key] ?? []) : [])
        expect([key, name, has(row, name.split('.'))]).toEqual([key, name, true])
    }
    const known = new Set(Object.values(groups).flatMap(({ routes }) => Object.keys(routes)))
    expect(Object.keys(listColumns).filter((key) => !known.has(key))).toEqual([])
  })

  test('holds as a table the rows that it holds as JSON, for whoever asks', async () => {
    await publish(app, 'structures', { name: 'Nyatapola', note: 'x' })
    await projectIn(app, 'in_review', await waitingRecords(app, 2), { visibility: 'public' })
    sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Survey, of 1982' } }))
    const listColumns: Readonly<Record<string, readonly string[]>> = (
      await import('../../../lib/doors/exports/list-columns.ts')
    ).listColumns
    const lists = Object.keys(listColumns).filter((key) => !/\{|discovery/.test(key))
    let filled = 0
    for (const who of ['anon', 'contributor', 'staff'] as const)
      for (const key of lists) {
        const path = key.replace('GET ', '')
        const query = { ...(path === '/data/search/' && { q: 'nyatapola' }), limit: 100, page_size: 100 }
        const json = await app[who].get(path, { query })
        if (json.status === 500) console.log('FIVE', path, json.text)
        const table = await app[who].get(path, { query: { ...query, format: 'csv' } })
        expect([who, path, table.status]).toEqual([who, path, json.status])
        if (json.status !== 200) continue
        const [head = [], ...rows] = rowsIn(table.bytes)
        expect([path, head, rows.length]).toEqual([path, listColumns[key], json.body.results.length])
        const [id = ''] = head
        expect(rows.map(([first]) => first)).toEqual(
          json.body.results.map((row: Record<string, unknown>) => String(row[id] ?? '')),
        )
        if (rows.length > 0) filled += 1
      }
    expect(filled).toBeGreaterThan(15)
  })
})

describe('a table that is larger than an answer may be', () => {
  beforeAll(async () => {
    const one = await publish(app, 'traditions', { name: 'Large' })
    const note = Array.from({ length: 300 }, () => crypto.randomUUID()).join(' ')
    await copies(one, 100, { data: { name: 'Large', note, description: note } })
  })

  test.each([
    ['/cidoc/traditions/', 'traditions', 'name,note'],
    ['/data/cultural-entities/', 'cultural-entities', 'name,description'],
  ])('lies in the bucket: %s', async (path, name, columns) => {
    // As much as an answer holds comes in it.
    expect((await app.anon.get(path, { query: { format: 'csv', columns: 'name' } })).status).toBe(200)
    const answer = await app.anon.get(path, { query: { format: 'csv', columns } })
    expect([answer.status, answer.text]).toEqual([303, ''])
    const file = await fetch(answer.headers.location ?? '')
    expect([file.status, file.headers.get('content-disposition')]).toEqual([
      200,
      expect.stringContaining(`${name}.csv`),
    ])
    const bytes = new Uint8Array(await file.arrayBuffer())
    expect(bytes.length).toBeGreaterThan(LARGEST)
    const { count } = sure(200, await app.anon.get(path))
    expect(rowsIn(bytes).length).toBe(count + 1)
  })
})

describe('a list as a table', () => {
  test.each([
    [20_000, 0],
    [20_100, 1],
  ])('of %i rows holds the first 20,000, and says whether there are more', async (size, told) => {
    const { tableOf } = await import('../../../lib/doors/exports/whole-list.ts')
    const { gatherWarnings } = await import('../../../lib/platform/http/warnings.ts')
    const results = Array.from({ length: 100 }, () => ({ id: 1 }))
    const handle = ({ page: { offset } }: { page: { offset: number } }) => {
      const next = offset + 100 < size ? `http://localhost/?limit=100&offset=${offset + 100}` : null
      return { results, count: size, next }
    }
    const given = { request: { query: { columns: 'id' }, rawQuery: '' } }
    const warnings: Parameters<typeof gatherWarnings>[0] = []
    const table = () => tableOf('GET /data/comments/', { handle } as never, 'csv', given)
    const { body } = await gatherWarnings(warnings, table)
    expect([rowsIn(body as Uint8Array).length, warnings.length]).toEqual([20_001, told])
  })

  test('is whole, whichever page is asked for, with the columns that are asked for', async () => {
    const one = await publish(app, 'rituals', { name: 'Long list' })
    await copies(one, 230)
    const rows = await asCsv(app.anon, '/data/cultural-entities/', { limit: 5, offset: 3, columns: 'name,entity_id' })
    const { count } = sure(200, await app.anon.get('/data/cultural-entities/'))
    expect([rows[0], rows.length]).toEqual([['name', 'entity_id'], count + 1])
    expect(new Set(rows.map(([, id]) => id)).size).toBe(rows.length)
  })

  test('holds no formula, as text or as a workbook', async () => {
    const name = '=HYPERLINK("http://x.example")'
    await publish(app, 'guthis', { name })
    const csv = await asCsv(app.anon, '/data/cultural-entities/', { columns: 'name' })
    expect(csv.flat().filter((cell) => /^\s*[=+\-@]/.test(cell))).toEqual([])
    expect(csv.flat()).toContain(`'${name}`)
    const book = await app.anon.get('/data/cultural-entities/', { headers: { accept: XLSX } })
    expect([book.status, book.headers['content-type'], book.headers['content-disposition']]).toEqual([
      200,
      XLSX,
      expect.stringContaining('cultural-entities.xlsx'),
    ])
    const { checkWorkbook, readWorkbookRows } = await import('../../../lib/domain/imports/formats/workbook.ts')
    expect(await checkWorkbook(book.bytes)).toMatchObject([
      { name: 'cultural-entities', hidden: false, formulas: 0, formulas_without_values: 0, merged: 0 },
    ])
    expect((await Array.fromAsync(readWorkbookRows(book.bytes, 0))).flat(2)).toContain(name)
  })

  test('is the same workbook at any time, and keeps its tag', async () => {
    const { cultural_entity_id } = await publish(app, 'persons', { name: 'Storied person' })
    // Excel keeps the name of this list to itself.
    const path = `/data/entities/${cultural_entity_id}/history/`
    const read = () => app.staff.get(path, { headers: { accept: XLSX } })
    const first = await read()
    vi.useFakeTimers({ now: Date.now() + 86_400_000, toFake: ['Date'] })
    const later = await read()
    vi.useRealTimers()
    expect([later.status, Buffer.compare(later.bytes, first.bytes)]).toEqual([200, 0])
  })

  test('refuses columns that it has not, by name', async () => {
    const answer = await app.anon.get('/data/activities/', { query: { format: 'csv', columns: 'activity_typ' } })
    expect([answer.status, answer.body]).toEqual([
      400,
      { columns: ['There is no column activity_typ. Did you mean activity_type?'] },
    ])
  })

  test('does not refuse clients that take neither JSON nor tables', async () => {
    const answer = await app.anon.get('/data/activities/', { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
  })
})

test('a format that there is not is refused, for lists of every sort', async () => {
  for (const path of ['/cidoc/persons/', '/data/activities/', '/cidoc/assertions/']) {
    const answer = await app.anon.get(path, { query: { format: 'xml' } })
    expect([path, answer.status, answer.body]).toEqual([
      path,
      400,
      { format: [expect.stringMatching(/Choose one of: json, (?:jsonld, )?csv, xlsx\b/)] },
    ])
    expect((await app.anon.get(path, { query: { format: 'json' } })).status).toBe(200)
  }
})
