import type { Stored } from '../../table/index.ts'
import type { Change } from '../document.ts'

/** What search learns of stored items, and of which types. */
export type DocumentSource = {
  types: readonly string[]
  documentOf: (stored: Stored) => Change | undefined
}

let source: DocumentSource | undefined

/**
 * Hands in what search learns of items. The engine does not know what is stored, so who builds a model from the table
 * calls this first.
 */
export function provideDocuments(given: DocumentSource): void {
  source = given
}

/** What was handed in. Fails where nothing was. */
export function documentSource(): DocumentSource {
  if (!source) throw new Error('search has no documents: call provideDocuments first')
  return source
}
