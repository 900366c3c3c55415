import { beforeAll, describe, expect, test } from 'vitest'
import { type App, openApp } from '../../harness/app.ts'
import { everyState, publish, sure } from '../../harness/make.ts'
import { canonical, parseRdf } from '../../harness/rdf.ts'
import { questions } from './questions.ts'

const base = 'http://localhost:8000'
const GENID = `${base}/.well-known/genid/`
let app: App
/** The statements of the exported files, with names for what has none, as lines of N-Triples. */
let dump: Awaited<ReturnType<typeof parseRdf>>

beforeAll(async () => {
  // As `npm start` has it: there the dump names the addresses that answer.
  const env = { EXPORT_LICENCE: 'https://creativecommons.org/licenses/by/4.0/', ALLOWED_HOSTS: 'localhost,127.0.0.1' }
  app = await openApp({ env })
  const source = sure(201, await app.contributor.post('/cidoc/data_sources/', { body: { name: 'Inventory' } }))
  const place = await publish(app, 'locations', { name: 'Patan', name_ne: 'पाटन', coordinates: '27.6727, 85.3253' })
  const deities = await Promise.all(['Krishna', 'Ganesha'].map((name) => publish(app, 'deities', { name })))
  for (let at = 0; at < 24; at += 1)
    await publish(app, 'structures', {
      name: `Temple ${at} "of" Patan`,
      note: `Line one\nof ${at}\twith a tab`,
      architectural_style: at % 2 ? 'Pagoda' : 'Shikhara',
      construction_date: String(1600 + at),
      commissioned_by: 'Siddhinarasimha',
      existence_status: 'Extant',
      coordinates: `27.67${at + 10}, 85.32`,
      has_current_location: place.id,
      dedicated_to: [deities[at % 2]?.id],
      ...(at === 0 && { source: source.id, same_as: ['http://www.wikidata.org/entity/Q5227316'] }),
    })
  await everyState(app, 'structures')
  const { handler } = await import('../../../functions/exporter.ts')
  await handler()
  const { files } = sure(200, await app.anon.get('/data/exports/'))
  const texts = await Promise.all(
    files
      .filter(({ format }: { format: string }) => format === 'nq')
      .map(async ({ url }: { url: string }) => (await fetch(url)).text()),
  )
  const lines = new Set(
    texts
      .join('')
      .replace(/_:([\w-]+)/g, `<${GENID}$1>`)
      .split('\n'),
  )
  dump = await parseRdf([...lines].join('\n'), 'application/n-quads')
}, 240_000)

type Pattern = { subject?: string; predicate?: string; object?: string; values?: string; page?: number }
const ask = (query: Pattern, accept = 'application/n-quads') =>
  app.anon.get('/fragments/', { query: query as Record<string, string>, headers: { accept } })
/** The data and the controls of a fragment. */
async function fragment(query: Pattern) {
  const answer = await ask(query)
  const quads = await parseRdf(answer.text, 'application/n-quads')
  const control = (name: string) =>
    quads
      .filter(({ graph, predicate }) => graph.value !== '' && predicate.value.endsWith(name))
      .map(({ object }) => object.value)
  return { answer, data: quads.filter(({ graph }) => graph.value === ''), control }
}
/** A term as a pattern names it. */
const named = (term: { termType: string; value: string; language?: string; datatype?: { value: string } }) =>
  term.termType === 'NamedNode'
    ? term.value
    : `"${term.value}"${term.language ? `@${term.language}` : `^^${term.datatype?.value}`}`

