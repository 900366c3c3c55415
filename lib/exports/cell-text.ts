import type { Field } from '../kinds/index.ts'
import { isLink, textOf } from '../names/text.ts'

/** A value of a record as a cell of a table that may come back: of links `#id name`, lists with semicolons between. */
export function cellText(field: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (field.type === 'relation')
    return (Array.isArray(value) ? value : [value]).map(linkText).filter(Boolean).join('; ')
  if (Array.isArray(value)) return value.map(textOf).join('; ')
  return textOf(value)
}

const linkText = (value: unknown): string => (isLink(value) ? `#${value.id} ${value.name}`.trim() : '')
