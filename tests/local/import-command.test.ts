import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../harness/app.ts'
import { openCommand } from '../harness/import-command.ts'
import { csv, xlsx } from '../harness/imports.ts'
import { publish, sure } from '../harness/make.ts'

/** The command as operators type it. */

let app: App
let operator: Awaited<ReturnType<typeof openCommand>>
beforeAll(async () => {
  app = await openApp({ env: { RATE_IMPORTS: '1000/day', RATE_IMPORT_ROWS: '1000000/day', LOG_LEVEL: 'silent' } })
  operator = await openCommand()
})
afterAll(() => operator.stop())

const file = (name: string, bytes: string | Uint8Array) => operator.file(name, bytes)
const rows = (...given: object[]) => file('rows.jsonl', given.map((it) => JSON.stringify(it)).join('\n'))
const command = (...args: string[]) => operator.command(...args)
/** What is said beside how far it is, which a slow machine is told every five seconds. */
const complaints = (err: string) => err.replace(/^\S+ \w+ \d+\/\d+.*\n/gm, '')
const last = (out: string) => out.trim().split('\n').slice(-3)
const mine = async (path: string, query: Record<string, string> = {}) =>
  sure(200, await app.contributor.get(path, { query })).results

describe('exchange files', () => {
  const place = { id: 'c:place/asan', kind: 'location', name: 'Asan', coordinates: '27.7075,85.3120' }
  const temple = {
    ...{ id: 'c:temple', kind: 'structure', name: 'Annapurna Temple', has_current_location: 'c:place/asan' },
    ...{ alternate_names: ['Ajima, the', 'Asan Ajima'], source: 'A test', license: 'CC0-1.0', number_of_roofs: '3' },
  }
  const link = {
    ...{ id: 'c:link', kind: 'relationship', name: 'Annapurna Temple located_in Asan' },
    ...{ subject_id: 'c:temple', subject_kind: 'structure', subject_name: 'Annapurna Temple' },
    ...{
      predicate: 'relationship.located_in',
      object_id: 'c:place/asan',
      object_kind: 'location',
      object_name: 'Asan',
    },
  }

  test('are tried, and nothing is written', async () => {
    const { number_of_roofs: _, ...fine } = temple
    const { code, out, err } = await command(await rows(link, fine, place), '--dry-run')
    expect([code, complaints(err)]).toEqual([0, ''])
    expect(last(out)).toEqual([
      expect.stringMatching(/^file +offered +new +changes +there +refused +failed +not reached$/),
      expect.stringMatching(/rows\.jsonl +3 +2 +0 +0 +0 +0 +1$/),
      'set aside in notes 0',
    ])
    expect(await mine('/cidoc/locations/', { identifier: place.id })).toEqual([])
  })

  test('are tried, and each doubt is printed with row, column, value and sentence', async () => {
    const name = `Jagannath Mandir ${crypto.randomUUID()}`
    const twin = (id: string) => ({ id, kind: 'structure', name, coordinates: '27.7075,85.3120' })
    const { code, out } = await command(await rows(twin('c:twin-1'), twin('c:twin-2')), '--dry-run')
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => line.startsWith('doubtful'))).toEqual([
      expect.stringMatching(
        /^doubtful {2}\S*rows\.jsonl:2 {2}c:twin-2 {2}name ".+": It has the same name as c:twin-1 \(\S+\)\.$/,
      ),
    ])
  })

  test('become one batch for each kind, those first that others name; what has no home is told', async () => {
    const refused = await command(await rows(temple))
    expect(refused.code).toBe(0)
    expect(refused.out).toContain('number_of_roofs: Rows of the kind structure have no home for this member.')
    const path = await rows(link, temple, place)
    const report = join(operator.directory, 'report.json')
    const { code, out, err } = await command(path, '--accept', '--lenient', '--report', report)
    expect([code, complaints(err)]).toEqual([0, ''])
    expect(last(out).slice(1)).toEqual([
      expect.stringMatching(/rows\.jsonl +3 +3 +0 +0 +0 +0 +0$/),
      'accepted 3, set aside in notes 1',
    ])
    const kept = JSON.parse(await readFile(report, 'utf8'))
    const made = kept.rows.find((row: { id: string }) => row.id === temple.id).record
    const shown = sure(200, await app.anon.get(`/cidoc/structures/${made.id}/`))
    const [asan] = sure(200, await app.anon.get('/cidoc/locations/', { query: { identifier: place.id } })).results
    expect(shown).toMatchObject({
      identifier: temple.id,
      alternate_names: ['Ajima, the', 'Asan Ajima'],
      has_current_location: { id: asan.id, name: 'Asan' },
      note: 'number_of_roofs as given: 3',
    })
    const named = shown.assertions.find((it: { asserted_property: string }) => it.asserted_property === 'name')
    expect(named).toMatchObject({ source_citation: 'A test', data_quality_note: 'license: CC0-1.0' })
  })

  test('make nothing twice, and leave what is there', async () => {
    const before = await mine('/data/imports/')
    const { code, out } = await command(await rows(link, { ...temple, name: 'Another name' }, place), '--lenient')
    expect(code).toBe(0)
    expect(last(out)[1]).toMatch(/rows\.jsonl +3 +0 +0 +3 +0 +0 +0$/)
    const [shown] = sure(200, await app.anon.get('/cidoc/structures/', { query: { identifier: temple.id } })).results
    expect(shown.name).toBe('Annapurna Temple')
    expect((await mine('/data/imports/')).length).toBe(before.length + 2)
  })

  test('name a record once, however many of their rows name it', async () => {
    const of = (n: number) => ({ id: `c:puja-${n}`, kind: 'ritual', name: `Puja ${n}`, start_place: 'Oku Bahal' })
    const { code, out } = await command(await rows(of(1), of(2), of(3), of(4), of(5)))
    expect([code, last(out)[1]]).toEqual([0, expect.stringMatching(/rows\.jsonl +5 +5 +0 +0 +0 +0 +0$/)])
    const places = (await mine('/cidoc/locations/', { mine: '1' })).filter(
      (it: { name: string }) => it.name === 'Oku Bahal',
    )
    expect(places.length).toBe(1)
  })
})

