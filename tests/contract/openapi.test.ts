import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { breaks } from '../../api/breaking.ts'
import { canonical } from '../../api/contract/canonical.ts'
import { CONTRACT, contractOf, documentOf } from '../../api/contract/contract.ts'
import { laidOut } from '../../api/contract/layout.ts'
import { kindNames } from '../../api/kind-names.ts'
import { words } from '../../api/words.ts'
import { functionNames } from '../../deploy/function-names.ts'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import { once } from '../../lib/base/once.ts'
import { kinds, recordKinds } from '../../lib/domain/kinds/index.ts'
import type { Routes } from '../../lib/platform/http/route.ts'
import { type App, openApp } from '../harness/app.ts'
import { type Exchange, faultOf } from '../harness/documented.ts'
import { filled } from '../harness/filled.ts'
import { sure } from '../harness/make.ts'

/** The document that was built for this run, and what clients rely on: as it is checked in, and as the document says. */
const built = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
const contract = JSON.parse(readFileSync(CONTRACT, 'utf8'))
const checkedIn: Any = documentOf(contract)
const relied: Any = canonical(built)
let app: App
let made: typeof built
let groups: Record<string, { routes: Routes }>
/** Opens the service for the first test that needs it. */
const open = once(async () => {
  app = await openApp()
  // They read the configuration, which is complete from here on.
  const { document } = await import('../../api/api-document.ts')
  const all = await import('../../api/groups.ts')
  groups = all.groups
  made = JSON.parse(JSON.stringify(document()))
})

type Operation = {
  operationId: string
  summary: string
  parameters: { name: string; description: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}
type Content = Record<string, { schema: Record<string, unknown>; example?: unknown }>
const operations = (): { name: string; at: string; operation: Operation }[] =>
  Object.entries<Record<string, Operation>>(built.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      at: `/paths/${path.replaceAll('/', '~1')}/${method}`,
      operation,
    })),
  )

describe('the document', () => {
  test('breaks no client of the contract that is checked in', () => {
    expect(breaks(checkedIn, relied)).toEqual([])
  })

  test('keeps the contract that is checked in; else: npm run openapi', () => {
    expect(relied).toEqual(checkedIn)
    expect(contractOf(relied, kindNames)).toEqual(contract)
  })

  test('is built from the code as it stands', async () => {
    await open()
    expect(built).toEqual(made)
  })

  test('has every group of routes and no others', async () => {
    await open()
    const names = functionNames()
    const served = new Map<string, string[]>()
    for (const name of names) {
      const { routes }: { routes?: Routes } = await import(`../../functions/${name}.ts`)
      if (routes) served.set(name, Object.keys(routes).sort())
    }
    const described = Object.entries(groups).map(([name, { routes }]) => [name, Object.keys(routes).sort()])
    expect(Object.fromEntries(described)).toEqual(Object.fromEntries(served))
  })

  test('has no error in the eyes of a linter', async () => {
    const lint = ['lint', DOCUMENT, '--config', 'api/redocly.yaml', '--format', 'json']
    const { stdout } = await promisify(execFile)('redocly', lint, {
      // Neither usage nor versions are told to anyone.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
      maxBuffer: 50_000_000,
    }).catch((failed: { stdout: string }) => failed)
    expect(JSON.parse(stdout).totals).toMatchObject({ errors: 0 })
  })

  test('says of each operation who may use it, and of each parameter what it means', () => {
    const mute = operations().flatMap(({ name, operation: { parameters } }) =>
      parameters.filter(({ description }) => description === '').map((one) => `${name} ${one.name}`),
    )
    expect(mute, 'say in api/words.ts what they mean').toEqual([])
    expect(operations().filter(({ operation }) => !JSON.stringify(operation).includes('**Who may:** '))).toEqual([])
    const said = new Set(operations().flatMap(({ operation }) => operation.parameters.map((one) => one.name)))
    expect(Object.keys(words).filter((name) => !said.has(name.split(' ').at(-1) ?? ''))).toEqual([])
  })

  test('says of each operation what it does, in a line', () => {
    const lines = operations().map(({ operation }) => operation.summary)
    expect(lines.filter((line) => !/^[A-Z].{3,99}[^.]$/.test(line))).toEqual([])
  })

  test('describes and shows everything that each operation takes and answers, and each example fits its schema', () => {
    const ajv = new Ajv2020({
      ...{ strict: false, validateSchema: false, validateFormats: false },
      // Each schema is used once or twice.
      ...{ inlineRefs: false, code: { optimize: false } },
    }).addSchema(built, 'd')
    const faults = operations().flatMap(({ name, at, operation }) =>
      bodiesOf(operation, at).flatMap(({ pointer, type, schema, example }) => {
        if (!isDescribed(schema)) return [`${name} does not describe its ${type}`]
        if (example === undefined) return unshown.test(type) ? [] : [`${name} shows no ${type}`]
        const validate = ajv.getSchema(`d#${pointer.replace(/[{}]/g, encodeURIComponent)}`)
        return validate?.(example) ? [] : [`${pointer}: ${ajv.errorsText(validate?.errors)}`]
      }),
    )
    expect(
      faults,
      'record examples anew: CONTRIBUTING.md#record-examples, with --again where one does not fit',
    ).toEqual([])
  })
})

