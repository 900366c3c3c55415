import { type KindKey, kinds } from '../../../lib/domain/kinds/index.ts'
import type { ImportStep } from './plan.ts'
import { type Callers, type Known, lookUpId } from './records.ts'
import type { Find, Found } from './resolve.ts'

/**
 * The records that a run knows: those of its own rows, and those of earlier runs, for which it asks the service once.
 * `finished` resolves when a row has been sent.
 */
export function memoryOf(
  byId: ReadonlyMap<string, ImportStep>,
  callers: Callers,
  finished: (step: ImportStep) => Promise<unknown>,
) {
  const made = new Map<ImportStep | undefined, Known>()
  const asked = new Map<string, Promise<Known | undefined>>()

  const fromService = async (id: string, among: readonly KindKey[]): Promise<Known | undefined> => {
    for (const kind of among) {
      const place = `${kind} ${id}`
      const answer = asked.get(place) ?? lookUpId(kinds[kind], id, callers)
      asked.set(place, answer)
      const known = await answer
      if (known) return known
    }
    return undefined
  }

  /** Finds the record of a row's id: of an earlier row of this run, else of a record that an earlier run made. */
  const findFor =
    (step: ImportStep): Find =>
    async (ids, among) => {
      for (const id of ids.filter(Boolean)) {
        const other = byId.get(id)
        if (other && other.position >= step.position) continue
        if (other) await finished(other)
        const known = other ? made.get(other) : await fromService(id, among)
        if (known) return foundOf(known)
      }
      return undefined
    }

  /** The record of a row of this run, without asking the service. */
  const knownHere = (ids: readonly string[]): Found | undefined => {
    const [known] = ids.flatMap((id) => made.get(byId.get(id)) ?? [])
    return known && foundOf(known)
  }

  return { findFor, knownHere, remember: (step: ImportStep, known: Known) => void made.set(step, known) }
}

const foundOf = ({ kind, id, name }: Known): Found => ({ kind: kind.key, id, name })
