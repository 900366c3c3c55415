import type { Picture } from '../kinds/index.ts'
import type { Link, Values } from './values.ts'

/** Returns all names of a record, its main name first. */
export function namesOf(name: string, data: Values): string[] {
  const others = Array.isArray(data.alternate_names) ? data.alternate_names.map(textOf) : []
  return [name, textOf(data.name_ne), ...others].filter(Boolean)
}

/** Writes a value as text for readers: list items between commas, links and pictures by their names. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (isLink(value)) return value.name
  if (isPicture(value)) return value.caption ?? value.id
  return value === undefined || value === null ? '' : String(value)
}

/**
 * Writes a value in the contributor's own words. A link that was sent as an id gives "": a text for all readers must not
 * contain the name of a hidden record.
 */
export function contributorWordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(contributorWordsOf).filter(Boolean).join(', ')
  if (isPicture(value)) return value.caption ?? ''
  return isLink(value) ? (value.text ?? '') : textOf(value)
}

export const isPicture = (value: unknown): value is Picture =>
  typeof value === 'object' && value !== null && 'id' in value && 'width' in value

export const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'name' in value && 'id' in value
