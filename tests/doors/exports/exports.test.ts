import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { csvLine } from '../../../lib/platform/cells/csv.ts'
import { type App, openApp } from '../../harness/app.ts'
import { objects } from '../../harness/asset-world.ts'
import { withFault } from '../../harness/faults.ts'
import { contribute, decide, everyState, publish, sure } from '../../harness/make.ts'

type File = { name: string; url: string; sha256: string; bytes: number; rows: number }
type Record = { id: number; values: { [name: string]: unknown }; provenance: { [name: string]: unknown }[] }
const HOUR = 3600
const hasBagit = spawnSync('bagit.py', ['--version']).status === 0
if (!hasBagit) console.warn('skipped: bagit.py over the bag, which is not installed (pip install bagit)')
const flipped = (bytes: Buffer): Buffer => {
  const other = Buffer.from(bytes)
  other[10] = (other[10] ?? 0) ^ 1
  return other
}
let app: App
let temple: { id: number; cultural_entity_id: string }

const make = async (event?: object) => {
  const { handler } = await import('../../../functions/exporter.ts')
  return handler(event)
}
const listing = async () => sure(200, await app.anon.get('/data/exports/'))
const files = async (): Promise<File[]> => (await listing()).files
const hashes = async () => (await files()).map(({ name, sha256 }) => `${name} ${sha256}`)
const read = async (name: string) => {
  const file = (await files()).find((it) => it.name === name)
  if (!file) throw new Error(`${name} is not listed`)
  const response = await fetch(file.url)
  const bytes = Buffer.from(await response.arrayBuffer())
  return { file, response, bytes, text: bytes.toString('utf8') }
}
const hashAt = async (url: string) =>
  createHash('sha256')
    .update(Buffer.from(await (await fetch(url)).arrayBuffer()))
    .digest('hex')
/** The keys that the current listing accounts for. */
const named = async () => {
  const { keysOf, loadListing } = await import('../../../lib/doors/exports/listing.ts')
  const current = await loadListing()
  const own = current ? keysOf(current) : []
  return ['exports/current.json', 'exports/disagreements.json', ...own, ...(current?.previous ?? [])].sort()
}
const records = async (name: string): Promise<Record[]> =>
  (await read(name)).text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const withPublic = { existence_status: 'Extant', coordinates: '27.6722, 85.4279', note: '=HYPERLINK("x")' }
const assertion = { source_type: 'book', source_citation: 'Field notes, "1991"', confidence: 'likely' }

beforeAll(async () => {
  app = await openApp({ env: { EXPORT_LICENCE: 'CC-BY-4.0' } })
})

test('before the first run nothing is listed', async () => {
  expect(await listing()).toEqual({ made_at: null, licence: null, files: [], bag: null })
})

