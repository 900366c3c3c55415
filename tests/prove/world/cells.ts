import { compareText, type Item } from './expressions.ts'

/** The items of the simulated table, with what each was a moment ago: reads that lag behind see that. */
export type Key = { pk: string; sk: string }
type Past = { at: number; item: Item | undefined }
export type Cell = Key & { at: number; item: Item | undefined; past: Past[] }
export const INDEXES = ['gsi1', 'gsi2', 'gsi3', 'gsi4'] as const
export type Index = (typeof INDEXES)[number]
export type Snapshot = ReadonlyMap<string, readonly Cell[]>

/** Reads lag behind by less than this, in milliseconds: so long is what was there kept. */
export const LONGEST_LAG = 2000

export const textOf = (item: Item | undefined, name: string): string => {
  const text = item?.[name]?.S
  return typeof text === 'string' ? text : ''
}

/** How a cell looked at some moment. */
export function seen(cell: Cell, at: number): Item | undefined {
  if (cell.at <= at) return cell.item
  for (let i = cell.past.length - 1; i >= 0; i -= 1) {
    const was = cell.past[i]
    if (was && was.at <= at) return was.item
  }
  return undefined
}

export class Cells {
  #partitions = new Map<string, Map<string, Cell>>()
  #indexed = new Map<string, Set<Cell>>()

  get(key: Key): Item | undefined {
    return this.#partitions.get(key.pk)?.get(key.sk)?.item
  }

  cell(key: Key): Cell | undefined {
    return this.#partitions.get(key.pk)?.get(key.sk)
  }

  set({ pk, sk }: Key, item: Item | undefined, now: number): void {
    let partition = this.#partitions.get(pk)
    if (!partition) {
      partition = new Map()
      this.#partitions.set(pk, partition)
    }
    const cell = partition.get(sk)
    if (cell) {
      cell.past = cell.past.filter((was, i) => now - (cell.past[i + 1]?.at ?? cell.at) < LONGEST_LAG && was.at < now)
      if (now > cell.at) cell.past.push({ at: cell.at, item: cell.item })
      cell.at = now
      cell.item = item
    }
    const kept = cell ?? { pk, sk, at: now, item, past: [] }
    partition.set(sk, kept)
    this.#index(kept)
  }

  #index(cell: Cell): void {
    for (const index of INDEXES) {
      const at = textOf(cell.item, `${index}_pk`)
      if (at === '') continue
      const name = `${index} ${at}`
      const cells = this.#indexed.get(name)
      if (cells) cells.add(cell)
      else this.#indexed.set(name, new Set([cell]))
    }
  }

  /** The cells of a partition, in the order of their sort keys; some may hold nothing. */
  partition(pk: string): Cell[] {
    return [...(this.#partitions.get(pk)?.values() ?? [])].sort((a, b) => compareText(a.sk, b.sk))
  }

  /** The cells that are or were in a partition of an index lately. */
  indexed(index: Index, pk: string): Cell[] {
    const cells = this.#indexed.get(`${index} ${pk}`)
    return cells ? [...cells] : []
  }

  /** Every item that there is. */
  *all(): Generator<Item> {
    for (const partition of this.#partitions.values()) for (const { item } of partition.values()) if (item) yield item
  }

  /** Everything as it is, which later writes do not touch. */
  snapshot(): Snapshot {
    const partitions = [...this.#partitions].map(([pk, cells]) => {
      const held = [...cells.values()].filter(({ item }) => item !== undefined)
      return [pk, held.map(({ sk, item }) => ({ pk, sk, item, at: Number.NEGATIVE_INFINITY, past: [] }))] as const
    })
    return new Map(partitions.filter(([, cells]) => cells.length > 0))
  }

  restore(from: Snapshot): void {
    this.#indexed = new Map()
    this.#partitions = new Map()
    for (const [pk, cells] of from) {
      const copies = cells.map((cell) => ({ ...cell, past: [] }))
      this.#partitions.set(pk, new Map(copies.map((cell) => [cell.sk, cell])))
      for (const cell of copies) this.#index(cell)
    }
  }
}