describe('a pattern', () => {
  const parts = ['subject', 'predicate', 'object'] as const
  test('of any parts gets the statements of the dump that fit it, and their number', async () => {
    expect(dump.length).toBeGreaterThan(500)
    for (const one of dump.filter((_, at) => at % 61 === 0))
      for (let mask = 0; mask < 8; mask += 1) {
        const known = parts.filter((_, at) => mask & (1 << at))
        const query = Object.fromEntries(known.map((part) => [part, named(one[part])]))
        const fits = dump.filter((it) => known.every((part) => named(it[part]) === query[part]))
        const { data, control } = await fragment(query)
        expect([query, control('totalItems')]).toEqual([query, [String(fits.length)]])
        if (fits.length <= 100) expect(await canonical(data)).toBe(await canonical(fits))
        else expect(data).toHaveLength(100)
      }
  })

  test('has pages, which together are all of it', async () => {
    const all: typeof dump = []
    for (let page = 1; ; page += 1) {
      const { data, control } = await fragment({ page })
      all.push(...data)
      if (control('#next').length === 0) break
    }
    expect(await canonical(all)).toBe(await canonical(dump))
  })

  test('that nothing fits has no statements, and says 0', async () => {
    for (const query of [{ subject: 'http://example.org/none' }, { object: '"none"' }, { page: 99_999 }]) {
      const { data, control, answer } = await fragment(query)
      expect([answer.status, data.length]).toEqual([200, 0])
      if (!('page' in query)) expect(control('totalItems')).toEqual(['0'])
    }
  })

  test('with a variable, or with brackets, is read as clients send it', async () => {
    const { control } = await fragment({ subject: '?s', predicate: `<${dump[0]?.predicate.value}>`, object: '' })
    expect(Number(control('totalItems')[0])).toBeGreaterThan(0)
  })

  test('costs no unit of the table beyond who asks, and few reads of the bucket', async () => {
    for (const query of [{}, { predicate: 'http://www.w3.org/2000/01/rdf-schema#label' }])
      expect((await ask(query)).cost.units).toBeLessThan(5)
  })

  test('that is wrong is refused', async () => {
    const { status, body } = await app.anon.get('/fragments/', { query: { page: 'x' } })
    expect([status, body]).toEqual([400, { page: ['A whole number from 1 is wanted.'] }])
  })

  test.each(['application/trig', 'text/turtle', 'application/n-triples', 'application/rdf+xml'])(
    'is answered as %s',
    async (type) => {
      const answer = await ask({ predicate: 'http://www.w3.org/2000/01/rdf-schema#label' }, type)
      expect([answer.status, answer.headers['content-type']]).toEqual([200, type])
      expect((await parseRdf(answer.text, type)).length).toBeGreaterThan(30)
    },
  )
})

