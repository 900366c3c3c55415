import { urlOf } from '../discovery/view.ts'
import { type Field, kinds, proseFields } from '../kinds/index.ts'
import { resourceOf } from '../kinds/resources.ts'
import { cutAtWord } from '../matching/cut.ts'
import { textOf } from '../names/text.ts'
import { type Actor, maySeePlace } from '../permissions.ts'
import type { RecordItem } from '../records/items.ts'
import type { Shown } from '../records/shown.ts'
import type { About, Passage } from './passage.ts'

/** A record as the assistant may quote it to this caller. */
export function passageOf(it: Shown<RecordItem>, actor: Actor | null): Passage {
  const kind = kinds[it.kind]
  const facts = Object.entries(kind.fields).flatMap(([name, field]) => {
    const text = textOf(it.data[name]).replace(/\s+/g, ' ').trim()
    return isFact(name, field) && text !== ''
      ? [{ label: field.label, about: aboutOf(field), text: cutAtWord(text, 200) }]
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

/** What tells of the record in sentences: everything that a summary is taken from. */
const proseOf = ({ data }: RecordItem): string =>
  proseFields
    .map((name) => textOf(data[name]).trim())
    .filter(Boolean)
    .join('\n')

/** Names are in the title, prose is quoted by the sentence, and where a value comes from is not what it says. */
const isFact = (name: string, { section, type }: Field) =>
  section === 'basic' && type !== 'textarea' && type !== 'boolean' && name !== 'name' && name !== 'title'

function aboutOf({ type, relation, label }: Field): About {
  if (type === 'coordinates' || relation === 'location' || /location|place/i.test(label)) return 'place'
  if (type === 'edtf_date' || type === 'date') return 'time'
  if (relation === 'person' || /\bby\b/i.test(label)) return 'person'
  return 'other'
}
