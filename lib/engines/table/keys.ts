/** Where an item lies: its partition and its place in it. */
export type Key = { pk: string; sk: string }

const HEAD = 'HEAD'

/**
 * The items that the engine itself keeps:
 *
 *   a large transaction, its parts                    LARGE#<id>                HEAD, PART#<number>
 *   large transactions that are not settled           every index: LARGE        <created_at>#<id>
 *   what an item was before one that is at work       STAGED#<id>#<pk>          <sk>
 *   the sizes of lists, some in an item               COUNT#<group>#<shard>     HEAD, <part>
 *   the lease of what one process at a time does      LOCK#<name>               HEAD
 *   the next number of a sequence                     SEQUENCE#<name>           HEAD
 */
export const key = {
  large: (id: string): Key => ({ pk: `LARGE#${id}`, sk: HEAD }),
  largePart: (id: string, number: number): Key => ({
    pk: `LARGE#${id}`,
    sk: `PART#${String(number).padStart(6, '0')}`,
  }),
  count: (group: string, shard: number, sk = HEAD): Key => ({ pk: `COUNT#${group}#${shard}`, sk }),
  lock: (name: string): Key => ({ pk: `LOCK#${name}`, sk: HEAD }),
  sequence: (name: string): Key => ({ pk: `SEQUENCE#${name}`, sk: HEAD }),
}

/** Where a stored item lies. */
export const keyOf = ({ pk, sk }: Readonly<Record<string, unknown>>): Key => ({ pk: String(pk), sk: String(sk) })

/** A key as text, for maps. */
export const place = ({ pk, sk }: Key): string => `${pk} ${sk}`

/** A number such that texts sort as numbers do. */
export const padNumber = (number: number): string => String(number).padStart(16, '0')

/** A small number such that texts sort as numbers do. */
export const padPlace = (place: number): string => String(place).padStart(8, '0')

export const indexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4'] as const
export type IndexName = (typeof indexes)[number]