describe('bindings', () => {
  const STYLE = 'https://cair-nepal.org/heritageGraph/architectural_style'
  const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label'
  const written = (term: Parameters<typeof named>[0]) => {
    if (term.termType === 'NamedNode') return `<${term.value}>`
    const escaped = term.value.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t')
    return `"${escaped}"${term.language ? `@${term.language}` : `^^<${term.datatype?.value}>`}`
  }
  /** The statements of the dump that fit a pattern, once for each restriction of its subject. */
  const labelled = () => dump.filter(({ predicate }) => predicate.value === LABEL)

  test('restrict a pattern to the statements that fit one of them', async () => {
    const some = labelled().filter((_, at) => at % 3 === 0)
    const subjects = some.slice(0, 30).map(({ subject }) => subject)
    const values = `(?who) { ${subjects.map((it) => `(${written(it)})`).join(' ')} }`
    const fits = labelled().filter(({ subject }) => subjects.some((it) => it.value === subject.value))
    const { data, control } = await fragment({ subject: '?who', predicate: LABEL, object: '?name', values })
    expect(await canonical(data)).toBe(await canonical(fits))
    expect(control('totalItems')).toEqual([String(fits.length)])
    const [first] = control('#first')
    expect(new URL(first ?? '').searchParams.get('values')).toBe(values)
  })

  test('may bind texts, several variables, none, and those that the pattern has not', async () => {
    const [one, other, third] = labelled()
    if (!one || !other || !third) throw new Error('too few')
    const ask = async (values: string) =>
      canonical((await fragment({ subject: '?s', predicate: LABEL, object: '?o', values })).data)
    expect(await ask(`(?o) { (${written(one.object)}) }`)).toBe(
      await canonical(labelled().filter(({ object }) => named(object) === named(one.object))),
    )
    const pairs = `(?x ?s ?o) { (1 ${written(one.subject)} ${written(one.object)}) (UNDEF ${written(other.subject)} ${written(third.object)}) }`
    expect(await ask(pairs)).toBe(await canonical([one]))
    expect(await ask(`?s { ${written(one.subject)} }`)).toBe(
      await canonical(labelled().filter(({ subject }) => subject.value === one.subject.value)),
    )
    expect(await ask('(?s) { }')).toBe('')
    expect(await ask('(?s) { (<ex:comunica:unknown>) }')).toBe('')
    const all = await fragment({ subject: '?s', predicate: STYLE, object: '?o', values: '(?s ?o) { (UNDEF UNDEF) }' })
    expect(await canonical(all.data)).toBe(await canonical((await fragment({ predicate: STYLE })).data))
  })

  test('tell each statement once on all pages, though it fits two of them', async () => {
    const [one] = labelled()
    if (!one) throw new Error('too few')
    const values = `(?p ?o) { (<${LABEL}> UNDEF) (UNDEF ${written(one.object)}) }`
    const all: typeof dump = []
    for (let page = 1; ; page += 1) {
      const { data, control } = await fragment({ subject: '?s', predicate: '?p', object: '?o', values, page })
      all.push(...data)
      if (control('#next').length === 0) break
    }
    const fits = dump.filter(
      ({ predicate, object }) => predicate.value === LABEL || named(object) === named(one.object),
    )
    expect(all).toHaveLength(fits.length)
    expect(await canonical(all)).toBe(await canonical(fits))
  })

  test('cost no unit of the table, at their most', async () => {
    const values = `(?s) { ${Array.from({ length: 64 }, (_, at) => `(<${base}/cidoc/structures/${at}/>)`).join('')} }`
    const answer = await ask({ subject: '?s', predicate: '?p', object: '?o', values })
    expect([answer.status, answer.cost.units]).toEqual([200, 0])
  })

  test.each([
    ['(?s) { (<http://x/1>', 'Give values as SPARQL has them: (?s) { (<http://example.org/1>) }.'],
    ['(?s ?o) { (<http://x/1>) }', 'Give values as SPARQL has them: (?s) { (<http://example.org/1>) }.'],
    ['SELECT', 'Give values as SPARQL has them: (?s) { (<http://example.org/1>) }.'],
    [`(?s) { ${'(<http://x/1>)'.repeat(65)} }`, 'Send 64 bindings at most.'],
  ])('that are wrong are refused: %.30s', async (values, message) => {
    const { status, body } = await app.anon.get('/fragments/', { query: { subject: '?s', values } })
    expect([status, body]).toEqual([400, { values: [message] }])
  })
})

test('nothing that is hidden is in the dump or in any fragment', async () => {
  const text = dump.map(({ object }) => object.value).join('\n')
  expect([...new Set(text.match(/Sight \w+/g))]).toEqual(['Sight published'])
  for (let page = 1; page < 20; page += 1) {
    const { text: said } = await ask({ page })
    expect([...new Set(said.match(/Sight \w+/g) ?? [])].filter((it) => it !== 'Sight published')).toEqual([])
  }
})

test('a record says in the dump what it says at its address', async () => {
  const path = sure(200, await app.anon.get('/cidoc/structures/')).results.at(-1).id
  const own = `${base}/cidoc/structures/${path}/`
  const answer = await app.anon.get(`/cidoc/structures/${path}/`, { headers: { accept: 'application/n-quads' } })
  const there = await parseRdf(answer.text, 'application/n-quads')
  const about = (quads: typeof dump) =>
    quads.filter(
      ({ subject, object }) =>
        subject.value.startsWith(own) && object.termType !== 'BlankNode' && !object.value.startsWith(GENID),
    )
  expect(await canonical(about(dump))).toBe(await canonical(about(there)))
})

