import * as v from 'valibot'
import { parse } from 'yaml'

/** What a proposal in YAML (LinkML) would define. The parser refuses aliases, so a small text cannot become a large object. */

const Names = v.record(v.string(), v.unknown())
const Text = v.pipe(v.unknown(), v.transform(String))

/** The result of parsing: an object, or why there is none. */
type Parsed =
  | { root: Readonly<Record<string, unknown>> }
  | { notes: string }
  | { error: 'invalid_yaml'; detail: string }

/** Parses a text. Never fails: it says why it cannot be read. */
export function parseYaml(text: string): Parsed {
  if (text.trim() === '') return { notes: 'empty' }
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 })
    const root = v.safeParse(Names, value)
    return root.success && !Array.isArray(value) ? { root: root.output } : { notes: 'root_not_mapping' }
  } catch (error) {
    return { error: 'invalid_yaml', detail: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' }
  }
}

/** The members of a mapping; none of anything else. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> => {
  const members = v.safeParse(Names, value)
  return members.success && !Array.isArray(value) ? members.output : {}
}
/** The names in a list, or of the members of a mapping. */
export const namesOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.map((it) => v.parse(Text, it)) : Object.keys(membersOf(value))

const MOST_SHOWN = 50
const MOST_VALUES = 12

export type ChangeSummary = {
  classes: { name: string; slots: string[] }[]
  enums: { name: string; values_sample: string[] }[]
  top_level_keys?: string[]
  notes?: string
  error?: string
  detail?: string
}

/** Says in short what a proposal would define. Never fails: it says why a text cannot be read. */
export function summarizeChanges(text: string): ChangeSummary {
  const parsed = parseYaml(text)
  if (!('root' in parsed)) return { classes: [], enums: [], ...parsed }
  const { classes, enums } = parsed.root
  return {
    classes: Object.entries(membersOf(classes))
      .slice(0, MOST_SHOWN)
      .map(([name, it]) => ({ name, slots: [...namesOf(membersOf(it).slots), ...namesOf(membersOf(it).attributes)] })),
    enums: Object.entries(membersOf(enums))
      .slice(0, MOST_SHOWN)
      .map(([name, it]) => ({ name, values_sample: namesOf(membersOf(it).permissible_values).slice(0, MOST_VALUES) })),
    top_level_keys: Object.keys(parsed.root),
  }
}

/** What a proposal would define, sorted: `class:X`, `slot:X.s`, `attr:X.a`, `enum:E`. Undefined if the text cannot be read. */
export function conflictKeysOf(text: string): string[] | undefined {
  const parsed = parseYaml(text)
  if (!('root' in parsed)) return undefined
  const { classes, enums } = parsed.root
  const keys = [
    ...Object.entries(membersOf(classes)).flatMap(([name, it]) => [
      `class:${name}`,
      ...namesOf(membersOf(it).slots).map((slot) => `slot:${name}.${slot}`),
      ...namesOf(membersOf(it).attributes).map((attribute) => `attr:${name}.${attribute}`),
    ]),
    ...Object.keys(membersOf(enums)).map((name) => `enum:${name}`),
  ]
  return [...new Set(keys)].sort()
}