/** What an operation takes and what it answers when it succeeds, in every media type. */
function bodiesOf({ requestBody, responses }: Operation, at: string) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  const all: [string, Content | undefined][] = [
    [`${at}/requestBody`, requestBody?.content],
    ...successes.map(([status, { content }]): [string, Content | undefined] => [`${at}/responses/${status}`, content]),
  ]
  return all.flatMap(([place, content]) =>
    Object.entries(content ?? {}).map(([type, it]) => ({
      pointer: `${place}/content/${type.replaceAll('/', '~1')}/schema`,
      type,
      ...it,
    })),
  )
}

/** Whether a schema says more than that there is something. */
function isDescribed(schema: Record<string, unknown>): boolean {
  const { additionalProperties: rest } = schema
  if (schema.type === 'object' && !('properties' in schema))
    return typeof rest === 'object' && rest !== null && Object.keys(rest).length > 0
  return ['$ref', 'type', 'anyOf', 'oneOf', 'allOf', 'const', 'enum'].some((word) => word in schema)
}

/** Bytes, forms of them, the files of the page, and what JSON shows in another hand. */
const unshown =
  /^(image|multipart)\/|^application\/(pdf|yaml|atom\+xml|rdf\+xml|n-triples|n-quads|trig|jsonl|link-format|xml|gzip)$|spreadsheetml|^text\/(html|css|csv|javascript|turtle|event-stream)$/

describe('an answer that the document does not know is told', () => {
  const flag = () => built.paths['/api/v1/data/review-flags/'].get.responses[200].content['application/json'].example
  const answered = (body: unknown, more: Partial<Exchange> = {}): string | undefined =>
    faultOf({
      method: 'GET',
      path: '/data/api/review-flags',
      sent: undefined,
      status: 200,
      headers: { 'content-type': 'application/json' },
      bytes: Buffer.from(JSON.stringify(body)),
      ...more,
    })

  test('while one that it knows is not', () => {
    expect(answered(flag())).toBeUndefined()
    expect(answered({ detail: 'Not found.' }, { status: 404, path: '/nothing/' })).toBeUndefined()
    expect(answered({ detail: 'No.' }, { status: 405, method: 'DELETE' })).toBeUndefined()
  })

  test('nor a body that was taken as the document says, with members that are dropped', () => {
    const sent = { entity: crypto.randomUUID(), flag_type: 'other', status: 'accepted' }
    expect(answered(flag().results[0], { method: 'POST', status: 201, sent })).toBeUndefined()
  })

  test.each([{ flag_type: 'other' }, { entity: 'x', flag_type: 'ugly' }, { entity: 7, flag_type: 'other' }])(
    'a body that was taken although the document refuses it: %j',
    (sent) => {
      expect(answered(flag().results[0], { method: 'POST', status: 201, sent })).toMatch(/^the body was taken, but /)
    },
  )

  type Altered = [string, (body: { results: Record<string, unknown>[] }) => unknown, Partial<Exchange>]
  const NO_OPERATION: Altered = ['a success where there is no operation', (it) => it, { path: '/data/nothing/' }]
  test.each<Altered>([
    ['a member that is not named', (it) => ({ ...it, more: 1 }), {}],
    ['one further in', (it) => ({ ...it, results: [{ ...it.results[0], secret: 1 }] }), {}],
    ['a member that is missing', ({ results: _, ...it }) => it, {}],
    ['a member of another type', (it) => ({ ...it, results: [{ ...it.results[0], is_resolved: 'no' }] }), {}],
    ['null where none may be', (it) => ({ ...it, count: null }), {}],
    ['a value that is not listed', (it) => ({ ...it, results: [{ ...it.results[0], flag_type: 'x' }] }), {}],
    ['a status', (it) => it, { status: 202 }],
    ['a content type', (it) => it, { headers: { 'content-type': 'text/html' } }],
    // While examples are recorded, a route may be new to the document.
    ...(process.env.RECORD_EXAMPLES ? [] : [NO_OPERATION]),
    ['a refusal of another form', () => ({ error: 'no' }), { status: 403 }],
  ])('%s', (_, change, more) => {
    expect(answered(change(flag()), more)).toEqual(expect.any(String))
  })
})

