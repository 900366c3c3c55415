import { isJson, type Json } from './json.ts'

/**
 * Lists the changes in a document that break clients of an older one, one sentence each: an operation, a status, a member or a type
 * that is missing or changed, and a member that is newly required. Additions break no client.
 */
export function breaks(old: Json, next: Json): string[] {
  const documents: Documents = { old, next, agreed: { sent: new Map(), answered: new Map() } }
  const before = operationsOf(old)
  const after = operationsOf(next)
  const operations = [...before].flatMap(([name, one]) => {
    const other = after.get(name)
    if (!other) return [`${name}: it is gone`]
    const found = [
      ...(one.operationId === other.operationId ? [] : [`it is called ${other.operationId} now`]),
      ...permission(one, other),
      ...parameters(documents, one, other),
      ...request(documents, one, other),
      ...responses(documents, one, other),
    ]
    return [...new Set(found)].map((fault) => `${name}: ${fault}`)
  })
  const [shapes, others] = [shapesOf(old), shapesOf(next)]
  // Typed clients use their names.
  const lost = Object.keys(shapes).filter((name) => !(name in others))
  return [...operations, ...lost.map((name) => `the shape ${name} is gone`)]
}

function parameters(documents: Documents, one: Json, other: Json): string[] {
  const [were, are] = [parametersOf(one), parametersOf(other)]
  const added = [...are].filter(([name, it]) => it.required === true && !were.has(name))
  return [
    ...added.map(([name]) => `the parameter ${name} is new and required`),
    ...[...were].flatMap(([name, was]) => {
      const is = are.get(name)
      if (!is) return [`the parameter ${name} is gone`]
      const required =
        is.required === true && was.required !== true ? [`the parameter ${name} has become required`] : []
      return [
        ...required,
        ...schemas(
          { documents, side: 'sent', at: `the parameter ${name}` },
          member(was, 'schema'),
          member(is, 'schema'),
        ),
      ]
    }),
  ]
}

function request(documents: Documents, one: Json, other: Json): string[] {
  const [was, is] = [member(one, 'requestBody'), member(other, 'requestBody')]
  const required = is.required === true && was.required !== true ? ['a body has become required'] : []
  return [...required, ...contents({ documents, side: 'sent', at: 'the body' }, was, is)]
}

function responses(documents: Documents, one: Json, other: Json): string[] {
  const [were, are] = [member(one, 'responses'), member(other, 'responses')]
  return Object.keys(were).flatMap((status) => {
    if (!(status in are)) return [`the status ${status} is gone`]
    const [was, is] = [
      resolveReference(documents.old, member(were, status)),
      resolveReference(documents.next, member(are, status)),
    ]
    const headers = Object.keys(member(was, 'headers')).filter((name) => !(name in member(is, 'headers')))
    return [
      ...headers.map((name) => `the header ${name} of the answer ${status} is gone`),
      ...contents({ documents, side: 'answered', at: `the answer ${status}` }, was, is),
    ]
  })
}

function contents(spot: Spot, was: Json, is: Json): string[] {
  const [types, others] = [member(was, 'content'), member(is, 'content')]
  return Object.keys(types).flatMap((type) =>
    type in others
      ? schemas(spot, member(member(types, type), 'schema'), member(member(others, type), 'schema'))
      : [`${spot.at} is no longer ${type}`],
  )
}

function schemas(spot: Spot, was: Json, is: Json): string[] {
  const { documents, side, at } = spot
  const [options, others] = [optionsOf(documents.old, was), optionsOf(documents.next, is)]
  // A body may only accept more. An answer may only contain what it could contain before.
  const [given, known] = side === 'sent' ? [options, others] : [others, options]
  if (known.some(isAnything)) return []
  return given.flatMap((one) => {
    const faults = known
      .filter((each) => isAlike(one, each))
      .map((each) => (side === 'sent' ? compareSchemas(spot, one, each) : compareSchemas(spot, each, one)))
    if (faults.length === 0)
      return [side === 'sent' ? `${at} no longer takes ${kindOf(one)}` : `${at} may now be ${kindOf(one)}`]
    return faults.toSorted((a, b) => a.length - b.length)[0] ?? []
  })
}

