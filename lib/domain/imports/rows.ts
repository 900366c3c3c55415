import * as v from 'valibot'
import { type Contribution, type Field, type Kind, kinds, schemaOf } from '../kinds/index.ts'
import { nearestOption, parseCell, parseDegrees, saysNothing, wordsInScript } from './cells.ts'
import { type EvidenceCells, type Mapping, mappedField, type Rule, type SourceMember } from './mapping.ts'

/** A row as its mapping reads it: the body of a contribution, and the record that it is about. */
export type ReadRow = {
  body: Record<string, unknown>
  /** The record's id in the table, and the revision from which the row was made. */
  id: string | undefined
  revision: number | undefined
  /** The texts of the cells, by field. Values that the mapping replaces are replaced here, too. */
  texts: ReadonlyMap<string, string>
  /** The cells about single values, by field: where each comes from, and how sure it is. */
  evidence: ReadonlyMap<string, EvidenceCells>
  /** The pieces of cells that fill fields. */
  pieces: readonly Piece[]
}

/**
 * One value of a cell: the whole cell, or one of several that it lists. `texts`: the value itself, or what the mapping chooses instead.
 * `listed`: the cell is a list in JSON, which is not split any further.
 */
export type Piece = { rule: Rule; value: string; texts: string[]; chosen: boolean; listed: boolean }

/** Why a cell cannot be taken, in a sentence for the sender. `column` is null if the fault belongs to no single column. */
export const CellFault = v.object({
  field: v.string(),
  column: v.nullable(v.string()),
  value: v.string(),
  message: v.string(),
  /** Values that would be accepted, and the one that was probably meant. */
  legal: v.exactOptional(v.array(v.string())),
  nearest: v.exactOptional(v.string()),
})
export type CellFault = v.InferOutput<typeof CellFault>

/** Returns a function that reads rows by a mapping. It reads neither table nor bucket. */
export function createRowReader(mapping: Mapping, columns: readonly string[]) {
  const kind = kinds[mapping.kind]
  const places = new Map(columns.map((name, i) => [name, i]))
  const byField = Object.entries(Object.groupBy(mapping.rules, (it) => it.field)).map(([field, rules = []]) => ({
    field,
    rules: rules.map((rule) => ({ rule, chosen: new Map(rule.values?.map((it) => [it.value, it.becomes])) })),
  }))
  const named = mapping.rules.find(({ field }) => field === kind.nameField)
  const isNepali = 'name_ne' in kind.fields && (named?.language ?? mapping.language) === 'ne'
  const textOf = (cells: readonly string[], it: { column?: string; constant?: string }) => {
    if (it.column === undefined) return (it.constant ?? '').trim()
    const text = withoutGuard(cells[places.get(it.column) ?? -1] ?? '').trim()
    // In a table that comes back a dash is the value itself.
    return mapping.match !== 'id' && saysNothing(text) ? '' : text
  }
  const shared = mapping.assertion.filter(({ field }) => field === undefined)
  const about = [...Map.groupBy(mapping.assertion, ({ field }) => field)].flatMap(([field, own]) =>
    field === undefined ? [] : [[field, own] as const],
  )
  // In a table that comes back an empty cell deletes the evidence. In any other table it says nothing.
  const cellsAbout = (texts: readonly (readonly [SourceMember, string])[]): EvidenceCells =>
    Object.fromEntries(texts.filter(([, text]) => text !== '' || mapping.match === 'id'))
  return (cells: readonly string[]): ReadRow => {
    const body: Record<string, unknown> = {}
    const texts = new Map<string, string>()
    const pieces: Piece[] = []
    for (const { field, rules } of byField) {
      const of = mappedField(kind, field)
      const given = rules.map(({ rule }) => textOf(cells, rule))
      const all = rules.flatMap(({ rule, chosen }, i) => piecesOf(rule, chosen, given[i] ?? '', of))
      const listed = all.filter((piece) => piece.listed)
      // A list in JSON is the whole value of the field: its other columns are ignored.
      const own = listed.length > 0 ? listed : all
      const parts = own.flatMap((piece) => piece.texts)
      pieces.push(...own)
      // In a table that comes back an empty cell deletes the value. In any other table it says nothing.
      if (parts.length === 0 && mapping.match === 'id') body[field] = null
      if (parts.length === 0) continue
      texts.set(field, own.some(({ chosen }) => chosen) ? parts.join('; ') : given.filter(Boolean).join(' '))
      body[field] =
        of && listed.length > 0 ? parts.map((it) => parseCell(of, it)) : bodyValue(kind, field, parts, rules[0]?.rule)
    }
    if (isNepali && texts.has(kind.nameField) && !texts.has('name_ne')) {
      body.name_ne = body[kind.nameField]
      texts.set('name_ne', texts.get(kind.nameField) ?? '')
    }
    const assertion = shared.flatMap((it) => {
      const text = textOf(cells, it)
      return text === '' ? [] : [[it.member, text] as const]
    })
    const evidence = new Map(
      about.map(([field, own]) => [field, cellsAbout(own.map((it) => [it.member, textOf(cells, it)]))]),
    )
    if (assertion.length > 0)
      body.assertion = Object.fromEntries(assertion.map(([name, text]) => [name, sourceValue(name, text)]))
    const { id, revision } = Object.fromEntries(texts)
    for (const name of ['id', 'revision']) delete body[name]
    return {
      body,
      texts,
      evidence,
      pieces,
      id,
      revision: revision && /^\d+$/.test(revision) ? Number(revision) : undefined,
    }
  }
}

