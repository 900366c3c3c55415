import type { KindKey } from '../../domain/kinds/index.ts'
import { compareValues } from '../../domain/records/corrections.ts'
import { canonicalValues, type History, loadHistory } from '../../domain/records/history.ts'
import type { Assertion, LoadedRecord } from '../../domain/records/items.ts'
import type { OutcomeRule } from '../../domain/records/rules/canonical.ts'
import { roundPoint } from '../../engines/matching/index.ts'
import { Agreement, type Judgment } from './agreement.ts'
import type { Disagreements } from './disagreement-shape.ts'

/** The counts of one property of a kind. `between`: rivals by the sorts of the two sources. */
type Property = {
  kind: KindKey
  property: string
  values: number
  rivalled: number
  between: Map<string, number>
  agreement: Agreement
}

/** Counts disagreements, record by record. It holds sums only. */
export class DisagreementTally {
  readonly #properties = new Map<string, Property>()
  readonly #years = new Map<string, number>()
  readonly #places = new Map<string, { records: number; rivalled: number }>()

  /** Adds a public record. A record whose properties have one claim each is counted without its history. One call for any other. */
  async add(record: LoadedRecord): Promise<void> {
    const claimed = Map.groupBy(record.assertions, ({ asserted_property }) => asserted_property)
    const isContested = [...claimed.values()].some(({ length }) => length > 1)
    const history = isContested ? await loadHistory(record.entity_id) : undefined
    this.addCounted(record, history)
  }

  /** Adds a record. `history` is undefined if no property has several claims. */
  addCounted(record: LoadedRecord, history: History | undefined): void {
    let hasRival = false
    for (const property of Object.keys(record.data)) {
      const counts = this.#property(record.kind, property)
      counts.values += 1
      const rivals = history ? rivalsOf(history, property) : []
      if (rivals.length > 0) counts.rivalled += 1
      hasRival ||= rivals.length > 0
      for (const pair of rivals) this.#addRival(counts, pair)
      if (history) for (const judgments of judgmentsOf(history, property)) counts.agreement.add(judgments)
    }
    this.#addPlace(record, hasRival)
  }

  #property(kind: KindKey, property: string): Property {
    const at = `${kind} ${property}`
    const none = {
      kind,
      property,
      values: 0,
      rivalled: 0,
      between: new Map<string, number>(),
      agreement: new Agreement(),
    }
    const counts = this.#properties.get(at) ?? none
    this.#properties.set(at, counts)
    return counts
  }

  #addRival({ kind, between }: Property, [claim, standing]: RivalPair): void {
    addTo(between, JSON.stringify([claim.source_type, standing.source_type].toSorted()))
    addTo(this.#years, JSON.stringify([kind, Number(claim.created_at.slice(0, 4))]))
  }

  #addPlace({ point }: LoadedRecord, hasRival: boolean): void {
    if (!point) return
    const { lat, lng } = roundPoint(point)
    const at = JSON.stringify([lat, lng])
    const place = this.#places.get(at) ?? { records: 0, rivalled: 0 }
    this.#places.set(at, { records: place.records + 1, rivalled: place.rivalled + (hasRival ? 1 : 0) })
  }

  /** What was counted, in a fixed order. */
  result(made_at: string): Disagreements {
    return {
      made_at,
      properties: inOrder(this.#properties).map(([, { between, agreement, ...counts }]) => ({
        ...counts,
        judged_twice: agreement.units,
        alpha: agreement.alpha,
        between: inOrder(between).map(([at, rivals]) => {
          const [one, other]: [string, string] = JSON.parse(at)
          return { one, other, rivals }
        }),
      })),
      years: inOrder(this.#years).map(([at, rivals]) => {
        const [kind, year]: [KindKey, number] = JSON.parse(at)
        return { kind, year, rivals }
      }),
      places: inOrder(this.#places).map(([at, counts]) => {
        const [lat, lng]: [number, number] = JSON.parse(at)
        return { lat, lng, ...counts }
      }),
    }
  }
}

type RivalPair = readonly [claim: Assertion, standing: Assertion]

const addTo = (counts: Map<string, number>, at: string) => counts.set(at, (counts.get(at) ?? 0) + 1)
const inOrder = <T>(counts: ReadonlyMap<string, T>) => [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))

/** The claims that decisions named and that contradict the standing claim, each paired with it. */
function rivalsOf(history: History, property: string): RivalPair[] {
  const byId = new Map(history.assertions.map((claim) => [claim.id, claim]))
  const standing = byId.get(canonicalValues(history).get(property)?.stands ?? '')
  if (!standing) return []
  const met = history.decisions.flatMap(({ outcomes }) =>
    outcomes.filter((it) => it.property === property && !isOwnChange(it.rule)).flatMap(namedIn),
  )
  return [...new Set(met)].flatMap((id): RivalPair[] => {
    const claim = byId.get(id)
    if (!claim || claim.id === standing.id) return []
    return compareValues(history, property, standing, claim) === 'contradicts' ? [[claim, standing]] : []
  })
}

const namedIn = ({ stands, rivals }: { stands: string | null; rivals: readonly string[] }): string[] =>
  stands === null ? [...rivals] : [stands, ...rivals]

/** Whether a value changes by this rule without a quarrel between sources. */
const isOwnChange = (rule: OutcomeRule): boolean => ['corrected', 'edited', 'removed'].includes(rule)

/** For each claim of a property, the last judgment of each reviewer who decided on it. */
function judgmentsOf({ decisions }: History, property: string): Judgment[][] {
  const byClaim = new Map<string, Map<string, Judgment>>()
  const note = (claim: string, reviewer: string, judgment: Judgment) =>
    byClaim.set(claim, (byClaim.get(claim) ?? new Map<string, Judgment>()).set(reviewer, judgment))
  for (const { outcomes, reviewer_id } of decisions.toSorted((a, b) => a.sequence - b.sequence)) {
    for (const { stands, rule, rivals } of outcomes.filter((it) => it.property === property)) {
      const isOpen = rule === 'disputed' || rule === 'coexist'
      if (stands !== null) note(stands, reviewer_id, isOpen ? 'disputed' : 'stands')
      for (const rival of rivals) note(rival, reviewer_id, isOpen ? 'disputed' : 'lost')
    }
  }
  return [...byClaim.values()].map((judgments) => [...judgments.values()])
}