function compareSchemas(spot: Spot, a: Json, b: Json): string[] {
  const { documents, side } = spot
  const agreed = documents.agreed[side]
  const others = agreed.get(a) ?? new Set()
  if (others.has(b)) return []
  agreed.set(a, others.add(b))
  const faults = [...members(spot, a, b), ...items(spot, a, b), ...values(spot, a, b)]
  if (faults.length > 0) others.delete(b)
  return faults
}

function members(spot: Spot, a: Json, b: Json): string[] {
  const { side, at } = spot
  const [were, are] = [member(a, 'properties'), member(b, 'properties')]
  const [must, mustNow] = [listOf(a.required), listOf(b.required)]
  const lost = must
    .filter((name) => name in are && !mustNow.includes(name))
    .map((name) => `${at}.${name} may be missing now`)
  const asked = mustNow.filter((name) => !must.includes(name)).map((name) => `${at}.${name} is required now`)
  return [
    ...(side === 'sent' ? asked : lost),
    ...Object.keys(were).flatMap((name) =>
      name in are
        ? schemas(atStep(spot, `.${name}`), member(were, name), member(are, name))
        : [`${at}.${name} is gone`],
    ),
    ...(side === 'sent' && b.additionalProperties === false && a.additionalProperties !== false
      ? [`${at} takes no other members now`]
      : []),
    ...(isJson(a.additionalProperties) && isJson(b.additionalProperties)
      ? schemas(atStep(spot, '.*'), a.additionalProperties, b.additionalProperties)
      : []),
  ]
}

function items(spot: Spot, a: Json, b: Json): string[] {
  const [were, are] = [schemasIn(a.prefixItems), schemasIn(b.prefixItems)]
  return [
    ...(were.length === are.length ? [] : [`${spot.at} has another number of items`]),
    ...were.flatMap((one, place) => schemas(atStep(spot, `[${place}]`), one, are[place] ?? {})),
    ...(isJson(a.items) && isJson(b.items) ? schemas(atStep(spot, '[]'), a.items, b.items) : []),
  ]
}

/** The direction of a value: from the client, or to the client. */
type Side = 'sent' | 'answered'
/** Both documents, and the pairs of schemas already compared or being compared: a shape may contain itself. */
type Documents = { old: Json; next: Json; agreed: Readonly<Record<Side, Map<Json, Set<Json>>>> }
/** The direction and the name, for sentences, of the compared schemas. */
type Spot = { documents: Documents; side: Side; at: string }
const atStep = (spot: Spot, step: string): Spot => ({ ...spot, at: `${spot.at}${step}` })

function operationsOf(document: Json): Map<string, Json> {
  return new Map(
    Object.entries(member(document, 'paths')).flatMap(([path, methods]) =>
      Object.keys(isJson(methods) ? methods : {}).map((method): [string, Json] => [
        `${method.toUpperCase()} ${path}`,
        member(isJson(methods) ? methods : {}, method),
      ]),
    ),
  )
}

/** A further role breaks no client. */
function permission(one: Json, other: Json): string[] {
  const [were, are] = [listOf(one['x-roles']), listOf(other['x-roles'])]
  const admitsAll = were.length > 0 ? were.every((role) => are.includes(role)) : are.length === 0
  if (admitsAll && ruleOf(one) === ruleOf(other)) return []
  const was = [ruleOf(one), ...were].join(' ')
  return [`the permission was ${was} and is ${[ruleOf(other), ...are].join(' ')}`]
}

const ruleOf = (it: Json) => `${it['x-permission']} ${JSON.stringify(it.security) ?? ''}`

const parametersOf = (it: Json) =>
  new Map(
    (Array.isArray(it.parameters) ? it.parameters : [])
      .filter(isJson)
      .map((one): [string, Json] => [`${one.name} in the ${one.in}`, one]),
  )

const shapesOf = (document: Json) => member(member(document, 'components'), 'schemas')