describe('tables as people have them', () => {
  const shrines = () => [
    ['Temple name', 'Year built', 'Condition', 'Whatever'],
    [`Shrine ${crypto.randomUUID()}`, 1702, 'Fair', 'x'],
    [`Shrine ${crypto.randomUUID()}`, 1703, 'Fare', 'y'],
  ]

  test('are mapped, tried and run; what is refused says why', async () => {
    const { code, out, err } = await command(await file('temples.xlsx', await xlsx(shrines())))
    expect(code).toBe(0)
    expect(err).toContain('temples.xlsx: rows of the kind Architectural Structure, known again by name and place.')
    expect(err).toContain('temples.xlsx: not understood by itself: Whatever.')
    expect(out).toMatch(/^refused {2}\d+-temples\.xlsx:3 .* Condition "Fare": Not a valid choice\. Choose one of: /)
    expect(last(out)[1]).toMatch(/temples\.xlsx +2 +1 +0 +0 +1 +0 +0$/)
  })

  test('are mapped for a kind, or as is kept under a name', async () => {
    const table = csv([
      ['Temple name', 'Whatever'],
      [`Kept ${crypto.randomUUID()}`, 'A note of it'],
    ])
    const rules = [
      { field: 'name', column: 'Temple name' },
      { field: 'note', column: 'Whatever' },
    ]
    const body = { name: 'Temples', mapping: { kind: 'monument', match: 'none', rules } }
    sure(201, await app.contributor.post('/data/imports/mappings/', { body }))
    const kept = await command(await file('a.csv', table), '--mapping', 'Temples')
    expect([kept.code, last(kept.out)[1]]).toEqual([0, expect.stringMatching(/a\.csv +1 +1 +0 +0 +0 +0 +0$/)])
    expect((await mine('/cidoc/monuments/', { mine: '1' }))[0].note).toBe('A note of it')
    const ofKind = await command(await file('b.csv', csv([['Name'], ['Manjushri']])), '--kind', 'deity', '--dry-run')
    expect([ofKind.code, ofKind.err]).toEqual([0, expect.stringContaining('rows of the kind Deity')])
    const unknown = await command(await file('c.csv', table), '--mapping', 'Shrines')
    expect([unknown.code, unknown.out]).toEqual([
      1,
      expect.stringContaining('400 mapping: You keep no mapping of this name.'),
    ])
  })

  test('of JSON Lines are tables like others where it is said what they are', async () => {
    const lines = [{ name: 'Vajrayogini', note: 'x' }, { name: 'Nil Saraswati' }].map((it) => JSON.stringify(it))
    const { code, out } = await command(await file('deities.jsonl', lines.join('\n')), '--kind', 'deity')
    expect([code, last(out)[1]]).toEqual([0, expect.stringMatching(/deities\.jsonl +2 +2 +0 +0 +0 +0 +0$/)])
  })

  test('skip what looks like something known, where that is wanted', async () => {
    const name = `Shrine ${crypto.randomUUID()}`
    await publish(app, 'structures', { name, coordinates: '27.7, 85.3' })
    const table = csv([
      ['Name', 'Latitude', 'Longitude'],
      [`${name} Mandir`, 27.7001, 85.3],
    ])
    const { code, out } = await command(await file('t.csv', table), '--doubtful', 'skip')
    expect([code, out]).toEqual([0, expect.stringContaining('It looks like something that is known.')])
    const made = await command(await file('t.csv', table))
    expect(last(made.out)[1]).toMatch(/t\.csv +1 +1 +0 +0 +0 +0 +0$/)
  })

  test('that cannot be read are told as the service tells them', async () => {
    const { code, out } = await command(await file('open.csv', 'name,note\r\nx,"open'))
    expect([code, out]).toEqual([1, expect.stringContaining('a quotation mark is not closed.')])
  })
})

