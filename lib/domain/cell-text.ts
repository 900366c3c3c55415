import type { Field, Picture } from './kinds/index.ts'
import { isLink, isPicture, textOf } from './names/text.ts'

/**
 * Writes a value of a record as a cell of a table, which an import can read again. A link is `#id name`, pictures are
 * JSON, and list items stand between semicolons.
 */
export function cellText(field: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (field.type === 'relation')
    return (Array.isArray(value) ? value : [value]).map(linkText).filter(Boolean).join('; ')
  if (field.type === 'media')
    return JSON.stringify(Array.isArray(value) ? value.filter(isPicture) : [], PICTURE_MEMBERS)
  if (Array.isArray(value)) return value.map(textOf).join('; ')
  return textOf(value)
}

/** The members of a picture in a cell, always in this order. Size and type are left out: the file has them. */
const PICTURE_MEMBERS = ['id', 'caption', 'creator', 'licence', 'date', 'face'] satisfies (keyof Picture)[]

const linkText = (value: unknown): string => (isLink(value) ? `#${value.id} ${value.name}`.trim() : '')
