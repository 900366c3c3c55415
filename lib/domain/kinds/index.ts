import { nearestName } from '../../engines/matching/index.ts'
import { provideKeptState } from '../../platform/kept-state.ts'
import { assertion } from './assertion.ts'
import { calendar } from './calendar.ts'
import { caste_group } from './caste-group.ts'
import { consecration } from './consecration.ts'
import { data_source } from './data-source.ts'
import { deity } from './deity.ts'
import { enshrinement } from './enshrinement.ts'
import { entity } from './entity.ts'
import { entity_cluster } from './entity-cluster.ts'
import { event } from './event.ts'
import { festival } from './festival.ts'
import { guthi } from './guthi.ts'
import { iconography } from './iconography.ts'
import type { KindKey } from './keys.ts'
import { kindKeys } from './keys.ts'
import { kumari_retirement } from './kumari-retirement.ts'
import { kumari_selection } from './kumari-selection.ts'
import { kumari_tenure } from './kumari-tenure.ts'
import { location } from './location.ts'
import { monument } from './monument.ts'
import { period } from './period.ts'
import { person } from './person.ts'
import { production } from './production.ts'
import { ritual } from './ritual.ts'
import type { Kind } from './schema/kind.ts'
import { source } from './source.ts'
import { structure } from './structure.ts'
import { syncretism } from './syncretism.ts'
import { tradition } from './tradition.ts'
import { transfer_of_custody } from './transfer-of-custody.ts'

export { isRecordKey, type KindKey, kindKeys, recordKinds, reviewedKinds } from './keys.ts'
export { predicateOf, predicates } from './predicates.ts'
export { type AssertionInput, assertionInputFields, type Evidence, noSource } from './schema/assertion-input.ts'
export { comparatorOf, type Field } from './schema/fields.ts'
export { jsonSchemaOf } from './schema/json-schema.ts'
export { type Kind, likenessFieldsOf, nameFieldsOf, proseFields } from './schema/kind.ts'
export { whenKindsChange } from './schema/overlay.ts'
export { pointOf } from './schema/points.ts'
export { type Contribution, type Mode, readAssertionMember, schemaOf } from './schema/validate.ts'
export type { InputValues, Picture, ReferenceInput } from './schema/value.ts'

/** Every kind of record by its registry key, in registry order. */
export const kinds: Readonly<Record<KindKey, Kind>> = {
  person,
  location,
  event,
  tradition,
  source,
  deity,
  guthi,
  structure,
  ritual,
  festival,
  production,
  consecration,
  enshrinement,
  transfer_of_custody,
  iconography,
  monument,
  kumari_tenure,
  kumari_selection,
  kumari_retirement,
  syncretism,
  caste_group,
  calendar,
  period,
  assertion,
  entity_cluster,
  data_source,
  entity,
}

export function kindOfCode(code: number): Kind | undefined {
  return byCode.get(code)
}

/** Returns the kind of a path segment under /cidoc/. Hyphens and underscores are the same. */
export function kindOfSegment(segment: string): Kind | undefined {
  return bySegment.get(segment.replaceAll('-', '_'))
}

/** Returns the kind that an `entity_type` names, by registry key or by type scope. */
export function kindOfScope(scope: string): Kind | undefined {
  return byScope.get(scope.toLowerCase())
}

/** Writes the message for an unknown kind. It proposes the kind with the nearest key or path segment. */
export function unknownKindMessage(name: string, by: 'key' | 'segment' = 'key'): string {
  const candidates = by === 'key' ? all : all.filter((kind) => kind.record)
  const nearest =
    nearestName(
      name,
      candidates.map((kind) => kind[by]),
    ) ??
    nearestName(
      name,
      candidates.flatMap((kind) => [kind.key, kind.segment]),
    )
  const proposal = candidates.find(({ key, segment }) => key === nearest || segment === nearest)
  return `There is no kind of this name.${proposal ? ` Did you mean ${proposal[by]}?` : ''}`
}

// The import waits for the first request, so that code which only reads declarations needs no table.
provideKeptState(async () => (await import('./overlay-item.ts')).followOverlay(kinds))

const all = kindKeys.map((key) => kinds[key])
const byCode = new Map(all.map((kind) => [kind.code, kind]))
const bySegment = new Map(all.map((kind) => [kind.segment.replaceAll('-', '_'), kind]))
const byScope = new Map(all.flatMap((kind) => [kind.key, kind.typeScope ?? kind.key].map((scope) => [scope, kind])))
