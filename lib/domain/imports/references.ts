import { invalid, Problem } from '../../base/errors.ts'
import { foldedName } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import type { Field, InputValues, Kind, ReferenceInput } from '../kinds/index.ts'
import { kinds } from '../kinds/index.ts'
import type { Link, Values } from '../names/values.ts'
import { resolveRelations } from '../records/relations.ts'
import { findSynonyms } from '../records/synonymous.ts'

/** What a row's reference leads to: a record, a record to be made, or a fault. */
export type Resolved = { link: Link } | { makes: string } | { fault: string }

/** Resolves references, each different one once. lib/domain/records/relations.ts says what that costs. */
export function resolver(kind: Kind, actor: Actor) {
  const known = new Map<string, Promise<Resolved>>()
  return {
    one: (name: string, field: Field, reference: ReferenceInput): Promise<Resolved> => {
      const place = `${field.relation} ${'id' in reference ? `#${reference.id}` : foldedName(reference.text)}`
      const found = known.get(place) ?? look(kind, name, reference, actor)
      known.set(place, found)
      return found
    },
  }
}

async function look(kind: Kind, name: string, reference: ReferenceInput, actor: Actor): Promise<Resolved> {
  try {
    const { data } = await resolveRelations(kind, { [name]: [reference] }, actor, findSynonyms)
    const [link] = linksIn(data[name])
    if (!link) throw invalid({ [name]: ['This names nothing.'] })
    return link.id === 0 ? { makes: link.name } : { link }
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { fault: firstSentence(error) }
  }
}

const linksIn = (value: unknown): Link[] => (Array.isArray(value) ? value : [])

/** The first sentence of a refusal. */
export function firstSentence({ detail, fields }: Problem): string {
  const flat = (it: unknown): string[] =>
    typeof it === 'string' ? [it] : it && typeof it === 'object' ? Object.values(it).flatMap(flat) : []
  return flat(fields)[0] ?? detail
}

/** The references of a contribution, each with its field. */
const referencesIn = (kind: Kind, data: InputValues): { name: string; field: Field; reference: ReferenceInput }[] =>
  Object.entries(data).flatMap(([name, value]) => {
    const field = kind.fields[name]
    return field?.type === 'relation' && Array.isArray(value)
      ? value.flatMap((reference) => (typeof reference === 'object' ? [{ name, field, reference }] : []))
      : []
  })

export type Row = {
  values: Values
  makes: { kind: string; name: string }[]
  faults: { name: string; message: string }[]
}

/** The values of a row as they would be stored, the records that it would make by naming them, and its faults. */
export async function valuesOf(kind: Kind, data: InputValues, resolves: ReturnType<typeof resolver>): Promise<Row> {
  const found = await Promise.all(
    referencesIn(kind, data).map(async (it) => ({ ...it, came: await resolves.one(it.name, it.field, it.reference) })),
  )
  const links = Object.groupBy(found, (it) => it.name)
  const linked = Object.entries(links).map(([name, all = []]) => [
    name,
    all.map(({ came, reference }) =>
      'link' in came ? came.link : { id: 0, name: 'text' in reference ? reference.text : '' },
    ),
  ])
  return {
    values: { ...data, ...Object.fromEntries(linked) },
    makes: found.flatMap(({ came, field }) =>
      'makes' in came ? [{ kind: kinds[field.relation ?? 'location'].key, name: came.makes }] : [],
    ),
    faults: found.flatMap(({ came, name }) => ('fault' in came ? [{ name, message: came.fault }] : [])),
  }
}
