import { invalid, Problem } from '../../base/errors.ts'
import { foldedName } from '../../platform/name-index/entries.ts'
import type { Actor } from '../../platform/permissions.ts'
import { type Field, type InputValues, type Kind, kinds, type ReferenceInput } from '../kinds/index.ts'
import type { Link, Values } from '../names/values.ts'
import { resolveRelations } from '../records/relations/relations.ts'
import { findSynonyms } from '../records/relations/synonymous.ts'

/** A resolved reference: a link to a record, the name of a record that the row would make, or a fault. */
type ResolvedReference = { link: Link } | { makes: string } | { fault: string }

/** Resolves the references of a table, each different one once. Calls: see lib/domain/records/relations/relations.ts. */
export class ReferenceResolver {
  readonly #kind: Kind
  readonly #actor: Actor
  readonly #resolved = new Map<string, Promise<ResolvedReference>>()

  constructor(kind: Kind, actor: Actor) {
    this.#kind = kind
    this.#actor = actor
  }

  /** Resolves a reference in the relation `name`. */
  resolve(name: string, field: Field, reference: ReferenceInput): Promise<ResolvedReference> {
    const key = `${field.relation} ${'id' in reference ? `#${reference.id}` : foldedName(reference.text)}`
    const resolved = this.#resolved.get(key) ?? resolveReference(this.#kind, name, reference, this.#actor)
    this.#resolved.set(key, resolved)
    return resolved
  }
}

async function resolveReference(
  kind: Kind,
  name: string,
  reference: ReferenceInput,
  actor: Actor,
): Promise<ResolvedReference> {
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

type ResolvedRow = {
  /** The values as they would be stored. */
  values: Values
  /** Records that the row would make by naming them. */
  makes: { kind: string; name: string }[]
  faults: { name: string; message: string }[]
}

/** Resolves all references of a row. A reference to a record that does not exist yet becomes a link with id 0. */
export async function resolveValues(kind: Kind, data: InputValues, resolver: ReferenceResolver): Promise<ResolvedRow> {
  const references = await Promise.all(
    referencesIn(kind, data).map(async (it) => ({
      ...it,
      resolved: await resolver.resolve(it.name, it.field, it.reference),
    })),
  )
  const links = Object.entries(Object.groupBy(references, ({ name }) => name)).map(([name, ofField = []]) => [
    name,
    ofField.map(({ resolved, reference }) =>
      'link' in resolved ? resolved.link : { id: 0, name: 'text' in reference ? reference.text : '' },
    ),
  ])
  return {
    values: { ...data, ...Object.fromEntries(links) },
    makes: references.flatMap(({ resolved, field }) =>
      'makes' in resolved ? [{ kind: kinds[field.relation ?? 'location'].key, name: resolved.makes }] : [],
    ),
    faults: references.flatMap(({ resolved, name }) =>
      'fault' in resolved ? [{ name, message: resolved.fault }] : [],
    ),
  }
}