describe('after a run', () => {
  beforeAll(async () => {
    temple = await publish(app, 'structures', { name: 'Exported Temple', ...withPublic, assertion })
    await everyState(app, 'structures')
    await make()
  })

  test('each kind that has published records has four files, with a licence', async () => {
    const { licence, made_at, files: made } = await listing()
    expect([licence, made_at]).toEqual(['CC-BY-4.0', '2025-01-15T10:00:00.000Z'])
    const structures = made.filter((it: File) => it.name.startsWith('structure'))
    expect(structures.map(({ name, rows }: File) => [name, rows])).toEqual([
      ['structure.jsonl', 2],
      ['structure.csv', 2],
      ['structure-provenance.csv', expect.any(Number)],
      ['structure.nq', expect.any(Number)],
    ])
  })

  test('a file is read by its address, and is as long and has the hash that the list says', async () => {
    const { file, response, bytes } = await read('structure.csv')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(bytes.length).toBe(file.bytes)
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256)
  })

  test('a record is there with its values and their provenance', async () => {
    const it = (await records('structure.jsonl')).find(({ id }) => id === temple.id)
    expect(it).toMatchObject({
      kind: 'structure',
      cultural_entity_id: temple.cultural_entity_id,
      latitude: 27.6722,
      longitude: 85.4279,
      contributor: 'dev',
      values: { name: 'Exported Temple', existence_status: 'Extant' },
    })
    expect(it?.provenance.find(({ property }) => property === 'existence_status')).toMatchObject({
      value: 'Extant',
      source_type: 'book',
      source_citation: 'Field notes, "1991"',
      source_licences: [],
      confidence: 'likely',
      author: 'dev',
      status: 'accepted',
    })
  })

  test('records in any other state are in none of the files', async () => {
    const all = await Promise.all((await files()).map(async ({ name }) => (await read(name)).text))
    const text = all.join('')
    // Only the published one of all states.
    expect([...new Set(text.match(/Sight \w+/g))]).toEqual(['Sight published'])
    expect([...new Set(text.match(/A note that is \w+/g))]).toEqual(['A note that is published'])
  })

  test('no member tells of an edit that waits', async () => {
    const it = Object((await records('structure.jsonl')).find(({ id }) => id === temple.id))
    expect(Object.keys(it)).toEqual([
      'kind',
      'id',
      'cultural_entity_id',
      'values',
      'latitude',
      'longitude',
      'contributor',
      'created_at',
      'labels',
      'provenance',
    ])
  })

  test('a cell that a spreadsheet would take for a formula is guarded; in JSON it is as it was', async () => {
    expect((await read('structure.csv')).text).toContain(`"'=HYPERLINK(""x"")"`)
    const it = (await records('structure.jsonl')).find(({ id }) => id === temple.id)
    expect(it?.values.note).toBe('=HYPERLINK("x")')
  })
})

describe('the bag', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heritage-bag-'))
  const inside = join(folder, 'heritage')
  afterAll(() => rmSync(folder, { recursive: true }))
  const check = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: inside, encoding: 'utf8' })

  beforeAll(async () => {
    const { bag } = await listing()
    const bytes = Buffer.from(await (await fetch(bag.url)).arrayBuffer())
    expect([bag.name, bytes.length]).toEqual(['heritage.zip', bag.bytes])
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(bag.sha256)
    // The day of its first entry is that of the run, so one run gives one bag, whenever it is packed.
    expect(bytes.readUInt16LE(12)).toBe(((2025 - 1980) << 9) | (1 << 5) | 15)
    for (const [name, text] of Object.entries(unzipSync(bytes))) {
      const at = join(folder, name)
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, text)
    }
  })

  test('holds every file of the list as it is, and nothing else but its description', async () => {
    const listed = await files()
    const names = readdirSync(join(inside, 'data')).sort()
    expect(names).toEqual([...listed.map(({ name }) => name), 'ro-crate-metadata.json'].sort())
    for (const { name, sha256 } of listed)
      expect(
        createHash('sha256')
          .update(readFileSync(join(inside, 'data', name)))
          .digest('hex'),
      ).toBe(sha256)
  })

  test('describes each file as RO-Crate 1.1 does', async () => {
    const { '@context': context, '@graph': graph } = JSON.parse(
      readFileSync(join(inside, 'data', 'ro-crate-metadata.json'), 'utf8'),
    )
    // The context of 1.1 has each of our terms but one.
    expect(context).toEqual(['https://w3id.org/ro/crate/1.1/context', { sha256: 'http://schema.org/sha256' }])
    const types = graph.flatMap((it: { encodingFormat?: string }) => it.encodingFormat ?? [])
    expect([...new Set(types)].sort()).toEqual(['application/jsonl', 'application/n-quads', 'text/csv'])
    const root = graph.find((it: { '@id': string }) => it['@id'] === './')
    expect(root).toMatchObject({ '@type': 'Dataset', license: { '@id': 'https://spdx.org/licenses/CC-BY-4.0' } })
    const named = new Set(graph.map((it: { '@id': string }) => it['@id']))
    expect(root.hasPart.filter((it: { '@id': string }) => !named.has(it['@id']))).toEqual([])
    expect(root.hasPart.length).toBe((await files()).length)
  })

  test('is accepted by sha256sum, which finds a flipped byte', () => {
    for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt'])
      expect(check('sha256sum', '-c', manifest).status).toBe(0)
    const at = join(inside, 'data', 'structure.csv')
    const bytes = readFileSync(at)
    writeFileSync(at, flipped(bytes))
    expect(check('sha256sum', '-c', 'manifest-sha256.txt').status).toBe(1)
    writeFileSync(at, bytes)
  })

  test.skipIf(!hasBagit)('is accepted by the tool of the Library of Congress', () => {
    expect(check('bagit.py', '--validate', '.').status).toBe(0)
  })
})