// biome-ignore lint/suspicious/noExplicitAny: a document that is changed at will
type Any = any
const flags = '/api/v1/data/review-flags/'
const row = (d: Any) => d.components.schemas.ReviewFlag
const raise = (d: Any) => d.paths[flags].post.requestBody.content['application/json'].schema
const list = (d: Any) => d.paths['/api/v1/data/review-queue/'].get
const record = (d: Any) => d.paths['/api/v1/cidoc/structures/{id}/'].get
const listed = (d: Any) => d.paths[flags].get.responses[200].content['application/json'].schema
function rename(members: Any, name = 'application/json') {
  members.another = members[name]
  delete members[name]
}

/** The paths that are changed here, by their beginnings. Hundreds of others, which stay as they are, would be copied and compared for each change. */
const changed = [
  ...[flags, '/api/v1/data/review-queue/', '/api/v1/data/activities/', '/api/v1/data/notifications/', '/schema/'],
  ...['/api/v1/cidoc/structures/', '/health/'],
]
/** A document with these paths, and all of its components. */
function withFew({ paths, ...rest }: Any): Any {
  const isChanged = ([path]: [string, unknown]) => changed.some((beginning) => path.startsWith(beginning))
  return { ...rest, paths: Object.fromEntries(Object.entries(paths).filter(isChanged)) }
}
const fewer = { before: withFew(checkedIn), now: withFew(relied) }

