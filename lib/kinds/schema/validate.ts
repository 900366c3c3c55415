import * as v from 'valibot'
import type { Field } from './fields.ts'
import { forms } from './forms.ts'
import type { Kind } from './kind.ts'
import { type Members, readingMembers } from './members.ts'
import { pictureMembers } from './pictures.ts'
import { latitude, longitude, pointText } from './points.ts'
import { type Provenance, provenanceFields, provenanceOf } from './provenance.ts'
import { type Data, isAbsent, isObject, Refused } from './value.ts'

/** What a body says: values, members that it empties (changes only), and where the values come from. */
export type Contribution = { data: Data; cleared: string[]; assertion: Provenance }

export type Mode = 'create' | 'change'

type Body = Readonly<Record<string, unknown>>
type Fault = { readonly path: readonly string[]; readonly message: string }

/**
 * The schema of a body for a kind. A create must have the required members; a change may leave any out, and empties
 * those that it sends as null or "". Unknown members are dropped. Issues name the member as it was sent.
 */
export function schemaOf(kind: Kind, mode: Mode): v.GenericSchema<unknown, Contribution> {
  const known = schemas[mode].get(kind)
  if (known) return known
  const schema = v.pipe(
    v.custom<Body>(isObject, 'The body must be an object.'),
    v.rawTransform<Body, Contribution>(({ dataset, addIssue, NEVER }) => {
      const faults: Fault[] = []
      const contribution = read(kind, mode, dataset.value, faults)
      for (const fault of faults) addIssue({ message: fault.message, path: pathOf(fault, dataset.value) })
      return faults.length > 0 ? NEVER : contribution
    }),
  )
  schemas[mode].set(kind, schema)
  return readingMembers(schema, membersOf(kind))
}

function membersOf({ fields }: Kind): Members {
  const plain = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, null]))
  const named = Object.entries(fields).map(([name, { type, aliases }]): Members => {
    const inside = type === 'media' ? plain(pictureMembers) : null
    return Object.fromEntries([name, ...aliases].map((each) => [each, inside]))
  })
  const pair = fields.coordinates?.type === 'coordinates' ? ['latitude', 'longitude'] : []
  return { ...Object.assign({}, ...named), ...plain(pair), assertion: plain(Object.keys(provenanceFields)) }
}

const schemas = {
  create: new Map<Kind, v.GenericSchema<unknown, Contribution>>(),
  change: new Map<Kind, v.GenericSchema<unknown, Contribution>>(),
}

function read(kind: Kind, mode: Mode, body: Body, faults: Fault[]): Contribution {
  const data: Data = {}
  const cleared: string[] = []
  const withPoint: Body = { ...body, ...pairAsPoint(kind, body, faults) }
  for (const [name, field] of Object.entries(kind.fields)) {
    const sent = [name, ...field.aliases].filter((member) => Object.hasOwn(withPoint, member))
    const value = first(sent, field, withPoint, faults)
    if (value !== undefined) data[name] = value
    else if (sent.every((member) => isAbsent(withPoint[member]))) {
      if (isMissed(field, mode, sent, body)) faults.push({ path: [sent[0] ?? name], message: missed[mode] })
      else if (mode === 'change' && sent.length > 0) cleared.push(name)
    }
  }
  return { data, cleared, assertion: provenanceOf(readBlock(body, faults), data) }
}

const missed = { create: 'This field is required.', change: 'This field may not be blank.' }

/** The value of a field: of its name and aliases the first that says something, though each must be good. */
function first(sent: readonly string[], field: Field, body: Body, faults: Fault[], within: readonly string[] = []) {
  const values = sent.flatMap((member) => {
    if (isAbsent(body[member])) return []
    const value = forms[field.type].read(body[member], field)
    if (!(value instanceof Refused)) return value === undefined ? [] : [value]
    faults.push({ path: [...within, member], message: value.message })
    return []
  })
  return values[0]
}

function isMissed(field: Field, mode: Mode, sent: readonly string[], body: Body): boolean {
  if (!field.required || (mode === 'change' && sent.length === 0)) return false
  return field.unless === undefined || !Object.hasOwn(body, field.unless) || isAbsent(body[field.unless])
}

/** Latitude and longitude as coordinates, where a kind has these and the body does not say them otherwise. */
function pairAsPoint(kind: Kind, body: Body, faults: Fault[]): Body {
  const field = kind.fields.coordinates
  const isSent = Object.hasOwn(body, 'latitude') || Object.hasOwn(body, 'longitude')
  if (field?.type !== 'coordinates' || !isSent) return {}
  const lat = first(['latitude'], latitude, body, faults)
  const lng = first(['longitude'], longitude, body, faults)
  if (isAbsent(body.latitude) !== isAbsent(body.longitude)) {
    const member = isAbsent(body.latitude) ? 'latitude' : 'longitude'
    faults.push({ path: [member], message: 'Latitude and longitude go together.' })
  }
  if (['coordinates', ...field.aliases].some((member) => !isAbsent(body[member]))) return {}
  return { coordinates: typeof lat === 'number' && typeof lng === 'number' ? pointText({ lat, lng }) : null }
}

function readBlock(body: Body, faults: Fault[]): Data {
  const block: Data = {}
  if (!Object.hasOwn(body, 'assertion') || isAbsent(body.assertion)) return block
  if (!isObject(body.assertion)) {
    faults.push({ path: ['assertion'], message: 'Give an object.' })
    return block
  }
  for (const [name, field] of Object.entries(provenanceFields)) {
    const value = Object.hasOwn(body.assertion, name) && first([name], field, body.assertion, faults, ['assertion'])
    if (value) block[name] = value
  }
  return block
}

/** The path of an issue, without the values that lie along it. */
function pathOf(fault: Fault, input: Body): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const items = fault.path.map(
    (key): v.IssuePathItem => ({ type: 'object', origin: 'value', input, key, value: undefined }),
  )
  const [head, ...rest] = items
  if (!head) throw new Error('A fault without a path')
  return [head, ...rest]
}