describe('what is wrong before anything is begun', () => {
  test.each([
    [['--base', 'nowhere'], '--base: give an address'],
    [['--concurrency', '0'], '--concurrency: 1 to 64.'],
    [['--doubtful', 'guess'], '--doubtful: create or skip.'],
    [['--kind', 'temple'], '--kind: there is no temple. Choose one of: person, '],
    [['--kind', 'deity', '--mapping', 'x'], '--kind and --mapping: give one of them.'],
    [['--as', 'nobody@heritage.test'], 'nobody@heritage.test cannot sign in'],
    [['--token', 'x.y.z'], 'The token is not accepted.'],
    [['--wrong'], "Unknown option '--wrong'"],
  ])('%s', async (args, said) => {
    const { code, err } = await command(await rows({ id: 'c:x', kind: 'deity', name: 'X' }), ...args)
    expect([code, err]).toEqual([2, expect.stringContaining(said)])
  })

  test('a file that is not there', async () => {
    expect(await command(join(operator.directory, 'none.csv'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('ENOENT'),
    })
    expect(await command()).toMatchObject({ code: 2, err: expect.stringContaining('npm run import -- FILE...') })
    expect(await command('--help')).toMatchObject({ code: 0 })
  })
})

describe('a run that does not come to its end', () => {
  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('says at %s what goes on without it', async (signal, number) => {
    await operator.worker.stop()
    const ids = async () => (await mine('/data/imports/', { limit: '100' })).map((it: { id: string }) => it.id)
    const before = new Set(await ids())
    const { child, ended } = operator.begin([await file('t.csv', csv([['Name'], [`Late ${crypto.randomUUID()}`]]))])
    const fresh = async () => (await ids()).find((it: string) => !before.has(it))
    await expect.poll(fresh, { timeout: 20_000, interval: 100 }).toBeTruthy()
    const id = await fresh()
    // The command has had its answer by now, and looks again and again.
    await new Promise((done) => setTimeout(done, 1000))
    child.kill(signal)
    const { code, err } = await ended
    expect([code, err]).toEqual([number, expect.stringContaining(`curl ${operator.origin}/data/imports/${id}/`)])
    expect(err).toContain('It goes on by itself.')
    expect(err).toContain(
      `curl -X POST ${operator.origin}/data/imports/${id}/withdraw/ -H 'x-dev-user: dev@heritage.test'`,
    )
    operator.worker.start()
  })

  test('stops when the service is gone, and says so once', async () => {
    const { createServer } = await import('node:http')
    // Answers until it is told to go: to every sign-in and question, and to no table.
    const door = createServer((request, reply) => {
      if (request.url?.startsWith('/data/imports/')) {
        door.closeAllConnections()
        door.close()
        return
      }
      reply.setHeader('content-type', 'application/json')
      reply.end(JSON.stringify({ access: 'a.b.c', results: [], count: 0 }))
    })
    await new Promise<void>((done) => door.listen(0, '127.0.0.1', done))
    const address = door.address()
    const base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const many = Array.from({ length: 1000 }, (_, i) => ({ id: `c:gone/${i}`, kind: 'deity', name: `Gone ${i}` }))
    const { code, out, err } = await operator.begin([await rows(...many)], base).ended
    expect([code, err]).toEqual([
      3,
      expect.stringMatching(/^The service at http:\/\/127\.0\.0\.1:\d+ does not answer any more\. No answer: /),
    ])
    expect(last(out)[1]).toMatch(/rows\.jsonl +1000 +0 +0 +0 +0 +0 +1000$/)
  }, 60_000)
})
