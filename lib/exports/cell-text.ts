import type { Field, Picture } from '../kinds/index.ts'
import { isLink, isPicture, textOf } from '../names/text.ts'

/** A value of a record as a cell of a table that may come back: of links `#id name`, lists with semicolons between, pictures as JSON. */
export function cellText(field: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (field.type === 'relation')
    return (Array.isArray(value) ? value : [value]).map(linkText).filter(Boolean).join('; ')
  if (field.type === 'media') return JSON.stringify(Array.isArray(value) ? value.filter(isPicture) : [], SAID)
  if (Array.isArray(value)) return value.map(textOf).join('; ')
  return textOf(value)
}

/** What is said of a picture, in this order whatever that in which it was read; not what its file says by itself. */
const SAID = ['id', 'caption', 'creator', 'licence', 'date', 'face'] satisfies (keyof Picture)[]

const linkText = (value: unknown): string => (isLink(value) ? `#${value.id} ${value.name}`.trim() : '')
