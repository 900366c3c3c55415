import * as v from 'valibot'
import { invalid } from '../../base/errors.ts'
import { languages } from '../../base/language/languages.ts'
import { didYouMean } from '../../engines/matching/index.ts'
import { choice, line, members } from '../../platform/http/body.ts'
import { type Field, type Kind, kindKeys, kinds } from '../kinds/index.ts'
import type { EvidenceColumn } from '../records/evidence.ts'
import { dateOrders } from './dates.ts'
import { LAST_HEADER_ROW } from './options.ts'

/** How the columns of a table become members of a contribution. A mapping is data: its owner changes, stores and reuses it. */

export const scripts = ['latin', 'devanagari'] as const
export type Script = (typeof scripts)[number]
const short = (most: number) => v.pipe(line(most), v.nonEmpty('This field may not be blank.'))
const mark = v.exactOptional(v.pipe(v.string('Not a valid text.'), v.minLength(1), v.maxLength(5)))

/** The origin of a text: a column, named by its header, or the same text for all rows. */
const origin = { column: v.exactOptional(short(300)), constant: v.exactOptional(line(2000)) }

/** The most values of one rule that are replaced. */
const MOST_VALUES = 200
const TOO_MANY_VALUES = `Replace ${MOST_VALUES} values of a column at most.`
const Replacement = members({ value: short(300), becomes: line(300) })
export type Replacement = v.InferOutput<typeof Replacement>

const NO_PIECE = 'Give a whole number: 1 is the first piece, -1 the last.'
const Rule = members({
  /** A field of the kind, `latitude` or `longitude`. In a table that comes back, also `id` or `revision`. */
  field: short(60),
  ...origin,
  /** The text is split at this mark. `part` takes one piece, counted from 1, or from the end if negative. */
  split: mark,
  part: v.exactOptional(v.pipe(v.number(NO_PIECE), v.integer(NO_PIECE), v.notValue(0, NO_PIECE))),
  /** What joins the texts of several columns in one field. */
  join: mark,
  /** Only the words in this script are taken. */
  script: v.exactOptional(choice(scripts)),
  /** Of dates such as 12/05/1890: which of the two first numbers is the day. */
  date_order: v.exactOptional(choice(dateOrders)),
  /** What to take instead of these values of the column; an empty text takes nothing. */
  values: v.exactOptional(v.pipe(v.array(Replacement, 'Give a list.'), v.maxLength(MOST_VALUES, TOO_MANY_VALUES))),
  /** The language of the name. A Nepali name also fills `name_ne`, unless a column does. */
  language: v.exactOptional(choice(languages)),
})
export type Rule = v.InferOutput<typeof Rule>

/** The members of a source. All claims of a contribution share one source; a single value may have its own. */
export const sourceMembers = [
  'source_type',
  'source_citation',
  'source_url',
  'confidence',
  'data_quality_note',
] as const
export type SourceMember = (typeof sourceMembers)[number]

/** The cells about one value, by member. A member without a column is absent. */
export type EvidenceCells = Readonly<Partial<Record<SourceMember, string>>>

/** The columns of exports that hold members of the source. */
export const columnOf: Readonly<Partial<Record<SourceMember, EvidenceColumn>>> = {
  source_citation: 'source',
  source_type: 'source_type',
  confidence: 'confidence',
}

/** The name of a cell about a value, as columns and answers spell it. Example: "condition.source". */
export const evidenceField = (field: string, member: SourceMember): string => `${field}.${columnOf[member] ?? member}`

/** The field and the member in a name that `evidenceField` made. Undefined for any other name. */
export function aboutValue(name: string): { field: string; member: SourceMember } | undefined {
  const [field = '', column] = name.split('.')
  const member = sourceMembers.find((it) => column !== undefined && (columnOf[it] ?? it) === column)
  return member && { field, member }
}

/** With `field`, only the value of this field rests on the source. */
const Source = members({ member: choice(sourceMembers), field: v.exactOptional(short(60)), ...origin })

/** How the record of a row is found. */
export const matches = ['id', 'identifier', 'name_and_place', 'none'] as const

export const Mapping = members({
  kind: choice(kindKeys),
  sheet: v.optional(v.pipe(v.number('Give a whole number.'), v.integer(), v.minValue(0)), 0),
  /** The row of the headers in the sheet, from 1. */
  header_row: v.optional(
    v.pipe(v.number('Give a whole number.'), v.integer(), v.minValue(1), v.maxValue(LAST_HEADER_ROW)),
    1,
  ),
  match: v.optional(choice(matches), 'identifier'),
  /** The language of names without a language in their rule. */
  language: v.exactOptional(choice(languages)),
  rules: v.pipe(v.array(Rule, 'Give a list.'), v.maxLength(300, 'Give 300 rules at most.')),
  assertion: v.optional(v.pipe(v.array(Source, 'Give a list.'), v.maxLength(500)), []),
})
export type Mapping = v.InferOutput<typeof Mapping>