describe('a change that breaks clients is told', () => {
  test.each<[string, (d: Any) => unknown, string]>([
    ['a path is gone', (d) => delete d.paths[flags], `GET ${flags}: it is gone`],
    ['a method is gone', (d) => delete d.paths[flags].post, `POST ${flags}: it is gone`],
    ['a status is gone', (d) => delete d.paths[flags].post.responses[201], 'the status 201 is gone'],
    ['a member is gone', (d) => delete row(d).properties.reason, '.reason is gone'],
    ['a member far in is gone', (d) => delete d.components.schemas.UserCard.properties.username, '.username is gone'],
    [
      'a member is retyped',
      (d) => {
        row(d).properties.reason = { type: 'integer' }
      },
      '.reason may now be integer',
    ],
    [
      'a member may be null',
      (d) => {
        row(d).properties.reason = { anyOf: [{ type: 'string' }, { type: 'null' }] }
      },
      '.reason may now be null',
    ],
    [
      'a member may be missing',
      (d) => {
        row(d).required = ['id']
      },
      '.reason may be missing now',
    ],
    [
      'a list becomes free text',
      (d) => {
        row(d).properties.flag_type = { type: 'string' }
      },
      '.flag_type is no longer one of a list',
    ],
    [
      'the permission is another',
      (d) => {
        d.paths[flags].get['x-permission'] = 'flag.read'
      },
      'the permission was flag.list',
    ],
    [
      'a role is shut out',
      (d) => {
        d.paths[flags].get['x-roles'] = ['staff']
      },
      'the permission was',
    ],
    [
      'only some roles may',
      (d) => {
        d.paths['/api/v1/data/activities/'].get['x-roles'] = ['staff']
      },
      'the permission was',
    ],
    [
      'a caller is needed',
      (d) => {
        d.paths['/api/v1/data/activities/'].get.security = [{ bearer: [] }]
      },
      'the permission was',
    ],
    [
      'a parameter is gone',
      (d) => {
        list(d).parameters.shift()
      },
      'is gone',
    ],
    [
      'a parameter is new and required',
      (d) => {
        list(d).parameters.push({ name: 'x', in: 'query', required: true, schema: {} })
      },
      'the parameter x in the query is new and required',
    ],
    [
      'a parameter has become required',
      (d) => {
        list(d).parameters[0].required = true
      },
      'has become required',
    ],
    [
      'a parameter takes less',
      (d) => {
        list(d).parameters[0].schema.enum.pop()
      },
      'no longer takes "expiring"',
    ],
    [
      'a member of a body is required',
      (d) => {
        raise(d).required.push('reason')
      },
      'the body.reason is required now',
    ],
    ['a member of a body is gone', (d) => delete raise(d).properties.reason, 'the body.reason is gone'],
    [
      'a member of a body is retyped',
      (d) => {
        raise(d).properties.entity = { type: 'integer' }
      },
      'the body.entity no longer takes string',
    ],
    [
      'a text may be less long',
      (d) => {
        raise(d).properties.reason.anyOf[0].maxLength = 10
      },
      'another maxLength',
    ],
    [
      'a value is no longer taken',
      (d) => {
        raise(d).properties.flag_type.enum.pop()
      },
      'no longer takes "other"',
    ],
    [
      'a body has become required',
      (d) => {
        d.paths['/api/v1/data/notifications/mark_read/'].post.requestBody.required = true
      },
      'a body has become required',
    ],
    [
      'a content type is gone',
      (d) => delete d.paths['/schema/'].get.responses[200].content['application/yaml'],
      'is no longer application/yaml',
    ],
    [
      'a representation is gone',
      (d) => delete record(d).responses[200].content['application/ld+json'],
      'the answer 200 is no longer application/ld+json',
    ],
    [
      'a member of linked data is gone',
      (d) => delete d.components.schemas.LinkedAssignment.properties['prov:generated'],
      '.prov:generated is gone',
    ],
    [
      'a position has an item more',
      (d) => d.components.schemas.MapPoint.properties.coordinates.prefixItems.push({ type: 'number' }),
      '.coordinates has another number of items',
    ],
    ['a value is no longer answered', (d) => row(d).properties.flag_type.enum.pop(), '.flag_type no longer is "other"'],
    [
      'an answer is a list',
      (d) => {
        row(d).properties.reason = { type: 'array', items: { type: 'string' } }
      },
      '.reason may now be array',
    ],
    [
      'the items of a list are retyped',
      (d) => {
        listed(d).properties.results = { type: 'array', items: { type: 'string' } }
      },
      '.results[] may now be string',
    ],
    [
      'null is no longer taken',
      (d) => {
        raise(d).properties.reason = { type: 'string', maxLength: 5000 }
      },
      'the body.reason no longer takes null',
    ],
    [
      'a text must have a form',
      (d) => {
        raise(d).properties.reason.anyOf[0].format = 'uri'
      },
      'another format',
    ],
    [
      'a number must be larger',
      (d) => {
        record(d).parameters[0].schema.minimum = 2
      },
      'the parameter id in the path has another minimum',
    ],
    [
      'other members are refused',
      (d) => {
        raise(d).additionalProperties = false
      },
      'the body takes no other members now',
    ],
    [
      'any text is one of a list',
      (d) => {
        raise(d).properties.reason.anyOf[0].enum = ['because']
      },
      'the body.reason takes only a list of values now',
    ],
    [
      'a parameter has moved',
      (d) => {
        list(d).parameters[0].in = 'header'
      },
      'in the query is gone',
    ],
    [
      'a parameter is retyped',
      (d) => {
        record(d).parameters[0].schema = { type: 'boolean' }
      },
      'the parameter id in the path no longer takes integer',
    ],
    ['a body is of another type', (d) => rename(d.paths[flags].post.requestBody.content), 'no longer application/json'],
    ['a refusal is no longer told', (d) => delete d.paths[flags].post.responses[400], 'the status 400 is gone'],
    [
      'a refusal looks different',
      (d) => {
        d.components.schemas.Detail.properties = { error: { type: 'string' } }
      },
      '.detail is gone',
    ],
    [
      'a header is gone',
      (d) => delete record(d).responses[200].headers.ETag,
      'the header ETag of the answer 200 is gone',
    ],
    [
      'an operation is called something else',
      (d) => {
        d.paths[flags].get.operationId = 'listFlags'
      },
      'it is called listFlags now',
    ],
    ['a shape is gone', (d) => rename(d.components.schemas, 'Health'), 'the shape Health is gone'],
    [
      'a kind asks for more',
      (d) => {
        d.components.schemas.StructureCreate.required.push('note')
      },
      'the body.note is required now',
    ],
    [
      'a kind has a rule more',
      (d) => {
        d.components.schemas.StructureCreate.allOf.push({ required: ['note'] })
      },
      'another rule',
    ],
  ])('%s', (_, change, said) => {
    const next = structuredClone(fewer.now)
    change(next)
    expect(next).not.toEqual(fewer.now)
    expect(breaks(fewer.before, next).join('\n')).toContain(said)
  })

  test.each<[string, (d: Any) => unknown]>([
    [
      'a path',
      (d) => {
        d.paths['/api/v1/data/new/'] = d.paths[flags]
      },
    ],
    [
      'a member of an answer',
      (d) => {
        row(d).properties.more = { type: 'string' }
        row(d).required.push('more')
      },
    ],
    [
      'an optional member of a body',
      (d) => {
        raise(d).properties.more = { type: 'string' }
      },
    ],
    [
      'an optional parameter',
      (d) => {
        list(d).parameters.push({ name: 'x', in: 'query', required: false, schema: {} })
      },
    ],
    [
      'a status',
      (d) => {
        d.paths[flags].post.responses[418] = d.paths[flags].post.responses[400]
      },
    ],
    [
      'a value of an answer',
      (d) => {
        row(d).properties.flag_type.enum.push('new')
      },
    ],
    [
      'a value of a body',
      (d) => {
        raise(d).properties.flag_type.enum.push('new')
      },
    ],
    [
      'a body member that need not be sent any more',
      (d) => {
        raise(d).required = []
      },
    ],
    [
      'null in a body',
      (d) => {
        raise(d).properties.entity = { anyOf: [raise(d).properties.entity, { type: 'null' }] }
      },
    ],
    [
      'room in a text',
      (d) => {
        d.components.schemas.StructureCreate.properties.name.maxLength += 100
      },
    ],
    [
      'any text where there was a list',
      (d) => {
        raise(d).properties.flag_type = { type: 'string' }
      },
    ],
    [
      'a representation',
      (d) => {
        d.paths[flags].get.responses[200].content['text/turtle'] = { schema: { type: 'string' } }
      },
    ],
    [
      'a header',
      (d) => {
        record(d).responses[200].headers['X-Cache'] = { schema: { type: 'string' } }
      },
    ],
    [
      'a shape',
      (d) => {
        d.components.schemas.Another = { type: 'string' }
      },
    ],
    [
      'certainty: a member that is never null any more',
      (d) => {
        d.components.schemas.Contribution.properties.cidoc_id = { type: 'integer' }
      },
    ],
    [
      'another order',
      (d) => {
        list(d).parameters.reverse()
        row(d).properties = Object.fromEntries(Object.entries(row(d).properties).reverse())
        raise(d).properties.flag_type.enum.reverse()
      },
    ],
    [
      'an example',
      (d) => {
        record(d).responses[200].content['application/json'].example = { name: 'Another' }
      },
    ],
    [
      'words',
      (d) => {
        d.paths[flags].get.summary = 'Other words'
      },
    ],
    [
      'a role that may',
      (d) => {
        d.paths[flags].get['x-roles'].push('another_reviewer')
      },
    ],
  ])('while one that adds %s is not', (_, change) => {
    const next = structuredClone(fewer.now)
    change(next)
    expect(next).not.toEqual(fewer.now)
    expect(breaks(fewer.before, next)).toEqual([])
  })
})

