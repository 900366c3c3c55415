import * as v from 'valibot'
import * as s from '../../../base/shapes.ts'
import { DatesShownView } from '../../../platform/http/shown-dates.ts'
import { type Field, type Kind, kindKeys } from '../../kinds/index.ts'
import { pascalCase } from '../../kinds/keys.ts'
import { LabelView } from '../../labels/labels.ts'
import { PictureView } from '../../pictures/view.ts'
import { recordStatuses } from '../rules/status.ts'
import { AssertionView } from './record.ts'

/**
 * A link. If the reader may not see its target, `id` is null and `name` holds the contributor's words. A hidden target that was named by id
 * is left out.
 */
const LinkView = s.shape('Link', () => v.object({ id: s.maybe(v.union([s.whole, s.uuid])), name: s.text }))
const LinkedRecordView = s.shape('LinkedRecord', () =>
  v.object({ id: s.whole, name: s.text, type: s.oneOf(kindKeys), relation: s.text }),
)

/** The shape of a record of this kind in lists. */
export const rowShape = (kind: Kind): s.Schema => shapeOf(kind, 'Row', () => v.object(rowEntries(kind)))
/** The shape of a record of this kind by itself. */
export const recordShape = (kind: Kind): s.Schema => shapeOf(kind, '', () => v.object(recordEntries(kind)))

const shapesOfKinds = new Map<string, s.Schema>()

function shapeOf(kind: Kind, suffix: string, build: () => s.Schema): s.Schema {
  const name = `${pascalCase(kind.key)}${suffix}`
  const shape = shapesOfKinds.get(name) ?? s.shape(name, build)
  shapesOfKinds.set(name, shape)
  return shape
}

function rowEntries(kind: Kind): v.ObjectEntries {
  const hasPoint = Object.values(kind.fields).some((field) => field.type === 'coordinates')
  const declared = Object.entries(kind.fields).flatMap(([name, field]) =>
    [name, ...field.aliases].map((member) => [member, member === 'aliases' ? s.text : shapeOfField(field)]),
  )
  return {
    id: s.whole,
    ...Object.fromEntries(declared),
    name: s.text,
    ...(kind.nameField === 'title' && { title: s.text }),
    ...(hasPoint && { latitude: s.maybe(v.number()), longitude: s.maybe(v.number()) }),
    access_tier: s.text,
    contributor: s.text,
    status: s.oneOf(recordStatuses),
    category: s.text,
    cultural_entity_id: s.uuid,
    created_at: s.time,
    updated_at: s.time,
    dates: v.optional(DatesShownView),
    labels: v.optional(v.array(LabelView)),
    superseded_by: v.optional(s.uuid),
    ...s.tombstone,
  }
}

function recordEntries(kind: Kind): v.ObjectEntries {
  const linked = v.array(LinkedRecordView)
  return {
    ...rowEntries(kind),
    ...(kind.category === 'tangible' && { linked_events: linked, linked_deities: linked, linked_guthis: linked }),
    assertions: v.array(AssertionView),
  }
}

/** The shape of a field in answers. A missing value is "", null or an empty list. */
function shapeOfField({ type, multivalued }: Field): s.Schema {
  if (type === 'relation') return multivalued ? v.array(LinkView) : s.maybe(LinkView)
  if (type === 'labels') return v.array(s.text)
  if (type === 'media') return v.array(PictureView)
  if (type === 'number' || type === 'float') return s.maybe(v.number())
  return type === 'boolean' ? s.maybe(v.boolean()) : s.text
}