/** Removes the apostrophes before signs such as "=". Our exports put them there, so that spreadsheets see no formula. */
const withoutGuard = (text: string) => text.replace(/(^|[;|\t]\s*)'(?=\s*[=+\-@＝＋－＠\t\r\n])/g, '$1')

/** The texts of a JSON list in a cell, which are not split any further; undefined for other texts. */
function jsonList(text: string): string[] | undefined {
  if (!text.startsWith('["') && !text.startsWith('[]')) return undefined
  try {
    const found = v.safeParse(v.array(v.string()), JSON.parse(text))
    return found.success ? found.output.map((it) => it.trim()).filter(Boolean) : undefined
  } catch {
    return undefined
  }
}

/** The pieces of a cell. A choice of the mapping for the whole cell goes before its choices for single pieces. */
function piecesOf(rule: Rule, chosen: ReadonlyMap<string, string>, text: string, field: Field | undefined): Piece[] {
  const whole = chosen.get(inOneLine(text))
  if (whole !== undefined)
    return [{ rule, value: text, texts: partsOf(rule, whole, field), chosen: true, listed: false }]
  const list = field?.multivalued && field.type !== 'media' ? (jsonList(text) ?? []) : []
  return (list.length > 0 ? list : partsOf(rule, text, field)).map((value) => {
    const instead = chosen.get(inOneLine(value))
    const texts = [instead ?? value].filter(Boolean)
    return { rule, value, texts, chosen: instead !== undefined, listed: list.length > 0 }
  })
}

/** A value as a mapping can name it: without line breaks. */
export const inOneLine = (text: string): string => text.replace(/[\s\p{Cc}]+/gu, ' ').trim()

/** The pieces of a text that a rule asks for; none for an empty text. */
function partsOf({ split, part, script }: Rule, text: string, field: Field | undefined): string[] {
  const written = script ? wordsInScript(text, script) : text
  const mark = split ?? (field?.multivalued ? marksOf(field, written) : undefined)
  const pieces = (mark === undefined ? [written] : written.split(mark)).map((it) => it.trim()).filter(Boolean)
  if (part === undefined) return pieces
  const one = pieces.at(part > 0 ? part - 1 : part)
  return one === undefined ? [] : [one]
}

/** Names may contain commas, so they are split at semicolons only. A list of labels without a semicolon is split later. */
const marksOf = (field: Field, text: string) => {
  if (field.type === 'media') return undefined
  return field.type === 'relation' || text.includes(';') ? ';' : undefined
}

function bodyValue(kind: Kind, name: string, parts: readonly string[], rule: Rule | undefined): unknown {
  const field = mappedField(kind, name)
  if (!field) return name === 'latitude' || name === 'longitude' ? degrees(parts.join(' ')) : parts.join(' ')
  if (field.multivalued && parts.length > 1) return parts.map((it) => parseCell(field, it))
  return parseCell(field, parts.join(field.multivalued ? ', ' : (rule?.join ?? ' ')), rule?.date_order)
}

/** The value of one piece of a cell, as the body of a contribution holds it. */
export const pieceValue = (kind: Kind, { rule, texts }: Piece): unknown => bodyValue(kind, rule.field, texts, rule)

const sourceType = (text: string) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
const sourceValue = (member: string, text: string) =>
  member === 'source_type' || member === 'confidence' ? sourceType(text) : text

/** An angle in decimal degrees. A text that is no angle stays, and the schema refuses it. */
function degrees(text: string): string {
  const angle = parseDegrees(text)
  return angle === undefined ? text : String(Number(angle.toFixed(8)))
}

/** A row as a contribution, or the faults of its cells. */
export function parseContribution(
  mapping: Mapping,
  read: ReadRow,
  mode: 'create' | 'change',
): { contribution: Contribution } | { faults: CellFault[] } {
  const kind = kinds[mapping.kind]
  const result = v.safeParse(schemaOf(kind, mode), read.body)
  if (result.success) return { contribution: result.output }
  return {
    faults: result.issues.map(({ path, message }): CellFault => {
      const names = (path ?? []).map(({ key }) => String(key))
      return faultOf(mapping, read, names, message)
    }),
  }
}

/** Faults of texts with half of a character (a lone surrogate), which no store takes. JSON Lines can hold such texts. */
export function damagedTexts(mapping: Mapping, { body, id, texts }: ReadRow): CellFault[] {
  const { assertion, ...values } = body
  const members: [string[], unknown][] = [
    [['id'], id],
    ...Object.entries(values).map(([name, value]): [string[], unknown] => [[name], value]),
    ...Object.entries(Object(assertion)).map(([name, value]): [string[], unknown] => [['assertion', name], value]),
  ]
  return members
    .filter(([, value]) => isDamaged(value))
    .map(([path]) => ({
      field: path.join('.'),
      column: columnFor(mapping, path),
      value: (texts.get(path.join('.')) ?? '').slice(0, 200).toWellFormed(),
      message: 'The text has half of a character. Type it again.',
    }))
}

function isDamaged(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, inner]) => !name.isWellFormed() || isDamaged(inner))
}

function faultOf(mapping: Mapping, { texts, body }: ReadRow, path: readonly string[], message: string): CellFault {
  const [first = '', second] = path
  const field = second ?? first
  const inner = Object(body.assertion)[field]
  const value = texts.get(field) ?? (second !== undefined && typeof inner === 'string' ? inner : '')
  const options = mappedField(kinds[mapping.kind], field)
  const near = options && nearestOption(options, value)
  return {
    field: path.join('.'),
    column: columnFor(mapping, path),
    value: value.slice(0, 200).toWellFormed(),
    message,
    ...(options?.vocabulary && value !== '' && { legal: Object.keys(options.vocabulary.values) }),
    ...(near !== undefined && value !== '' && { nearest: near }),
  }
}

/** The column that a member of the body comes from. */
export function columnFor(mapping: Mapping, [first = '', second]: readonly string[]): string | null {
  const found =
    second === undefined
      ? mapping.rules.find((it) => it.field === first)
      : mapping.assertion.find((it) => it.member === second && it.field === undefined)
  return found?.column ?? null
}

/** The column of a cell about one value. */
export const columnAbout = (mapping: Mapping, field: string, member: SourceMember): string | null =>
  mapping.assertion.find((it) => it.member === member && it.field === field)?.column ?? null
