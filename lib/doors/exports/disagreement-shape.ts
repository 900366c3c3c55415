import * as v from 'valibot'
import * as s from '../../base/shapes.ts'
import { kindKeys } from '../../domain/kinds/index.ts'

/**
 * How far sources disagree about a property of a kind. `values` counts records with a value, `rivalled` those with a value and a rival.
 * `between`: the number of rivals by the two source types, in alphabetical order. `alpha`: how far reviewers agree.
 */
export const DisagreementView = s.shape('Disagreement', () =>
  v.object({
    kind: s.oneOf(kindKeys),
    property: s.text,
    values: s.whole,
    rivalled: s.whole,
    judged_twice: s.whole,
    alpha: s.maybe(v.number()),
    between: v.array(v.object({ one: s.text, other: s.text, rivals: s.whole })),
  }),
)

/** Sums beside the rows: rivals by the year in which they were claimed, and records by places rounded to a tenth of a degree. */
export const disagreementSums = () => ({
  made_at: s.maybe(s.time),
  years: v.array(v.object({ kind: s.oneOf(kindKeys), year: s.whole, rivals: s.whole })),
  places: v.array(v.object({ lat: v.number(), lng: v.number(), records: s.whole, rivalled: s.whole })),
})

/** What the exporter counts once a day, as it is stored. */
export type Disagreements = {
  made_at: string
  properties: s.Output<typeof DisagreementView>[]
  years: s.Output<ReturnType<typeof disagreementSums>['years']>
  places: s.Output<ReturnType<typeof disagreementSums>['places']>
}
