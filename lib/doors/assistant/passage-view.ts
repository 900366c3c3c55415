import { type Field, kinds, proseFields } from '../../domain/kinds/index.ts'
import { resourceOf } from '../../domain/kinds/resources.ts'
import { textOf } from '../../domain/names/text.ts'
import type { RecordRow } from '../../domain/records/items.ts'
import type { Visible } from '../../domain/records/shown.ts'
import { cutAtWord } from '../../engines/matching/index.ts'
import { type Actor, maySeePlace } from '../../platform/permissions.ts'
import { urlOf } from '../discovery/view.ts'
import type { FactTopic, Passage } from './passage.ts'

/** The passage of a record: what the assistant may quote of it to this caller. */
export function passageOf(it: Visible<RecordRow>, actor: Actor | null): Passage {
  const kind = kinds[it.kind]
  const facts = Object.entries(kind.fields).flatMap(([name, field]) => {
    const text = textOf(it.data[name]).replace(/\s+/g, ' ').trim()
    return isFact(name, field) && text !== ''
      ? [{ label: field.label, about: topicOf(field), text: cutAtWord(text, 200) }]
      : []
  })
  const [resource, id] = [resourceOf(it.kind), it.kind === 'entity' ? it.entity_id : String(it.id)]
  return {
    id,
    resource,
    label: kind.label,
    title: it.name,
    text: proseOf(it),
    facts: maySeePlace(actor, it) ? facts : facts.filter((fact) => fact.about !== 'place'),
    url: urlOf({ resource, object_pk: id }),
  }
}

/** The prose of a record: all fields that a summary is taken from. */
const proseOf = ({ data }: RecordRow): string =>
  proseFields
    .map((name) => textOf(data[name]).trim())
    .filter(Boolean)
    .join('\n')

/** Whether a field is a short fact. Names are in the title, and prose is quoted by the sentence. */
const isFact = (name: string, { section, type }: Field) =>
  section === 'basic' && type !== 'textarea' && type !== 'boolean' && name !== 'name' && name !== 'title'

function topicOf({ type, relation, label }: Field): FactTopic {
  if (type === 'coordinates' || relation === 'location' || /location|place/i.test(label)) return 'place'
  if (type === 'edtf_date' || type === 'date') return 'time'
  if (relation === 'person' || /\bby\b/i.test(label)) return 'person'
  return 'other'
}
