import type { Field, Kind } from '../../lib/domain/kinds/index.ts'
import { optionsOf } from '../../lib/domain/kinds/schema/enums.ts'

/** A body with a value for most fields of a kind. It has two relations at most, because each makes a stub. */
export function filled(kind: Kind): Record<string, unknown> {
  const linked = Object.entries(kind.fields)
    .filter(([, field]) => field.type === 'relation')
    .slice(2)
  const members = Object.entries(kind.fields)
    .filter(([name]) => !linked.some(([other]) => other === name))
    .map(([name, field]) => [name, valueFor(name, kind, field)])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

function valueFor(name: string, kind: Kind, { type, vocabulary, minimum, example, maxLength = 300 }: Field) {
  if (name === kind.nameField) return `An example: ${kind.label}`
  if (vocabulary) return optionsOf(vocabulary)[0]?.value
  if (type === 'relation') return `What ${kind.label} names as ${name}`
  if (type === 'number' || type === 'float') return Math.max(minimum ?? 0, 0)
  if (type === 'boolean') return true
  if (type === 'coordinates') return '27.6722, 85.4279'
  if (type === 'url') return 'https://example.org/'
  if (type === 'labels') return ['One', 'Two']
  // A picture would need an upload first.
  if (type === 'media') return undefined
  if (type === 'date' || type === 'edtf_date') return '1768'
  return example ?? (maxLength > 20 ? `Some ${name.replaceAll('_', ' ')}` : undefined)
}