describe('a change of one kind alone is told to its clients, and to no other kind', () => {
  /** A document with the paths of a kind and of the one after it, which is enough to see what is told to whom. */
  const pathsAbout = ({ paths, components }: Any, from: number): Any => {
    const some = [0, 1].map((more) => at(kindNames[(from + more) % kindNames.length]?.segment ?? ''))
    const isAbout = ([path]: [string, unknown]) => some.some((prefix) => path.startsWith(prefix))
    return { paths: Object.fromEntries(Object.entries(paths).filter(isAbout)), components }
  }

  test.each(kindNames.map((kind, i) => ({ ...kind, i })))('$segment', ({ segment, name, i }) => {
    const next = structuredClone(pathsAbout(relied, i))
    const { [`${name}Row`]: row, [name]: record, [`${name}Create`]: create } = next.components.schemas
    // A member that this kind has of its own, or of a few.
    const own = Object.keys(row.properties).find((each) => !(each in contract.everyKind.Row.members)) ?? ''
    rename(row.properties, own)
    row.properties.status.enum.pop()
    record.properties.description = { type: 'integer' }
    rename(create.properties, own)
    create.properties.access_tier = { enum: ['public'] }
    const faults = breaks(pathsAbout(checkedIn, i), next)
    const [list, one, post] = [`GET ${at(segment)}`, `GET ${at(segment)}{id}/`, `POST ${at(segment)}`]
    expect(faults).toEqual(
      expect.arrayContaining([
        `${list}: the answer 200.results[].${own} is gone`,
        `${list}: the answer 200.results[].status no longer is "superseded"`,
        `${one}: the answer 200.description may now be integer`,
        `${post}: the body.${own} is gone`,
        expect.stringMatching(`^${post}: the body.access_tier no longer takes `),
      ]),
    )
    const others = kindNames.filter((kind) => kind.segment !== segment)
    expect(faults.filter((fault) => others.some((kind) => fault.includes(` ${at(kind.segment)}`)))).toEqual([])
  })
  const at = (segment: string) => `/api/v1/cidoc/${segment}/`
})

