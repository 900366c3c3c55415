import { context, type Node } from './context.ts'

type LinkedPage<T> = { count: number; next: string | null; previous: string | null; results: readonly T[] }

/** A page of a list as JSON-LD, each row made by `row`. `id` is the list's address; another filter makes another list. */
export function linkedList<T>(
  page: LinkedPage<T>,
  { id, label }: { id: string; label: string },
  row: (it: T) => Node,
): Node {
  return {
    '@context': context,
    id,
    type: 'hydra:Collection',
    label,
    'hydra:totalItems': page.count,
    'hydra:member': page.results.map(row),
    'hydra:view': {
      type: 'hydra:PartialCollectionView',
      'hydra:next': page.next === null ? undefined : { id: page.next },
      'hydra:previous': page.previous === null ? undefined : { id: page.previous },
    },
  }
}
