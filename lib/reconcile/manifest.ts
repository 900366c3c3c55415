import { type KindKey, kinds, recordKinds } from '../kinds/index.ts'

/** The service as the Reconciliation Service API 0.2 describes one: https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/ */

export type Type = { id: string; name: string }

/** The kinds of record that are matched, as types. */
export const matchedKinds: readonly KindKey[] = [...recordKinds, 'entity']
export const typeOf = (kind: KindKey): Type => ({ id: kind, name: kinds[kind].label })
export const types: readonly Type[] = matchedKinds.map(typeOf)

/** What records of these kinds say, as properties: the fields of the registry, each once. */
export function propertiesOf(kind?: KindKey): Type[] {
  const wanted = kind ? [kind] : matchedKinds
  const found = new Map(
    wanted.flatMap((each) => Object.entries(kinds[each].fields).map(([id, { label }]) => [id, label] as const)),
  )
  return [...found].map(([id, name]) => ({ id, name }))
}

const root = (origin: string) => `${origin}/data/reconcile`
/** Entities go by their review identities, which never change. */
export const viewOf = (origin: string, id: string) => `${origin}/data/cultural-entities/${id}/`

/** What a client learns first. */
export const manifest = (origin: string) => ({
  versions: ['0.2'],
  name: 'Heritage knowledge service',
  identifierSpace: viewOf(origin, '').slice(0, -1),
  schemaSpace: `${origin}/cidoc/schema/registry/`,
  defaultTypes: types,
  view: { url: viewOf(origin, '{{id}}') },
  preview: { url: `${root(origin)}/preview/{{id}}/`, width: 400, height: 180 },
  suggest: Object.fromEntries(
    ['entity', 'property', 'type'].map((what) => [
      what,
      { service_url: root(origin), service_path: `/suggest/${what}/` },
    ]),
  ),
  extend: { propose_properties: { service_url: root(origin), service_path: '/properties/' }, property_settings: [] },
})