describe('the contract', () => {
  const someKinds = [
    { segment: 'pots', name: 'Pot' },
    { segment: 'old_pans', name: 'Pan' },
    { segment: 'lids', name: 'Lid' },
  ]
  const operation = (more: object = {}) => ({
    operationId: 'get',
    'x-permission': 'record.read',
    security: [{}, { bearer: [] }, { devUser: [] }],
    parameters: [],
    responses: { 200: {} },
    ...more,
  })
  const stated = (paths: Record<string, object>, schemas: object = {}) => ({
    paths,
    components: { schemas, responses: {} },
  })
  const kept = (document: Any) => documentOf(JSON.parse(laidOut(contractOf(document, someKinds))))

  test('holds no words and no examples', () => {
    const next = structuredClone(built)
    const read = record(next)
    read.summary = read.description = read.parameters[0].description = 'Other words'
    read.responses[200].content['application/json'].example = { name: 'Another' }
    next.components.schemas.StructureCreate.properties.name.title = 'Other words'
    expect(next).not.toEqual(built)
    expect(canonical(next)).toEqual(relied)
  })

  test('has a route of all kinds once, with the kinds that differ beside it', () => {
    const alike = (segment: string): [string, object] => [`/cidoc/${segment}/`, { get: operation() }]
    const all = stated(Object.fromEntries(['pots', 'old_pans', 'lids'].map(alike)))
    expect(Object.keys(contractOf(all, someKinds).operations)).toEqual(['GET /cidoc/{segment}/'])
    const other = { get: operation({ 'x-permission': 'record.list' }) }
    const { '/cidoc/lids/': _, ...most } = all.paths
    for (const paths of [{ ...all.paths, '/cidoc/lids/': other }, most, { ...most, '/cidoc/more/': other }]) {
      const it = stated(paths)
      expect(kept(it)).toEqual(it)
      expect(kept(it)).not.toEqual(all)
    }
  })

  test.each<[string, object]>([
    ['a text', { type: 'string' }],
    ['a text that is a format', { type: 'string', format: 'date | x' }],
    ['a text with a limit', { type: 'string', maxLength: 3 }],
    ['anything', {}],
    ['a list of several', { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'null' }] } }],
    ['a list of lists', { type: 'array', items: { type: 'array', items: { $ref: '#/components/schemas/Pot' } } }],
    ['a list with a limit', { type: 'array', items: { type: 'string' }, maxItems: 2 }],
    ['one of one', { anyOf: [{ type: 'null' }] }],
    ['one of one of several', { anyOf: [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, { type: 'integer' }] }],
    ['several types', { type: ['string', 'null'] }],
    ['a component with a condition', { $ref: '#/components/schemas/Pot', not: { type: 'null' } }],
    ['something else by reference', { $ref: '#/components/responses/R400' }],
    ['an object with no members', { type: 'object', properties: {} }],
    ['one of any members', { type: 'object', additionalProperties: { type: 'string' } }],
    ['one without a type', { properties: { a: { type: 'string' } }, required: ['a'] }],
    ['a member that is named as if it were optional', { type: 'object', properties: { 'a?': {} }, required: ['a?'] }],
    ['a member that is required and not described', { type: 'object', properties: { a: {} }, required: ['b'] }],
    ['a member that is called members', { type: 'object', properties: { members: {}, extends: {}, title: {} } }],
    ['nothing but a list', { enum: [1, '1', null, 'a | b'] }],
  ])('says of a schema exactly what it is: %s', (_, schema) => {
    const it = stated({}, { Pot: schema, PotRow: schema, PotCreate: schema, PotChange: schema, Other: { not: schema } })
    expect(kept(it)).toEqual(it)
  })
})

