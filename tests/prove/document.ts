import { readFileSync } from 'node:fs'
import { DOCUMENT } from '../../deploy/packages/built-document.ts'
import type { Base } from './base.ts'
import type { Dice } from './world/chance.ts'

/** Every operation of the API document, and paths that name what is there. */
// biome-ignore lint/suspicious/noExplicitAny: JSON Schema
export type Schema = any
export type Documented = {
  method: string
  path: string
  roles: readonly string[] | undefined
  /** Whether whoever is not signed in may call it. */
  open: boolean
  parameters: readonly { name: string; in: string; schema: Schema }[]
  body: Schema | undefined
  multipart: boolean
}

const document = JSON.parse(readFileSync(DOCUMENT, 'utf8'))
const METHODS = new Set(['get', 'post', 'put', 'patch', 'delete'])

export const documented: readonly Documented[] = Object.entries<Record<string, Schema>>(document.paths).flatMap(
  ([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => METHODS.has(method))
      .map(([method, it]) => {
        const content = it.requestBody?.content ?? {}
        const security: readonly object[] | undefined = it.security
        return {
          method: method.toUpperCase(),
          path,
          roles: it['x-roles'],
          open:
            security === undefined || security.length === 0 || security.some((way) => Object.keys(way).length === 0),
          parameters: it.parameters ?? [],
          body: content['application/json']?.schema,
          multipart: 'multipart/form-data' in content && !('application/json' in content),
        }
      }),
)

/** What a schema refers to. */
function resolved(schema: Schema): Schema {
  let it = schema
  for (let steps = 0; it?.$ref && steps < 20; steps += 1)
    it = String(it.$ref)
      .replace(/^#\//, '')
      .split('/')
      .reduce((at, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document)
  return it ?? {}
}

/** In which states a record, a project and the rest are. */
export const STATES = ['open', 'restricted', 'pending', 'edited', 'rejected', 'revising', 'deleted'] as const
export type State = (typeof STATES)[number]
const projectIn: Readonly<Record<State, keyof Base['projects']>> = {
  open: 'draft',
  restricted: 'approved',
  pending: 'in_review',
  edited: 'merged',
  rejected: 'draft',
  revising: 'in_review',
  deleted: 'merged',
}

/** A path with ids of what is there, in one of the states. */
export function placed(base: Base, { path }: Documented, state: State): string {
  const it = base[state]
  const slug = base.projects[projectIn[state]]
  const own: readonly [RegExp, string][] = [
    [
      /\/projects\/.*\{id\}/,
      path.includes('assets') ? base.asset : path.includes('memberships') ? base.ids.dev : base.open.cultural_entity_id,
    ],
    [/assertions\/\{id\}/, base.claim.id],
    [/entity-clusters\/\{id\}|entity_clusters\/\{id\}/, String(base.cluster.id)],
    [/data_sources\/\{id\}|data-sources\/\{id\}/, base.source.id],
    [/comments\/\{id\}/, base.comment.comment_id],
    [/review-flags\/\{id\}/, base.flag.id],
    [/reviewer-applications\/\{id\}/, base.application.id],
    [/(reviewer-roles|users)\/\{id\}/, base.ids.reviewer],
    [/(submissions|moderations)\/\{id\}/, base.submission.submission_id],
    [/submission-suggestions\/\{id\}/, String(base.suggestion.id)],
  ]
  const id = own.find(([pattern]) => pattern.test(path))?.[1] ?? String(it.id)
  return path
    .replace('{id}', id)
    .replace('{slug}', path.includes('/data/user/') ? base.ids.dev : slug)
    .replace('{entity_id}', path.includes('comments/{id}') ? base.open.cultural_entity_id : it.cultural_entity_id)
    .replace('{asset_id}', base.asset)
    .replace('{username}', 'dev')
    .replace(/\{\w+\}/g, '1')
}

const WORDS = [
  'Nyatapola',
  'x',
  'देगः',
  'a b',
  '1427',
  '27.67, 85.42',
  '2025-01-15',
  'https://example.org/a',
  'dev@heritage.test',
] as const
const WILD: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    Number.MAX_SAFE_INTEGER,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\u202e',
    'é'.repeat(200),
    'x'.repeat(20_000),
    '../../etc',
    "'; --",
    '<script>',
  ],
  ...[[], {}, [[]], [null], { $ref: 'x' }, { __proto__: null, constructor: 1 }, Array.from({ length: 300 }, () => 'x')],
]

/** A value that a schema allows, as far as it says what it wants. */
export function valid(schema: Schema, chance: Dice, base: Base, depth = 0): unknown {
  const it = resolved(schema)
  if ('const' in it) return it.const
  if (Array.isArray(it.enum)) return chance.pick(it.enum)
  const ways = it.anyOf ?? it.oneOf
  if (Array.isArray(ways) && ways.length > 0) return valid(chance.pick(ways), chance, base, depth + 1)
  if (Array.isArray(it.allOf))
    return Object.assign({}, ...it.allOf.map((each: Schema) => valid(each, chance, base, depth + 1)))
  const type = Array.isArray(it.type) ? chance.pick(it.type as string[]) : it.type
  if (type === 'object' || it.properties) return depth > 5 ? {} : object(it, chance, base, depth)
  if (type === 'array')
    return depth > 5
      ? []
      : Array.from({ length: (it.minItems ?? 0) + chance.below(3) }, () =>
          valid(it.items ?? {}, chance, base, depth + 1),
        )
  if (type === 'integer' || type === 'number') return Math.min(it.maximum ?? 50, (it.minimum ?? 0) + chance.below(5))
  if (type === 'boolean') return chance.happens(0.5)
  if (type === 'null') return null
  return text(it, chance, base)
}

function object(it: Schema, chance: Dice, base: Base, depth: number): object {
  const required = new Set<string>(it.required ?? [])
  const members = Object.entries<Schema>(it.properties ?? {}).filter(
    ([name, one]) => !resolved(one).readOnly && (required.has(name) || chance.happens(0.3)),
  )
  return Object.fromEntries(
    members.map(([name, one]) => [name, named(name, base, chance) ?? valid(one, chance, base, depth + 1)]),
  )
}

/** What members that name other things mostly hold. */
function named(name: string, base: Base, chance: Dice): unknown {
  if (!chance.happens(0.6)) return undefined
  const names: Readonly<Record<string, unknown>> = {
    entity: base.open.cultural_entity_id,
    entity_id: base.open.cultural_entity_id,
    user_id: base.ids.other,
    slug: `s-${chance.below(1e9)}`,
    source: base.source.id,
    parent: base.comment.comment_id,
  }
  return names[name]
}

function text(it: Schema, chance: Dice, base: Base): string {
  if (it.format === 'uuid') return chance.pick([base.open.cultural_entity_id, base.ids.dev, base.claim.id])
  if (it.format === 'date-time') return '2025-01-15T10:00:00Z'
  if (it.format === 'date') return '2025-01-15'
  const word = chance.pick(WORDS).padEnd(it.minLength ?? 0, '.')
  return it.maxLength === undefined ? word : word.slice(0, it.maxLength)
}

/** A valid value in which one place is wrong. */
export function nearly(value: unknown, chance: Dice): unknown {
  if (Array.isArray(value) && value.length > 0 && chance.happens(0.7)) {
    const at = chance.below(value.length)
    return value.map((each, i) => (i === at ? nearly(each, chance) : each))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const names = Object.keys(value)
    if (names.length === 0 || chance.happens(0.15)) return { ...value, [`more-${chance.below(9)}`]: chance.pick(WILD) }
    const name = chance.pick(names)
    const { [name]: one, ...others } = value as Record<string, unknown>
    return chance.happens(0.2) ? others : { ...others, [name]: nearly(one, chance) }
  }
  return chance.pick(WILD)
}

export const wild = (chance: Dice): unknown => chance.pick(WILD)
