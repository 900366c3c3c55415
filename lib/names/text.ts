import type { Picture } from '../kinds/index.ts'
import type { Link, Values } from './values.ts'

/** Every name a record goes by, its own first. */
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

/** A value in the words of the contributor: of links what was written, and nothing where an id was given. For copies that all readers share. */
export function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(', ')
  if (isPicture(value)) return value.caption ?? ''
  return isLink(value) ? (value.text ?? '') : textOf(value)
}

/** Whether a value is a picture as it is stored. */
export const isPicture = (value: unknown): value is Picture =>
  typeof value === 'object' && value !== null && 'id' in value && 'width' in value

/** Whether a value is a relation as it is stored. */
export const isLink = (value: unknown): value is Link =>
  typeof value === 'object' && value !== null && 'name' in value && 'id' in value
