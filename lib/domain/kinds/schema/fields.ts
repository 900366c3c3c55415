import type { Comparator } from '../../../engines/matching/index.ts'
import { isRecordKey, type KindKey } from '../keys.ts'
import type { Vocabulary } from './enums.ts'

export type FieldType =
  | 'text'
  | 'textarea'
  | 'select'
  | 'number'
  | 'float'
  | 'boolean'
  | 'date'
  | 'edtf_date'
  | 'url'
  | 'coordinates'
  | 'relation'
  | 'labels'
  | 'media'

/** One stored member of a kind. Validation, registry, JSON Schema and comparison all follow from it. */
export type Field = {
  readonly type: FieldType
  readonly label: string
  readonly description: string
  readonly slot_uri?: string
  readonly section: 'basic' | 'names' | 'provenance'
  readonly required: boolean
  readonly multivalued: boolean
  /** How two values are compared when claims about one record meet. */
  readonly compare: Comparator
  /** Other names under which forms send the member. Answers repeat it under each of them. */
  readonly aliases: readonly string[]
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  /** The pattern of a number that is sent as text: multipart forms send only text. */
  readonly textPattern?: string
  /** Also accepts a whole number. Old forms send numbers for dates, and ids for people and techniques. */
  readonly numeric?: boolean
  readonly vocabulary?: Vocabulary
  readonly relation?: KindKey
  readonly relationTo?: string
  readonly ids?: 'integer' | 'uuid'
  readonly inlineAuthoring?: boolean
  /** The name of another member. If that one is sent, this required member may be left out. */
  readonly unless?: string
  readonly example?: string
}

/** Returns how values of a field are compared. Relations to several records are compared as sets. */
export const comparatorOf = ({ type, multivalued, compare }: Field): Comparator =>
  type === 'relation' && multivalued ? 'set' : compare

type More = Partial<Omit<Field, 'type'>>

/** The name of a record: required, and never only white space. */
export function name(maxLength: number, more: More = {}): Field {
  return text('Name', 'The name by which the record is known.', {
    maxLength,
    required: true,
    slot_uri: 'rdfs:label',
    ...more,
  })
}

/** One line of text. With `multivalued` also a list of lines, which is stored as one text with commas. */
export function text(label: string, description: string, more: More = {}): Field {
  return field('text', more.multivalued ? 'set' : 'text', label, description, { maxLength: 300, ...more })
}

/** People, a technique or another thing, in words and not as a link. The number of an old id is accepted, too. */
export function thingName(label: string, description: string, more: More = {}): Field {
  return text(label, description, { numeric: true, ...more })
}

/** Text of several lines. */
export function textarea(label: string, description: string, more: More = {}): Field {
  return field('textarea', 'prose', label, description, { maxLength: 10_000, ...more })
}

/** One value of a controlled list. */
export function select(label: string, description: string, vocabulary: Vocabulary, more: More = {}): Field {
  return field('select', 'option', label, description, { vocabulary, ...more })
}

/** A whole number of at most `digits` digits. */
export function number(label: string, description: string, digits: number, more: More = {}): Field {
  const maximum = 10 ** digits - 1
  return field('number', 'number', label, description, {
    minimum: -maximum,
    maximum,
    textPattern: `[+-]?[0-9]{1,${digits}}`,
    ...more,
  })
}

/** A number from 0 to 1. */
export function fraction(label: string, description: string, more: More = {}): Field {
  return field('float', 'number', label, description, {
    minimum: 0,
    maximum: 1,
    textPattern: '(?:0(?:\\.[0-9]{1,20})?|1(?:\\.0{1,20})?)',
    ...more,
  })
}

export function boolean(label: string, description: string, more: More = {}): Field {
  return field('boolean', 'flag', label, description, more)
}

/** A date in the words of its source. Any text is accepted, since dates of heritage rarely fit a calendar. */
export function date(label: string, description: string, more: More = {}): Field {
  return field('date', 'date', label, description, { maxLength: 100, numeric: true, ...more })
}

/** A date or span in EDTF (`1200/1300`, `1702~`) or in words ("c. 5th century CE"). Any form is accepted. */
export function edtfDate(label: string, description: string, more: More = {}): Field {
  return field('edtf_date', 'date', label, description, { maxLength: 100, numeric: true, example: '1702~', ...more })
}

/** A web address: http or https. */
export function url(label: string, description: string, more: More = {}): Field {
  return field('url', 'url', label, description, { maxLength: 500, ...more })
}

/** A point on Earth, latitude first. Its kind also accepts the two members `latitude` and `longitude`. */
export function coordinates(label: string, description: string, more: More = {}): Field {
  return field('coordinates', 'point', label, description, { example: '27.6716, 85.4284', ...more })
}

/** A link to a record of the given kind, by id or by name. It is one record, unless `more` says `multivalued`. */
export function relation(
  relation: KindKey,
  relationTo: string,
  label: string,
  description: string,
  more: More = {},
): Field {
  const ids = isRecordKey(relation) ? 'integer' : 'uuid'
  return field('relation', 'reference', label, description, { relation, relationTo, ids, ...more })
}

/** Links to any number of records of another kind. */
export function relations(to: KindKey, relationTo: string, label: string, description: string, more: More = {}): Field {
  return relation(to, relationTo, label, description, { multivalued: true, ...more })
}

/** A list of short texts, stored as a list. One text with commas is accepted, too. */
export function labels(label: string, description: string, more: More = {}): Field {
  return field('labels', 'set', label, description, { multivalued: true, maxLength: 2000, ...more })
}

/** A list of pictures: each the id of an uploaded file with caption, creator, licence and date. */
export function media(label: string, description: string, more: More = {}): Field {
  return field('media', 'set', label, description, { multivalued: true, ...more })
}

function field(type: FieldType, compare: Comparator, label: string, description: string, more: More): Field {
  return {
    type,
    label,
    description,
    section: 'basic',
    required: false,
    multivalued: false,
    compare,
    aliases: [],
    ...more,
  }
}