/** The alternatives of a schema. */
function optionsOf(document: Json, schema: Json): Json[] {
  const it = mergeAllOf(document, resolveReference(document, schema))
  const union = it.anyOf ?? it.oneOf
  if (Array.isArray(union) && !('properties' in it))
    return union.filter(isJson).flatMap((one) => optionsOf(document, one))
  if (Array.isArray(it.type)) return it.type.map((type) => ({ ...it, type }))
  return [it]
}

/** Merges the parts of an `allOf`. */
function mergeAllOf(document: Json, it: Json): Json {
  const parts = Array.isArray(it.allOf)
    ? it.allOf.filter(isJson).map((one) => mergeAllOf(document, resolveReference(document, one)))
    : []
  if (!parts.some((one) => 'properties' in one)) return it
  const all = [it, ...parts]
  return {
    ...it,
    type: 'object',
    properties: Object.assign({}, ...all.map((one) => member(one, 'properties'))),
    required: all.flatMap((one) => listOf(one.required)),
  }
}

function resolveReference(document: Json, it: Json): Json {
  if (typeof it.$ref !== 'string') return it
  const found = it.$ref.slice(2).split('/').reduce(member, document)
  return resolveReference(document, found)
}

const schemasIn = (it: unknown): Json[] => (Array.isArray(it) ? it.filter(isJson) : [])
/** Whether a schema accepts any value. */
const isAnything = (it: Json) =>
  typeOf(it) === 'anything' && !['enum', 'allOf', 'anyOf', 'oneOf', 'not'].some((name) => name in it)
const typeOf = (it: Json) => it.type ?? (it.const === undefined ? 'anything' : typeof it.const)
const isAlike = (a: Json, b: Json) =>
  typeOf(a) === typeOf(b) || [a, b].every((it) => ['integer', 'number'].includes(String(it.type)))
const kindOf = (it: Json) => (it.const === undefined ? String(typeOf(it)) : JSON.stringify(it.const))

/** A body must not become narrower, and an answer must not become wider. */
function values({ side, at }: Spot, was: Json, is: Json): string[] {
  const [from, to] = side === 'sent' ? [was, is] : [is, was]
  const narrower = [
    ...limits.filter(([name, isLess]) => isLess(to[name], from[name])).map(([name]) => name),
    ...(from.pattern !== to.pattern && to.pattern !== undefined ? ['pattern'] : []),
    ...(from.format !== to.format && to.format !== undefined ? ['format'] : []),
    ...(side === 'sent' && to.allOf && JSON.stringify(from.allOf) !== JSON.stringify(to.allOf) ? ['rule'] : []),
    ...(from.type === 'number' && to.type === 'integer' ? ['type'] : []),
  ]
  const faults = narrower.map((name) => `${at} has another ${name}`)
  const [allowed, taken] = [allowedBy(was), allowedBy(is)]
  // Breaks: an answer of a list that becomes any text, or a body of any text that becomes one of a list.
  if (!taken) return allowed && side === 'answered' ? [...faults, `${at} is no longer one of a list`] : faults
  if (!allowed) return side === 'sent' ? [...faults, `${at} takes only a list of values now`] : faults
  const verb = side === 'sent' ? 'takes' : 'is'
  const lost = allowed.filter((one) => !taken.includes(one))
  return [...faults, ...lost.map((one) => `${at} no longer ${verb} ${JSON.stringify(one)}`)]
}

const allowedBy = (it: Json): unknown[] | undefined =>
  Array.isArray(it.enum) ? it.enum : it.const === undefined ? undefined : [it.const]

const isNumber = (it: unknown): it is number => typeof it === 'number'
const lower = (to: unknown, from: unknown) => isNumber(to) && (!isNumber(from) || to < from)
const higher = (to: unknown, from: unknown) => isNumber(to) && (!isNumber(from) || to > from)
const limits = [
  ['maxLength', lower],
  ['maxItems', lower],
  ['maximum', lower],
  ['exclusiveMaximum', lower],
  ['minLength', higher],
  ['minItems', higher],
  ['minimum', higher],
  ['exclusiveMinimum', higher],
] as const

function member(it: Json, name: string): Json {
  const found = it[name]
  return isJson(found) ? found : {}
}

const listOf = (it: unknown): string[] => (Array.isArray(it) ? it.map(String) : [])