/** Members of a row that are no fields: two coordinates, and the id and revision of a table that comes back. */
const otherRowMembers = ['latitude', 'longitude', 'id', 'revision'] as const

/** The field that a rule fills; undefined for `latitude`, `longitude`, `id` and `revision`. */
export const mappedField = (kind: Kind, name: string): Field | undefined => kind.fields[name]

/** The most bytes of a stored mapping. An item of the table has 400 KB. */
const LARGEST_MAPPING = 150_000

/**
 * A mapping in which values of columns become something else. A choice replaces an earlier one for the same value; `null` takes
 * it back. Fails with `invalid` if no rule reads the column.
 */
export function chooseValues(mapping: Mapping, choices: readonly ValueChoice[]): Mapping {
  const read = new Set(mapping.rules.flatMap(({ column }) => column ?? []))
  const unread = choices.filter(({ column }) => !read.has(column))
  if (unread.length > 0)
    throw invalid({ values: [...new Set(unread.map(({ column }) => `No rule reads the column "${column}".`))] })
  return {
    ...mapping,
    rules: mapping.rules.map((rule) => {
      const own = choices.filter(({ column }) => column === rule.column)
      if (own.length === 0) return rule
      const chosen = new Map((rule.values ?? []).map((it) => [it.value, it.becomes]))
      for (const { value, becomes } of own)
        if (becomes === null) chosen.delete(value)
        else chosen.set(value, becomes)
      const values = [...chosen].map(([value, becomes]) => ({ value, becomes }))
      if (values.length > MOST_VALUES) throw invalid({ values: [TOO_MANY_VALUES] })
      const { values: _, ...rest } = rule
      return values.length === 0 ? rest : { ...rest, values }
    }),
  }
}

export const ValueChoice = members({ column: short(300), value: short(300), becomes: v.nullable(line(300)) })
export type ValueChoice = v.InferOutput<typeof ValueChoice>

export const isDateField = (field: Field | undefined): boolean => field?.type === 'edtf_date' || field?.type === 'date'

/** The faults of a mapping for these columns, one sentence each. */
export function mappingFaults(mapping: Mapping, columns: readonly string[]): string[] {
  const kind = kinds[mapping.kind]
  if (!kind.record) return [`Records of the kind ${mapping.kind} cannot be imported from tables.`]
  const fields = [...Object.keys(kind.fields), ...otherRowMembers]
  const origins = [...mapping.rules, ...mapping.assertion]
  return [
    ...(Buffer.byteLength(JSON.stringify(mapping)) > LARGEST_MAPPING ? ['The mapping has more than 150 KB.'] : []),
    ...mapping.rules
      .filter(({ field }) => !fields.includes(field))
      .map(({ field }) => `${kind.label} has no field ${field}.${didYouMean(field, fields)}`),
    ...mapping.assertion.flatMap(({ field }) =>
      field === undefined || field in kind.fields
        ? []
        : [`${kind.label} has no field ${field}.${didYouMean(field, Object.keys(kind.fields))}`],
    ),
    ...origins.flatMap(({ column }) =>
      column === undefined || columns.includes(column)
        ? []
        : [`There is no column "${column}".${didYouMean(column, columns)}`],
    ),
    ...(origins.some((it) => (it.column === undefined) === (it.constant === undefined))
      ? ['A rule takes either a column or a constant.']
      : []),
    ...missingName(kind, mapping),
    ...mapping.rules
      .filter(({ field, language }) => language !== undefined && field !== kind.nameField)
      .map(({ field }) => `Only the name has a language: leave it out for ${field}.`),
    ...mapping.rules
      .filter(({ field, date_order }) => date_order !== undefined && !isDateField(mappedField(kind, field)))
      .map(({ field }) => `Only a date has an order: leave it out for ${field}.`),
    ...(mapping.match === 'id' && !mapping.rules.some(({ field }) => field === 'id')
      ? ['To match by id, say which column holds it.']
      : []),
  ]
}

const missingName = (kind: Kind, { match, rules }: Mapping): string[] =>
  match === 'id' || rules.some(({ field }) => field === kind.nameField)
    ? []
    : [`Say which column is the ${kind.nameField}: no ${kind.label.toLowerCase()} is without one.`]