describe('the next run', () => {
  beforeAll(async () => {
    await make()
  })

  test('gives the same files, sitemap and statements when only hidden things have changed', async () => {
    /** What everyone is told of the run, but for its moment. */
    const told = async () => {
      const paths = ['/sitemap.xml', '/sitemap/1.xml.gz', '/.well-known/void/', '/fragments/', '/fragments/?page=2']
      const answers = await Promise.all(paths.map((path) => app.anon.get(path)))
      return answers.map(({ bytes }) => bytes.toString('latin1').replace(/dcterms:modified "[^"]*"/, ''))
    }
    const [before, saidBefore] = [await hashes(), await told()]
    // The sitemap names days.
    app.tick(86_400)
    sure(
      200,
      await app.contributor.patch(`/cidoc/structures/${temple.id}/`, {
        body: { note: 'An edit that waits', assertion },
      }),
    )
    await contribute(app.contributor, 'structures', { name: 'Not yet public' })
    await publish(app, 'structures', { name: 'For members', access_tier: 'restricted' })
    sure(
      201,
      await app.other.post('/data/review-flags/', {
        body: { entity: temple.cultural_entity_id, flag_type: 'other', reason: 'Doubtful' },
      }),
    )
    await make()
    expect(await hashes()).toEqual(before)
    expect(await told()).toEqual(saidBefore)
    expect(before.length).toBeGreaterThan(2)
  })

  test('has what was accepted since, and not what was deleted', async () => {
    sure(201, await decide(app.curator, temple, { verdict: 'accept' }))
    const gone = await publish(app, 'structures', { name: 'Gone soon' })
    await make()
    expect((await read('structure.csv')).text).toContain('An edit that waits')
    expect((await read('structure.csv')).text).toContain('Gone soon')
    sure(204, await app.staff.delete(`/cidoc/structures/${gone.id}/`))
    await make()
    expect((await read('structure.csv')).text).not.toContain('Gone soon')
  })

  test('that fails leaves the files before it listed and readable', async () => {
    const { s3 } = await (await import('../../../lib/engines/bucket/blobs.ts')).bucket()
    const before = await hashes()
    await publish(app, 'structures', { name: 'Too late' })
    let puts = 0
    s3.middlewareStack.add(
      (next, context) => (args) => {
        if (context.commandName === 'PutObjectCommand' && ++puts > 2) throw new Error('The bucket is full.')
        return next(args)
      },
      { step: 'initialize', name: 'full' },
    )
    try {
      await expect(make()).rejects.toThrow('The bucket is full.')
    } finally {
      s3.middlewareStack.remove('full')
    }
    expect(await hashes()).toEqual(before)
    expect((await read('structure.csv')).text).not.toContain('Too late')
    await make()
    expect((await read('structure.csv')).text).toContain('Too late')
  })

  test('keeps the files of the one before, and removes older ones when whoever reads them has had an hour', async () => {
    const first = await files()
    await make()
    const second = await files()
    expect((await fetch(first[0]?.url ?? '')).status).toBe(200)
    await make()
    expect((await fetch(first[0]?.url ?? '')).status).toBe(200)
    app.tick(HOUR + 1)
    await make()
    expect((await fetch(first[0]?.url ?? '')).status).toBe(404)
    expect((await fetch(second[0]?.url ?? '')).status).toBe(404)
    expect(await objects('exports/')).toEqual(await named())
  })
})

// Wherever the process ends, readers have one whole run or the other, and the next run leaves nothing of it behind.
// A call that only reads changes nothing, so an end at a read leaves what an end at the write before it leaves.
test.each(['killed', 'killed after'] as const)(
  'a run that is %s at any of its calls',
  async (fault) => {
    await make()
    const before = await hashes()
    for (let nth = 0; await withFault(nth, fault, () => make({ again: true }), 'every write'); nth += 1) {
      expect(await hashes()).toEqual(before)
      for (const { url, sha256 } of await files()) expect(await hashAt(url)).toBe(sha256)
    }
    // That of the last run, and of the one before.
    for (let run = 0; run < 2; run += 1) {
      app.tick(HOUR + 1)
      await make()
    }
    expect(await objects('exports/')).toEqual(await named())
  },
  60_000,
)

test('a run that ends its process three times is given up with a sentence, until an operator begins anew', async () => {
  await make()
  app.tick(HOUR)
  const before = await listing()
  const exporter = async () => (await app.anon.get('/health/detailed/')).body.exports
  for (let death = 1; death <= 3; death += 1) {
    // The first write of a run counts it. Its process ends right after that.
    expect(await withFault(0, 'killed after', make, 'every write')).toBe(true)
    expect(await exporter()).toEqual({ healthy: true, message: 'It works.' })
  }
  expect([await make(), await make()]).toEqual([{ files: 0 }, { files: 0 }])
  const message = 'The process that makes the exports ended three times. It waits for an operator.'
  expect(await exporter()).toEqual({ healthy: false, message })
  expect((await listing()).made_at).toBe(before.made_at)
  expect((await make({ again: true })).files).toBeGreaterThan(0)
  expect((await listing()).made_at).not.toBe(before.made_at)
  expect(await exporter()).toEqual({ healthy: true, message: 'It works.' })
})

test('runs that fail by an error, or end, are not counted', async () => {
  for (let run = 0; run < 4; run += 1) {
    await expect(withFault(3, 'failed', make)).resolves.toBe(true)
    expect((await make()).files).toBeGreaterThan(0)
  }
})

test('the licence of a source is named where everyone may see the source', async () => {
  const source = (name: string, more: object) =>
    app.contributor.post('/cidoc/data_sources/', { body: { name, declared_license: `Licence of ${name}`, ...more } })
  const open = sure(201, await source('Open Book', {}))
  const closed = sure(201, await source('Closed Book', { access_tier: 'community_only' }))
  const claim = sure(
    201,
    await app.contributor.post('/cidoc/assertions/', {
      body: {
        cultural_entity_id: temple.cultural_entity_id,
        asserted_property: 'note',
        asserted_value: 'A claim of two books',
        was_derived_from_source: [open.id, closed.id],
      },
    }),
  )
  sure(200, await app.curator.patch(`/cidoc/assertions/${claim.id}/`, { body: { reconciliation_status: 'accepted' } }))
  await make()
  const it = (await records('structure.jsonl')).find(({ id }) => id === temple.id)
  expect(it?.provenance.find(({ assertion_id }) => assertion_id === claim.id)?.source_licences).toEqual([
    'Licence of Open Book',
  ])
})

test('text that is longer than a part is stored whole', async () => {
  const { getObject, startUpload } = await import('../../../lib/engines/bucket/blobs.ts')
  const upload = startUpload('exports/parts.txt', 'text/plain', 5 << 20)
  const piece = 'ž'.repeat(1 << 20)
  for (let i = 0; i < 6; i += 1) await upload.write(piece)
  const { bytes, sha256 } = await upload.end()
  const stored = await getObject('exports/parts.txt')
  expect(bytes).toBe(12 << 20)
  expect(stored && createHash('sha256').update(stored.bytes).digest('hex')).toBe(sha256)
})

describe('a cell of CSV', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    [-27.5, '-27.5'],
    [false, 'false'],
    [null, ''],
    ['a, b', '"a, b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    [
      [
        { id: 1, name: '=A' },
        { id: 2, name: 'B' },
      ],
      "'=A; B",
    ],
    // A spreadsheet may take these for delimiters.
    [';=1', ";'=1"],
    ['a; -1', "a; '-1"],
    ['a|@b', "a|'@b"],
    ['a; b', 'a; b'],
    ['plain', 'plain'],
  ])('%j is written %j', (given, cell) => {
    expect(csvLine([given, 'end'])).toBe(`${cell},end\r\n`)
  })
})
