import type { Stored } from '../../table/read.ts'
import type { Change } from '../document.ts'

/** What search learns of stored items, and of which types. */
export type DocumentSource = {
  types: readonly string[]
  documentOf: (stored: Stored) => Change | undefined
}

let source: DocumentSource | undefined

/**
 * Hands in what search learns of items. Search stands above the slices that store them, so it cannot ask them itself:
 * whoever may have to build a model from the table imports lib/effects/search-documents.ts, which calls this.
 */
export function provideDocuments(given: DocumentSource): void {
  source = given
}

/** What was handed in. Fails where nothing was. */
export function documentSource(): DocumentSource {
  if (!source) throw new Error('import lib/effects/search-documents.ts where search is used')
  return source
}
