import { isDeepStrictEqual } from 'node:util'
import { pascalCase } from '../../lib/domain/kinds/keys.ts'
import { isJson, type Json } from '../json.ts'
import { answerAtLength, answerInShort, operationAtLength, operationInShort } from './operation.ts'
import { type Parameters, parametersOf, withNamed, withWritten } from './parameters.ts'
import { type Schemas, schemasAtLength, schemasInShort } from './schemas.ts'

/** The file of the contract. `npm run openapi` writes it, and every test run compares it with the routes. */
export const CONTRACT = 'tests/contract/contract.json'

/** The names of a kind in the document: its path segment, and the prefix of its schemas. */
export type KindName = { segment: string; name: string }

/**
 * The parts of the document that clients rely on, short enough to review. A route that is the same for all kinds appears once, with
 * `{segment}` and `{Kind}`. Shared parameters and each schema appear once. A kind has only the members that not every kind has.
 */
export type Contract = {
  kinds: KindName[]
  /** Operations by method and path. One of a single kind overrides the one of all kinds; null means that the kind has none. */
  operations: Record<string, Json | null>
  parameters: Parameters
  responses: Record<string, Json>
} & Schemas

/** Writes a canonical document as a contract. */
export function contractOf(document: Json, kinds: readonly KindName[]): Contract {
  const { schemas, responses } = object(document.components)
  const operations = operationsOf(document, kinds)
  const parameters = parametersOf(operations)
  return {
    kinds: [...kinds],
    operations: changeOperations(operations, (it) => withNamed(it, parameters)),
    parameters,
    responses: mapMembers(responses, (each) => answerInShort(object(each))),
    ...schemasInShort(
      object(schemas),
      kinds.map(({ name }) => name),
    ),
  }
}

/** Restores the canonical document from a contract. */
export function documentOf({ kinds, parameters, responses, everyKind, schemas, ...short }: Contract): Json {
  const operations = changeOperations(short.operations, (it) => withWritten(it, parameters))
  const written = Object.entries(operations).flatMap(([key, it]) =>
    key.includes('{segment}')
      ? kinds.map((kind): [string, Json | null] => [withKindNames(key, kind), it && withKindNames(it, kind)])
      : [[key, it] as [string, Json | null]],
  )
  // An entry of one kind overrides the entry of all kinds.
  const all = { ...Object.fromEntries(written), ...operations }
  const paths: Record<string, Json> = {}
  for (const [key, it] of Object.entries(all)) {
    const [method = '', path = ''] = key.split(' ')
    if (it && !path.includes('{segment}'))
      paths[path] = { ...paths[path], [method.toLowerCase()]: operationAtLength(it) }
  }
  return {
    paths,
    components: {
      schemas: schemasAtLength({ everyKind, schemas }),
      responses: mapMembers(responses, (each) => answerAtLength(object(each))),
    },
  }
}

const changeOperations = (operations: Contract['operations'], change: (it: Json) => Json): Contract['operations'] =>
  Object.fromEntries(Object.entries(operations).map(([key, it]) => [key, it && change(it)]))

function operationsOf({ paths }: Json, kinds: readonly KindName[]): Contract['operations'] {
  const own = Object.entries(object(paths)).flatMap(([path, methods]) =>
    Object.entries(object(methods)).map(([method, it]): [string, Json] => [
      `${method.toUpperCase()} ${path}`,
      operationInShort(object(it)),
    ]),
  )
  const [first] = kinds
  if (!first) return Object.fromEntries(own)
  const known = new Map(own)
  // A route counts as one of all kinds if the first kind has it and most kinds have the same.
  const general = own
    .map(([key, it]): [string, Json] => [withPlaceholders(key, first), withPlaceholders(it, first)])
    .filter(([key, it]) => {
      const alike = kinds.filter((kind) =>
        isDeepStrictEqual(known.get(withKindNames(key, kind)), withKindNames(it, kind)),
      )
      return key.includes('{segment}') && alike.length * 2 > kinds.length
    })
  const exceptions: Contract['operations'] = {}
  for (const [key, it] of general)
    for (const kind of kinds) {
      const at = withKindNames(key, kind)
      const is = known.get(at)
      known.delete(at)
      if (!isDeepStrictEqual(is, withKindNames(it, kind))) exceptions[at] = is ?? null
    }
  return Object.fromEntries(
    Object.entries({ ...Object.fromEntries([...known, ...general]), ...exceptions }).sort(([a], [b]) => byPath(a, b)),
  )
}

function byPath(a: string, b: string): number {
  const [one, other] = [a, b].map((key) => key.split(' ').toReversed().join(' '))
  return (one ?? '') < (other ?? '') ? -1 : 1
}

/** Replaces the names of a kind by placeholders, such as `/cidoc/structures/` by `/cidoc/{segment}/`. */
function withPlaceholders<T extends string | Json>(it: T, { segment, name }: KindName): T {
  const title = pascalCase(segment)
  return JSON.parse(
    JSON.stringify(it)
      .replaceAll(new RegExp(`/cidoc/${segment}/`, 'g'), '/cidoc/{segment}/')
      .replaceAll(new RegExp(`(?<=[a-z])${title}(?=ById|")`, 'g'), '{Segment}')
      .replaceAll(new RegExp(`"${name}(?=(Row|Create|Change)?(\\[\\]| with warnings)?")`, 'g'), '"{Kind}'),
  )
}

/** Replaces the placeholders by the names of a kind. */
function withKindNames<T extends string | Json | null>(it: T, { segment, name }: KindName): T {
  return JSON.parse(
    JSON.stringify(it)
      .replaceAll('{segment}', segment)
      .replaceAll('{Segment}', pascalCase(segment))
      .replaceAll('{Kind}', name),
  )
}

const mapMembers = (it: unknown, change: (each: unknown) => Json): Record<string, Json> =>
  Object.fromEntries(Object.entries(object(it)).map(([name, each]) => [name, change(each)]))
const object = (it: unknown): Json => (isJson(it) ? it : {})
