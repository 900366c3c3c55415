import type { Picture } from '../kinds/index.ts'
import type { Link, Values } from './values.ts'

/** All names of a record, its main name first. */
export function namesOf(name: string, data: Values): string[] {
  const others = Array.isArray(data.alternate_names) ? data.alternate_names.map(textOf) : []
  return [name, textOf(data.name_ne), ...others].filter(Boolean)
}

/** A value as a reader sees it: lists joined by commas, links by their names. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join(', ')
  if (isLink(value)) return value.name
  if (isPicture(value)) return value.caption ?? value.id
  return value === undefined || value === null ? '' : String(value)
}

/**
 * A value in the contributor's own words. A link sent as an id gives "": a text for all readers must not tell names of
 * hidden records.
 */
export function contributorWordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(contributorWordsOf).filter(Boolean).join(', ')
  if (isPicture(value)) return value.caption ?? ''
  return isLink(value) ? (value.text ?? '') : textOf(value)
}

/** Whether a value is a stored picture. */
export const isPicture = (value: unknown): value is Picture =>
  typeof value === 'object' && value !== null && 'id' in value && 'width' in value

/** Whether a value is a stored link. */
export const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'name' in value && 'id' in value
