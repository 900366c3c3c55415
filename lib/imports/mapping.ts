import * as v from 'valibot'
import { choice, line, members } from '../http/body.ts'
import { type Field, type Kind, kindKeys, kinds } from '../kinds/index.ts'
import { languages } from '../language/languages.ts'
import { meantBy } from '../matching/nearest.ts'

/** How the columns of a table become the members of a contribution: data, which its owner changes, keeps and uses again. */

export const scripts = ['latin', 'devanagari'] as const
export type Script = (typeof scripts)[number]
const short = (most: number) => v.pipe(line(most), v.nonEmpty('This field may not be blank.'))
const mark = v.exactOptional(v.pipe(v.string('Not a valid text.'), v.minLength(1), v.maxLength(5)))

/** Where a text comes from: a column, by its header, or one text for all rows. */
const origin = { column: v.exactOptional(short(300)), constant: v.exactOptional(line(2000)) }

const Rule = members({
  /** A field of the kind; latitude, longitude; id or revision of a table that comes back. */
  field: short(60),
  ...origin,
  /** Cut at this mark; `part` takes one of the pieces, counted from 1, or from the end if negative. */
  split: mark,
  part: v.exactOptional(v.pipe(v.number('Give a whole number.'), v.integer('Give a whole number.'))),
  /** What stands between the texts of several columns in one field. */
  join: mark,
  /** Only the words in this script. */
  script: v.exactOptional(choice(scripts)),
  /** In which language the name is: a Nepali one is the name in Nepali as well, where no other is given. */
  language: v.exactOptional(choice(languages)),
})
export type Rule = v.InferOutput<typeof Rule>

/** Members of the assertion that says where values come from. */
export const sourceMembers = [
  'source_type',
  'source_citation',
  'source_url',
  'confidence',
  'data_quality_note',
] as const
const Source = members({ member: choice(sourceMembers), ...origin })

/** What decides that a row is a record that is there already. */
export const matches = ['id', 'identifier', 'name_and_place', 'none'] as const

export const Mapping = members({
  kind: choice(kindKeys),
  sheet: v.optional(v.pipe(v.number('Give a whole number.'), v.integer(), v.minValue(0)), 0),
  /** In which row of the sheet the headers stand, counted from 1. */
  header_row: v.optional(v.pipe(v.number('Give a whole number.'), v.integer(), v.minValue(1), v.maxValue(20)), 1),
  match: v.optional(choice(matches), 'identifier'),
  /** The language of names of which no rule says another. */
  language: v.exactOptional(choice(languages)),
  rules: v.pipe(v.array(Rule, 'Give a list.'), v.maxLength(300, 'Give 300 rules at most.')),
  assertion: v.optional(v.pipe(v.array(Source, 'Give a list.'), v.maxLength(20)), []),
})
export type Mapping = v.InferOutput<typeof Mapping>

/** Members of a row that are no fields: the two coordinates, and what says which record it is, and as it was when. */
const besides = ['latitude', 'longitude', 'id', 'revision'] as const

/** The field that a rule fills; undefined for what is beside the fields. */
export const fieldOf = (kind: Kind, name: string): Field | undefined => kind.fields[name]

/** What is wrong with a mapping of these columns, a sentence each. */
export function mappingFaults(mapping: Mapping, columns: readonly string[]): string[] {
  const kind = kinds[mapping.kind]
  if (!kind.record) return [`Records of the kind ${mapping.kind} cannot be imported from tables.`]
  const fields = [...Object.keys(kind.fields), ...besides]
  const origins = [...mapping.rules, ...mapping.assertion]
  return [
    ...mapping.rules
      .filter(({ field }) => !fields.includes(field))
      .map(({ field }) => `${kind.label} has no field ${field}.${meantBy(field, fields)}`),
    ...origins.flatMap(({ column }) =>
      column === undefined || columns.includes(column)
        ? []
        : [`There is no column "${column}".${meantBy(column, columns)}`],
    ),
    ...(origins.some((it) => (it.column === undefined) === (it.constant === undefined))
      ? ['A rule takes either a column or a constant.']
      : []),
    ...missingName(kind, mapping),
    ...mapping.rules
      .filter(({ field, language }) => language !== undefined && field !== kind.nameField)
      .map(({ field }) => `Only the name has a language: leave it out for ${field}.`),
    ...(mapping.match === 'id' && !mapping.rules.some(({ field }) => field === 'id')
      ? ['To match by id, say which column holds it.']
      : []),
  ]
}

const missingName = (kind: Kind, { match, rules }: Mapping): string[] =>
  match === 'id' || rules.some(({ field }) => field === kind.nameField)
    ? []
    : [`Say which column is the ${kind.nameField}: no ${kind.label.toLowerCase()} is without one.`]
