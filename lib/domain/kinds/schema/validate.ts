import * as v from 'valibot'
import { declareMembers, type Members } from '../../../platform/http/schema-notes.ts'
import { type AssertionInput, assertionInputFields, assertionInputOf, type Evidence } from './assertion-input.ts'
import type { Field } from './fields.ts'
import { forms } from './forms.ts'
import type { Kind } from './kind.ts'
import { whenKindsChange } from './overlay.ts'
import { pictureMembers } from './pictures.ts'
import { latitude, longitude, pointText } from './points.ts'
import { type InputValues, isAbsent, isObject, Refusal } from './value.ts'

/**
 * A contribution, read from a body: its values, the fields that it empties (only in a change), and its assertion. `evidence` has the
 * properties with evidence of their own, which only tables give. Such a property gets a claim even if its value stays.
 */
export type Contribution = {
  data: InputValues
  cleared: string[]
  assertion: AssertionInput
  evidence?: Readonly<Record<string, Evidence>>
}

export type Mode = 'create' | 'change'

type Body = Readonly<Record<string, unknown>>
type MemberFault = { readonly path: readonly string[]; readonly message: string }

/**
 * Returns the schema of a body for a kind. A create must have the required members. A change may leave out any member, and
 * empties each that it sends as null or "". Unknown members are dropped. Issues name a member as it was sent.
 */
export function schemaOf(kind: Kind, mode: Mode): v.GenericSchema<unknown, Contribution> {
  const cached = schemas[mode].get(kind)
  if (cached) return cached
  const schema = v.pipe(
    v.custom<Body>(isObject, 'The body must be an object.'),
    v.rawTransform<Body, Contribution>(({ dataset, addIssue, NEVER }) => {
      const faults: MemberFault[] = []
      const contribution = readContribution(kind, mode, dataset.value, faults)
      for (const fault of faults) addIssue({ message: fault.message, path: pathOf(fault, dataset.value) })
      return faults.length > 0 ? NEVER : contribution
    }),
    declareMembers(membersOf(kind)),
  )
  schemas[mode].set(kind, schema)
  return schema
}

function membersOf({ fields }: Kind): Members {
  const plain = (all: readonly string[]) => Object.fromEntries(all.map((name) => [name, null]))
  const named = Object.entries(fields).map(([name, { type, aliases }]): Members => {
    const inside = type === 'media' ? plain(pictureMembers) : null
    return Object.fromEntries([name, ...aliases].map((member) => [member, inside]))
  })
  const pair = fields.coordinates?.type === 'coordinates' ? ['latitude', 'longitude'] : []
  return { ...Object.assign({}, ...named), ...plain(pair), assertion: plain(Object.keys(assertionInputFields)) }
}

const schemas = {
  create: new Map<Kind, v.GenericSchema<unknown, Contribution>>(),
  change: new Map<Kind, v.GenericSchema<unknown, Contribution>>(),
}
whenKindsChange(() => {
  schemas.create.clear()
  schemas.change.clear()
})

function readContribution(kind: Kind, mode: Mode, body: Body, faults: MemberFault[]): Contribution {
  const data: InputValues = {}
  const cleared: string[] = []
  const withPoint: Body = { ...body, ...pairAsPoint(kind, body, faults) }
  for (const [name, field] of Object.entries(kind.fields)) {
    const sent = [name, ...field.aliases].filter((member) => Object.hasOwn(withPoint, member))
    const value = firstValue(sent, field, withPoint, faults)
    if (value !== undefined) data[name] = value
    else if (sent.every((member) => isAbsent(withPoint[member]))) {
      if (isMissing(field, mode, sent, body)) faults.push({ path: [sent[0] ?? name], message: missingMessages[mode] })
      else if (mode === 'change' && sent.length > 0) cleared.push(name)
    }
  }
  return { data, cleared, assertion: assertionInputOf(readAssertion(body, faults), data) }
}

const missingMessages = { create: 'This field is required.', change: 'This field may not be blank.' }

/** Reads a field from its name and aliases. The first member with a value gives it, and every member must be valid. */
function firstValue(
  sent: readonly string[],
  field: Field,
  body: Body,
  faults: MemberFault[],
  within: readonly string[] = [],
) {
  const values = sent.flatMap((member) => {
    if (isAbsent(body[member])) return []
    const value = forms[field.type].read(body[member], field)
    if (!(value instanceof Refusal)) return value === undefined ? [] : [value]
    faults.push({ path: [...within, member], message: value.message })
    return []
  })
  return values[0]
}

function isMissing(field: Field, mode: Mode, sent: readonly string[], body: Body): boolean {
  if (!field.required || (mode === 'change' && sent.length === 0)) return false
  return field.unless === undefined || !Object.hasOwn(body, field.unless) || isAbsent(body[field.unless])
}

/** Turns `latitude` and `longitude` into `coordinates`, if the kind has them and the body sends no `coordinates`. */
function pairAsPoint(kind: Kind, body: Body, faults: MemberFault[]): Body {
  const field = kind.fields.coordinates
  const isSent = Object.hasOwn(body, 'latitude') || Object.hasOwn(body, 'longitude')
  if (field?.type !== 'coordinates' || !isSent) return {}
  const lat = firstValue(['latitude'], latitude, body, faults)
  const lng = firstValue(['longitude'], longitude, body, faults)
  if (isAbsent(body.latitude) !== isAbsent(body.longitude)) {
    const member = isAbsent(body.latitude) ? 'latitude' : 'longitude'
    faults.push({ path: [member], message: 'Latitude and longitude go together.' })
  }
  if (['coordinates', ...field.aliases].some((member) => !isAbsent(body[member]))) return {}
  return { coordinates: typeof lat === 'number' && typeof lng === 'number' ? pointText({ lat, lng }) : null }
}

/** Reads one member of an assertion from a text, or says what is wrong with it. */
export function readAssertionMember(name: keyof AssertionInput, text: string): { value: string } | { fault: string } {
  const field = assertionInputFields[name]
  const value = forms[field.type].read(text, field)
  if (value instanceof Refusal) return { fault: value.message }
  return { value: typeof value === 'string' ? value : '' }
}

function readAssertion(body: Body, faults: MemberFault[]): InputValues {
  const block: InputValues = {}
  if (!Object.hasOwn(body, 'assertion') || isAbsent(body.assertion)) return block
  if (!isObject(body.assertion)) {
    faults.push({ path: ['assertion'], message: 'Give an object.' })
    return block
  }
  for (const [name, field] of Object.entries(assertionInputFields)) {
    const value =
      Object.hasOwn(body.assertion, name) && firstValue([name], field, body.assertion, faults, ['assertion'])
    if (value) block[name] = value
  }
  return block
}

/** Builds the path of an issue. It contains no values, so no answer or log repeats them. */
function pathOf(fault: MemberFault, input: Body): [v.IssuePathItem, ...v.IssuePathItem[]] {
  const items = fault.path.map(
    (key): v.IssuePathItem => ({ type: 'object', origin: 'value', input, key, value: undefined }),
  )
  const [head, ...rest] = items
  if (!head) throw new Error('A fault without a path')
  return [head, ...rest]
}
