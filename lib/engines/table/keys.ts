/** The key of an item: its partition key and its sort key. */
export type Key = { pk: string; sk: string }

const HEAD = 'HEAD'

/**
 * Keys of the engine's own items:
 *
 *   a two-phase commit, and its parts          LARGE#<id>                HEAD, PART#<number>
 *   two-phase commits that are not settled     gsi2: LARGE               <created_at>#<id>
 *   the before-image of an item                STAGED#<id>#<pk>          <sk>
 *   the sizes of a group of lists              COUNT#<group>#<shard>     HEAD, <part>
 *   a lock                                     LOCK#<name>               HEAD
 *   the next number of a sequence              SEQUENCE#<name>           HEAD
 *   takes of what has no item of its own       TAKES#<worker>            <thing>
 */
export const key = {
  twoPhase: (id: string): Key => ({ pk: `LARGE#${id}`, sk: HEAD }),
  twoPhasePart: (id: string, number: number): Key => ({
    pk: `LARGE#${id}`,
    sk: `PART#${String(number).padStart(6, '0')}`,
  }),
  count: (group: string, shard: number, sk = HEAD): Key => ({ pk: `COUNT#${group}#${shard}`, sk }),
  lock: (name: string): Key => ({ pk: `LOCK#${name}`, sk: HEAD }),
  sequence: (name: string): Key => ({ pk: `SEQUENCE#${name}`, sk: HEAD }),
  takes: (worker: string, thing: string): Key => ({ pk: `TAKES#${worker}`, sk: thing }),
}

/** The key of a stored item. */
export const keyOf = ({ pk, sk }: Readonly<Record<string, unknown>>): Key => ({ pk: String(pk), sk: String(sk) })

/** A key as text, `pk sk`, for maps and sets. */
export const place = ({ pk, sk }: Key): string => `${pk} ${sk}`

/** A number as 16 digits, so that texts sort as numbers do. */
export const padNumber = (number: number): string => String(number).padStart(16, '0')

/** A number as 8 digits, so that texts sort as numbers do. */
export const padPlace = (place: number): string => String(place).padStart(8, '0')

export const indexes = ['gsi1', 'gsi2', 'gsi3', 'gsi4'] as const
export type IndexName = (typeof indexes)[number]
