import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { type KindKey, kinds, reviewedKinds } from '../../domain/kinds/index.ts'

/** Reconciliation Service API 0.2: https://www.w3.org/community/reports/reconciliation/CG-FINAL-specs-0.2-20230410/ */

export type Type = { id: string; name: string }

/** The kinds of record that are matched. Each is a type of the API. */
export const matchedKinds = reviewedKinds
export const typeOf = (kind: KindKey): Type => ({ id: kind, name: kinds[kind].label })
export const types: readonly Type[] = matchedKinds.map(typeOf)

/** The fields of a kind, or of all kinds, as properties, each once. */
export function propertiesOf(kind?: KindKey): Type[] {
  const wanted = kind ? [kind] : matchedKinds
  const found = new Map(
    wanted.flatMap((each) => Object.entries(kinds[each].fields).map(([id, { label }]) => [id, label] as const)),
  )
  return [...found].map(([id, name]) => ({ id, name }))
}

const root = (origin: string) => `${origin}/data/reconcile`
/** The address of a record, by its review identity, which never changes. */
export const viewOf = (origin: string, id: string) => `${origin}/data/cultural-entities/${id}/`

export const typeEntry = () => v.object({ id: s.text, name: s.text })
const suggestEntry = () => v.object({ service_url: s.text, service_path: s.text })
export const ManifestView = s.shape('Manifest', () =>
  v.object({
    versions: v.array(s.text),
    name: s.text,
    identifierSpace: s.text,
    schemaSpace: s.text,
    defaultTypes: v.array(typeEntry()),
    view: v.object({ url: s.text }),
    preview: v.object({ url: s.text, width: s.whole, height: s.whole }),
    suggest: v.object({ entity: suggestEntry(), property: suggestEntry(), type: suggestEntry() }),
    extend: v.object({ propose_properties: suggestEntry(), property_settings: v.array(v.unknown()) }),
  }),
)

/** The manifest of the service, which a client reads first. */
export const manifest = (origin: string) => ({
  versions: ['0.2'],
  name: 'Heritage knowledge service',
  identifierSpace: viewOf(origin, '').slice(0, -1),
  schemaSpace: `${origin}/cidoc/schema/registry/`,
  defaultTypes: types,
  view: { url: viewOf(origin, '{{id}}') },
  preview: { url: `${root(origin)}/preview/{{id}}/`, width: 400, height: 180 },
  suggest: {
    entity: { service_url: root(origin), service_path: '/suggest/entity/' },
    property: { service_url: root(origin), service_path: '/suggest/property/' },
    type: { service_url: root(origin), service_path: '/suggest/type/' },
  },
  extend: { propose_properties: { service_url: root(origin), service_path: '/properties/' }, property_settings: [] },
})
