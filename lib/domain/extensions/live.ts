import { type Kind, type KindKey, kinds, recordKinds } from '../kinds/index.ts'
import { labelOf } from '../kinds/schema/enums.ts'
import { type AddedField, type AddedValue, type Overlay, vocabulariesOf } from '../kinds/schema/overlay.ts'
import { membersOf, namesOf, parseYaml } from './yaml.ts'

/** The part of a proposal that can be live at once. `takesRelease`: the names of what only a release can bring. */
export type LivePart = Overlay & { takesRelease: readonly string[] }

/** Members that a body or an answer has beside the fields of its kind. No field may have one of these names. */
const ownedMembers = new Set(
  `id type kind status category contributor created_at updated_at deleted_at cultural_entity_id entity_id assertion assertions labels dates
  latitude longitude superseded_by warnings linked_events linked_deities linked_guthis history version public origin url`.split(
    /\s+/,
  ),
)
const NAME = /^[a-z][a-z0-9_]{1,39}$/
const VALUE = /^[A-Za-z][A-Za-z0-9_]{0,59}$/
/** Members at the root of the text that define nothing. */
const plainMembers = [
  'id',
  'name',
  'title',
  'description',
  'version',
  'prefixes',
  'default_prefix',
  'imports',
  'license',
]
const plainClassMembers = ['slots', 'attributes', 'description', 'title', 'comments']
const plainSlotMembers = ['range', 'description', 'title', 'multivalued', 'required', 'comments', 'examples']

/** The types of fields, by their names in LinkML. */
const ranges: Readonly<Record<string, AddedField['type']>> = {
  string: 'text',
  integer: 'number',
  date: 'edtf_date',
  datetime: 'edtf_date',
  uri: 'url',
  uriorcurie: 'url',
  boolean: 'boolean',
}

/** Reads what a proposal adds to the kinds as they are. Undefined if its text cannot be read. */
export function livePartOf(yaml: string): LivePart | undefined {
  const parsed = parseYaml(yaml)
  if (!('root' in parsed)) return undefined
  const { classes, slots, enums, ...others } = parsed.root
  const takesRelease = Object.keys(others).filter((name) => !plainMembers.includes(name))
  const declared = membersOf(slots)
  const fields = Object.entries(membersOf(classes)).flatMap(([name, it]) =>
    fieldsOf(name, membersOf(it), declared, takesRelease),
  )
  const values = Object.entries(membersOf(enums)).flatMap(([name, it]) => valuesOf(name, membersOf(it), takesRelease))
  return { fields, values, takesRelease }
}

type Node = Readonly<Record<string, unknown>>

function fieldsOf(className: string, it: Node, declared: Node, takesRelease: string[]): AddedField[] {
  const kind = kindOfClass(className)
  const isPlain = Object.keys(it).every((member) => plainClassMembers.includes(member))
  if (!kind || !isPlain) {
    takesRelease.push(`class ${className}`)
    return []
  }
  const wanted = new Map<string, { node: Node; isDefined: boolean }>()
  for (const name of namesOf(it.slots))
    wanted.set(name, { node: membersOf(declared[name]), isDefined: name in declared })
  for (const name of namesOf(it.attributes))
    wanted.set(name, { node: membersOf(membersOf(it.attributes)[name]), isDefined: true })
  return [...wanted].flatMap(([name, { node, isDefined }]) => {
    // A class may name the slots that it has already. A new definition of such a slot takes a release.
    if (isMemberOf(kind, name) && !isDefined) return []
    const field = fieldOf(kind, name, node)
    if (!field) takesRelease.push(`${className}.${name}`)
    return field ?? []
  })
}

function fieldOf(kind: Kind, name: string, node: Node): AddedField | undefined {
  const { range = 'string', description, title, multivalued, required } = node
  const isPlain = Object.keys(node).every((member) => plainSlotMembers.includes(member))
  if (!isPlain || required === true || !NAME.test(name) || isMemberOf(kind, name)) return undefined
  const to = relationNamed(String(range))
  const list = vocabularyNamed(String(range))
  const type = ranges[String(range)] ?? (to ? 'relation' : list ? 'select' : undefined)
  const isMany = multivalued === true
  if (!type || (isMany && type !== 'text' && type !== 'relation')) return undefined
  return {
    kind: kind.key,
    name,
    type,
    label: textOf(title) || labelOf(name),
    description: textOf(description) || labelOf(name),
    multivalued: isMany,
    relation: to?.key ?? null,
    vocabulary: list?.name ?? null,
  }
}

function valuesOf(name: string, it: Node, takesRelease: string[]): AddedValue[] {
  const list = vocabularyNamed(name)
  const isPlain = Object.keys(it).every((member) => ['permissible_values', 'description', 'title'].includes(member))
  if (!list?.open || !isPlain) {
    takesRelease.push(`enum ${name}`)
    return []
  }
  const given = membersOf(it.permissible_values)
  return namesOf(it.permissible_values).flatMap((value) => {
    if (value in list.values) return []
    const isFree = VALUE.test(value) && !(value in list.spellings)
    if (!isFree) takesRelease.push(`${name}.${value}`)
    return isFree
      ? { vocabulary: list.name, value, description: textOf(membersOf(given[value]).description) || labelOf(value) }
      : []
  })
}

const isMemberOf = (kind: Kind, name: string): boolean =>
  ownedMembers.has(name) ||
  Object.entries(kind.fields).some(([own, { aliases }]) => own === name || aliases.includes(name))

/** The kind with integer ids that a class names. Other kinds have no forms of their own. */
const kindOfClass = (name: string): Kind | undefined =>
  recordKinds.map((key: KindKey) => kinds[key]).find((it) => [it.className, it.key, pascalOf(it.key)].includes(name))
const pascalOf = (key: string) =>
  key.replace(/(^|_)([a-z])/g, (_, _dash: string, letter: string) => letter.toUpperCase())
const relationNamed = kindOfClass
const vocabularyNamed = (name: string) => {
  const lists = vocabulariesOf(kinds)
  return lists.get(name) ?? lists.get(`${name}Enum`)
}

const LONGEST_TEXT = 300
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT) : ''