describe('a record of each kind answers as the document says, by every route', () => {
  beforeAll(open)

  test.each(recordKinds.map((key) => kinds[key]))('$key', async (kind) => {
    const at = `/cidoc/${kind.segment}/`
    const body = filled(kind)
    const { id, cultural_entity_id } = sure(201, await app.contributor.post(at, { body }))
    const one = `${at}${id}/`
    sure(200, await app.contributor.put(one, { body }))
    sure(200, await app.contributor.patch(one, { body: { [kind.nameField]: `${body[kind.nameField]}, anew` } }))
    const settled = { verdict: 'accept', conflict_handling: 'supersedes' }
    const verdict = await app.curator.post(`/data/review-workspace/${cultural_entity_id}/decide/`, { body: settled })
    expect([201, 400]).toContain(verdict.status)
    sure(200, await app.staff.get(one))
    sure(200, await app.staff.get(at, { query: { all: 1 } }))
    sure(204, await app.staff.delete(one))
    sure(200, await app.staff.post(`${one}restore/`))
  })
})

describe('the document is served', () => {
  beforeAll(open)

  test('as JSON, packed where the client takes that, with a tag', async () => {
    const plain = await app.anon.get('/schema')
    expect(plain.headers['content-type']).toBe('application/json')
    expect(JSON.parse(plain.bytes.toString())).toEqual(built)
    const packed = await app.anon.get('/schema/', { headers: { 'accept-encoding': 'gzip, br' } })
    expect(packed.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(packed.bytes).toString())).toEqual(built)
    expect(packed.headers.etag).not.toBe(plain.headers.etag)
    for (const it of [plain, packed]) {
      expect(it.headers).toMatchObject({
        'cache-control': 'public, max-age=300',
        vary: 'Origin, Accept-Encoding, Accept',
      })
      const again = await app.anon.get('/schema/', {
        headers: {
          'if-none-match': it.headers.etag ?? '',
          ...(it === packed && { 'accept-encoding': 'gzip' }),
        },
      })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
    }
  })

  test.each([
    [{ query: { format: 'yaml' } }],
    [{ headers: { accept: 'application/yaml' } }],
    [{ headers: { accept: 'application/vnd.oai.openapi+yaml;q=1, */*;q=0.1' } }],
  ])('as YAML for %j', async (sent) => {
    const reply = await app.anon.get('/schema/', sent)
    expect(reply.headers['content-type']).toBe('application/yaml')
    expect(reply.bytes.toString().slice(0, 15)).toBe('openapi: 3.1.1\n')
  })

  test('with the same content in YAML', async () => {
    const { bytes } = await app.anon.get('/schema/', { query: { format: 'yaml' } })
    expect(parse(bytes.toString())).toEqual(built)
  })

  test('without a read of the table', async () => {
    expect((await app.anon.get('/schema/')).cost).toEqual({ calls: 0, units: 0 })
  })
})