describe('the data as a whole', () => {
  test('is described as VoID and DCAT, in both languages, with addresses that work', async () => {
    const answer = await app.anon.get('/.well-known/void')
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/turtle'])
    const quads = await parseRdf(answer.text, 'text/turtle')
    const values = (name: string) =>
      quads.filter(({ predicate }) => predicate.value.endsWith(name)).map(({ object }) => object.value)
    expect(values('void#triples')).toEqual([String(dump.length)])
    expect(values('dc/terms/license')).toEqual(['https://creativecommons.org/licenses/by/4.0/'])
    const titles = quads
      .filter(({ predicate }) => predicate.value.endsWith('/title'))
      .map(({ object }) => 'language' in object && object.language)
    expect(titles).toEqual(expect.arrayContaining(['en', 'ne']))
    for (const address of values('void#dataDump')) {
      const leads = await app.anon.get(address.slice(base.length))
      expect(leads.status).toBe(303)
      expect((await fetch(leads.headers.location ?? '')).status).toBe(200)
    }
    expect((await app.anon.get('/data/exports/none.nq/')).status).toBe(404)
  })

  test('is described as other media types as well', async () => {
    const turtle = await parseRdf((await app.anon.get('/.well-known/void/')).text, 'text/turtle')
    const xml = await app.anon.get('/.well-known/void/', { headers: { accept: 'application/rdf+xml' } })
    expect(await canonical(await parseRdf(xml.text, 'application/rdf+xml'))).toBe(await canonical(turtle))
  })
})

/** Comunica, where it is installed: `npm install --no-save @comunica/query-sparql`. It is too large to depend on. */
const COMUNICA = process.env.COMUNICA ?? '@comunica/query-sparql'
type Engine = {
  queryBindings: (
    query: string,
    context: object,
  ) => Promise<{
    toArray: () => Promise<Iterable<Iterable<[{ value: string }, { value: string; termType: string }]>>[]>
  }>
}
const comunica: { QueryEngine: new () => Engine } | undefined = await import(COMUNICA).catch(() => undefined)

describe.skipIf(!comunica)(
  'Comunica (skipped where it is not installed) answers over the fragments as over the dump',
  () => {
    /** Questions for a block of bindings. */
    let blocks = 0
    const fetchHere = async (address: string | Request, init: RequestInit = {}) => {
      const url = new URL(typeof address === 'string' ? address : address.url)
      if (url.searchParams.has('values')) blocks += 1
      const headers = Object.fromEntries(new Headers(init.headers).entries())
      const answer = await app.anon.get(url.pathname + url.search, { headers: { accept: headers.accept ?? '*/*' } })
      const response = new Response(answer.text, { status: answer.status, headers: answer.headers })
      Object.defineProperty(response, 'url', { value: url.href })
      return response
    }
    test.each(questions.map((query) => [query.split('\n').at(-1), query] as const))(
      '%s',
      async (_, query) => {
        const { Store } = await import('n3')
        const rows = async (context: object) => {
          if (!comunica) return []
          const bindings = await (await new comunica.QueryEngine().queryBindings(query, context)).toArray()
          return bindings
            .map((row) =>
              [...(row as never as Iterable<[{ value: string }, { value: string }]>)]
                .map(([name, term]) => `${name.value}=${term.value}`)
                .sort()
                .join(' '),
            )
            .sort()
        }
        const overDump = await rows({ sources: [new Store(dump)] })
        // As plain fragments, and by blocks of bindings.
        for (const type of ['qpf', 'brtpf']) {
          const overFragments = await rows({ sources: [{ type, value: `${base}/fragments/` }], fetch: fetchHere })
          expect([type, overFragments]).toEqual([type, overDump])
        }
        expect(overDump.length).toBeGreaterThan(0)
      },
      60_000,
    )
    test('and has asked for blocks of bindings', () => {
      expect(blocks).toBeGreaterThan(10)
    })
  },
)
